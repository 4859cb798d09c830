"""Codes, links, sign-in links, amounts and phone numbers, as they are found in texts."""

from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from risk import codes, figures, leaking, links
from risk.codes import codes_in
from risk.figures import amounts_in, phones_in, same_phone, worth
from risk.leaking import leaked, torn
from risk.links import links_in, same_place
from risk.pieces import Piece, Words, pieces_in
from risk.secret_links import secret_links_in

MEGABYTE = 1_000_000
HOSTILE = [
    *(
        "a",
        "1",
        "1 ",
        "1.",
        "a.",
        "a-",
        "A-1",
        "a1-",
        "4 8 ",
        "0000 ",
        "1,",
        "+1 ",
        "0/",
        "(",
        ")",
        "_",
        "*_",
        "//",
        "\\",
        "\n",
        "\u20ac",
        "1\u20ac ",
    ),
    *(
        "code ",
        "code 1234 ",
        "password: ",
        "password is ",
        "pin is ",
        "4821 is ",
        "is your ",
        "verify\n482913\n",
        "seed phrase: apple ",
    ),
    *(
        "a@",
        "@",
        "a@b.de ",
        "http://",
        "www.",
        "xn--",
        "javascript:",
        "//a.",
        "http://a.de/reset?t=A1b2C3d4E5f6 ",
        "call me ",
        "tel 030 ",
        "a\u3002",
    ),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Your security code is 482913.", ("482913",)),
        ("482 913 is your verification code", ("482 913",)),
        ("G-482913 is your Google verification code.", ("G-482913",)),
        ("Use 482913 to sign in", ("482913",)),
        ("verification code\n\n482913\n\nvalid for 5 minutes", ("482913",)),
        ("The PIN for the door is 4417, the alarm code is 9921.", ("4417", "9921")),
        ("Ihr Best\u00e4tigungscode lautet 482 913.", ("482 913",)),
        ("482913 ist dein Anmeldecode", ("482913",)),
        ("TAN: 482913", ("482913",)),
        ("PIN: 1984", ("1984",)),
        ("PIN 4417 / PUK 99887766", ("4417", "99887766")),
        ("My password is Sommer2024!", ("Sommer2024",)),
        ("Passwort: geheim", ("geheim",)),
        ("The wifi password is correcthorsebatterystaple", ("correcthorsebatterystaple",)),
        ("username anna password letmein", ("letmein",)),
        ("API key sk-live-51H8abcdEFGH", ("sk-live-51H8abcdEFGH",)),
        ("Your one-time code is A7K-2P9", ("A7K-2P9",)),
        ("Card ending 4242, cvc 123", ("123",)),
        ("Your backup codes: 4821-9931 and 7710-2293", ("4821-9931", "7710-2293")),
        ("Your backup codes are 48219931, 77102293", ("48219931", "77102293")),
        ("Use one of these recovery codes: 12345678 or 87654321.", ("12345678", "87654321")),
        ("Your recovery codes:\n\n1. 4f8a-91bc\n2. 77de-02aa\n", ("4f8a-91bc", "77de-02aa")),
        ("Ihre Backup-Codes: 12345678 und 87654321", ("12345678", "87654321")),
    ],
)
def test_security_codes_are_found_by_what_stands_around_them(text, found):
    assert codes_in(text) == found


def test_a_recovery_phrase_is_found_whole():
    phrase = "apple banana cherry dog eagle fruit grape house island jacket kite lemon"
    assert codes_in(f"My seed phrase is {phrase}.") == (phrase,)


