import pytest

from assistant.reasoning.offline.planning.effort import cut_from_dictated, wants_thought, without_effort


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("draft a reply to the notice from Tom, think hard", "draft a reply to the notice from Tom"),
        ("Draft a reply to Tom's mail. Think hard about it.", "Draft a reply to Tom's mail"),
        ("draft a reply to Anna (think hard)", "draft a reply to Anna"),
        ("write Anna a mail about the trip and give me options", "write Anna a mail about the trip"),
        ("think hard about a reply to Tom's notice", "Draft a reply to Tom's notice"),
        ("Think hard and write a reply to Tom's notice", "Draft a reply to Tom's notice"),
        ("Give me three versions of a reply to Anna's last mail", "Draft a reply to Anna's last mail"),
        ("give me a few options for a mail to Tom about the budget", "Draft a mail to Tom about the budget"),
        ('email Tom "hi", take your time', 'email Tom "hi"'),
    ],
)
def test_what_is_wanted_is_the_same_without_the_wish_for_thought(said, meant):
    assert without_effort(said) == meant


@pytest.mark.parametrize(
    "said",
    ["think harder about this", "give me options", "could you think hard about this one?", "draft 3 alternatives", "Deliberate."],
)
def test_a_wish_for_thought_alone_leaves_nothing(said):
    assert without_effort(said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "send Anna a mail saying think hard",
        "send Anna a mail saying we should sit down and think hard",
        'email Tom "we are late, think hard"',
        "what do you think about Tom?",
        "think about the meeting",
        "show me the alternatives",
        "give me Tom's number",
        "give me three options for lunch",
        "write a reply to Tom's mail",
    ],
)
def test_other_words_are_left_as_they_are(said):
    assert without_effort(said) == said and not wants_thought(said)


@pytest.mark.parametrize("text", ["a" + " " * 100_000 + "b", "please " * 20_000 + "wait", "\u201c" * 100_000])
def test_a_long_message_without_such_words_stays_as_it_is(text):
    """And at once: what lies between its beginning and its end is not searched."""
    assert without_effort(text) == text


def test_such_words_are_found_at_the_end_of_a_long_message():
    text = "Reply to Tom that " + "we are glad and " * 1000 + "happy"
    assert without_effort(f"{text}, think hard") == text


def test_behind_dictated_words_a_wish_is_told_apart_and_named():
    said = "send Anna a mail: we are late, think hard."
    assert without_effort(said) == "send Anna a mail: we are late" and cut_from_dictated(said) == "think hard"
    assert cut_from_dictated("draft a reply to Tom, think hard") == ""
