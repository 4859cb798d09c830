"""Holds what came of a message against what the tables expect of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from e2e.sentences.account import BERLIN
from e2e.sentences.notation import ITEMS, LEVELS, TRIGGERS, Line, Said
from e2e.sentences.outcome import Found, Write, found, writes

from assistant.facade import Turn

CRITICAL = ("to", "cc", "bcc", "with", "add", "drop", "at", "later", "seen", "flagged", "answer", "emails", "phones", "rrule")
"""Who and when: never left open by an expectation, for a mistake here reaches the wrong person or day."""


def complaints(said: Said, turn: Turn, mail_folder: Path) -> list[str]:
    """Nothing where one of the alternatives holds; else what is wrong with the first."""
    found_wrong = [list(_wrong(lines, turn, mail_folder)) for lines in said.expected]
    return [] if [] in found_wrong else found_wrong[0]


def summary(turn: Turn) -> str:
    """What came out, in the notation, for a report."""
    result = found(turn)
    lines = [f"{name} {' '.join(keys)}" for name, keys in result.items.items() if keys]
    lines += ["yes" if truth else "no" for truth in result.truths] + [f"count {count}" for count in result.counts]
    if turn.question:
        lines.append(f"asks {turn.question.trigger} {' | '.join(c.label for c in turn.question.choices)} ({turn.question.text})")
    lines += [str(write) for write in writes(turn)]
    return "; ".join(lines) or turn.reply.replace("\n", " / ")[:160]


def _wrong(lines: Sequence[Line], turn: Turn, mail_folder: Path) -> Iterator[str]:
    result, done = found(turn), writes(turn)
    yield from _wrong_writes([line for line in lines if line.head in LEVELS], done)
    asks = next((line for line in lines if line.head == "asks"), None)
    if asks is None and turn.question is not None:
        yield f"asks {turn.question.text!r}"
    for line in lines:
        if line.head == "asks":
            yield from _wrong_question(line, turn)
        elif line.head == "says":
            yield from _wrong_reply(line, turn.reply)
        elif line.head == "outbox":
            if (lying := len(list((mail_folder / ".Outbox").glob("[cn][ue][rw]/*")))) != int(line.rest):
                yield f"{lying} mails lie in the Outbox, not {line.rest}"
        elif line.head not in (*LEVELS, "nothing"):
            yield from _wrong_finding(line, result)


def _wrong_finding(line: Line, result: Found) -> Iterator[str]:
    name = line.head.rstrip("+-")
    if name in ITEMS:
        wanted, got = set(line.words) - {"none"}, set(result.items[name])
        bad = wanted & got if line.head.endswith("-") else wanted - got if line.head.endswith("+") else wanted ^ got
        if bad:
            yield f"{line}: found {' '.join(sorted(got)) or 'none'}"
    elif line.head in ("yes", "no"):
        if result.truths[-1:] != [line.head == "yes"]:
            yield f"the answer is {result.truths[-1:] or 'none'}, not {line.head}"
    elif line.head == "count":
        if result.counts[-1:] != [int(line.rest)]:
            yield f"the count is {result.counts[-1:] or 'none'}, not {line.rest}"
    elif line.head == "clashes":
        if sorted(result.clashes) != sorted(set(line.words) - {"none"}):
            yield f"{line}: found {' '.join(result.clashes) or 'none'}"
    elif line.head == "slots":
        yield from _wrong_slots(dict(word.split("=", 1) for word in line.words), result)


def _wrong_slots(wanted: Mapping[str, str], result: Found) -> Iterator[str]:
    if not result.slots:
        yield "no slot was found"
    earliest, latest = _at(wanted["from"]), _at(wanted["till"])
    taken = [_stretch(words) for words in wanted["avoid"].split(",")] if "avoid" in wanted else []
    for slot in result.slots:
        if slot.start < earliest or slot.end > latest:
            yield f"the slot {slot.start:%m-%d/%H:%M} lies outside"
        if "length" in wanted and slot.end - slot.start != timedelta(minutes=int(wanted["length"].removesuffix("m"))):
            yield f"the slot {slot.start:%m-%d/%H:%M}-{slot.end:%H:%M} has another length"
        if any(slot.start < end and start < slot.end for start, end in taken):
            yield f"the slot {slot.start:%m-%d/%H:%M}-{slot.end:%H:%M} is taken"
    if "first" in wanted and result.slots and result.slots[0].start != _at(wanted["first"]):
        yield f"the first slot is {result.slots[0].start:%m-%d/%H:%M}"


def _at(words: str) -> datetime:
    return datetime.strptime(f"2026-{words}", "%Y-%m-%d/%H:%M").replace(tzinfo=BERLIN)


def _stretch(words: str) -> tuple[datetime, datetime]:
    start, _, end = words.rpartition("-")
    return _at(start), _at(f"{start.partition('/')[0]}/{end}")


def _wrong_question(line: Line, turn: Turn) -> Iterator[str]:
    if turn.question is None:
        yield "it asks nothing"
        return
    trigger, _, labels = line.rest.partition(" ")
    if trigger not in TRIGGERS:
        trigger, labels = "", line.rest
    if trigger and turn.question.trigger != trigger:
        yield f"the question is {turn.question.trigger}, not {trigger}"
    parts = [part.strip() for part in labels.split("|") if part.strip()]
    choices = [choice.label for choice in turn.question.choices]
    if parts and (len(parts) != len(choices) or any(not any(part in choice for choice in choices) for part in parts)):
        yield f"the choices are {' | '.join(choices) or 'none'}"


def _wrong_reply(line: Line, reply: str) -> Iterator[str]:
    wanted = True
    for word in line.words:
        if word == "not":
            wanted = False
        elif (word.casefold() in reply.casefold()) != wanted:
            yield f"the reply says {reply!r}" if wanted else f"the reply says {word!r}"


def _wrong_writes(lines: Sequence[Line], done: Sequence[Write]) -> Iterator[str]:
    left = list(done)
    for line in lines:
        match = next((write for write in left if _fits(line, write)), None)
        if match is None:
            yield f"{line}: no such write"
        else:
            left.remove(match)
    if left and len(done) > len(lines):
        yield f"nobody asked for {'; '.join(map(str, left))}"


def _fits(line: Line, write: Write) -> bool:
    operation, *rest = line.words
    target = "".join(word for word in rest if "=" not in word)
    fields = dict(word.split("=", 1) for word in rest if "=" in word)
    stated = {name.rstrip("~") for name in fields}
    if (line.head, operation, target) != (write.level, write.operation, write.target):
        return False
    if any(write.fields.get(name) for name in CRITICAL if name not in stated):
        return False
    return all(_same(name, value, write.fields) for name, value in fields.items())


def _same(name: str, value: str, fields: Mapping[str, str]) -> bool:
    got, wanted = _plain(fields.get(name.rstrip("~"), "")), _plain(value)
    return wanted in got if name.endswith("~") else wanted == got


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