@pytest.mark.parametrize(
    "text",
    [
        "Code 1234 Zeilen",
        "the new code 1234 lines long",
        "I changed 1200 lines of code",
        "the code is from 2024",
        "our code 2026 conference",
        "My order code is 482913",
        "Promo code SAVE20",
        "Our postal code is 10115 Berlin",
        "National Bank Code: 21003467",
        "The error code is 50034",
        "Tracking number 00340434161094015902",
        "Rechnung 2026-4711 \u00fcber 1.200 EUR",
        "Zoom Meeting ID: 845 1234 5678 Passcode: 99213",
        "Meeting ID: 845 1234 5678, Passcode: 99213",
        "IBAN DE89 3704 0044 0532 0130 00",
        "Please reset your password by 2026-11-30",
        "The password is confidential.",
        "The password is on the board",
        "Please confirm your password here: https://shop.example/account",
        "Room 482913, call +49 30 1234567 at 10:30 on 24.12.2026",
    ],
)
def test_ordinary_numbers_are_no_codes(text):
    assert codes_in(text) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see https://a.example/x?y=1, then", ("https://a.example/x?y=1",)),
        ("(https://a.example/a_(b))", ("https://a.example/a_(b)",)),
        ("www.a.example or evil.example", ("www.a.example", "evil.example")),
        ("//evil.example/x and https:\\\\evil.example", ("//evil.example/x", "https:\\\\evil.example")),
        ("hxxp://evil.example/a", ("hxxp://evil.example/a",)),
        ("[x](javascript:alert(1))", ("javascript:alert(1)",)),
        ("evil\u3002example/a", ("evil\u3002example/a",)),
        ("http://192.168.0.1/x and 10.0.0.1/admin", ("http://192.168.0.1/x", "10.0.0.1/admin")),
        ("drive.google.com/open?id=1", ("drive.google.com/open?id=1",)),
        ("xn--nrthwind-3fg.example", ("xn--nrthwind-3fg.example",)),
        ("Evil.Com", ("Evil.Com",)),
    ],
)
def test_links_are_found_as_a_mail_program_would_make_them_active(text, found):
    assert links_in(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Hello.World",
        "yes.No",
        "See you then.Tom",
        "node.js",
        "README.md and main.py",
        "e.g. this",
        "Ph.D. from the U.S.A.",
        "10.30 a.m.",
        "1.2.3.4",
        "anna@a.example",
    ],
)
def test_not_every_dot_makes_a_link(text):
    assert links_in(text) == ()


def test_a_link_is_the_same_however_its_host_is_written():
    assert same_place("https://A.example/x/") == same_place("a.example/x")
    assert same_place("http://www.a.example/") == same_place("A.EXAMPLE")
    assert same_place("https://a.example/x") != same_place("https://a.example/X")
    assert same_place("https://a.example/x") != same_place("https://a.example/x?y=1")
    assert same_place("https://a.example") != same_place("https://a.example.evil.example")


@pytest.mark.parametrize(
    "link",
    [
        "https://bank.example/reset?token=9f8a7b6c5d4e3f2a",
        "https://bank.example/verify/9f8a7b6c5d4e3f2a",
        "https://bank.example/magic-link/AbCdEfGhIjKlMnOpQr12",
        "https://bank.example/auth?code=48291301",
        "https://bank.example/konto/aktivieren/4f1c2d3e-1111-2222-3333-444455556666",
        "https://bank.example/newsletter/confirm?t=9f8a7b6c5d4e3f2a",
    ],
)
def test_a_link_with_a_word_of_signing_in_and_a_random_value_lets_in(link):
    assert secret_links_in(f"Please see {link} today") == (link,)


def test_a_link_lets_in_where_the_sentence_around_it_says_so():
    link = "https://bank.example/x/9f8a7b6c5d4e3f2a1b"
    assert secret_links_in(f"To reset your password open {link}") == (link,)
    assert secret_links_in(f"The photos are at {link}") == ()


@pytest.mark.parametrize(
    "link",
    [
        "https://shop.example/login",
        "https://shop.example/reset-password",
        "https://zoom.us/j/84512345678?pwd=9f8a7b6c5d4e3f2a",
        "https://shop.example/unsubscribe/anna?verify=9f8a7b6c5d4e3f2a",
        "https://docs.example/document/d/1AbCdEfGh2IjKlMnOp3Qr/edit",
        "https://news.example/2026/11/how-to-verify-your-sources",
    ],
)
def test_other_links_do_not_let_in(link):
    assert secret_links_in(f"See {link}") == ()


