"""What every mailbox finds."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, NamedTuple

import pytest
from doubles.boxes.base import MailBox
from doubles.boxes.letters import MONDAY, letter

from integrations.errors import NotFound
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH, Mail, MailQuery

ODD_WORDS = ["can't", "C++", "a:b", "AND", "NOT (", '"', "x*", "^", "-", "näh\x00t", "{col}:", "(", "NEAR/2", "'--"]


async def found(mail_box: MailBox, **fields: Any) -> list[str]:
    page = await mail_box.reader.search(MailQuery(**fields))
    assert page.total in (None, len(page.items))
    return [mail.subject for mail in page.items]


async def test_newest_comes_first_unless_asked_otherwise(mail_box: MailBox) -> None:
    for day in (2, 0, 1):
        mail_box.deliver(letter(subject=f"day {day}", date=MONDAY + timedelta(days=day)))
    assert await found(mail_box) == ["day 2", "day 1", "day 0"]
    assert await found(mail_box, oldest_first=True) == ["day 0", "day 1", "day 2"]


@pytest.mark.parametrize(
    "fields",
    [
        {"words": ("budget",)},
        {"words": ("BUDGETS",)},
        {"words": ("budget", "anna")},
        {"words": ("yearly budget",)},
        {"subject": ("figures",)},
        {"sender": ("anna.berg@acme.example",)},
        {"sender": ("ANNA",)},
        {"sender": ("berg",)},
        {"sender": ("Anna Berg",)},
        {"sender": ("Berg, Anna",)},
        {"sender": ("acme.example",)},
        {"sender": ("nobody", "anna")},
        {"recipient": ("tom@acme.example",)},
        {"recipient": ("Jürgen",)},
        {"recipient": ("jurgen",)},
        {"with_person": ("tom",)},
        {"with_person": ("anna",)},
        {"since": MONDAY, "before": MONDAY + timedelta(seconds=1)},
        {"folders": (INBOX,)},
        {"folders": ("inbox", ARCHIVE)},
        {"unread": True},
        {"has_attachment": True},
        {"bulk": False, "words": ("budget",)},
        {"message_id": "<wanted@acme.example>"},
        {"message_id": "wanted@acme.example"},
        {"words": ("budget",), "sender": ("anna",), "since": MONDAY, "has_attachment": True, "unread": True},
    ],
    ids=str,
)
async def test_each_field_finds_the_mail_it_describes(mail_box: MailBox, fields: dict[str, Any]) -> None:
    mail_box.deliver(
        letter(
            id="<wanted@acme.example>",
            subject="The figures",
            to="Tom Novak <tom@acme.example>",
            cc="Jürgen Groß <jg@acme.example>",
            body="Here is the yearly budget.",
            files={"budget.pdf": b"%PDF"},
        )
    )
    other = letter(sender="Mia <mia@other.example>", subject="Lunch?", date=MONDAY - timedelta(days=40), **{"List-Id": "<x.y>"})
    mail_box.deliver(other, "Archive" if "unread" in fields or "folders" not in fields else "Projects", seen=True)
    assert await found(mail_box, **fields) == ["The figures"]


@pytest.mark.parametrize(
    "fields",
    [
        {"words": ("budget", "holiday")},
        {"words": ("budget yearly",)},
        {"subject": ("budget",)},
        {"sender": ("tom",)},
        {"sender": ("ann",)},
        {"sender": ("Anna Novak",)},
        {"recipient": ("anna",)},
        {"since": MONDAY + timedelta(seconds=1)},
        {"before": MONDAY},
        {"flagged": True},
        {"unread": False},
        {"has_attachment": True},
        {"bulk": True},
        {"folders": (ARCHIVE,)},
        {"thread": "<unknown@acme.example>"},
        {"message_id": "<unknown@acme.example>"},
    ],
    ids=str,
)
async def test_each_field_leaves_out_what_does_not_match(mail_box: MailBox, fields: dict[str, Any]) -> None:
    mail_box.deliver(letter(to="Tom Novak <tom@acme.example>", body="Here is the yearly budget."))
    assert await found(mail_box, **fields) == []


class Kind(NamedTuple):
    """One of sixteen mails: each property is had by half of them."""

    number: int

    def has(self, bit: int) -> bool:
        return bool(self.number >> bit & 1)

    @property
    def date(self) -> datetime:
        return MONDAY + timedelta(days=self.number)

    def deliver(self, mail_box: MailBox) -> None:
        mail_box.deliver(
            letter(
                subject=f"{'Budget' if self.has(0) else 'Holiday'} {self.number:02}",
                sender="Tom Novak <tom@acme.example>" if self.has(1) else "Inés García <ines@south.example>",
                to="me@home.example" if self.has(2) else "Team <team@acme.example>",
                body="The yearly figures." if self.has(3) else "Nothing new.",
                files={"plan.pdf": b"%PDF"} if self.has(0) != self.has(3) else {},
                date=self.date,
                **({"List-Id": "<x.y>"} if self.has(1) != self.has(2) else {}),
            ),
            ARCHIVE if self.has(2) != self.has(3) else INBOX,
            seen=self.has(0) != self.has(1),
            flagged=self.has(1) != self.has(3),
        )


KINDS = [Kind(number) for number in range(16)]
FIELDS: list[tuple[dict[str, Any], Callable[[Kind], bool]]] = [
    ({"words": ("yearly",)}, lambda one: one.has(3)),
    ({"words": ("tom", "figures")}, lambda one: one.has(1) and one.has(3)),
    ({"subject": ("budget",)}, lambda one: one.has(0)),
    ({"sender": ("ines", "nobody")}, lambda one: not one.has(1)),
    ({"recipient": ("team",)}, lambda one: not one.has(2)),
    ({"with_person": ("acme.example",)}, lambda one: one.has(1) or not one.has(2)),
    ({"since": MONDAY + timedelta(days=5)}, lambda one: one.number >= 5),
    ({"before": MONDAY + timedelta(days=11)}, lambda one: one.number < 11),
    ({"folders": (ARCHIVE,)}, lambda one: one.has(2) != one.has(3)),
    ({"unread": True}, lambda one: one.has(0) == one.has(1)),
    ({"flagged": False}, lambda one: one.has(1) == one.has(3)),
    ({"has_attachment": True}, lambda one: one.has(0) != one.has(3)),
    ({"bulk": True}, lambda one: one.has(1) != one.has(2)),
    ({"oldest_first": True}, lambda one: True),
]


@pytest.mark.parametrize("each", [1, 2, 3])
async def test_fields_are_combined(mail_box: MailBox, each: int) -> None:
    for kind in KINDS:
        kind.deliver(mail_box)
    for chosen in list(combinations(FIELDS, each))[:: 1 if each < 3 else 11]:
        query: dict[str, Any] = {}
        for fields, _ in chosen:
            query |= {name: query.get(name, ()) + value if name == "words" else value for name, value in fields.items()}
        expected = [kind.number for kind in KINDS if all(fits(kind) for _, fits in chosen)]
        numbers = [int(subject.split()[1]) for subject in await found(mail_box, **query)]
        assert numbers == sorted(expected, reverse="oldest_first" not in query), query


@pytest.mark.parametrize("word", ODD_WORDS)
async def test_no_word_breaks_the_search(mail_box: MailBox, word: str) -> None:
    mail_box.deliver(letter(body="Nothing of that kind."))
    for field in ("words", "subject", "sender", "recipient", "with_person"):
        page = await mail_box.reader.search(MailQuery(**{field: (word,)}))
        assert page.total in (None, len(page.items))


@pytest.mark.parametrize("word", ["C++", "naïve", "Straße", "会議", "Встреча", "💩", "can't", "a:b", "snake_case"])
async def test_words_of_any_script_and_symbols_are_found(mail_box: MailBox, word: str) -> None:
    mail_box.deliver(letter(subject="yes", body=f"Es geht um {word} und明日の会議です."))
    mail_box.deliver(letter(subject="no", body="C is a letter, 50 a number.", date=MONDAY - timedelta(days=1)))
    assert await found(mail_box, words=(word,)) == ["yes"]


async def test_trash_drafts_and_outbox_are_searched_only_when_named(mail_box: MailBox) -> None:
    looked_at, aside = [INBOX, SENT, ARCHIVE, "Lists/python"], [TRASH, DRAFTS]
    if not mail_box.account.sends:
        aside.append(OUTBOX)
    for folder in looked_at + aside:
        mail_box.deliver(letter(subject=folder), folder)
    assert sorted(await found(mail_box)) == sorted(looked_at)
    for folder in aside:
        assert await found(mail_box, folders=(folder,)) == [folder]
    assert {*looked_at, *aside} <= set(await mail_box.reader.folders())


async def test_pages_lose_and_double_nothing_even_when_dates_are_equal(mail_box: MailBox) -> None:
    for number in range(23):
        mail_box.deliver(letter(subject=f"mail {number}", date=MONDAY + timedelta(hours=number // 5)))
    for oldest_first in (False, True):
        seen: list[Mail] = []
        cursor: str | None = None
        while True:
            page = await mail_box.reader.search(MailQuery(limit=4, cursor=cursor, oldest_first=oldest_first))
            assert page.total in (None, 23)
            seen += page.items
            cursor = page.next
            if cursor is None:
                break
        assert sorted(mail.subject for mail in seen) == sorted(f"mail {number}" for number in range(23))
        assert [mail.date for mail in seen] == sorted((mail.date for mail in seen), reverse=not oldest_first)


async def test_a_mail_that_arrives_between_pages_shifts_nothing(mail_box: MailBox) -> None:
    for number in range(6):
        mail_box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    first = await mail_box.reader.search(MailQuery(limit=3))
    mail_box.deliver(letter(subject="late", date=MONDAY + timedelta(days=9)))
    second = await mail_box.reader.search(MailQuery(limit=3, cursor=first.next))
    assert [mail.subject for mail in (*first.items, *second.items)] == ["5", "4", "3", "2", "1", "0"]


async def test_pages_lose_and_double_nothing_while_mail_comes_and_goes(mail_box: MailBox) -> None:
    for number in range(14):
        mail_box.deliver(letter(subject=f"old {number}", date=MONDAY + timedelta(hours=number)))
    seen: list[Mail] = []
    cursor: str | None = None
    for number in range(20):
        page = await mail_box.reader.search(MailQuery(limit=3, cursor=cursor))
        seen += page.items
        cursor = page.next
        if cursor is None:
            break
        mail_box.deliver(letter(subject=f"new {number}", date=MONDAY + timedelta(hours=20 + number)))
        mail_box.remove(page.items[0].id)
    subjects = [mail.subject for mail in seen]
    assert len(subjects) == len(set(subjects))
    assert [subject for subject in subjects if subject.startswith("old")] == [f"old {number}" for number in reversed(range(14))]


async def test_a_cursor_that_is_none_is_refused(mail_box: MailBox) -> None:
    with pytest.raises(NotFound):
        await mail_box.reader.search(MailQuery(cursor="; DROP TABLE mail"))
