"""What is left of a plan where the message only asks to see something."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from doubles.asking import SETTING

from assistant.pipeline.reading import asked_for, judged
from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Analysis, Intent, Missing, Request
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import ContextBox, Criterion, Data, Plan, Proposal, Step, Success
from integrations.actions import MarkMail
from integrations.types import MailRef

LOOKED = "what's new in my mail?"
READS = Step(id=1, agent="email", instruction="Find new mails", criterion=Criterion(words=""))
WRITES = Step(id=2, agent="email", instruction="Delete all mails", criterion=Criterion(words="", expects="proposal"))
RESTS = Step(id=3, agent="email", instruction="Read {2}", criterion=Criterion(words=""), needs=(2,))


def analysed(*steps: Step, **more: Any) -> Analysis:
    intent = Intent(goal="g", request="write")
    return Analysis(context="", intent=intent, box=ContextBox(goal="g"), plan=Plan(steps=steps), **more)


async def left(text: str, analysis: Analysis) -> Analysis:
    return await judged(analysis, Request(text=text, setting=SETTING), OfflineReasoner())


async def test_what_writes_and_what_rests_on_it_is_left_out_and_told():
    analysis = await left(LOOKED, analysed(READS, WRITES, RESTS))
    assert analysis.plan.steps == (READS,) and analysis.asks == "look"
    assert "the plan wanted to delete mails" in analysis.limitations[0]


async def test_where_nothing_is_left_code_reads_the_message():
    analysis = await left(LOOKED, analysed(WRITES))
    assert analysis.plan.steps and all(step.criterion.expects != "proposal" for step in analysis.plan.steps)


async def test_a_write_by_another_name_is_left_out_too():
    disguised = WRITES.model_copy(update={"criterion": Criterion(words="")})
    assert (await left(LOOKED, analysed(READS, disguised))).plan.steps == (READS,)


async def test_nothing_is_asked_for_a_write_that_is_left_out():
    asks = WRITES.model_copy(update={"instruction": 'Reply to the last mail saying "{secret}"'})
    gap = Missing(what="secret", question="What is it?")
    assert (await left(LOOKED, analysed(READS, asks, missing=(gap,)))).missing == ()


async def test_thanks_asks_for_no_change():
    analysis = await left("thanks", analysed(WRITES))
    assert not analysis.plan.steps and analysis.limitations[0].startswith("You asked for no change, so I prepared nothing")


@pytest.mark.parametrize("text", ["delete all mails", "verschiebe den Zahnarzt auf 11"])
async def test_a_plan_for_other_messages_stays_as_it_is(text):
    assert (await left(text, analysed(READS, WRITES))).plan.steps == (READS, WRITES)


@pytest.mark.parametrize(
    ("text", "own", "asks"),
    [
        (LOOKED, "", "look"),
        (LOOKED, "writes", "change"),
        ("my first mail from Yuki", "looks", "look"),
        ("my first mail from Yuki", "", "change"),
        ("delete the mails", "looks", "change"),
        ("was steht in Lenas Kalender", "looks", "unclear"),
    ],
)
def test_what_code_reads_counts_where_the_words_leave_it_open(text, own, asks):
    assert asked_for(text, analysed(own=own)) == asks


def test_a_flow_that_only_looks_proposes_nothing_whatever_a_step_has_brought():
    proposal = Proposal(action=MarkMail(account="a", mail=MailRef(account="a", id="1"), seen=True))
    report = Success(data=Data(kind="proposals", proposals=(proposal,)))
    now = datetime(2026, 11, 18, tzinfo=ZoneInfo("Europe/Berlin"))
    state = FlowState(id="f", user="u", conversation="c", text="", created=now, steps=(WRITES,), reports={2: report})
    assert state.but(analysis=analysed(WRITES)).proposals
    assert not state.but(analysis=analysed(WRITES, asks="look")).proposals
