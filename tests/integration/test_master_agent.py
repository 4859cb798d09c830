"""The master agent's chart: its decisions, each in a test named after it."""

import asyncio

import pytest
from doubles.thinking import ScriptedAgent, ScriptedReasoner, plan, step

from assistant.events import STEPS
from assistant.pipeline.state import MAX_PASSES
from assistant.reasoning.base import Adaptation, Missing
from assistant.values import (
    Ambiguity,
    Choice,
    ContextBox,
    Data,
    Failure,
    Partial,
    Proposal,
    Question,
    Success,
    When,
)
from integrations.actions import CreateEvent, MoveMail, SendMail
from integrations.types import Address, MailRef

BY_VALUES = pytest.mark.parametrize("thinking", ["reasoner"])
"""For what a model's plan has no words for: priorities of its own, a filled context box, a question with choices; and for a plan in
invented words, by which a model gets nothing done unasked."""
FOUND = Success(data=Data(kind="text", text="found"), confidence=95)
DOWN = Failure(type="api_down", message="Email service unavailable")
DAVIDS = (
    Choice(id="1", label="David Smith <smith@example.org> (Acme)", value="smith@example.org"),
    Choice(id="2", label="David Chen <chen@example.org> (Initech)", value="chen@example.org"),
)


@pytest.fixture(params=["reasoner", "model"])
def thinking(request) -> str:
    return request.param


def two_davids() -> Partial:
    ambiguity = Ambiguity(entity="David", question="Which David do you mean?", choices=DAVIDS)
    return Partial(data=Data(kind="contacts", ambiguity=ambiguity), limitations=("2 people are called David",), confidence=50)


def david(address: str) -> Success:
    return Success(data=Data(kind="addresses", addresses=(Address(email=address, name="David"),)))


def mail_to(address: str, body: str = "hello") -> Proposal:
    action = SendMail(account="local", to=(Address(email=address),), subject="Hi", body=body)
    return Proposal(action=action, says=f"mail {address}")


def proposing(*proposals: Proposal) -> Success:
    return Success(data=Data(kind="proposals", proposals=proposals))


async def told(assistant, flow: str) -> list[str]:
    return [event.step async for event in assistant.events("c", flow=flow)]


# --- the chart


async def test_every_numbered_step_of_a_clean_read_is_in_the_stored_record(scripted):
    reasoner = ScriptedReasoner({"look": plan(step(1, "look it up"))})
    async with scripted(reasoner, ScriptedAgent("email", {"look it up": [FOUND]})) as a:
        turn = await a.say("c", "look")
        steps = await told(a, turn.flow)
    assert steps == [step for step in STEPS if step != "12.1"]
    assert turn.reply.startswith("found") and turn.status == "done"


async def test_events_are_streamed_while_the_flow_runs(scripted):
    agent = ScriptedAgent("email", {})
    agent.gates["look it up"] = asyncio.Event()
    async with scripted(ScriptedReasoner({"look": plan(step(1, "look it up"))}), agent) as a:
        running = asyncio.create_task(a.say("c", "look"))
        seen = []
        async for event in a.events("c"):
            seen.append(event.step)
            if event.step == "9":
                agent.gates["look it up"].set()
            if event.step == "15":
                break
        await running
    assert seen[0] == "1" and seen[-1] == "15"


async def test_a_clean_read_asks_two_questions_of_the_reasoner(scripted):
    reasoner = ScriptedReasoner({"look": plan(step(1, "look it up"))})
    counted = Success(data=Data(kind="count", count=3, heading="mails"), confidence=95)
    async with scripted(reasoner, ScriptedAgent("email", {"look it up": [counted]})) as a:
        await a.say("c", "look")
    assert reasoner.asked == ["analyse", "reply"]


