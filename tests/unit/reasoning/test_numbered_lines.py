"""What the numbers of a briefing mean, and "it" behind one: read by code in the user's words."""

import pytest
from doubles.briefings import AT, BERLIN, MORNING, briefing, event, line, mail, section

from assistant.briefing.numbers import numbered, of_lines
from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.planning.talk.numbered import named, pointed, settled
from assistant.values import Data, Shown

SETTING = Setting(now=AT, zone=BERLIN, names=frozenset({"Tom Weber", "Dana Levi"}))


def shown(given=MORNING) -> Shown:
    lines = numbered(given)
    return Shown(text="a briefing", data=of_lines(lines), lines=lines)


def said(text: str, *earlier: Shown) -> str:
    return pointed(Request(text=text, setting=SETTING, shown=earlier or (shown(),))).request.text


def answered(text: str, *earlier: Shown) -> Analysis:
    request = Request(text=text, setting=SETTING, shown=earlier or (shown(),))
    made, instead = pointed(request)
    return instead or settled(analyse(made), request)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("answer the second saying I'll come", "answer the mail {line2} saying I'll come"),
        ("answer number 2 saying yes", "answer the mail {line2} saying yes"),
        ("reply to 3", "reply to the mail {line3}"),
        ("open 2", "open the mail {line2}"),
        ("what does the first say?", "what does the mail {line1} say?"),
        ("decline number 7", "decline the event {line7}"),
        ("archive #3", "archive the mail {line3}"),
        ("archive 1, 2 and 3", "archive the mails {line1}, {line2} and {line3}"),
        ("archive 1-3", "archive the mails {line1}, {line2} and {line3}"),
        ("archive the first and the third", "archive the mails {line1} and {line3}"),
        ("decline 7 and archive number 2", "decline the event {line7} and archive the mail {line2}"),
        ("move 6 to 5 pm", "move the event {line6} to 5 pm"),
        ("mark 2 as read", "mark the mail {line2} as read"),
        ("who is in 5?", "who is in the event {line5}?"),
        ("read the last one", "read the event {line7}"),
        ("forward the 2nd mail to Dana Levi", "forward the mail {line2} to Dana Levi"),
    ],
)
def test_a_number_means_the_line_that_has_it(text, meant):
    assert said(text) == meant


def test_a_place_among_its_kind_counts_where_another_kind_has_the_number():
    assert said("move the second meeting to 5 pm") == "move the event {line6} to 5 pm"
    assert said("accept the first invitation") == "accept the event {line7}"


@pytest.mark.parametrize(
    "text",
    [
        "what's on the 3rd?", "archive 3 mails", "show me 5 unread mails", "remind me at 2", "find mails from the last 2 weeks",
        "schedule a call with Tom Weber for the second week of December", "book 2 hours for the report on the 3rd",
        'tell Tom Weber "the second is too late"', "send Dana Levi a mail saying number 3 is mine",
        "open the first mail from Tom Weber",
        "move the budget review to the 2nd", "accept the invitation to the roadmap workshop", "how about 4?",
        "archive all but the first",
        "Friday is packed. Cancel the last meeting.", "show me my meetings on Monday and cancel the first one",
        "I have a meeting on Thursday at 3pm. Move it to 4pm.", "decline the event “Design critique”",
        "the first mail from Tom Weber",
        "reply to the mail that I got from Tom Weber saying fine", "cancel the last meeting", "read the mail about the lease",
    ],
)  # fmt: skip
def test_other_numbers_are_left_alone(text):
    assert said(text) == text


def test_what_is_dictated_stays_as_it_is():
    assert said("reply to 1 saying the second is better") == "reply to the mail {line1} saying the second is better"
    assert said("reply to number 2: number 3 is fine") == "reply to the mail {line2}: number 3 is fine"


@pytest.mark.parametrize(
    "text", ["send Tom Weber a mail about number 3", "tell Tom Weber number 3 is done", "draft a mail to Tom Weber about 3"]
)
def test_what_others_get_to_read_holds_names(text):
    step = answered(text).plan.steps[-1]
    assert "“Draft contract” from Legal" in step.instruction and "{line" not in step.instruction


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tell number 3 that the second week is fine", "reply to the mail {line3} that the second week is fine"),
        ("answer the second with I'll be there", "answer the mail {line2} saying I'll be there"),
        ("reply to 2 that number 3 is fine", "reply to the mail {line2} that number 3 is fine"),
    ],
)
def test_to_tell_a_mail_something_is_to_answer_it(text, meant):
    assert said(text) == meant


@pytest.mark.parametrize("text", ["3", "number 3.", "the third", "the third one", "#3"])
def test_a_bare_number_opens_its_line(text):
    assert "open the mail {line3}" in said(text)


@pytest.mark.parametrize("text", ["why is 1 first?", "why 1?", "why is number 1 there"])
def test_why_a_line_is_there_is_told_with_its_reasons(text):
    assert (
        answered(text).say
        == "1. Dana Levi: “Which figures for the budget?” \u2013 asks you a question; due today; unanswered for 2 days"
    )


