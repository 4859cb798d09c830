"""Our mail queries in Gmail's search language."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from integrations.common.mail_words import anyone
from integrations.google.mail_query import Asked, Sieve, asked
from integrations.google.messages import Labels
from integrations.types import Address, MailQuery

LABELS = Labels([{"id": "Label_7", "name": "Lists/python", "type": "user"}, {"id": "INBOX", "name": "INBOX", "type": "system"}])
FOLDERS = {"folders": ("INBOX",)}


@pytest.mark.parametrize(
    ("fields", "q"),
    [
        ({"words": ("budget",)}, "{budget budgets}"),
        ({"words": ("Budgets", "2026")}, "{budgets budget} 2026"),
        ({"words": ("yearly budget",)}, '"yearly budget"'),
        ({"words": ("AND", "or", "-x", 'say "hi"')}, 'and or "-x" "say hi"'),
        ({"words": ("💩", "^", " ")}, ""),
        ({"subject": ("figures",)}, "{subject:figures subject:figure}"),
        ({"sender": ("anna@acme.example",)}, 'from:anna@acme.example'),
        ({"sender": ("Berg, Anna",)}, "(from:berg from:anna)"),
        ({"sender": ("Anna Berg", "tom")}, "{(from:anna from:berg) from:tom}"),
        ({"sender": ("^", "tom")}, ""),
        ({"recipient": ("jürgen",)}, '{to:"jürgen" cc:"jürgen" bcc:"jürgen"}'),
        ({"with_person": ("joerg@bücher.example",)}, "{from:X to:X cc:X bcc:X}".replace("X", "joerg@xn--bcher-kva.example")),
        ({"unread": False, "flagged": False, "has_attachment": True}, "-is:unread -is:starred has:attachment"),
        ({"has_attachment": False}, "-has:attachment"),
        ({"message_id": "<a@x.example>"}, "rfc822msgid:a@x.example"),
    ],
    ids=str,
)  # fmt: skip
def test_each_field_has_its_operators(fields: dict[str, Any], q: str) -> None:
    assert asked(MailQuery(**fields, **FOLDERS), LABELS) == Asked(q, ("INBOX",))


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ((), Asked("-in:draft")),
        (("inbox",), Asked("", ("INBOX",))),
        (("Trash",), Asked("", ("TRASH",), anywhere=True)),
        (("lists/Python",), Asked("", ("Label_7",))),
        (("INBOX", "Lists/python", "nowhere"), Asked('{in:inbox label:"Lists/python"}')),
        (("Archive",), Asked("(-in:inbox -in:sent -in:draft -in:trash -in:spam has:nouserlabels)")),
        (("nowhere",), None),
    ],
)
def test_folders_are_labels(folders: tuple[str, ...], expected: Asked | None) -> None:
    assert asked(MailQuery(folders=folders), LABELS) == expected


def test_flags_are_labels() -> None:
    assert asked(MailQuery(unread=True, flagged=True, **FOLDERS), LABELS) == Asked("", ("INBOX", "UNREAD", "STARRED"))


def test_days_are_exact_in_the_users_zone_and_both_ends_have_a_margin() -> None:
    midnight = datetime(2026, 11, 16, tzinfo=ZoneInfo("Asia/Tokyo"))
    seconds = int(datetime(2026, 11, 15, 15, tzinfo=UTC).timestamp())
    question = asked(MailQuery(since=midnight, before=midnight.replace(day=17), **FOLDERS), LABELS)
    assert question == Asked(f"after:{seconds - 1} before:{seconds + 86_401}", ("INBOX",))


@pytest.mark.parametrize("entry", ["anna", "BERG", "Berg, Anna", "anna.berg", "acme.example", "anna.berg@acme.example", "Ännä"])
def test_people_are_meant_by_their_address_or_by_whole_parts_of_name_or_address(entry: str) -> None:
    assert anyone((entry,))(Address(email="anna.berg@acme.example", name="Anna Berg"))


@pytest.mark.parametrize("entry", ["ann", "Anna Novak", "acme.berg", "example.acme", "berg@acme.example", "^"])
def test_nobody_is_meant_by_less(entry: str) -> None:
    assert not anyone((entry,))(Address(email="anna.berg@acme.example", name="Anna Berg"))


@pytest.mark.parametrize(
    ("fields", "loose", "scanned"),
    [
        ({"words": ("budget",), "unread": True}, False, ()),
        ({"words": ("C++", "会議", "a:b")}, True, ("c++", "会議")),
        ({"sender": ("anna",)}, True, ()),
        ({"bulk": False}, True, ()),
    ],
)
def test_what_gmail_can_not_tell_is_looked_at_afterwards(fields: dict[str, Any], loose: bool, scanned: tuple[str, ...]) -> None:
    sieve = Sieve(MailQuery(**fields), LABELS)
    assert (sieve.loose, sieve.scanned) == (loose, scanned)