async def test_a_write_asks_one_question_up_to_its_preview_and_its_approval_none(scripted):
    reasoner = ScriptedReasoner({"send": plan(step(1, "send it", expects="proposal", priority=6), request="write")})
    async with scripted(reasoner, ScriptedAgent("email", {"send it": [proposing(mail_to("anna@example.org"))]})) as a:
        turn = await a.say("c", "send")
        assert reasoner.asked == ["analyse"]
        await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)
    assert reasoner.asked == ["analyse"]


async def test_independent_steps_run_side_by_side(scripted):
    agent = ScriptedAgent("email", {})
    both = asyncio.Barrier(2)

    async def meet(instruction, desk):
        await asyncio.wait_for(both.wait(), 5)
        return FOUND

    agent.run = meet
    async with scripted(ScriptedReasoner({"look": plan(step(1, "one"), step(2, "two", "calendar"))}), agent) as a:
        turn = await a.say("c", "look")
    assert turn.status == "done" and set(turn.reports) == {1, 2}


async def test_a_step_sees_the_results_of_the_steps_it_needs(scripted):
    agent = ScriptedAgent("email", {"find": [david("chen@example.org")]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "find", "contacts"), step(2, "use {1}", needs=(1,)))}), agent) as a:
        await a.say("c", "go")
    assert agent.given == ["find", "use {1}"]
    assert agent.desks[1].results["1"].addresses[0].email == "chen@example.org"


async def test_the_loop_ends_after_ten_passes_and_says_so(scripted):
    steps = [step(n, f"step {n}", needs=(n - 1,) if n > 1 else ()) for n in range(1, MAX_PASSES + 3)]
    agent = ScriptedAgent("email", {})
    async with scripted(ScriptedReasoner({"go": plan(*steps)}), agent) as a:
        turn = await a.say("c", "go")
    assert len(agent.given) == MAX_PASSES
    assert "10 passes" in turn.reply


async def test_a_step_whose_condition_does_not_hold_is_not_run(scripted):
    nothing = Success(data=Data(kind="events", truth=False))
    agent = ScriptedAgent("email", {"am I free": [nothing]})
    steps = (
        step(1, "am I free"),
        step(2, "then", when=When(step=1, holds=True)),
        step(3, "otherwise", when=When(step=1, holds=False)),
    )
    async with scripted(ScriptedReasoner({"go": plan(*steps)}), agent) as a:
        await a.say("c", "go")
    assert agent.given == ["am I free", "otherwise"]


# --- priorities


@BY_VALUES
async def test_steps_run_in_the_order_of_priorities(scripted):
    named = ["execute", "plan", "other context", "critical context", "clarify", "check risk"]
    steps = [step(n, name, priority=7 - n, needs=()) for n, name in enumerate(named, start=1)]
    agent = ScriptedAgent("email", {})
    async with scripted(ScriptedReasoner({"go": plan(*steps)}), agent) as a:
        await a.say("c", "go")
    assert agent.given == ["check risk", "clarify", "critical context", "other context", "plan", "execute"]


# --- context box


async def test_the_context_box_has_the_eight_fields_in_the_seeds_order():
    assert list(ContextBox.model_fields) == ["goal", "entities", "constraints", "data", "progress", "blockers", "next", "notes"]