def test_what_a_preview_shows_without_numbers_leaves_the_briefing_counting():
    two = Data(kind="mails", mails=(mail("a", "A"), mail("b", "B")))
    assert said("open 3", Shown(text="delete the newsletters", data=two, counted=False), shown()) == "open the mail {line3}"


def test_a_number_that_is_not_there_is_said_so():
    assert answered("open 25").say == "There is no number 25 in the briefing; its lines are numbered from 1 to 7."


def test_without_a_briefing_numbers_are_places_in_what_was_listed():
    other = Shown(text="mails", data=Data(kind="mails", mails=(mail("a", "A"), mail("b", "B"))))
    assert said("reply to 2", other) == "reply to the second one" and said("open the second", other, shown()) == "open the second"


def test_single_things_shown_since_leave_the_briefing_counting():
    one = Shown(text="open 2", data=Data(kind="mails", mails=(mail("m2", "Offsite in March"),)), counted=False)
    assert said("open 3", one, one, shown()) == "open the mail {line3}"


@pytest.mark.parametrize("text", ["decline it", "accept the invitation", "decline that please", "tentatively accept it"])
def test_it_is_the_one_thing_that_fits(text):
    assert "the event {line7}" in said(text)


def test_what_was_shown_since_is_it_rather():
    one = Shown(text="open 6", data=Data(kind="events", events=(event("e2", "Dentist"),)))
    assert said("decline it", one, shown()) == "decline it"
    opened = Shown(text="open 2", data=Data(kind="mails", mails=(mail("m2", "Offsite"),)), counted=False)
    assert said("decline it", opened, shown()) == "decline the event {line7}"


def test_where_several_fit_it_asks_which():
    question = answered("archive it").interpretations
    assert question is not None and [choice.value for choice in question.choices] == [f"archive number {n}" for n in (1, 2, 3)]
    assert said(question.choices[1].value) == "archive the mail {line2}"


def test_a_question_keeps_what_is_to_be_written():
    question = answered("reply to it saying I agree with it").interpretations
    assert question is not None and question.choices[0].value == "reply to number 1 saying I agree with it"


@pytest.mark.parametrize("text", ["reply to 4 saying hello", "forward 4 to Tom Weber", "flag number 4", "answer the fourth: yes"])
def test_a_mail_that_looks_like_phishing_is_not_acted_on_by_its_number(text):
    refused = answered(text)
    assert not refused.plan.steps and refused.say == "Number 4 looks like phishing, so by its number I only archive or delete it."


def test_nor_by_whoever_plans_with_it():
    request = Request(text="thank them all", setting=SETTING, shown=(shown(),))
    planned = analyse(request.model_copy(update={"text": "reply to the mail {line4} saying thanks"}))
    assert planned.plan.steps and not settled(planned, request).plan.steps


@pytest.mark.parametrize("text", ["archive 4", "delete number 4", "delete the phishing mail", "archive 3 and 4"])
def test_it_can_be_put_away_by_its_number(text):
    assert "{line4}" in answered(text).plan.steps[0].instruction


def test_it_is_never_a_mail_that_looks_like_phishing():
    alone = briefing(section("phishing", line(mail("m4", "Locked"), 1)))
    assert said("reply to it saying hello", shown(alone)) == "reply to it saying hello"


def test_what_is_read_by_people_holds_names_not_references():
    analysis = answered("decline number 7")
    assert analysis.intent.goal == "decline the event “Design critique”" and "{line7}" in analysis.plan.steps[0].instruction


def test_for_later_the_names_stand_in_the_place_of_the_numbers():
    assert (
        named(said("remind me about 2 tomorrow"), (shown(),))
        == "remind me about the mail “Offsite in March” from Tom Weber tomorrow"
    )


MAILS = Shown(text="my mails", data=Data(kind="mails", mails=tuple(mail(f"m{n}", "Hello") for n in range(12))))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("reply to 3 saying see you at 4", "reply to the third one saying see you at 4"),
        ("reply to mail number 3", "reply to the third one"),
        ("archive 1, 2 and 4-5", "archive the first, the second, the fourth and the fifth"),
        ("open #10", "open the tenth one"),
        ("find mails about invoice number 12", "find mails about invoice number 12"),
        ("show me mails of the last 3 days", "show me mails of the last 3 days"),
    ],
)
def test_in_a_list_a_number_is_a_place(text: str, meant: str) -> None:
    assert said(text, MAILS) == meant


@pytest.mark.parametrize("text", ["reply to 12 saying thanks", "archive 1 and 11", "forward number 99 to Tom", "open 0"])
def test_a_number_that_the_list_did_not_show_does_nothing(text: str) -> None:
    assert "it is numbered from 1 to 10" in answered(text, MAILS).say


def test_where_nothing_was_shown_a_number_writes_nothing() -> None:
    one = Shown(text="open 1", data=Data(kind="mails", mails=(mail("m1", "Hello"),)), counted=False)
    assert "what number 5 is" in answered("archive 5", one).say
    assert said("show 5", one) == "show 5"
