"""A large mailbox that is always the same: threads, newsletters, attachments, several years."""

import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

OWNER = "sam.reed@harbour.example"
_FIRST = "Anna Tom Leila Jürgen Sofia David Mei Ola Priya Marco Chloé Ivan Ruth Kwame Elif Noah Hana Pavel Inés Björn".split()
_LAST = "Berg Novak Haddad Müller Rossi Smith Chen Larsen Sharma Bianchi Dubois Petrov Cohen Mensah Kaya Weber".split()
_HOSTS = "harbour.example northwind.example lumen.example quarry.example delta.example".split()
_TOPICS = "budget roadmap invoice contract release hiring workshop travel pricing migration survey audit launch lease".split()
_KINDS = "update review question draft numbers plan notes decision agenda".split()
_WORDS = (
    "the we please team meeting project report number customer week schedule change think could would before after "
    "agree send check open close point issue answer time line quarter office price signed version table result list "
    "morning delay room call next first second later ready done waiting proposal detail summary cost board partner"
).split()


def _people(rng: random.Random, count: int) -> list[tuple[str, str]]:
    pairs = [(first, last) for first in _FIRST for last in _LAST]
    rng.shuffle(pairs)
    chosen = [pairs[number % len(pairs)] for number in range(count)]
    return [
        (f"{first} {last}", f"person{number}.{last.encode('ascii', 'ignore').decode().lower()}@{_HOSTS[number % len(_HOSTS)]}")
        for number, (first, last) in enumerate(chosen)
    ]


def _text(rng: random.Random) -> str:
    return "\n\n".join(" ".join(rng.choices(_WORDS, k=rng.randint(20, 70))).capitalize() + "." for _ in range(rng.randint(1, 4)))


def make_mailbox(path: Path, n: int, *, now: datetime = datetime(2026, 11, 20, 12, tzinfo=UTC), seed: int = 7) -> Path:
    """`n` mails to and from OWNER, the newest at `now`, one about every ten minutes of working life; returns `path`."""
    rng = random.Random(seed)
    people = _people(rng, max(20, min(n // 20, 3000)))
    for folder in ("", ".Sent", ".Archive", ".Drafts", ".Outbox", ".Trash"):
        for sub in ("cur", "new", "tmp"):
            (path / folder / sub).mkdir(parents=True, exist_ok=True)
    thread: list[tuple[str, str]] = []
    for number in range(n):
        date = now - timedelta(minutes=10 * (n - number - 1))
        name, address = people[min(int(rng.expovariate(8) * len(people)), len(people) - 1)]
        key = f"<m{number}@{_HOSTS[number % 5]}>"
        if thread and rng.random() < 0.4:
            parent, subject = rng.choice(thread[-40:])
            subject = subject if subject.startswith("Re: ") else f"Re: {subject}"
            links = f"In-Reply-To: {parent}\nReferences: {parent}\n"
        else:
            subject, links = f"{rng.choice(_TOPICS).capitalize()} {rng.choice(_KINDS)} {number % 97}", ""
        thread.append((key, subject))
        sent = rng.random() < 0.2
        bulk = not sent and rng.random() < 0.25
        people_lines = f"From: {OWNER}\nTo: {name} <{address}>\n" if sent else f"From: {name} <{address}>\nTo: {OWNER}\n"
        head = f"{people_lines}Subject: {subject}\nDate: {format_datetime(date)}\nMessage-ID: {key}\n{links}"
        head += "List-Id: <news.example>\nPrecedence: bulk\n" if bulk else ""
        if rng.random() < 0.1:
            kind = 'multipart/mixed; boundary="b"'
            body = f"--b\nContent-Type: text/plain; charset=utf-8\n\n{_text(rng)}\n--b\nContent-Type: application/pdf\n"
            body += f'Content-Disposition: attachment; filename="{rng.choice(_TOPICS)}.pdf"\n\n%PDF-1.4 {number}\n--b--\n'
        else:
            kind, body = "text/plain; charset=utf-8", _text(rng) + "\n"
        folder = ".Sent" if sent else ".Archive" if rng.random() < 0.3 else ""
        unread = not sent and rng.random() < 0.08
        flags = "" if unread else "FS" if rng.random() < 0.03 else "S"
        target = path / folder / "cur" / f"{int(date.timestamp())}.M{number}P1.host:2,{flags}"
        target.write_text(
            f"{head}MIME-Version: 1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: 8bit\n\n{body}", encoding="utf-8"
        )
    return path