@BY_VALUES
async def test_the_context_box_evolves_as_in_the_board_meeting_example(scripted):
    start = ContextBox(
        goal="Schedule board meeting next month",
        entities=("Board members (8 executives)", "CEO", "CFO"),
        constraints=("Next month timeframe", "requires 2hr block", "high-risk operation"),
        progress=("Intent determined, entities identified",),
        next="Check calendar availability for all participants",
    )
    availability = Partial(
        data=Data(kind="text", text="Calendar conflicts found, available slots identified"),
        limitations=("CEO traveling 15th-17th", "CFO earnings call 22nd"),
        confidence=75,
    )
    dates = (Choice(id="1", label="the 9th", value="9"), Choice(id="2", label="the 24th", value="24"))
    alternatives = Partial(
        data=Data(kind="slots", ambiguity=Ambiguity(entity="date", question="Which date?", trigger="preference", choices=dates)),
        limitations=("Multiple conflicts detected",),
        confidence=75,
    )
    steps = (step(1, "check availability", "calendar"), step(2, "present alternative dates to user", "calendar", needs=(1,)))
    agent = ScriptedAgent("calendar", {"check availability": [availability], "present alternative dates to user": [alternatives]})
    analysis = plan(*steps, goal=start.goal, box=start)
    async with scripted(ScriptedReasoner({"Schedule board meeting next month": analysis}), agent) as a:
        box = (await a.say("c", "Schedule board meeting next month")).context
    assert box.goal == start.goal
    assert box.entities[:3] == start.entities and box.constraints[:3] == start.constraints
    assert any("Calendar conflicts found" in line for line in box.data)
    assert "Intent determined, entities identified" in box.progress and any("check availability" in line for line in box.progress)
    assert box.blockers == ("Which date?",)
    assert box.next == "Wait for your answer"


# --- asking the user: the seed's eight triggers


async def test_asks_when_multiple_valid_interpretations_exist(scripted):
    choices = (Choice(id="1", label="the event", value="show the event"), Choice(id="2", label="the mail", value="show the mail"))
    asked = Question(id="q", text="The event or the mail?", trigger="interpretations", entity="review", choices=choices)
    plans = {"go": plan(step(1, "x"), interpretations=asked), "show the event": plan(step(1, "y"))}
    async with scripted(ScriptedReasoner(plans), ScriptedAgent("email", {})) as a:
        turn = await a.say("c", "go")
        assert turn.question and turn.question.trigger == "interpretations" and not turn.reports
        assert (await a.say("c", "the event")).status == "done"


async def test_asks_when_critical_information_is_missing(scripted):
    missing = (Missing(what="message", question="What should the mail say?"),)
    analysis = plan(step(1, 'write "{message}"', priority=6, expects="proposal"), missing=missing, request="write")
    agent = ScriptedAgent("email", {'write "I am late"': [proposing(mail_to("anna@example.org"))]})
    async with scripted(ScriptedReasoner({"mail Anna": analysis}), agent) as a:
        turn = await a.say("c", "mail Anna")
        assert turn.question and turn.question.trigger == "missing" and agent.given == []
        turn = await a.answer(turn.question.id, "I am late")
    assert turn.previews and agent.given == ['write "I am late"']


async def test_asks_for_acceptance_when_the_risk_level_is_high(scripted, account):
    many = proposing(*(mail_to(f"p{n}@example.org") for n in range(11)))
    async with scripted(
        ScriptedReasoner({"go": plan(step(1, "x", expects="proposal"))}), ScriptedAgent("email", {"x": [many]})
    ) as a:
        turn = await a.say("c", "go")
    assert [p.level for p in turn.previews] == ["high"] and turn.status == "done" and not turn.outcomes
    assert not (account.mail / ".Outbox").exists()


async def test_asks_when_a_user_preference_is_needed(scripted):
    slots = (Choice(id="1", label="Tuesday 9:00", value="tue"), Choice(id="2", label="Friday 14:00", value="fri"))
    asked = Ambiguity(entity="slot", question="Which time do you prefer?", trigger="preference", choices=slots)
    agent = ScriptedAgent("calendar", {"find": [Partial(data=Data(ambiguity=asked), limitations=("2 times fit",)), FOUND]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "find"))}), agent) as a:
        turn = await a.say("c", "go")
        assert turn.question and turn.question.trigger == "preference"
        turn = await a.say("c", "the second one")
    assert agent.desks[-1].bindings == {"slot": "fri"} and turn.status == "done"


