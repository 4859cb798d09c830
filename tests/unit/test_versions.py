import pytest

from assistant.pipeline.versions import Taken, asked_about, taken, use
from assistant.pipeline.votes import others, why
from risk.versions import Ballot, Version, Written

THREE = Written(
    strategy="coordination",
    kind="reply",
    versions=(
        Version(by="brief", subject="Re: Heating", body="Dear Tom,\n\nWe are on it."),
        Version(by="warm", subject="Re: Heating", body="Dear Tom,\n\nThank you for telling us."),
        Version(by="thorough", subject="Re: Heating", body="Dear Tom,\n\n[answer: When?]"),
    ),
    chosen=1,
    votes=(
        Ballot(voter="brief", candidate="warm", reason="answers both questions"),
        Ballot(voter="warm", candidate="warm"),
        Ballot(voter="thorough", candidate="thorough", reason="leaves the time open"),
    ),
    reasons=("you asked for more thought",),
)
TWO = THREE.model_copy(update={"versions": THREE.versions[:2], "votes": THREE.votes[:2]})


@pytest.mark.parametrize(
    "said",
    [
        "why this one?",
        "Why that draft?",
        "why did you pick this one",
        "why was this one chosen?",
        "ok, why this?",
        "who voted for what?",
        "how did they vote",
        "show me the votes",
        "Please explain the choice.",
        "why the second?",
    ],
)
def test_why_is_asked_in_many_ways(said):
    assert asked_about(said) == "why"


@pytest.mark.parametrize(
    "said",
    [
        "show the others",
        "Show me the other drafts",
        "what were the alternatives?",
        "let me see the other versions",
        "the others please",
        "show me all the drafts",
        "what else did they write?",
        "can i see the other two?",
        "any alternatives?",
    ],
)
def test_the_others_are_asked_for_in_many_ways(said):
    assert asked_about(said) == "others"


@pytest.mark.parametrize(
    "said",
    ["why is the meeting at nine?", "show the other mails", "show the others from Anna", "yes", "who is Tom?", "use the second"],
)
def test_other_questions_are_none_about_versions(said):
    assert asked_about(said) is None


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("use the first", 0),
        ("Use the third one, please", 2),
        ("take draft 3", 2),
        ("I'd rather have the first one", 0),
        ("number 3", 2),
        ("use #1", 0),
        ("the last one", 2),
        ("let's go with the brief one", 0),
        ("use the thorough version instead", 2),
        ("the first", 0),
        ("use 3", 2),
        ("pick version two", 1),
    ],
)
def test_a_version_is_taken_by_place_number_or_name(said, version):
    assert taken(said, THREE) == Taken(version)


def test_the_other_one_of_several_is_the_one_with_the_next_most_votes():
    assert taken("use the other one", TWO) == Taken(0)
    assert taken("use the other one", THREE) == Taken(2)
    assert taken("use the other one", THREE.model_copy(update={"votes": ()})) == Taken(0)


@pytest.mark.parametrize("said", ["use the fourth", "use draft 0", "take number 9"])
def test_a_version_that_is_not_there_is_none(said):
    assert taken(said, THREE) == Taken(None)


@pytest.mark.parametrize(
    "said", ["yes", "2", "send it", "use my work address", "make it shorter", "take Anna off", "move it to the first"]
)
def test_other_words_take_none(said):
    assert taken(said, THREE) is None


def test_of_a_single_text_none_is_taken():
    assert taken("use the first", THREE.model_copy(update={"versions": THREE.versions[:1], "chosen": 0})) is None


def test_the_votes_are_told_with_their_reasons():
    assert why(THREE, THREE.winner.body) == (
        "Several drafts were written because you asked for more thought.\n"
        "Draft 2 (warm) got 2 of 3 votes.\n"
        "- brief voted for draft 2 (warm): answers both questions\n"
        "- warm voted for draft 2 (warm)\n"
        "- thorough voted for draft 3 (thorough): leaves the time open"
    )
    assert why(use(THREE, 0), THREE.versions[0].body).splitlines()[1] == "You took draft 1 (brief)."


def test_the_others_stand_under_their_numbers():
    shown = others(THREE, THREE.winner.body)
    assert (
        "Draft 1 (brief):\n  Subject: Re: Heating\n\n  Dear Tom," in shown
        and "Draft 3 (thorough):" in shown
        and "warm" not in shown
    )
    assert shown.endswith('Say "use draft 1" to take that one instead.')
