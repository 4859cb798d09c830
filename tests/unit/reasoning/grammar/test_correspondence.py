"""Mails with labelled titles and texts, people described by meetings and mails, and what a subject shall hold."""

from collections.abc import Callable

import pytest

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.planning.message.passives import as_deed
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.grammar import read


@pytest.mark.parametrize(
    "text",
    [
        "send {1} a mail with the subject 'Keys' and the body 'On the table.'",
        "write to {1}: title 'Keys', text 'On the table.'",
        "mail {1} 'On the table.' under the heading 'Keys'",
        "email {1} with 'On the table.' as the text and 'Keys' as the subject",
        "send {1} the text 'On the table.', subject: Keys",
        "let {1} know by mail with the title 'Keys': On the table.",
        "send {1} a mail whose title is 'Keys' and whose text is 'On the table.'",
        "send {1} a mail with 'Keys' in the subject and 'On the table.' in the body",
    ],
)
def test_labels_say_what_is_title_and_what_is_text(text: str, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is not None
    assert (call.operation, call.subject, call.body) == ("mail.send", "Keys", "On the table.")


@pytest.mark.parametrize("text", ["tell {1} that the title 'Keys' is taken", "mail {1} saying the subject 'Keys' is taken"])
def test_a_label_inside_of_dictated_words_is_a_part_of_them(text: str, setting: Setting) -> None:
    call = read(text, setting).call
    assert call is not None
    assert (call.subject, "'Keys' is taken" in call.body) == ("", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("send each of {1} a mail saying hello", "mail.send | >to={1} | >body=hello | >apart=True"),
        ("mail {1} separately saying hello", "mail.send | >to={1} | >body=hello | >apart=True"),
        ("delete the mails with 'lamp' in the subject", "mail.trash | each=True | subject=lamp"),
        ("show the mails from Tom whose title mentions lamps", "mail.find | people=from:Tom | each=True | subject=lamps"),
        ("read the last mail I received", "mail.read | order=last | folder=Received"),
        ("forward the last mail I sent to Eva to {1}", "mail.forward | people=to:Eva | order=last | folder=Sent | >to={1}"),
        ("answer the latest mail of Tom with 'ok'", "mail.reply | people=from:Tom | order=last | >body=ok"),
    ],
)
def test_what_is_meant_is_read_for_certain(text: str, expected: str, setting: Setting, written: Callable[[Call], str]) -> None:
    reading = read(text, setting)
    assert reading.call is not None
    assert written(reading.call) == expected
    assert reading.certain


@pytest.mark.parametrize(
    ("message", "lookup"),
    [
        ("tell everyone I'm meeting on Friday that I'm ill", "Who is invited to my meetings on Friday?"),
        ("tell the person I'm seeing first on Friday that I'm ill", "Who is invited to my first meeting on Friday?"),
        ("email the people in my second meeting tomorrow saying hello", "Who is invited to my second meeting tomorrow?"),
        ("email whoever has a call with me on Friday saying hello", "Who is invited to my call on Friday?"),
        ("email my next meeting's participants saying hello", "Who is invited to my next meeting?"),
        ("email the sender of the last mail about the lease saying hello", "Find last mail about lease"),
        ("email whoever wrote to me last saying hello", "Find the last mail I received"),
        ("cancel my first meeting tomorrow and tell the participants that I'm ill", "Who is invited to my first meeting tomorrow?"),
        ("archive the last mail from whoever I'm meeting first on Friday", "Who is invited to my first meeting on Friday?"),
    ],
)
def test_people_are_looked_up_by_what_describes_them(message: str, lookup: str, setting: Setting) -> None:
    steps = analyse(Request(text=message, setting=setting)).plan.steps
    assert lookup in [step.instruction for step in steps]


def test_a_question_about_guests_looks_up_nobody_else(setting: Setting) -> None:
    (step,) = analyse(Request(text="how many people are in my next meeting?", setting=setting)).plan.steps
    assert step.agent == "calendar"


def test_the_title_of_a_mail_can_be_that_of_the_event(setting: Setting) -> None:
    message = "mail the guests of my first meeting tomorrow. Title it with the event's name and say 'Bring pens.'"
    _, mail = analyse(Request(text=message, setting=setting)).plan.steps
    assert mail.instruction == "Mail {1}, title it with {1} and say 'Bring pens.'"


def test_the_name_of_no_event_is_no_title(setting: Setting) -> None:
    analysis = analyse(Request(text="mail Tom with the event's name as the title saying hello", setting=setting))
    assert not analysis.plan.steps and analysis.say


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("The mails from Tom should be archived", "archive The mails from Tom"),
        ("all newsletters can go", "delete all newsletters"),
        ("The last mail from Tom should go to Eva", "forward The last mail from Tom to Eva"),
        ("Tom should get a mail saying hello", "send Tom a mail saying hello"),
        ("The standup must not be cancelled", None),
        ("Tom said the standup should be cancelled", None),
        ("I should get a mail", None),
        ("Tom should know about it", None),
    ],
)
def test_what_shall_become_of_a_thing_is_a_request(text: str, deed: str | None, setting: Setting) -> None:
    assert as_deed(text, mark(text, setting)) == deed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("check whether the last mail about the lease is from Tom", "mail.check | words=lease | order=last | >fits=from Tom"),
        (
            "check whether my first meeting tomorrow is with Tom",
            "event.check | when=point(tomorrow) | order=first | >fits=with Tom",
        ),
        ("check whether Tom was the last person to email me", "mail.check | order=last | folder=Received | >fits=from Tom"),
    ],
)
def test_one_thing_is_chosen_before_it_is_looked_at(
    text: str, expected: str, setting: Setting, written: Callable[[Call], str]
) -> None:
    call = read(text, setting).call
    assert call is not None and call.fits is not None
    (person,) = call.fits.people
    assert f"{written(call.model_copy(update={'fits': None}))} | >fits={person.role} {person.text}" == expected