async def test_asks_for_confirmation_when_yes_could_mean_several_previews(scripted):
    plans = {n: plan(step(1, n, expects="proposal")) for n in ("one", "two")}
    agent = ScriptedAgent("email", {n: [proposing(mail_to(f"{n}@example.org"))] for n in plans})
    async with scripted(ScriptedReasoner(plans), agent) as a:
        await a.say("c", "one")
        await a.say("c", "two")
        turn = await a.say("c", "yes, send it")
        assert turn.question and turn.question.trigger == "confirmation" and len(turn.question.choices) == 2
        number = next(n for n, choice in enumerate(turn.question.choices, start=1) if "one@" in choice.label)
        turn = await a.say("c", str(number))
    assert [o.action.to[0].email for o in turn.outcomes] == ["one@example.org"]


async def test_asks_when_sub_agent_failures_exceed_the_retry_limit(scripted):
    again = Adaptation(decision="revise", steps=(step(1, "fetch"),), why="try once more")
    agent = ScriptedAgent("email", {"fetch": [DOWN, DOWN, FOUND]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "fetch"))}, [again]), agent) as a:
        turn = await a.say("c", "go")
        assert turn.question and turn.question.trigger == "retries" and agent.given == ["fetch", "fetch"]
        turn = await a.say("c", "try again")
    assert turn.status == "done" and "found" in turn.reply and len(agent.given) == 3


async def test_asks_when_the_confidence_level_is_below_70(scripted):
    shaky = Partial(data=Data(kind="text", text="maybe"), limitations=("the name was guessed",), confidence=60)
    agent = ScriptedAgent("email", {"guess": [shaky]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "guess"), step(2, "act", needs=(1,)))}), agent) as a:
        turn = await a.say("c", "go")
        assert turn.question and turn.question.trigger == "confidence" and "60 %" in turn.question.text
        turn = await a.say("c", "go on")
    assert agent.given == ["guess", "act"] and turn.status == "done"


async def test_asks_about_an_ambiguous_entity_such_as_several_davids(scripted):
    agent = ScriptedAgent("email", {"find David": [two_davids(), david("chen@example.org")]})
    agent._reports["send to {1}"] = [proposing(mail_to("chen@example.org"))]
    steps = (step(1, "find David", "contacts", expects="one"), step(2, "send to {1}", needs=(1,), priority=6, expects="proposal"))
    async with scripted(ScriptedReasoner({"email David": plan(*steps)}), agent) as a:
        turn = await a.say("c", "email David")
        assert turn.status == "waiting" and turn.question.trigger == "ambiguous" and agent.given == ["find David"]
        turn = await a.say("c", "Chen")
    assert agent.given == ["find David", "find David", "send to {1}"]
    assert turn.previews[0].actions[0].to[0].email == "chen@example.org"


# --- errors: the seed's decision matrix


async def test_can_adapt_plan_then_revise_plan(scripted):
    nothing = Success(data=Data(kind="mails"))
    wider = Adaptation(decision="revise", steps=(step(2, "search everywhere", expects="items"),), why="search more widely")
    agent = ScriptedAgent("email", {"search the inbox": [nothing], "search everywhere": [FOUND]})
    reasoner = ScriptedReasoner({"go": plan(step(1, "search the inbox", expects="items"))}, [wider])
    async with scripted(reasoner, agent) as a:
        turn = await a.say("c", "go")
    assert agent.given == ["search the inbox", "search everywhere"] and "found" in turn.reply


@BY_VALUES
async def test_need_user_input_then_ask_user(scripted):
    asked = Question(
        id="x", text="Which account?", trigger="missing", entity="account", choices=(Choice(id="1", label="work", value="work"),)
    )
    agent = ScriptedAgent("email", {"fetch": [Failure(type="refused", message="no account was named"), FOUND]})
    reasoner = ScriptedReasoner({"go": plan(step(1, "fetch"))}, [Adaptation(decision="ask", question=asked)])
    async with scripted(reasoner, agent) as a:
        turn = await a.say("c", "go")
        assert turn.question and turn.question.text == "Which account?"
        turn = await a.say("c", "work")
    assert turn.status == "done" and agent.desks[-1].bindings["account"] == "work"


