"""What a request says that nothing took up is told, and nothing is done."""

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import parse


@pytest.mark.parametrize(
    ("instruction", "unread"),
    [
        ("archive some of the newsletters", ("some",)),
        ("cancel the other meeting on Friday", ("other",)),
        ("archive the mails that Tom hasn't answered", ("hasn't",)),
        ("send Tom a mail on Friday saying hello", ("on Friday",)),
        ("write to Tom with the zebra attached saying hello", ("zebra",)),
        ('tell Tom "yes" and Eva "no"', ("Eva",)),
        ("cancel the meetings on the day of the fair", ("day",)),
    ],
)
def test_words_that_found_no_place_are_named(instruction: str, unread: tuple[str, ...], setting: Setting) -> None:
    assert parse(instruction, setting).reading.unread == unread


@pytest.mark.parametrize(
    "instruction",
    [
        "archive all newsletters except the last one",
        "archive the mails I haven't answered",
        "archive all newsletters that are not from Tom",
        "move the dentist to Friday, not Monday",
        "write to Tom that some of us can't come",
        "write a mail to Tom about the zebra, but don't send it",
        "cancel all meetings without guests on Friday",
        "schedule a call called None of the above with Tom tomorrow at 10",
    ],
)
def test_what_was_taken_up_is_not_called_unread(instruction: str, setting: Setting) -> None:
    assert parse(instruction, setting).reading.unread == ()


def test_a_request_is_not_carried_out_without_a_part_of_it(setting: Setting) -> None:
    analysis = analyse(Request(text="archive some of the newsletters", setting=setting))
    assert not analysis.plan.steps
    assert "but for “some”" in analysis.say


@pytest.mark.parametrize(
    ("instruction", "body"),
    [
        ("email Tom that it is moved and cc Eva", "it is moved"),
        ("email Tom that it is moved, with a copy to Eva", "it is moved"),
        ("tell Tom it is moved, copying Eva", "it is moved"),
    ],
)
def test_a_copy_is_no_part_of_the_words(instruction: str, body: str, setting: Setting) -> None:
    call = parse(instruction, setting).call
    assert call is not None
    assert (call.body, [person.text for person in call.cc]) == (body, ["Eva"])


@pytest.mark.parametrize(
    ("instruction", "left"),
    [
        ("forward the last mail from Eva to Tom's boss", "boss"),
        ("invite Eva's assistant to the review on Friday", "assistant"),
        ("forward the last mail from Eva to Tom twice", "twice"),
        ("forward only the attachment of Eva's last mail to Tom", "only"),
        ("write Tom that I agree and also tell Eva", "Eva"),
        ("archive the last mail from each of Tom and Eva", "each"),
        ("delete all mails from Tom in May or from Eva in June", "in June"),
        ("tell Tom why", "why"),
        ("schedule a meeting with Tom and Eva (optional) tomorrow at 9", "optional"),
    ],
)
def test_a_part_that_one_call_cannot_hold_is_called_unread(instruction: str, left: str, setting: Setting) -> None:
    assert left in parse(instruction, setting).reading.unread
