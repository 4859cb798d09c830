"""What a run of a schedule does in its conversation."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from doubles.crashes import MAIL, doing, sent
from doubles.llm import misbehaving as bad
from doubles.scheduled import due, ran, scheduled
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.errors import FlowError
from assistant.reasoning.base import Missing
from assistant.running.elsewhere import PAUSE
from assistant.running.scheduled import MOST, came_to
from assistant.timetable.rules import Remind
from assistant.values import Ambiguity, Choice, Data, Success

FOUND = Success(data=Data(kind="text", text="nothing new"))


def looking() -> tuple[ScriptedReasoner, ScriptedAgent]:
    return ScriptedReasoner({"look": plan(step(1, "look")), "hello": plan(step(1, "look"))}), ScriptedAgent(
        "email", {"look": [FOUND] * 9}
    )


async def test_a_request_is_answered_in_the_conversation_as_the_words_of_a_schedule(scripted):
    async with scripted(*looking()) as a:
        state = await ran(a, due("look"))
        said = await a.said("c")
    assert (state.status, state.own_words, state.slot) == ("done", False, "s1/2026-11-18T10:00")
    assert [(m.role, m.flow) for m in said.messages] == [("schedule", state.id), ("assistant", state.id)]


async def test_a_reminder_reminds(scripted):
    async with scripted(*looking()) as a:
        state = await ran(a, due(Remind(text="call the bank")))
    assert (state.status, state.reply) == ("done", "Reminder: call the bank")


async def test_what_comes_late_says_so_first(scripted):
    async with scripted(*looking()) as a:
        reminded = await ran(a, due(Remind(text="call the bank"), late="This was due at 08:00."))
        looked = await ran(a, due("look", late="This was due at 08:00."))
    assert reminded.reply == "This was due at 08:00.\nReminder: call the bank"
    assert looked.reply.startswith("This was due at 08:00.\n")


async def test_the_users_words_do_not_lean_on_what_a_schedule_said(scripted):
    async with scripted(*looking()) as a:
        await ran(a, due("look"))
        now = await a.dispatch.recall.situation("c")
    assert (now.said, now.last, now.since) == ((), "", ())


async def test_what_it_proposes_is_parked_with_its_preview(scripted, inbox):
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        assert (state.status, state.previews) == ("parked", (preview.id,))
        assert came_to(state).result == "It waits for your approval: mail Anna"


async def test_what_is_parked_is_told_once_by_its_preview(scripted, inbox):
    async with scripted(*doing(MAIL)) as a:
        await ran(a, due("go"))
        assert len(await a.open_previews()) == 1 and await a.flows(resting=True) == ()
        assert (await a.counts())[:3] == (1, 0, 0)
        (conversation,) = (await a.conversations()).items
        assert (conversation.open_previews, conversation.resting) == (1, 0)
        assert [one.status for one in (await a.dispatch.recall.situation("c")).paused] == ["preview"]


async def test_approving_settles_what_was_parked(scripted, inbox):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        assert [o.status for o in (await a.approve(preview.id, preview.fingerprint)).outcomes] == ["done"]
        assert (await a.flow(state.id)).status == "done"


async def test_a_bare_yes_to_what_a_schedule_proposed_is_asked_about(scripted, inbox, account):
    async with scripted(*doing(MAIL)) as a:
        await ran(a, due("go"))
        asked = await a.say("c", "yes")
        assert (asked.status, asked.reply) == ("waiting", "A schedule proposed this; do you approve it?")
        assert [o.status for o in (await a.say("c", "yes")).outcomes] == ["done"]
    assert len(sent(account)) == 1


@pytest.mark.parametrize("by", ["preview", "flow", "words"])
async def test_dropping_settles_what_was_parked(scripted, inbox, by):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        if by == "words":
            await a.say("c", "cancel all")
        else:
            await a.cancel(preview.id if by == "preview" else state.id)
        assert (await a.flow(state.id)).status == "cancelled"
        assert (await a.preview(preview.id)).status == "cancelled"


async def test_proposing_the_same_again_leaves_one_preview_and_one_parked(scripted, inbox):
    async with scripted(*doing(MAIL)) as a:
        first, second = await ran(a, due("go")), await ran(a, due("go", slot="2026-11-19T10:00"))
        assert len(await a.open_previews()) == 1
        assert [(await a.flow(one.id)).status for one in (first, second)] == ["done", "parked"]


async def test_changing_what_was_proposed_settles_what_was_parked(scripted, inbox):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        turn = await a.revise(preview.id, actions=[MAIL.model_copy(update={"subject": "Hello"})])
        assert (turn.status, len(await a.open_previews())) == ("done", 1)
        assert (await a.flow(state.id)).status == "done"


async def test_what_has_changed_underneath_is_shown_again_and_stays_parked(scripted, inbox, clock):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
        (preview,) = await a.open_previews()
        later = replace(a.dispatch.begin.master.proposer, clock=lambda: clock() + timedelta(days=8))
        master = replace(a.dispatch.begin.master, proposer=later)
        await master.approve(await a.dispatch.begin.approval(preview, "approve"), preview, a.dispatch.journal)
        (fresh,) = await a.open_previews()
        parked = await a.dispatch.recall.load(state.id)
        assert fresh.id != preview.id and (parked.status, parked.previews) == ("parked", (fresh.id,))
        await master.approve(await a.dispatch.begin.approval(fresh, "approve"), fresh, a.dispatch.journal)
        assert (await a.flow(state.id)).status == "done"


async def test_resuming_what_is_parked_shows_its_preview_again(scripted, inbox):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
        turn = await a.resume(state.id)
        assert (turn.status, len(turn.previews)) == ("parked", 1)
        assert (await a.said("c")).messages[-1].text == state.reply


async def test_what_was_parked_is_approved_after_a_restart(scripted, inbox, account):
    async with scripted(*doing(MAIL)) as a:
        state = await ran(a, due("go"))
    async with scripted(*doing(MAIL)) as a:
        (preview,) = await a.open_previews()
        await a.approve(preview.id, preview.fingerprint)
        assert (await a.flow(state.id)).status == "done"
    assert len(sent(account)) == 1


async def test_the_journal_tells_that_a_schedule_asked(scripted, inbox):
    async with scripted(*doing(MAIL, "mail Anna")) as a:
        await ran(a, due("go", name="Reports"))
        (story,) = await a.audit()
    assert story.lines[0].text == "The schedule “Reports” asked: “go”."


# --- where others speak in the same conversation


def held(thinking: tuple[ScriptedReasoner, ScriptedAgent]) -> tuple[asyncio.Event, asyncio.Event]:
    """The agent has begun to look; and it may go on."""
    began, may_end = asyncio.Event(), asyncio.Event()
    thinking[1].on_start = lambda _: began.set()
    thinking[1].gates["look"] = may_end
    return began, may_end


async def test_it_begins_once_what_the_user_asked_has_ended(scripted):
    thinking = looking()
    began, may_end = held(thinking)
    async with scripted(*thinking) as a:
        asking = asyncio.create_task(a.say("c", "hello"))
        await began.wait()
        running = asyncio.create_task(ran(a, due("look")))
        await asyncio.sleep(3 * PAUSE)
        may_end.set()
        assert ((await asking).status, (await running).status) == ("done", "done")
        said = await a.said("c")
    assert [m.role for m in said.messages] == ["user", "assistant", "schedule", "assistant"]


async def test_it_does_not_wait_for_other_conversations(scripted):
    thinking = looking()
    began, may_end = held(thinking)
    async with scripted(*thinking) as a:
        asking = asyncio.create_task(a.say("c", "hello"))
        await began.wait()
        assert (await ran(a, due(Remind(text="call"), "d"))).status == "done"
        may_end.set()
        await asking


async def test_the_users_words_interrupt_it_and_it_goes_on_behind_them(scripted):
    thinking = looking()
    began, _ = held(thinking)
    async with scripted(*thinking) as a:
        running = asyncio.create_task(ran(a, due("look")))
        await began.wait()
        thinking[1].gates.clear()
        asked = await a.say("c", "hello")
        state = await running
    assert "The schedule “Reports” was in progress; it goes on when this is done." in asked.reply and asked.status == "done"
    assert (state.status, thinking[1].given) == ("done", ["look", "look", "look"])


async def test_it_does_not_go_on_where_it_was_given_up(scripted):
    thinking = looking()
    began, _ = held(thinking)
    async with scripted(*thinking) as a:
        running = asyncio.create_task(ran(a, due("look")))
        await began.wait()
        (head,) = await a.flows("c")
        await a.cancel(head.id)
        state = await running
    assert (state.status, came_to(state).result) == ("cancelled", "You gave it up.")


async def test_interrupted_again_and_again_it_rests(scripted):
    thinking = looking()
    began, _ = held(thinking)
    async with scripted(*thinking) as a:
        running = asyncio.create_task(ran(a, due("look")))
        for _ in range(MOST + 1):
            await began.wait()
            began.clear()
            await a.dispatch.turns.interrupt("c")
        state = await running
    assert state.status == "suspended" and came_to(state).status == "failed"


async def test_stopped_by_the_user_it_does_not_go_on_by_itself(scripted):
    thinking = looking()
    began, may_end = held(thinking)
    async with scripted(*thinking) as a:
        running = asyncio.create_task(ran(a, due("look")))
        await began.wait()
        await a.suspend("c")
        state = await running
        assert (state.status, came_to(state)) == ("suspended", ("done", "You stopped it; it can be gone on with."))
        may_end.set()
        assert (await a.resume(state.id)).status == "done"


async def test_where_its_claim_is_lost_nothing_has_begun(scripted):
    async with scripted(*looking()) as a:
        with pytest.raises(FlowError):
            await scheduled(a).begin(due("look"), lambda s, flow: False)
        assert await a.flows("c") == () and not await a.is_known("c")


async def test_what_was_begun_before_is_gone_on_with_and_not_begun_again(scripted):
    thinking = looking()
    began, _ = held(thinking)
    async with scripted(*thinking) as a:
        running = asyncio.create_task(ran(a, due("look")))
        await began.wait()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    async with scripted(*looking()) as a:
        (head,) = await a.flows("c")
        assert (await scheduled(a).go_on(head.id)).status == "done"
        assert len(await a.flows("c")) == 1


# --- where nobody is there to be asked


async def test_a_question_stays_open_in_the_conversation(scripted):
    choices = (Choice(id="1", label="the small one", value="small"), Choice(id="2", label="the big one", value="big"))
    asks = Ambiguity(entity="one", question="Which one?", choices=choices)
    unclear = Success(data=Data(kind="nothing", ambiguity=asks))
    agent = ScriptedAgent("email", {"look": [unclear, FOUND]})
    async with scripted(looking()[0], agent) as a:
        state = await ran(a, due("look"))
        assert (state.status, came_to(state)) == ("waiting", ("done", "It waits for your answer: Which one?"))
        assert [q.flow for q in await a.questions()] == [state.id]
        turn = await a.say("c", "the big one")
        assert (turn.flow, turn.status) == (state.id, "done")


async def test_another_program_does_not_answer_what_a_schedule_asks(scripted):
    asks = Ambiguity(entity="one", question="Which one?", choices=(Choice(id="1", label="it", value="it"),))
    agent = ScriptedAgent("email", {"look": [Success(data=Data(kind="nothing", ambiguity=asks))]})
    async with scripted(looking()[0], agent) as a:
        state = await ran(a, due("look"))
        with pytest.raises(FlowError):
            await a.answer(state.question.id, "it", own_words=False)


async def test_without_its_model_it_goes_on_offline_and_says_so(opened, endpoint):
    async with opened() as a:
        endpoint.play(bad.SERVER_ERROR)
        state = await ran(a, due("find emails from Marcus about the budget last week"))
    assert state.status == "done" and state.offline and state.reports[1].data.mails
    assert "So I did this offline, without the model." in state.reply


# --- what came between by itself


async def test_an_answer_still_answers_what_was_asked_before_a_reminder_came(scripted):
    gap = Missing(what="where", question="Where to?")
    plans = {"move": plan(step(1, "move to {where}"), missing=(gap,))}
    async with scripted(ScriptedReasoner(plans), ScriptedAgent("email", {})) as a:
        asked = await a.say("c", "move")
        await ran(a, due(Remind(text="call the bank")))
        turn = await a.say("c", "the cellar")
    assert asked.status == "waiting" and (turn.flow, turn.status) == (asked.flow, "done")


async def test_a_preview_is_still_at_hand_behind_a_reminder_but_not_approved_unasked(scripted, inbox, account):
    async with scripted(*doing(MAIL)) as a:
        await a.say("c", "go")
        await ran(a, due(Remind(text="call the bank")))
        now = await a.dispatch.recall.situation("c")
        assert now.at_hand is not None and now.on_screen is None
        assert (await a.say("c", "yes")).status == "waiting" and sent(account) == []
        assert (await a.say("c", "yes")).outcomes


async def test_which_preview_is_meant_is_asked_again_behind_a_reminder(scripted, inbox, account):
    async with scripted(*doing(MAIL)) as a:
        await ran(a, due("go"))
        await a.say("c", "yes")
        await ran(a, due(Remind(text="call the bank")))
        await a.say("c", "yes")
    assert sent(account) == []


async def test_what_it_does_not_understand_has_failed(scripted):
    not_understood = plan(request="unknown", say="I did not understand that.")
    async with scripted(ScriptedReasoner({"flurb": not_understood}), ScriptedAgent("email", {})) as a:
        state = await ran(a, due("flurb"))
    assert came_to(state) == ("failed", "I did not understand what is to be done.")