async def test_temporary_issue_then_try_different_approach(scripted):
    other = Adaptation(decision="revise", steps=(step(2, "search the local copy"),), why="the service is down")
    agent = ScriptedAgent("email", {"search the server": [DOWN], "search the local copy": [FOUND]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "search the server"))}, [other]), agent) as a:
        turn = await a.say("c", "go")
    assert agent.given == ["search the server", "search the local copy"] and "found" in turn.reply


async def test_permanent_blocker_then_exit_with_explanation(scripted):
    out = Adaptation(decision="exit", why="The account must be connected again.", instead="Run: assistant accounts add.")
    agent = ScriptedAgent("email", {"fetch": [Failure(type="auth_expired", message="Signed out")]})
    reasoner = ScriptedReasoner({"go": plan(step(1, "fetch"), step(2, "use", needs=(1,)))}, [out])
    async with scripted(reasoner, agent) as a:
        turn = await a.say("c", "go")
    assert agent.given == ["fetch"] and turn.status == "failed"
    assert "must be connected again" in turn.reply and "assistant accounts add" in turn.reply


async def test_a_fault_inside_a_sub_agent_is_a_failed_step_and_one_sentence(scripted):
    agent = ScriptedAgent("email", {})

    async def broken(instruction, desk):
        raise ZeroDivisionError("oops")

    agent.run = broken
    async with scripted(ScriptedReasoner({"go": plan(step(1, "x"))}), agent) as a:
        turn = await a.say("c", "go")
    assert turn.status == "failed" and "ZeroDivisionError" in turn.reply


# --- confidence and completion


@pytest.mark.parametrize(
    ("confidences", "verdict"),
    [((90, 90), "complete"), ((95, 84), "complete"), ((95, 84, 80), "partial"), ((50,), "partial"), ((49,), "blocked")],
)
async def test_confidence_is_arithmetic_with_the_thresholds_90_and_50(scripted, confidences, verdict):
    reports = {f"s{n}": [Success(data=Data(kind="text", text="x"), confidence=c)] for n, c in enumerate(confidences, start=1)}
    steps = [step(n, name) for n, name in enumerate(reports, start=1)]
    async with scripted(ScriptedReasoner({"go": plan(*steps)}), ScriptedAgent("email", reports)) as a:
        turn = await a.say("c", "go")
        twelve = [e async for e in a.events("c", flow=turn.flow) if e.step == "12"]
    assert twelve[-1].data["verdict"] == verdict
    assert turn.confidence == round(sum(confidences) / len(confidences))


async def test_partial_success_is_told_and_gone_on_with(scripted):
    part = Partial(data=Data(kind="text", text="half"), limitations=("one account could not be read",), confidence=75)
    async with scripted(ScriptedReasoner({"go": plan(step(1, "x"))}), ScriptedAgent("email", {"x": [part]})) as a:
        turn = await a.say("c", "go")
        assert "12.1" in await told(a, turn.flow)
    assert "half" in turn.reply and "one account could not be read" in turn.reply


# --- interruption


async def test_a_new_message_suspends_the_flow_which_resumes_without_doing_work_again(scripted):
    agent = ScriptedAgent("email", {})
    agent.gates["slow"] = asyncio.Event()
    started = asyncio.Event()
    agent.on_start = lambda instruction: started.set() if instruction == "slow" else None
    plans = {"first": plan(step(1, "quick"), step(2, "slow", needs=(1,)), goal="the first thing"), "second": plan(step(1, "other"))}
    async with scripted(ScriptedReasoner(plans), agent) as a:
        first = asyncio.create_task(a.say("c", "first"))
        await started.wait()
        second = await a.say("c", "second")
        interrupted = await first
        assert interrupted.status == "suspended" and second.status == "done"
        assert "the first thing" in second.reply and any("Previous task" in line for line in second.context.notes)
        agent.gates["slow"].set()
        resumed = await a.resume(interrupted.flow)
    assert resumed.status == "done" and agent.given == ["quick", "slow", "other", "slow"]