def test_amounts_and_phone_numbers():
    assert amounts_in("It costs 4.500,00 \u20ac, not $99 or 12k EUR, for 3 people") == ("4.500,00 \u20ac", "$99", "12k EUR")
    assert phones_in("call +49 30 1234567 or (555) 346-9947; order 1234567890, 24.12.2026") == ("+49 30 1234567", "(555) 346-9947")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4.500,00 \u20ac", "EUR 4500", True),
        ("12k EUR", "12,000 euros", True),
        ("$99", "99 \u20ac", False),
        ("\u20ac4.50", "4,5 EUR", True),
        ("1.000 \u20ac", "1 \u20ac", False),
    ],
)
def test_amounts_are_compared_by_what_they_are_worth(one, other, same):
    assert (worth(one) == worth(other)) is same


def test_phone_numbers_are_compared_as_dialled():
    assert same_phone("+49 (0) 30 1234567", "030/1234567")
    assert same_phone("0049 30 1234567", "+49 30 1234567")
    assert not same_phone("+49 30 1234567", "+49 30 1234568")


@pytest.mark.parametrize(
    "text",
    [
        "482913",
        "4 8 2 9 1 3",
        "4-8-2-9-1-3",
        "four eight two nine one three",
        "vier acht zwei neun eins drei",
        "319284",
        "\uff14\uff18\uff12\uff19\uff11\uff13",
        "\u2463\u2467\u2461\u2468\u2460\u2462",
        "\u0664\u0668\u0662\u0669\u0661\u0663",
    ],
)
def test_a_code_of_another_text_is_known_again_however_it_is_written(text):
    assert [piece.kind for piece in leaked(f"Hi Tom, {text} as ever", "Your security code is 482913.")] == ["code"]


def test_a_part_of_a_sign_in_link_is_known_again():
    value = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"
    found = list(leaked(f"the key is {value[3:]}", f"https://bank.example/reset?token={value}"))
    assert found == [Piece("secret_link", value[3:])]


def test_a_number_in_another_text_is_not_its_code():
    assert list(leaked("room 482914, 4829 people", "Your security code is 482913.")) == []


@given(st.text("abc1 .@:/\u20ac-+\n", max_size=200) | st.text(max_size=200))
def test_every_piece_stands_in_the_text_and_the_text_holds_it(text):
    for piece in pieces_in(text):
        assert piece.text in text
        assert Words(text).holds(piece)


