"""What a briefing numbers can be acted on by its number, in the conversation in which it was given, whoever thinks."""

import re

import pytest

from assistant.facade import Assistant, Turn
from assistant.timetable.rules import GiveBriefing, Once
from integrations.actions import AnswerInvitation, MarkMail, MoveMail, SendMail
from integrations.types import ARCHIVE, MailQuery

pytestmark = pytest.mark.usefixtures("thinker")


async def briefed(a: Assistant, text: str = "give me a briefing") -> Turn:
    turn = await a.say("c", text)
    assert turn.status == "done" and turn.briefing is not None
    return turn


def number(turn: Turn, words: str) -> int:
    """Of the line that holds these words, as it is read."""
    found = re.search(rf"^ *(\d+)\. [^\n]*{re.escape(words)}", turn.reply, re.MULTILINE)
    assert found, turn.reply
    return int(found[1])


async def test_a_mail_is_answered_by_its_place(sample):
    async with sample() as a:
        asked = (await briefed(a)).briefing.sections[0].lines[1].mail
        turn = await a.say("c", "answer the second saying I'll come")
        (action,) = turn.previews[0].actions
    assert isinstance(action, SendMail) and action.to == (asked.sender,) and "I'll come" in action.body
    assert action.reply_to and action.reply_to.id == asked.id


async def test_a_mail_is_read_by_its_number(sample):
    async with sample() as a:
        first = (await briefed(a)).briefing.sections[0].lines[0].mail
        for words in ("open 1", "what does the first say?"):
            turn = await a.say("c", words)
            assert turn.status == "done" and first.subject in turn.reply and "Source" not in turn.reply.partition("\n")[0]


async def test_an_invitation_is_declined_as_it_or_by_its_number(sample):
    async with sample() as a:
        given = await briefed(a)
        invited = number(given, "Roadmap workshop")
        for words in ("decline it", f"decline number {invited}", "decline the invitation", f"decline {invited}"):
            await briefed(a)
            turn = await a.say("c", words)
            (action,) = turn.previews[0].actions
            assert isinstance(action, AnswerInvitation) and action.answer == "declined"
            await a.cancel(turn.previews[0].id)


async def test_what_it_is_among_several_is_asked_and_the_answer_is_carried_out(sample):
    async with sample() as a:
        given = await briefed(a)
        asks = await a.say("c", "archive it")
        assert asks.status == "waiting" and asks.question is not None and len(asks.question.choices) > 1
        first = given.briefing.sections[0].lines[0].mail
        turn = await a.say("c", "1")
        acted = [*(p for preview in turn.previews for p in preview.actions), *(outcome.action for outcome in turn.outcomes)]
    assert [action.mail.id for action in acted if isinstance(action, MoveMail)] == [first.id]


async def test_several_are_put_away_at_once(sample):
    async with sample() as a:
        lines = (await briefed(a)).briefing.sections[0].lines
        turn = await a.say("c", "archive 1 and 3")
        acted = [*(p for preview in turn.previews for p in preview.actions), *(outcome.action for outcome in turn.outcomes)]
    assert {action.mail.id for action in acted} == {lines[0].mail.id, lines[2].mail.id}
    assert {action.folder for action in acted} == {ARCHIVE}


async def test_the_numbers_count_until_something_else_is_listed(sample):
    async with sample() as a:
        third = (await briefed(a)).briefing.sections[0].lines[2].mail
        for words in ("open 1", "open 2", "how many unread mails do I have?", "open 1", "open 2"):
            await a.say("c", words)
        assert third.subject in (await a.say("c", "open 3")).reply


async def test_the_number_of_a_list_of_one_is_that_of_its_mail(sample):
    async with sample() as a:
        first = (await briefed(a)).briefing.sections[0].lines[0].mail
        listed = await a.say("c", "find the last mail from Ruth Abrams")
        assert "1. Re: Contract renewal" in listed.reply
        turn = await a.say("c", "archive 1")
    acted = [*(p for preview in turn.previews for p in preview.actions), *(outcome.action for outcome in turn.outcomes)]
    assert [action.mail.id for action in acted] != [first.id] and "contract" in acted[0].mail.id


async def test_the_numbers_count_after_a_restart(sample):
    async with sample() as a:
        third = (await briefed(a)).briefing.sections[0].lines[2].mail
        for words in ("open 1", "open 2", "open 1", "open 2"):
            await a.say("c", words)
    async with sample() as a:
        assert third.subject in (await a.say("c", "open 3")).reply


async def test_a_number_that_is_not_there_does_nothing(sample):
    async with sample() as a:
        await briefed(a)
        turn = await a.say("c", "archive 77")
    assert "There is no number 77 in the briefing" in turn.reply and not turn.previews and not turn.outcomes


async def test_what_looks_like_phishing_is_put_away_by_its_number_and_nothing_else(sample):
    async with sample() as a:
        given = await briefed(a)
        locked = number(given, "your mailbox will be closed")
        refused = await a.say("c", f"reply to {locked} saying here is my password")
        assert "looks like phishing" in refused.reply and not refused.previews
        turn = await a.say("c", f"archive {locked}")
        (outcome,) = turn.outcomes
    assert outcome.status == "done" and isinstance(outcome.action, MoveMail) and outcome.action.folder == ARCHIVE


async def test_a_line_can_be_marked(sample):
    async with sample() as a:
        lines = (await briefed(a)).briefing.sections[0].lines
        turn = await a.say("c", "flag number 4")
        acted = [*(p for preview in turn.previews for p in preview.actions), *(outcome.action for outcome in turn.outcomes)]
    assert [action.mail.id for action in acted if isinstance(action, MarkMail)] == [lines[3].mail.id]


async def test_a_briefing_that_a_schedule_gave_is_acted_on_in_its_conversation(sample):
    async with sample() as a:
        rule = Once(at=a.clock().replace(tzinfo=None, hour=23))
        schedule = await a.schedules.add("Morning", GiveBriefing(), rule, conversation="mornings")
        await a.schedules.run(schedule.id)
        turn = await a.say("mornings", "decline it")
        (action,) = turn.previews[0].actions
    assert isinstance(action, AnswerInvitation) and action.answer == "declined"


async def test_what_it_looks_through_is_told_on_the_way(sample):
    async with sample() as a:
        turn = await briefed(a)
        told = {event.step: event.text async for event in a.events("c", flow=turn.flow)}
        assert (await a.flow(turn.flow)).status == "done"
    assert (
        told["9"] == "Looks through your inbox and your day." and told["11"].startswith("Above all: ") and told["15"] == turn.reply
    )


async def test_only_parts_of_it_can_be_wanted(sample):
    async with sample() as a:
        inbox = await a.briefing(("inbox",))
        week = await a.briefing(("week",))
        unread = await a.look(MailQuery(unread=True, limit=1))
    assert {section.kind for section in inbox.sections} <= {"answer", "waiting", "known", "newsletters", "phishing", "open"}
    assert not {"answer", "phishing"} & {section.kind for section in week.sections} and unread.items
