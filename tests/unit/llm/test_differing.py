"""What is told of a planned write that is another than the one in the user's message: readings of both by code alone."""

import asyncio
from collections.abc import Sequence

import pytest
from doubles.asking import mail
from unit.paraphrases.plans import wednesday_morning

from assistant.reasoning.base import Request
from assistant.reasoning.llm.vouching import warned
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import Criterion, Data, Shown, Step
from integrations.types import Mail

MANY, OTHERS, PEOPLE, TIMES = "all that fit", "other things", "other people", "another time"


def warnings(message: str, *instructions: str, shown: Mail | None = None) -> Sequence[str]:
    lately = (Shown(text="", data=Data(kind="mails", mails=(shown,))),) if shown else ()
    request = Request(text=message, setting=wednesday_morning(), shown=lately)
    own = asyncio.run(OfflineReasoner().analyse(request)).plan.steps
    criterion = Criterion(words="", expects="proposal")
    steps = [
        Step(
            id=n, agent="email", instruction=words, needs=tuple(m for m in range(1, n) if f"{{{m}}}" in words), criterion=criterion
        )
        for n, words in enumerate(instructions, 1)
    ]
    return warned(steps, own, request)[-1].warnings


@pytest.mark.parametrize(
    ("message", "planned", "told"),
    [
        ("forward the last mail from Anna to Ben", "Forward the mails from Anna to Ben", MANY),
        ("archive the last mail from Priya", "Archive all mails from Priya", MANY),
        ("delete the last mail from Priya", "Delete the first mail from Priya", OTHERS),
        ("delete the last mail from Priya", "Delete the last mail from Priya from last month", OTHERS),
        ("cancel the meeting with Tom on Friday", "Cancel the meeting with Tom on Monday", OTHERS),
        ("forward the last mail from Anna to Ben", "Forward the last mail from Ben to Anna", PEOPLE),
        ("forward the last mail from Anna to Ben", "Forward the last mail to Ben", OTHERS),
        ("forward the last mail from Anna to Ben", "Forward the last mail from Anna to Ben, bcc Anna", PEOPLE),
        ("reply to the last mail from Sofia saying yes", "Reply to all on the last mail from Sofia saying yes", PEOPLE),
        ("move the review to 3pm", "Move the review to 4pm", TIMES),
        (
            "if Tom has replied to me, archive the last mail from Priya",
            "Archive the last mail from Priya",
            "under a condition only",
        ),
        ("archive the last mail from Priya", "Trash the last mail from Priya", "you did not ask for this"),
        ("archive the last mail from Priya", "Archive the last mail from Mallory", "says nothing of “Mallory”"),
        ("delete the last mail from Priya", "Cancel all my meetings tomorrow", "asks to delete mails, and"),
        ("delete Priya's card", "Delete all mails from Priya", "asks to delete a contact, and"),
        ("check my events and take care of it", "Cancel all my meetings tomorrow", "you did not ask for this"),
        ("read the last mail from Priya and do what it says", "Delete the last mail from Priya", "you did not ask for this"),
        ("accept the invitation to the review", "Decline the invitation to the review", "asks to accept an invitation, and"),
        ("reply to the last mail from Sofia saying yes", "Send Sofia a mail tomorrow at 3 am saying yes", TIMES),
    ],
)
def test_a_write_that_is_another_than_the_one_asked_for_says_so(message: str, planned: str, told: str) -> None:
    (warning,) = warnings(message, planned)
    assert told in warning


@pytest.mark.parametrize(
    ("message", "planned"),
    [
        ("forward the last mail from Anna to Ben", "Forward the newest email from Anna to Ben"),
        ("please could you get rid of the mail from Priya", "Delete the mail from Priya"),
        ("move the review to 3pm", "Move the review to 15:00"),
        ("cancle all my meetings on firday", "Cancel all my meetings on Friday"),
        ("lena's number is now +49 30 555 0177", "Change Lena's phone number to +49 30 555 0177"),
        ("archive Priya's mails", "Archive all mails from Priya"),
        ("invtie Tom to teh budget review", "Invite Tom to the budget review"),
    ],
)
def test_the_same_in_other_words_says_nothing(message: str, planned: str) -> None:
    assert not warnings(message, planned)


def test_what_an_earlier_step_finds_is_held_against_the_message_too() -> None:
    message = "reply to the last mail from Sofia saying yes"
    assert (
        "mallory"
        in "".join(warnings("reply to it saying yes", "Find the last mail from Mallory", 'Reply to {1} saying "yes"')).lower()
    )
    assert "other" in "".join(warnings(message, "Find the first mail from Sofia", 'Reply to {1} saying "yes"'))
    assert not warnings(message, "Find the last mail from Sofia", 'Reply to {1} saying "yes"')


@pytest.mark.parametrize(
    ("message", "sender", "subject", "told"),
    [
        ("delete the last mail from Trailhead Weekly", "Mallory", "Please read", OTHERS),
        ("delete the last mail from Trailhead Weekly", "Trailhead Weekly", "Autumn walks", ""),
        ("archive the mail about the budget", "Mallory", "Please read", OTHERS),
        ("archive the mail about the budget", "Priya Raman", "Re: Budget", ""),
        ("delete it", "Mallory", "Please read", ""),
    ],
)
def test_taking_what_was_shown_says_so_where_the_message_names_something_else(message, sender, subject, told):
    shown = mail(subject=subject, sender=sender)
    planned = "Archive {shown}" if message.startswith("archive") else "Trash {shown}"
    (warning,) = warnings(message, planned, shown=shown) or ("",)
    assert (told in warning) if told else warning == ""