async def test_all_interruptions_are_alike_however_early(scripted):
    plans = {"first": plan(step(1, "x")), "second": plan(step(1, "y"))}
    async with scripted(ScriptedReasoner(plans), ScriptedAgent("email", {})) as a:
        first, second = await asyncio.gather(a.say("c", "first"), a.say("c", "second"))
        assert (first.status, second.status) == ("suspended", "done")
        assert (await a.resume(first.flow)).status == "done"


async def test_conversations_do_not_interrupt_each_other(scripted):
    plans = {"first": plan(step(1, "x")), "second": plan(step(1, "y"))}
    async with scripted(ScriptedReasoner(plans), ScriptedAgent("email", {})) as a:
        turns = await asyncio.gather(a.say("c1", "first"), a.say("c2", "second"))
    assert [t.status for t in turns] == ["done", "done"]


# --- previews and approval


async def test_an_approval_is_single_use(scripted, account):
    agent = ScriptedAgent("email", {"send": [proposing(mail_to("anna@example.org"))]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "send", expects="proposal"))}), agent) as a:
        shown = (await a.say("c", "go")).previews[0]
        both = await asyncio.gather(*(a.approve(shown.id, shown.fingerprint) for _ in range(2)), return_exceptions=True)
    assert len(list((account.mail / ".Outbox" / "new").iterdir()) + list((account.mail / ".Outbox" / "cur").iterdir())) == 1
    assert sum(isinstance(turn, Exception) or turn.status == "failed" for turn in both) == 1


async def test_a_wrong_fingerprint_approves_nothing(scripted, account):
    agent = ScriptedAgent("email", {"send": [proposing(mail_to("anna@example.org"))]})
    async with scripted(ScriptedReasoner({"go": plan(step(1, "send", expects="proposal"))}), agent) as a:
        shown = (await a.say("c", "go")).previews[0]
        with pytest.raises(Exception, match="changed since"):
            await a.approve(shown.id, "v1:other")
    assert not (account.mail / ".Outbox").exists()


async def test_text_from_another_program_approves_nothing(scripted, account):
    plans = {"go": plan(step(1, "send", expects="proposal")), "yes, send it": plan(say="What do you mean?")}
    agent = ScriptedAgent("email", {"send": [proposing(mail_to("anna@example.org"))]})
    async with scripted(ScriptedReasoner(plans), agent) as a:
        await a.say("c", "go")
        await a.say("c", "yes, send it", own_words=False)
    assert not (account.mail / ".Outbox").exists()


@BY_VALUES
async def test_a_low_write_runs_unasked_only_if_the_users_own_words_name_it(scripted, account):
    box = account.mail / "cur"
    for folder in ("cur", "new", "tmp"):
        (account.mail / folder).mkdir(exist_ok=True)
    (box / "1.a.host:2,S").write_text("From: x@example.org\nSubject: s\n\nhi\n")
    move = MoveMail(account="local", mail=MailRef(account="local", id="1.a.host"), folder="Archive")
    proposal = proposing(Proposal(action=move, says="archive it"))
    plans = {words: plan(step(1, "do", expects="proposal")) for words in ("tidy up", "archive it")}
    agent = ScriptedAgent("email", {"do": [proposal]})
    async with scripted(ScriptedReasoner(plans), agent) as a:
        asked = await a.say("c", "tidy up")
        assert asked.previews and asked.previews[0].level == "medium" and (box / "1.a.host:2,S").exists()
        done = await a.say("d", "archive it")
    assert not done.previews and done.outcomes[0].status == "done" and list((account.mail / ".Archive" / "cur").iterdir())


