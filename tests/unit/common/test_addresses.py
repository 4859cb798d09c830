"""Where an address begins and ends, and that nobody passes for another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.addresses import normal_email, parse_address, parse_addresses, wire_email
from integrations.types import Address


def emails(header: str) -> list[str]:
    return [address.email for address in parse_addresses(header)]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Anna <A@X.Example>", [Address(email="a@x.example", name="Anna")]),
        ('"Doe, John" <j@x.example>, b@x.example', [Address(email="j@x.example", name="Doe, John"), Address(email="b@x.example")]),
        ("j@x.example (John (Jack) Doe)", [Address(email="j@x.example", name="John (Jack) Doe")]),
        ('"J \\"Jack\\" D" <j@x.example>', [Address(email="j@x.example", name='J "Jack" D')]),
        ("=?utf-8?q?M=C3=BCller,_Anna?= <a@x.example>", [Address(email="a@x.example", name="Müller, Anna")]),
        ('"=?iso-8859-1?q?J=F6rg?=" <j@x.example>', [Address(email="j@x.example", name="Jörg")]),
        ("a@xn--mnchen-3ya.example", [Address(email="a@münchen.example")]),
        ("Team: a@x.example, B <b@x.example>; c@x.example", None),
    ],
)
def test_addresses_are_read_with_their_names(header: str, expected: list[Address] | None) -> None:
    found = list(parse_addresses(header))
    assert found == expected if expected is not None else [one.email for one in found] == [f"{x}@x.example" for x in "abc"]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("alice@example.org<bob@evil.example>", ["bob@evil.example"]),
        ('"alice@example.org" <bob@evil.example>', ["bob@evil.example"]),
        ("=?utf-8?q?alice=40example.org?= <bob@evil.example>", ["bob@evil.example"]),
        ("=?utf-8?q?<alice@example.org>,?= <bob@evil.example>", ["bob@evil.example"]),
        ("\uff41lice\uff20example.org <bob@evil.example>", ["bob@evil.example"]),
        ("<bob@evil.example>alice@example.org", []),
        ("<alice@example.org> <bob@evil.example>", []),
        ('"alice@example.org"@evil.example', []),
        ("alice@example.org@evil.example", []),
        ("<@a.example,@b.example:alice@x.example>", []),
        ('"unterminated <alice@x.example>, b@x.example', ["b@x.example"]),
        ("john doe@x.example", []),
        ("a@-x.example, a@x..example, @x.example, a@, a b", []),
        ("undisclosed-recipients:;", []),
    ],
)
def test_a_false_front_shows_no_other_address(header: str, expected: list[str]) -> None:
    found = parse_addresses(header)
    assert [address.email for address in found] == expected
    assert not any("alice" in address.name for address in found)


def test_what_shows_two_addresses_is_not_one() -> None:
    for text in ("alice@example.org<bob@evil.example>", "a@x.example, b@x.example", "<a@x.example> b", "", "Anna", "a@x.example b"):
        assert parse_address(text) is None, text
    assert parse_address(" Anna Berg <anna@x.example>, ") == Address(email="anna@x.example", name="Anna Berg")


def test_direction_marks_and_zero_width_characters_leave_the_name() -> None:
    (address,) = parse_addresses("=?utf-8?b?4oCuQW5u4oCLYQ==?= <a@x.example>")
    assert address.name == "Anna"


@given(st.text(alphabet=st.sampled_from('ab@.,;:<>()"\\ =?\n\tü-_'), max_size=60))
def test_any_header_gives_only_whole_addresses(header: str) -> None:
    for address in parse_addresses(header):
        assert normal_email(address.email) == address.email
        assert address.email.count("@") == 1 and not set(address.email) & set('<>(),;:" \n\t')
        assert "@" not in address.name or address.email in address.name


@given(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z]{1,5})?@[a-zäöüßéλж0-9]{1,12}\.(example|рф)", fullmatch=True))
def test_the_wire_form_is_ascii_and_means_the_same(email: str) -> None:
    assert wire_email(email).isascii()
    assert normal_email(wire_email(email)) == email


@pytest.mark.parametrize("piece", ["<", "(", '"', "\\", '"\\', "=?", "a@", "()(", "a@b.c,"])
def test_long_nonsense_is_read_to_the_end(piece: str) -> None:
    header = piece * 30_000
    assert all(one.email == "a@b.c" for one in parse_addresses(header))
