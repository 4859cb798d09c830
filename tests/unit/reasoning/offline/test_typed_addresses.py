"""Addresses in what the user types or pastes: whole, or none."""

import pytest

from assistant.reasoning.offline.reading.text.tokens import tokenise


def addresses(text: str) -> list[str]:
    return [token.text for token in tokenise(text) if token.kind == "address"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to anna@north.example that I come", ["anna@north.example"]),
        ("write to anna@north.example.", ["anna@north.example"]),
        ("cc <anna@north.example>, tom@north.example;eve@north.example", 3),
        ("invite anna@north.example,tom@north.example", 2),
        ("tell (anna@north.example) and anna+lists@mail.north.example!", 2),
    ],
)
def test_addresses_are_found_where_they_stand_whole(text: str, expected: list[str] | int) -> None:
    found = [one.strip("<>") for one in addresses(text)]
    assert len(found) == expected if isinstance(expected, int) else found == expected


@pytest.mark.parametrize(
    "text",
    [
        "write to alice@example.org@evil.example",
        "write to alice@example.org<bob@evil.example>",
        "write to alice@example.org(bob@evil.example)",
        "write to alice@example.org:bob@evil.example",
    ],
)
def test_of_two_addresses_in_one_neither_is_taken(text: str) -> None:
    assert addresses(text) == []