async def test_a_preview_survives_a_restart_and_is_approvable_once(scripted, account):
    agent = ScriptedAgent("email", {"send": [proposing(mail_to("anna@example.org"))]})
    reasoner = ScriptedReasoner({"go": plan(step(1, "send", expects="proposal"))})
    async with scripted(reasoner, agent) as a:
        shown = (await a.say("c", "go")).previews[0]
    async with scripted(reasoner, agent) as a:
        turn = await a.say("c", "approve")
        assert turn.outcomes[0].status == "done"
        with pytest.raises(Exception, match="approved already"):
            await a.approve(shown.id, shown.fingerprint)


async def test_proposals_from_outside_are_always_previewed(scripted):
    own = CreateEvent(account="local", title="Focus", start=_at(9), end=_at(10))
    async with scripted(ScriptedReasoner({}), ScriptedAgent("email", {})) as a:
        turn = await a.propose("c", [own])
    assert turn.previews and not turn.outcomes


def _at(hour: int):
    from datetime import datetime
    from zoneinfo import ZoneInfo

    return datetime(2026, 11, 20, hour, tzinfo=ZoneInfo("Europe/Berlin"))


# --- what is open, and what words do to it


def two_mails() -> tuple[ScriptedReasoner, ScriptedAgent]:
    plans = {n: plan(step(1, n, expects="proposal")) for n in ("one", "two")}
    plans["other"] = plan(step(1, "look"))
    plans["mail one@example.org again"] = plan(step(1, "look"))
    return ScriptedReasoner(plans), ScriptedAgent("email", {n: [proposing(mail_to(f"{n}@example.org"))] for n in ("one", "two")})


async def test_a_later_message_never_answers_which_preview_was_meant(scripted, account):
    async with scripted(*two_mails()) as a:
        await a.say("c", "one")
        await a.say("c", "other")
        assert (await a.say("c", "yes")).question
        assert not (await a.say("c", "mail one@example.org again")).outcomes
    assert not (account.mail / ".Outbox").exists()


async def test_a_bare_no_with_nothing_open_does_nothing(scripted):
    async with scripted(*two_mails()) as a:
        assert (await a.say("c", "cancel")).reply == "There is nothing open to cancel."
        assert (await a.say("c", "yes")).reply == "Nothing awaits your approval."


async def test_cancel_all_drops_every_open_preview(scripted):
    async with scripted(*two_mails()) as a:
        await a.say("c", "one")
        await a.say("c", "two")
        await a.say("c", "cancel all")
        assert not await a.open_previews()


async def test_a_no_to_which_preview_approves_nothing_and_leaves_them_open(scripted):
    async with scripted(*two_mails()) as a:
        await a.say("c", "one")
        await a.say("c", "two")
        await a.say("c", "yes")
        await a.say("c", "no")
        assert len(await a.open_previews()) == 2


async def test_a_revision_that_comes_to_nothing_leaves_the_preview_on_the_screen(scripted):
    reasoner, agent = two_mails()
    reasoner.plans["make it blue"] = plan(step(1, "In {proposal}: make it blue", expects="proposal"))
    agent._reports["In {proposal}: make it blue"] = [Failure(type="not_understood", message="A mail has no colour.")]
    async with scripted(reasoner, agent) as a:
        shown = (await a.say("c", "one")).previews[0]
        again = await a.say("c", "make it blue")
        assert [p.id for p in again.previews] == [shown.id] and "no colour" in again.reply
        assert (await a.say("c", "approve")).outcomes[0].status == "done"


