from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.standards.imap.responses import (
    DEEPEST,
    Garbled,
    Piece,
    found_by,
    found_in_sets,
    internal_date,
    listed_in,
    moment,
    prefixes_in,
    rows_of,
    sets_of,
    statuses_in,
    uids_of,
    values,
    vanished_in,
)

ATOMS = st.from_regex(r"[A-Za-z\\$.*+-][A-Za-z0-9\\$.*+-]{0,8}", fullmatch=True).filter(lambda atom: atom.upper() != "NIL")
LEAVES = st.none() | ATOMS | st.binary(max_size=30) | st.integers(0, 2**63)
TREES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=20)
READERS = (rows_of, found_by, found_in_sets, vanished_in, listed_in, prefixes_in, statuses_in)


def written(tree: Any) -> list[Piece]:
    """As a server writes it: what a quoted string can't hold as a literal, after which a new piece begins."""
    pieces: list[Piece] = []
    line = b""

    def write(value: Any) -> None:
        nonlocal line
        if isinstance(value, list):
            line += b"("
            for number, one in enumerate(value):
                line += b" " if number else b""
                write(one)
            line += b")"
        elif isinstance(value, bytes) and set(value) & set(b'\r\n\0"\\{'):
            pieces.append((line + b"{%d}" % len(value), value))
            line = b""
        elif isinstance(value, bytes):
            line += b'"' + value + b'"'
        else:
            line += b"NIL" if value is None else str(value).encode()

    write(tree)
    return [*pieces, line]


@given(TREES)
def test_what_a_server_writes_is_read_as_it_was(tree: Any) -> None:
    assert values(written(tree)) == [tree]


PIECES = st.binary(max_size=60) | st.tuples(
    st.binary(max_size=30).map(lambda line: line + b"{3}"), st.binary(min_size=3, max_size=3)
)
TOKENS = st.lists(st.sampled_from([b"(", b")", b'"', b"\\", b"NIL", b"7", b"{3}", b"[", b"]", b"UID", b" ", b"1:*", b"FLAGS"]))


@given(st.lists(PIECES | TOKENS.map(b"".join) | st.none(), max_size=6))
def test_garbage_is_refused_or_read_but_nothing_else_happens(data: list[Any]) -> None:
    for reader in READERS:
        with suppress(Garbled, TypeError, ValueError):
            reader(data)


def test_lists_that_lie_too_deep_are_refused() -> None:
    with pytest.raises(Garbled):
        values([b"(" * (DEEPEST + 2) + b")" * (DEEPEST + 2)])


@pytest.mark.parametrize("text", [b"(", b")", b"(()", b'"open', b"(\\Seen [", b"{3}", b'"a" {2'])
def test_what_is_not_whole_is_refused(text: bytes) -> None:
    with pytest.raises(Garbled):
        values([text])


def test_a_message_is_told_by_names_in_upper_case_and_types_of_ours() -> None:
    data = [
        (b"3 (uid 7 FLAGS (\\Seen $Later) RFC822.SIZE 12 MODSEQ (9) BODY[1]<0> {2}", b"ab"),
        (b' INTERNALDATE " 1-Feb-2024 09:00:00 +0100" BODY[2] {0}', b""),
        b' BODY[HEADER.FIELDS ("Date")] "")',
    ]
    assert rows_of(data) == [
        {
            "UID": 7,
            "FLAGS": ["\\Seen", "$Later"],
            "INTERNALDATE": datetime(2024, 2, 1, 8, tzinfo=UTC),
            "RFC822.SIZE": 12,
            "MODSEQ": 9,
            "BODY[1]<0>": b"ab",
            "BODY[2]": b"",
            "BODY[HEADER.FIELDS (DATE)]": b"",
        }
    ]


def test_what_is_told_of_a_message_in_two_lines_is_put_together() -> None:
    assert rows_of([b"1 (UID 7 RFC822.SIZE 3)", b"1 (FLAGS ())", b"1 (UID 7 FLAGS (\\Seen))"]) == [
        {"UID": 7, "RFC822.SIZE": 3, "FLAGS": ["\\Seen"]}
    ]


@pytest.mark.parametrize("row", [b"1 (UID 0)", b"1 (UID -1)", b"1 (UID 99999999999)", b'1 (UID "7")', b"1 (FLAGS)", b"(UID 7)"])
def test_a_message_without_a_proper_uid_is_refused(row: bytes) -> None:
    with pytest.raises(Garbled):
        rows_of([row])


@given(st.integers(0, 4_000_000_000), st.integers(-12 * 60, 14 * 60))
def test_a_date_comes_back_to_the_second(seconds: int, minutes: int) -> None:
    aware = datetime.fromtimestamp(seconds, timezone(timedelta(minutes=minutes)))
    assert moment(internal_date(aware)) == aware


@pytest.mark.parametrize("text", ["", "31-Feb-2024 09:00:00 +0100", "1-Foo-2024 09:00:00 +0100", "1-Feb-2024 09:00:00"])
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(Garbled):
        moment(text)


@given(st.sets(st.integers(1, 300)), st.integers(10, 60), st.integers(1, 50))
def test_sets_hold_each_uid_once_and_keep_their_bounds(uids: set[int], longest: int, most: int) -> None:
    sets = list(sets_of(uids, longest, most))
    assert [uid for part in sets for uid in uids_of(part)] == sorted(uids)
    assert all(len(part) <= longest and len(uids_of(part)) <= most for part in sets)


@pytest.mark.parametrize("text", ["", "1:", "*", "1,,2", "1:99999999", "4294967296", "1" * 5000, "1:4294967295"])
def test_sets_that_are_none_or_name_too_many_are_refused(text: str) -> None:
    with pytest.raises(Garbled):
        uids_of(text)


def test_all_ways_to_tell_what_was_found_are_read() -> None:
    assert found_by([b"5 3", b"9"]) == [5, 3, 9]
    assert found_by([b"5 3 (MODSEQ 77)"]) == [5, 3]
    assert found_by([None]) == []
    assert found_in_sets([b'(TAG "x") UID ALL 2:4,9']) == [2, 3, 4, 9]
    assert found_in_sets([b'(TAG "x") UID']) == []
    assert vanished_in([b"(EARLIER) 3:4", b"9"]) == {3, 4, 9}


def test_folders_are_listed_whatever_their_names_hold() -> None:
    listed = listed_in([b'(\\HasNoChildren) "/" 007', (b'(\\Sent) "." {3}', b'a"b'), b"", b"(\\Noselect) NIL NIL)", b"garbage ((("])
    assert [(one.path, one.delimiter, sorted(one.attributes)) for one in listed] == [
        ("007", "/", ["\\hasnochildren"]),
        ('a"b', ".", ["\\sent"]),
    ]


def test_the_users_own_namespace_is_told_from_those_of_others() -> None:
    assert prefixes_in([b'(("INBOX." ".")) (("user." ".")) (("shared." "."))']) == (("INBOX.", "."), {"user.", "shared."})
    assert prefixes_in([b"NIL NIL NIL"]) == (None, frozenset())
    assert prefixes_in([b'(("" "/")) NIL NIL']) == (("", "/"), frozenset())
