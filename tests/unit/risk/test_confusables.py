"""Letters that look like others, held against what ICU knows of them."""

import unicodedata

import pytest
from doubles.icu import skeletons
from hypothesis import given
from hypothesis import strategies as st

from risk.confusables import confusables
from risk.skeletons import at_a_glance, imitates, one_edit, skeleton, slip

ADDRESS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-._", min_size=1, max_size=20)
SHAPES = {shape for shape in confusables().values() if len(shape) == 1 and shape.isalnum()}
LOOKS = {shape: [chr(code) for code, looks in confusables().items() if looks == shape] for shape in sorted(SHAPES)}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("s\u0430ra", "sara"),
        ("\u03bf\u0440en", "open"),
        ("\uff53\uff41ra", "sara"),
        ("\U0001d42c\U0001d41a\U0001d42b\U0001d41a", "sara"),
        ("sa\u200bra", "sara"),
        ("sa\u034fra", "sara"),
        ("paypa1", "paypal"),
        ("rnax", "max"),
        ("b0b", "bob"),
        ("\u13dfa\u13e6l", "cakl"),
    ],
)
def test_what_looks_alike_has_one_skeleton(written, read):
    assert skeleton(written) == skeleton(read)


@pytest.mark.parametrize(("one", "other"), [("sara", "sarah"), ("m\u00fcller", "muller"), ("anna", "anne"), ("tom", "tim")])
def test_what_can_be_told_apart_has_not(one, other):
    assert skeleton(one) != skeleton(other)


@given(st.data())
def test_any_letter_may_be_replaced_by_any_of_its_look_alikes(data):
    word = data.draw(st.text("".join(sorted(SHAPES)), min_size=1, max_size=20))
    at = data.draw(st.integers(0, len(word) - 1))
    double = data.draw(st.sampled_from(LOOKS[word[at]]))
    assert skeleton(word[:at] + double + word[at + 1 :]) == skeleton(word)


@given(ADDRESS)
def test_a_skeleton_is_its_own_skeleton(text):
    assert skeleton(skeleton(text)) == skeleton(text)


def test_the_table_has_all_that_icu_knows_to_look_like_letters_of_addresses():
    icu = skeletons()
    if icu is None:
        pytest.skip("ICU 72 is not on this machine")
    missed = [hex(code) for code in range(0x80, 0x110000) if not 0xD800 <= code <= 0xDFFF and _missed(chr(code), icu(chr(code)))]
    assert missed == []


def _missed(char: str, shape: str) -> bool:
    shape = shape.lower()
    if shape == char.lower() or not shape or set(shape) - set("abcdefghijklmnopqrstuvwxyz0123456789-._+'"):
        return False
    stands_for_ascii = unicodedata.normalize("NFKC", char).isascii()  # a mail server reads that
    return not stands_for_ascii and unicodedata.category(char) != "Cf" and skeleton(char) != skeleton(shape)


def test_a_hurried_eye_takes_more_for_the_same():
    for one, other in (
        ("vvork", "work"),
        ("cloe", "doe"),
        ("mi1ler", "miller"),
        ("m\u00fcller", "muller"),
        ("anna", "\u00e1nn\u00e1"),
    ):
        assert at_a_glance(one) == at_a_glance(other)


@given(ADDRESS, st.data())
def test_one_edit_is_seen_whatever_it_is(word, data):
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcxyz019"))
    swapped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    for edited in (word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :], swapped):
        assert bool(one_edit(word, edited)) is (word != edited)
        assert bool(one_edit(edited, word)) is (word != edited)


@given(ADDRESS, ADDRESS)
def test_one_edit_is_no_more_than_one(one, other):
    if one_edit(one, other):
        assert abs(len(one) - len(other)) <= 1
        assert sum((set(one) ^ set(other)) <= {letter} for letter in one + other) or len(one) == len(other)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [("lidnqvist", "lindqvist", True), ("annna", "anna", True), ("sara", "sarah", False), ("anne", "anna", False)],
)
def test_a_slip_swaps_or_doubles(one, other, is_one):
    assert slip(one, other) is is_one


@pytest.mark.parametrize(
    ("word", "does"),
    [
        ("sara", False),
        ("s\u0430ra", True),
        ("\u0441\u0430\u0440", True),
        ("\u0438\u0432\u0430\u043d", False),
        ("m\u00fcller", False),
        ("\u6771\u4eac", False),
    ],
)
def test_a_word_imitates_another_alphabet(word, does):
    assert imitates(word) is does
