"""Where an address begins and ends, and that nobody passes for another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.addresses import normal_email, parse_address, parse_addresses, unwritable, wire_email
from integrations.types import Address
from risk.text import normal_address


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
        (
            "anna@x.example <anna@x.example>, 'b@x.example' <b@x.example>",
            [Address(email="anna@x.example"), Address(email="b@x.example")],
        ),
        ("Anna @ Acme <a@x.example>", [Address(email="a@x.example", name="Anna @ Acme")]),
        ("[List] Anna <a@x.example>", [Address(email="a@x.example", name="[List] Anna")]),
        ("Anna\n Berg\r\n\t<a@x.example>", [Address(email="a@x.example", name="Anna Berg")]),
    ],
)
def test_addresses_are_read_with_their_names(header: str, expected: list[Address]) -> None:
    assert list(parse_addresses(header)) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Team: a@x.example, B <b@x.example>;", ["a@x.example", "b@x.example"]),
        ("Team: a@x.example;, c@x.example", ["a@x.example", "c@x.example"]),
        ("undisclosed-recipients:;", []),
        ("Team: a@x.example; c@x.example, d@x.example", ["a@x.example", "d@x.example"]),
        ("Team: a@x.example, b@x.example", []),
        ("Team: Inner: a@x.example;;", []),
        ("a@x.example; b@x.example", []),
        (": a@x.example;", []),
        ("alice@x.example: b@x.example;", []),
        ("Anna <a@x.example>: b@x.example;", []),
    ],
)
def test_members_of_a_group_are_read_where_it_is_whole(header: str, expected: list[str]) -> None:
    assert emails(header) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("alice@example.org<bob@evil.example>", []),
        ("alice @ example.org <bob@evil.example>", ["bob@evil.example"]),
        ('"alice@example.org" <bob@evil.example>', ["bob@evil.example"]),
        ("=?utf-8?q?alice=40example.org?= <bob@evil.example>", ["bob@evil.example"]),
        ("=?utf-8?q?<alice@example.org>,?= <bob@evil.example>", ["bob@evil.example"]),
        ("\uff41lice\uff20example.org <bob@evil.example>", ["bob@evil.example"]),
        ("<bob@evil.example>alice@example.org", []),
        ("<alice@example.org> <bob@evil.example>", []),
        ('"alice@example.org"@evil.example', []),
        ("alice@example.org@evil.example", []),
        ("<@a.example,@b.example:alice@x.example>", []),
        ('c@x.example, "unterminated <alice@x.example>, b@x.example', ["c@x.example"]),
        ("c@x.example, (unterminated <alice@x.example>, b@x.example", ["c@x.example"]),
        ("alice@example.org\nBcc: bob@evil.example", []),
        ("alice@example.org,\r\nBcc: bob@evil.example", []),
        ("bob@evil.example\0alice@x.example", []),
        ("=?utf-8?q?alice?=@x.example", []),
        ("=?utf-8?q?alice=40x.example=3E?=", []),
        ("=?x?q?=41=42?=alice@x.example", []),
        ("alice(a comment)@x.example", []),
        ("alice@(a comment)x.example", []),
        ("alice@x.example.", []),
        ("alice@[192.0.2.1], alice@192.0.2.1, alice@[IPv6:::1]", []),
        ("ali\u3164ce@x.example, alice@x\u1160.example, ali\u200bce@x.example", []),
        ('"alice@x.example\n"@evil.example', []),
        ('"a b"@x.example', []),
        ("john doe@x.example", []),
        ("a@-x.example, a@x..example, @x.example, a@, a b", []),
        ("bob@xn--alice-.example, bob@alice.xn--example-", []),
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


BETWEEN = [*'()<>@,:;."[]\\\t\n\r\0 ', "\r\n", "\x0b", "\x85", "\u2028"]


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("other", ["<bob@evil.example>", "bob@evil.example"])
def test_two_addresses_in_one_are_neither(between: str, other: str) -> None:
    """The list of CVE-2023-27043."""
    text = f"alice@example.org{between}{other}"
    assert parse_address(text) is None
    assert emails(text) in ([], ["alice@example.org", "bob@evil.example"] if between == "," else [])


MORE_THAN_ONE = ["Team: a@x.example;", "x:;, a@x.example", "a@x.example\n", "a@x.example\nBcc: b@x.example", "a@x.example;"]


@pytest.mark.parametrize("text", MORE_THAN_ONE)
def test_a_group_and_what_goes_on_behind_it_is_no_address(text: str) -> None:
    assert parse_address(text) is None


SIGNS = ["<", ">", "(", ")", '"', ",", ":", ";", "\\", "@", " ", "\n", "=?utf-8?q?", "?=", "\0"]
EVIL = st.sampled_from(["alice@example.org", "bob@evil.example", *SIGNS])


@given(st.lists(EVIL, max_size=8).map("".join))
def test_what_is_read_as_one_address_stands_there_alone(text: str) -> None:
    """Whatever else is there is quoted, in a comment or encoded: a name."""
    if (one := parse_address(text)) is None:
        return
    assert one.email in text and list(parse_addresses(text)) == [one]
    assert not any(other in one.name for other in ("alice@example.org", "bob@evil.example") if other != one.email)


@pytest.mark.parametrize(
    "address",
    [
        Address(email="a@b.example\r\nATTENDEE:mailto:q@evil.example"),
        Address(email="A@b.example"),
        Address(email="a"),
        Address(email="a@b.example", name="Anna\nBcc: q@evil.example"),
        Address(email="a@b.example", name="Anna\u202e"),
        Address(email="a@b.example", name="".join(chr(0xE0000 + ord(letter)) for letter in "evil")),
    ],
)
def test_what_would_hide_something_is_not_written(address: Address) -> None:
    assert unwritable(address)


def test_names_in_any_script_are_written() -> None:
    names = ("", "Anna", "Jörg", "\u0639\u0644\u06cc", "\u05d3\u05e0\u05d4", "Ann 👩\u200d👧")
    assert not any(unwritable(Address(email="a@b.example", name=name)) for name in names)


def test_direction_marks_and_zero_width_characters_leave_the_name() -> None:
    (address,) = parse_addresses("=?utf-8?b?4oCuQW5u4oCLYQ==?= <a@x.example>")
    assert address.name == "Anna"


@given(st.text(alphabet=st.sampled_from('ab@.,;:<>()"\\ =?\n\tü-_'), max_size=60))
def test_any_header_gives_only_whole_addresses(header: str) -> None:
    for address in parse_addresses(header):
        assert normal_email(address.email) == address.email
        assert address.email.count("@") == 1 and not set(address.email) & set('<>(),;:" \n\t')
        assert "@" not in address.name or address.email in address.name


LABELS = st.text(st.sampled_from([*"ab1-_éß\u043a\u0663\u0131\u017f\xaa\u0301'=?."]), max_size=3) | st.sampled_from(
    ["xn--", "xn--mnchen-3ya", "münchen"]
)


@given(st.lists(LABELS, max_size=3).map("".join), st.lists(LABELS, max_size=3).map(".".join))
def test_the_gate_reads_an_address_as_it_was_read_or_not_at_all(local: str, domain: str) -> None:
    email = normal_email(f"{local}@{domain}.example")
    assert normal_address(email) == email or "xn--" in email


@given(st.from_regex(r"[a-z0-9]{1,8}(\.[a-z]{1,5})?@[a-zäöüßéλж0-9]{1,12}\.(example|рф)", fullmatch=True))
def test_the_wire_form_is_ascii_and_means_the_same(email: str) -> None:
    assert wire_email(email).isascii()
    assert normal_email(wire_email(email)) == email


@pytest.mark.parametrize("piece", ["<", "(", '"', "\\", '"\\', "=?", "a@", "()(", "a@b.c,"])
def test_long_nonsense_is_read_to_the_end(piece: str) -> None:
    header = piece * 30_000
    assert all(one.email == "a@b.c" for one in parse_addresses(header))
