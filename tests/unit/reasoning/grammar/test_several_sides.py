"""How a mail should be answered, and which of the times shown is best: asked in many ways."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from unit.reasoning.grammar.reading import call, steps

from assistant.reasoning.base import Request, Setting
from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reading.questions.advising import asks_how
from assistant.values import Data, Shown, Slot
from integrations.types import Address, Mail

ANNA = (
    "How should I answer Anna?",
    "how should I reply to Anna's last mail?",
    "How do I respond to Anna's mail?",
    "how would you answer Anna?",
    "How best to answer Anna's email?",
    "How can I respond to Anna's complaint?",
    "how do you think I should reply to Anna?",
    "How should I handle the complaint from Anna?",
    "how do I deal with Anna's last mail?",
    "How would you phrase a reply to Anna?",
    "How should I go about answering Anna?",
    "Any idea how to respond to Anna?",
    "tell me how to reply to the mail from Anna",
    "I don't know how to answer Anna",
    "I'm not sure what to say to Anna",
    "what should I say to Anna?",
    "What would you answer Anna?",
    "What should I tell Anna?",
    "what do I write back to Anna?",
    "What do you suggest I answer Anna?",
    "what could I say to Anna about the budget?",
    "what should my answer to Anna be?",
    "what do I say in my reply to Anna?",
    "What's the best way to respond to Anna's mail about the budget?",
    "what is the best answer to Anna?",
    "can you help me figure out what to say to Anna?",
    "give me advice on how to answer Anna's mail",
    "what do you think, how should I answer Anna?",
    "What's your suggestion for a reply to Anna?",
    "how do I tactfully reply to Anna?",
    "How could one answer Anna's mail politely?",
    "How should I answer Anna without promising a refund?",
    "what should I say to Anna, given that the path is closed?",
)


@pytest.mark.parametrize("said", ANNA)
def test_how_to_answer_is_a_draft_that_is_asked_for(said: str, setting: Setting) -> None:
    found = read(said, setting)
    assert found.certain and found.call is not None and asks_how(said, setting)
    assert (found.call.operation, found.call.field, found.call.question) == ("mail.draft", "reply", said)
    assert [person.text for person in found.call.select.people] == ["Anna"]
    assert not (found.call.body or found.call.about)


@pytest.mark.parametrize(
    "said",
    [
        "how did I answer Anna?",
        "what did Anna say to Tom?",
        "what would Tom say to Anna?",
        "how do I reply to a mail?",
        "how do I answer mails?",
        "how should I answer the phone?",
        "how should I get to work?",
        "how should I handle the meeting on Friday?",
        "how should I respond to the invitation from Anna?",
        "what should I say in the meeting?",
        "what should I do about the budget?",
        "should I answer Anna?",
        "what did I say to Anna last week?",
        "what does Anna want me to say?",
        "what do you have to say?",
        "what can I say?",
        "how would you book a meeting?",
        "how can I tell Anna's mails apart?",
    ],
)
def test_what_asks_something_else_drafts_nothing(said: str, setting: Setting) -> None:
    found = read(said, setting).call
    assert not asks_how(said, setting) and (found is None or found.operation != "mail.draft")


def test_what_a_mail_is_called_by_is_the_mail_that_was_shown(setting: Setting, mail: Shown) -> None:
    for said in ("How should I answer this complaint?", "how should I handle this request?", "What would you reply to that?"):
        (step,) = analyse(Request(text=said, setting=setting, shown=(mail,))).plan.steps
        assert call(step.instruction, setting).select == Selection(refs=("shown",)), said


def test_without_an_object_it_is_the_mail_that_was_shown_too(setting: Setting, mail: Shown) -> None:
    for said in ("what would you say?", "How should I answer?", "what should I reply?"):
        (step,) = analyse(Request(text=said, setting=setting, shown=(mail,))).plan.steps
        assert call(step.instruction, setting).select.refs == ("shown",), said


def test_where_no_mail_was_shown_it_is_asked_which(setting: Setting) -> None:
    (gap,) = analyse(Request(text="how should I answer?", setting=setting)).missing
    assert gap.question == "Which mail shall I reply to?"


def test_it_goes_together_with_other_requests(setting: Setting) -> None:
    assert steps("Show me the last mail from Anna and tell me how I should answer it", setting) == [
        "Show me the last mail from Anna",
        "How I should answer {1}",
    ]


CHOOSING = (
    "Which of these slots should I take?",
    "which slot is best?",
    "Which one would you choose?",
    "which of these suits me best?",
    "pick one for me",
    "Please choose one for me",
    "which of them should I take?",
    "Which time would you pick?",
    "what would you choose?",
    "which one is the best?",
    "pick the best one",
    "Which is best?",
    "what's the best one?",
    "which day would be best?",
    "which of those times works best for me?",
    "Ok. You decide",
    "which do you recommend?",
    "which one should I book?",
    "decide for me",
    "help me choose",
    "help me decide which one to take",
    "recommend one of these",
    "suggest the best of these",
    "which of the three is best?",
    "what's your favourite?",
    "thanks, which of these would you go for?",
    "which would be best for a call with Anna?",
    "Which is the best slot if I need time to prepare?",
    "which would you rather take?",
    "which one looks best?",
    "which of these times makes the most sense?",
    "your choice",
)


@pytest.mark.parametrize("said", CHOOSING)
def test_which_of_the_times_shown_is_best_is_a_choice_among_them(said: str, setting: Setting, times: Shown) -> None:
    analysis = analyse(Request(text=said, setting=setting, shown=(times,), last=times.text))
    (step,) = analysis.plan.steps
    assert step.agent == "calendar" and analysis.intent.request == "read" and analysis.output == "answer"
    assert call(step.instruction, setting).operation == "event.choose"


@pytest.mark.parametrize(
    "said",
    [
        "take the second",
        "pick that one",
        "book it for lunch with Anna",
        "which of these is from Anna?",
        "which are free?",
        "which day is best for lunch with Anna next week?",
        "pick up the kids at 3",
        "what can you do?",
    ],
)
def test_what_takes_one_or_asks_something_else_is_no_choice(said: str, setting: Setting, times: Shown) -> None:
    plan = analyse(Request(text=said, setting=setting, shown=(times,), last=times.text)).plan
    found = [read(step.instruction, setting).call for step in plan.steps]
    assert all(one is None or one.operation != "event.choose" for one in found)


@pytest.mark.parametrize("said", ["book it", "ok, take that one", "then book it", "Take it.", "reserve that"])
def test_it_is_then_the_one_that_was_chosen(said: str, setting: Setting, chosen: Shown, times: Shown) -> None:
    (step,) = analyse(Request(text=said, setting=setting, shown=(chosen, times), last=chosen.text)).plan.steps
    assert step.instruction == "Schedule a meeting on 20 November 2026 at 11:00 for 60 minutes"


def test_another_is_taken_by_its_place_in_the_list(setting: Setting, chosen: Shown, times: Shown) -> None:
    (step,) = analyse(Request(text="take the third", setting=setting, shown=(chosen, times), last=chosen.text)).plan.steps
    assert step.instruction == "Schedule a meeting on 20 November 2026 at 12:00 for 60 minutes"


def test_the_times_of_the_same_message_are_chosen_among(setting: Setting) -> None:
    for said in (", and which of those would you take?", "? Pick one for me"):
        planned = steps(f"When am I free for an hour on Friday{said}", setting)
        assert planned[0] == "When am I free for an hour on Friday" and planned[1].endswith("of {1}"), planned


@pytest.fixture
def times() -> Shown:
    return Shown(text="when am I free for an hour on Friday?", data=Data(kind="slots", slots=SLOTS))


@pytest.fixture
def chosen() -> Shown:
    return Shown(text="which is best?", data=Data(kind="text", text="…", slots=SLOTS, decide="which is best?", chosen=1))


@pytest.fixture
def mail(setting: Setting) -> Shown:
    return Shown(text="show me the last mail from Anna", data=Data(kind="mails", mails=(MAIL,)))


FRIDAY = datetime(2026, 11, 20, 10, tzinfo=ZoneInfo("Europe/Berlin"))
BERG = Address(email="anna@berg.example", name="Anna Berg")
MAIL = Mail(account="a", id="m", etag="", folder="INBOX", sender=BERG, subject="x", date=FRIDAY)
SLOTS = tuple(Slot(start=FRIDAY + timedelta(hours=n), end=FRIDAY + timedelta(hours=n + 1)) for n in range(3))
