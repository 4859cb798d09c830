import pytest

from assistant.pipeline.filling import filled

ONE = "Hi Tom,\n\n[answer: When can we talk?]\n\nAlex"
TWO = "Hi Tom,\n\n[answer: When?]\n[answer: Where?]\n\nAlex"


@pytest.mark.parametrize(
    "said",
    [
        "fill in: Monday at ten",
        "Fill in Monday at ten",
        "fill the gap with Monday at ten",
        "the answer is: Monday at ten",
        "put Monday at ten in the gap",
        "gap 1: Monday at ten",
        'fill in "Monday at ten"',
        "the first gap is: Monday at ten",
    ],
)
def test_a_gap_is_filled_with_the_users_words(said):
    assert filled(said, ONE) == "Hi Tom,\n\nMonday at ten\n\nAlex"


@pytest.mark.parametrize(
    "said",
    ["the second gap: at my office", "fill gap 2 with at my office", "put at my office in the last gap", "answer 2: at my office"],
)
def test_one_of_several_gaps_is_named_by_its_place(said):
    assert filled(said, TWO) == "Hi Tom,\n\n[answer: When?]\nat my office\n\nAlex"


@pytest.mark.parametrize(
    "said", ["gap 3: later", "approve", "make it shorter", "the answer is yes", "fill in:", "put it in the archive"]
)
def test_other_words_fill_none(said):
    assert filled(said, TWO) is None


def test_a_text_without_gaps_stays():
    assert filled("fill in: Monday", "Hi Tom,\n\nMonday.") is None
