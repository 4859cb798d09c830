"""What strangers wrote, made fit for a sentence; addresses found whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from risk.text import LONGEST, addresses_in, line, normal_address, shown_address, stands_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a@b.de, C@D.de; <e@f.de>.", {"a@b.de", "c@d.de", "e@f.de"}),
        ("(a@b.de) mailto:x@y.de", {"a@b.de", "x@y.de"}),
        ("'a@b.de' \u201cc@d.de\u201d *e@f.de*", {"a@b.de", "c@d.de", "e@f.de"}),
        ("at 5 @ home, @tom", set()),
        ("a+b@c-d.co.uk! o'neil@x.de", {"a+b@c-d.co.uk", "o'neil@x.de"}),
        ("alice@x.org@evil.example", set()),
    ],
)
def test_addresses_are_found_whole(text, found):
    assert addresses_in(text) == found


@pytest.mark.parametrize("text", ["notbob@x.de", "bob@x.de.evil.example", "bob@x.deal", "xbob@x.de"])
def test_a_longer_address_does_not_contain_a_shorter_one(text):
    assert not stands_in("bob@x.de", f"write to {text} now")
    assert stands_in("bob@x.de", "write to Bob@X.de, now")


@given(st.text(max_size=300))
def test_a_line_is_one_printable_line_of_bounded_length(text):
    shown = line(text)
    assert shown.isprintable()
    assert len(shown) <= LONGEST
    assert shown == shown.strip()


def test_ordinary_text_stays_as_it_is():
    assert line("Grüße aus Köln, 東京 and العربية") == "Grüße aus Köln, 東京 and العربية"


@pytest.mark.parametrize("blank", "\u115f\u1160\u2800\u3164\uffa0")
def test_no_letter_shows_as_mere_room(blank):
    assert line(f"Pay{blank * 60}Covered") == "Pay Covered"


@pytest.mark.parametrize("unseen", "\u034f\u17b4\u17b5\u180b")
def test_no_letter_that_shows_nothing_splits_a_word(unseen):
    assert line(f"pass{unseen}word") == "password"


def test_accents_are_not_piled_up_over_other_lines():
    assert line("a" + "\u0335" * 90) == "a" + "\u0335" * 3
    assert line("Nguye\u0302\u0303n") == "Nguye\u0302\u0303n"


@pytest.mark.parametrize(
    ("email", "shown"),
    [
        ("anna@berg.example", "anna@berg.example"),
        ("info@b\u00fccher.example", "info@xn--bcher-kva.example (info@b\u00fccher.example)"),
        ("s\u0430rah@berg.example", "s\\u0430rah@berg.example (s\u0430rah@berg.example)"),
    ],
)
def test_an_address_is_shown_as_it_goes_out(email, shown):
    assert shown_address(email) == shown


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Anna@Berg.Example", "anna@berg.example"),
        ("info@xn--bcher-kva.example", "info@b\u00fccher.example"),
        ("info@xn--a.example", ""),
        ("a b@berg.example", ""),
        ("anna@berg..example", ""),
        ("anna@@berg.example", ""),
        ("anna@\uff42erg.example", ""),
        ("x" * 65 + "@berg.example", ""),
    ],
)
def test_there_is_one_way_to_write_an_address(text, normal):
    assert normal_address(text) == normal