def test_what_is_found_in_a_megabyte_of_hostile_text_is_bounded():
    room = MEGABYTE // len(HOSTILE)
    found = pieces_in("\n".join(unit * (room // len(unit)) for unit in HOSTILE))
    assert len([piece for piece in found if piece.kind in ("link", "secret_link")]) <= links.MOST
    assert len([piece for piece in found if piece.kind in ("amount", "phone")]) <= 2 * figures.MOST
    assert len([piece for piece in found if piece.kind == "code"]) <= codes.MOST


@pytest.mark.parametrize("unit", HOSTILE)
def test_work_grows_with_the_size_of_the_text_alone(unit, monkeypatch):
    """Counted in characters that the patterns are let loose on: the windows around names of codes."""
    looked = []
    monkeypatch.setattr(codes, "NAMES", _Counting(codes.NAMES, looked))
    for size in (10_000, 20_000):
        looked.append(0)
        list(codes._codes((unit * (size // len(unit) + 1))[:size]))
    assert looked[1] <= 2 * looked[0] + 200
    assert looked[1] <= 20_000 + codes.TAIL


class _Counting:
    def __init__(self, pattern, looked):
        self.pattern, self.looked = pattern, looked

    def finditer(self, text, start, end):
        self.looked[-1] += end - start
        return self.pattern.finditer(text, start, end)


@pytest.mark.parametrize(
    "text",
    [
        "NDgyOTEz",
        "eW91ciBjb2RlIGlzIDQ4MjkxMw",
        "0x75E61",
        "343832393133",
        "%34%38%32%39%31%33",
        "forty-eight, twenty-nine, thirteen",
        "achtundvierzig neunundzwanzig dreizehn",
    ],
)
def test_a_code_is_known_again_when_it_is_encoded_or_in_words(text):
    assert list(leaked(f"Hi Tom, {text}", "Your security code is 482913.")) == [Piece("code", text)]


@pytest.mark.parametrize("text", ["a482913b", "x_482913_y", "482913kg", "482913.00"])
def test_a_long_code_is_known_again_within_other_letters(text):
    assert list(leaked(text, "Your security code is 482913.")) == [Piece("code", "482913")]


SPOKEN = st.lists(st.sampled_from([*"48291307 -x", "four", "eight", "two", "nine", "one", "three", "drei", "\u2463"]), max_size=14)


@given(SPOKEN.map("".join), st.sampled_from(["482913", "319284", "4829", "X482-913"]))
def test_the_quick_look_for_a_code_misses_none_that_the_thorough_one_finds(text, code):
    plain = leaking._numbers_as_digits(leaking._plain_digits(text))
    assert leaking._could_hold(plain, code) or not leaking._looked_for(code).search(plain)


def test_a_time_of_day_in_words_is_no_pin():
    assert list(leaked("See you at ten thirty", "The PIN is 1030.")) == []


@pytest.mark.parametrize(
    "text", ["Use code AUTUMN25 for 25% off", "Enter the code HERBST25 at checkout", "15 % Rabatt mit dem Code HERBST15"]
)
def test_a_code_that_saves_money_is_no_secret(text):
    assert codes_in(text) == ()


def test_a_links_value_is_known_again_backwards_and_encoded():
    value = "9f8a7b6c5d4e3f2a1b0c"
    for text in (value[::-1], urlsafe_b64encode(value.encode()).decode()):
        assert [piece.kind for piece in leaked(text, f"https://bank.example/reset?token={value}")] == ["secret_link"]


@pytest.mark.parametrize(
    ("texts", "beside", "found"),
    [
        (("x 482", "913"), (), "482\n913"),
        (("482 for you", "at 913"), (), "482 \u2026 913"),
        (("room 482, bus 913",), (), "482 \u2026 913"),
        (("hello 482",), ("and 913",), "482 \u2026 913"),
        (("hello 913",), ("and 482",), "482 \u2026 913"),
        (("hello",), ("482", "913"), None),
        (("482913",), (), None),
        (("hello 482",), ("482913",), None),
        (("482 people at 9:13",), (), None),
    ],
)
def test_a_torn_code_is_put_together(texts, beside, found):
    assert [piece.text for piece in torn(texts, beside, "Your security code is 482913.")] == ([found] if found else [])


@given(st.text(max_size=60), st.sampled_from(["482913", "7391", "X7K9-Q2PL"]))
def test_what_a_text_holds_of_a_code_is_told_as_it_stands_there(text, code):
    assert all(piece.text in text for piece in leaked(text, f"Your security code is {code}."))


# --- accounts


@pytest.mark.parametrize("text", ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"])
def test_a_bank_account_is_told_as_one_and_as_nothing_else(text):
    assert pieces_in(f"Please pay to {text} by Friday") == (Piece("bank_account", text),)
    assert Words(f"the iban is {text.replace(' ', '')}").holds(Piece("bank_account", text))


@pytest.mark.parametrize("text", ["4111 1111 1111 1111", "5500000000000004", "3782 822463 10005"])
def test_a_card_number_is_told_as_one(text):
    assert pieces_in(f"Take {text}, please") == (Piece("card_number", text),)


@pytest.mark.parametrize(
    "text", ["DE89 3704 0044 0532 0130 01", "4111 1111 1111 1112", "order 1234 5678 9012 3456", "parcel 00340434161094021501"]
)
def test_a_number_whose_check_digits_are_wrong_is_no_account(text):
    assert not {piece.kind for piece in pieces_in(text)} & {"bank_account", "card_number"}
