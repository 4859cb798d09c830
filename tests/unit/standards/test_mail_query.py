"""What an IMAP server is asked for, and what of that truly matches."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from integrations.common.mime import read_message
from integrations.common.people import plain
from integrations.standards.imap.folders import Folder
from integrations.standards.mailbox.heads import Head
from integrations.standards.mailbox.mail_query import Sieve, any_of, criteria, spellings
from integrations.types import MailQuery

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def asked(**fields: Any) -> str:
    return " ".join(one if isinstance(one, str) else f'"{one.decode()}"' for one in criteria(MailQuery(**fields)))


def head(raw: bytes = b"From: Anna Berg <anna@acme.example>\r\nSubject: Hello\r\n\r\n", *flags: str) -> Head:
    return Head("1-1-" + "x" * 16, Folder("INBOX", "INBOX"), 1, frozenset(flags), NOON, read_message(raw))


def test_days_are_asked_for_with_room_for_the_zone_of_the_server() -> None:
    assert asked(since=NOON, before=NOON) == "UNDELETED SINCE 15-Nov-2026 BEFORE 18-Nov-2026"


def test_flags_are_the_servers_to_tell() -> None:
    assert asked(unread=True, flagged=False) == "UNDELETED UNSEEN UNFLAGGED"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"words": ("budgets",)}, 'TEXT "budget"'),
        ({"words": ("BUDGET",)}, 'TEXT "budget"'),
        ({"words": ("yearly budget",)}, 'TEXT "yearly" TEXT "budget"'),
        ({"words": ("C++",)}, 'TEXT "C++"'),
        ({"words": ("naïve",)}, 'OR TEXT "naïve" TEXT "naive"'),
        ({"subject": ("figures",)}, 'SUBJECT "figure"'),
        ({"sender": ("tv",)}, 'FROM "tv"'),
        ({"recipient": ("tv",)}, 'OR TO "tv" OR CC "tv" BCC "tv"'),
        ({"sender": ("Tom@Acme.example",)}, 'FROM "tom@acme.example"'),
        ({"sender": ("jo@bücher.example",)}, 'OR FROM "jo@xn--bcher-kva.example" FROM "jo@bücher.example"'),
        ({"message_id": "<a@x.example>"}, 'HEADER MESSAGE-ID "a@x.example"'),
    ],
    ids=str,
)
def test_a_field_becomes_what_finds_at_least_its_matches(fields: dict[str, Any], expected: str) -> None:
    assert asked(**fields) == expected
    assert asked(**fields, unread=True) == f"UNDELETED UNSEEN {expected}"


@pytest.mark.parametrize("name", ["Jürgen", "Inés", "Łukasz", "Groß", "Zoë", "Çelik", "Muñoz", "Žofie"])
def test_a_name_typed_without_its_accent_is_asked_for_with_it(name: str) -> None:
    if plain(name).isascii():
        assert name.lower() in [spelled.lower() for spelled in spellings(plain(name))]


def test_where_literals_take_long_a_name_is_asked_for_as_it_was_typed() -> None:
    assert criteria(MailQuery(sender=("jurgen",)), accents=False) == ["FROM", b"jurgen"]


@given(some.lists(some.text(max_size=30), min_size=1, max_size=8).map(tuple))
def test_no_text_of_any_kind_can_pass_for_a_command(texts: tuple[str, ...]) -> None:
    for field in ("words", "subject", "sender", "recipient", "with_person"):
        query = MailQuery(**{field: texts})
        for part in criteria(query):
            if isinstance(part, bytes):
                assert part.strip() and not set(part) & set(b"\r\n\0")
            else:
                assert part in {"UNDELETED", "OR", "TEXT", "SUBJECT", "FROM", "TO", "CC", "BCC"}
        Sieve(query).passes(head())
        Sieve(query).says(head().parsed, "some text")


@given(some.integers(0, 40))
def test_a_choice_of_keys_has_one_or_less_than_keys(number: int) -> None:
    tree = any_of([["FROM", b"x"]] * number)
    assert tree.count("OR") == max(0, number - 1) and tree.count("FROM") == number


def test_of_very_many_people_only_as_many_ways_of_writing_them_are_asked_for_as_can_be() -> None:
    names = tuple(f"Éléonore{number} Saint-Exupéry" for number in range(40))
    assert len(criteria(MailQuery(with_person=names))) < 40 * 4 * 3 + 10


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("budget", "the budgets", True),
        ("budgets", "the budget", True),
        ("budget", "budgetary", False),
        ("yearly budget", "the yearly\n budget", True),
        ("yearly budget", "yearly, great budget", False),
        ("jurgen", "Jürgen", True),
        ("Jürgen", "jurgen", True),
        ("groß", "GROSS", True),
        ("C++", "We use C++ here", True),
        ("C++", "We use C here", False),
        ("会議", "明日の会議です", True),
        ("anna", "nothing", True),
        ("hello", "nothing", True),
    ],
)
def test_words_are_whole_words_in_people_subject_or_text(word: str, text: str, found: bool) -> None:
    assert Sieve(MailQuery(words=(word,))).says(head().parsed, text) is found


def test_what_has_changed_since_it_was_found_is_left_out() -> None:
    assert not Sieve(MailQuery(unread=True)).passes(head(b"From: a@x.example\r\n\r\n", "\\seen"))
    assert Sieve(MailQuery(unread=False)).passes(head(b"From: a@x.example\r\n\r\n", "\\seen"))


@pytest.mark.parametrize(("word", "keys"), [("Hana", [b"Hana"]), ("Müller", ["Müller".encode(), b"muller"])])
def test_a_word_is_asked_for_once_as_servers_do_not_tell_capitals_apart(word: str, keys: list[bytes]) -> None:
    asked = criteria(MailQuery(sender=(word,)), accents=False)
    assert [one for one in asked if isinstance(one, bytes)] == keys