async def test_a_revised_preview_takes_the_place_of_the_old_and_shows_what_differs(scripted):
    reasoner, agent = two_mails()
    reasoner.plans["say bye"] = plan(step(1, "In {proposal}: say bye", expects="proposal"))
    agent._reports["In {proposal}: say bye"] = [proposing(mail_to("one@example.org", "bye"))]
    async with scripted(reasoner, agent) as a:
        old = (await a.say("c", "one")).previews[0]
        new = (await a.say("c", "say bye")).previews[0]
        assert new.replaces == old.id and new.differs and [p.id for p in await a.open_previews()] == [new.id]
        with pytest.raises(Exception, match="replaced"):
            await a.approve(old.id, old.fingerprint)


async def test_edited_actions_are_described_anew(scripted):
    async with scripted(*two_mails()) as a:
        old = (await a.say("c", "one")).previews[0]
        turn = await a.revise(old.id, actions=[mail_to("grace@example.org").action])
    assert "grace@example.org" in turn.previews[0].items[0].says and "one@" not in turn.previews[0].items[0].says


async def test_an_address_that_was_put_in_by_hand_is_the_users_own_word(scripted):
    async with scripted(*two_mails()) as a:
        old = (await a.say("c", "one")).previews[0]
        new = (await a.revise(old.id, actions=[mail_to("new@example.org").action])).previews[0]
        assert (new.items[0].recipients[0].origin, new.items[0].recipients[0].known) == ("you wrote it", True)
        other = (await a.revise(new.id, actions=[mail_to("stranger@evil.example").action], own_words=False)).previews[0]
        assert not other.items[0].recipients[0].known and other.level == "high"


async def test_what_was_not_touched_by_hand_stays_with_all_that_was_said_of_it(scripted):
    async with scripted(*two_mails()) as a:
        first = (await a.say("c", "one")).previews[0]
        both = (await a.revise(first.id, actions=[first.actions[0], mail_to("grace@example.org").action])).previews[0]
    assert both.items[0].says == first.items[0].says and "grace@example.org" in both.items[1].says


async def test_words_of_another_program_make_nobody_known(scripted):
    reasoner, agent = two_mails()
    reasoner.plans["write to stranger@evil.example"] = plan(say="no")
    async with scripted(reasoner, agent) as a:
        await a.say("c", "write to stranger@evil.example", own_words=False)
        turn = await a.propose("c", [mail_to("stranger@evil.example").action])
    assert turn.previews[0].level == "high" and not turn.previews[0].items[0].recipients[0].known


async def test_a_later_low_write_waits_for_what_must_be_asked_first(scripted, account):
    folder = account.mail / "cur"
    for sub in ("cur", "new", "tmp"):
        (account.mail / sub).mkdir(exist_ok=True)
    (folder / "1.a.host:2,S").write_text("From: x@example.org\nSubject: s\n\nhi\n")
    move = MoveMail(account="local", mail=MailRef(account="local", id="1.a.host"), folder="Archive")
    steps = (step(1, "reply", expects="proposal"), step(2, "archive", expects="proposal"))
    reports = {"reply": [proposing(mail_to("x@example.org"))], "archive": [proposing(Proposal(action=move, says="archive it"))]}
    agent = ScriptedAgent("email", reports)
    async with scripted(ScriptedReasoner({"reply and then archive it": plan(*steps)}), agent) as a:
        turn = await a.say("c", "reply and then archive it")
        assert len(turn.previews[0].items) == 2 and not turn.outcomes and (folder / "1.a.host:2,S").exists()


async def test_taking_back_says_what_it_takes_back_and_what_stays(scripted, taken_at_once):
    event = CreateEvent(account="local", title="Focus", start=_at(9), end=_at(10))
    both = proposing(mail_to("anna@example.org"), Proposal(action=event, says="create Focus"))
    agent = ScriptedAgent("email", {"both": [both]})
    async with scripted(ScriptedReasoner({"both": plan(step(1, "both", expects="proposal"))}), agent) as a:
        await a.say("c", "both")
        await a.say("c", "approve")
        turn = await a.undo("c")
    assert [o.says for o in turn.outcomes] == ["take back: create Focus"] and "stays done" in turn.reply and "anna" in turn.reply
