from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.pipeline.hindsight import SENDING, wondered

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 18, 10, 0, tzinfo=ZONE)


def meant(text: str):
    return wondered(text, NOW, ZONE)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("why did you do that?", "why"),
        ("Why did you send that?", "why"),
        ("why have you archived it", "why"),
        ("How come you moved the dentist?", "why"),
        ("who told you to cancel my meeting with Anna?", "why"),
        ("please tell me why you… no, why did you send it?", None),
        ("who approved the mail to Helena?", "who"),
        ("did I really approve that?", "who"),
        ("when did I approve the mail to Tom?", "who"),
        ("on whose approval did you send that?", "who"),
        ("when did you send the mail to Felix?", "when"),
        ("have you replied to Felix yet?", "whether"),
        ("didn't you send it already?", "whether"),
        ("what did you do today?", "what"),
        ("what have you done this week", "what"),
        ("what have you been up to?", "what"),
        ("show me everything you sent yesterday", "what"),
        ("what was the last thing you deleted?", "what"),
        ("why do I have to approve this?", "level"),
        ("why is this medium risk?", "level"),
    ],
)
def test_questions_about_what_was_done_are_told_apart(text, asked):
    found = meant(text)
    assert (found.asked if found else None) == asked


@pytest.mark.parametrize(
    "text",
    [
        "why did Anna cancel the meeting?",
        "why did you choose this one?",
        "did you see Helena's mail?",
        "did you know that Tom is ill?",
        "what did Felix send me today?",
        "who approved?",
        "when did Anna write?",
        "what can you do?",
        "send a mail to Tom asking why did you do that",
        "why not?",
        f"why did you send {'that ' * 60}?",
    ],
)
def test_other_questions_are_left_alone(text):
    assert meant(text) is None


def test_the_verb_and_the_noun_say_which_operations_are_meant():
    assert meant("why did you send that?").operations == SENDING
    assert meant("why did you do that?").operations == frozenset()
    assert meant("who approved the meeting with Anna?").operations >= {"create_event", "cancel_event"}
    assert "archive" not in meant("who approved the mail to Anna?").operations
    assert "archive" in meant("why did you archive the mail to Anna?").operations


def test_what_names_the_thing_is_kept_and_what_only_points_is_not():
    assert meant("why did you send the mail about the budget to Helena Weiss?").words == {"budget", "helena", "weis"}
    assert meant("why did you do that?").words == frozenset()
    assert meant("did you answer tom@example.org?").words == {"tom@example.org"}


def test_times_are_read_into_the_past():
    today = meant("what did you do today?")
    assert (today.since, today.until) == (NOW.replace(hour=0), NOW.replace(day=19, hour=0))
    monday = meant("what did you send to Helena on Monday?")
    assert monday.since == NOW.replace(day=16, hour=0) and monday.words == {"helena"}


def test_something_that_others_may_have_done_is_asked_of_the_journal_only_perhaps():
    assert meant("why was the design review moved?").perhaps
    assert not meant("why did you move the design review?").perhaps
