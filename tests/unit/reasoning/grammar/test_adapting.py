"""The decision matrix: revise, ask, try another way, exit."""

from typing import Any

import pytest

from assistant.reasoning.base import Adaptation, Setting, Trouble
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import Ambiguity, Choice, ContextBox, Criterion, Data, Failure, Report, Step, Success
from integrations.types import Mail


def step(number: int, agent: Any, instruction: str, expects: Any = "items", needs: tuple[int, ...] = ()) -> Step:
    return Step(id=number, agent=agent, instruction=instruction, criterion=Criterion(words="", expects=expects), needs=needs)


async def adapted(setting: Setting, steps: tuple[Step, ...], reports: dict[int, Report], failures: dict[int, int]) -> Adaptation:
    return await OfflineReasoner().adapt(
        Trouble(box=ContextBox(), steps=steps, reports=reports, failures=failures, setting=setting)
    )


NOTHING = Success(data=Data(kind="mails"))


LEASE = "Find the mails from Anna about the lease"


async def test_can_adapt_plan_a_narrow_search_is_widened(setting: Setting) -> None:
    steps = (step(1, "email", f"{LEASE} last week"), step(2, "email", "Summarise {1}", "answer", (1,)))
    result = await adapted(setting, steps, {1: NOTHING}, {})
    assert result.decision == "revise"
    assert [s.instruction for s in result.steps] == [LEASE, "Summarise {1}"]


async def test_a_search_that_a_write_rests_on_is_never_widened(setting: Setting) -> None:
    steps = (step(1, "email", f"{LEASE} last week"), step(2, "email", "Archive {1}", "proposal", (1,)))
    assert (await adapted(setting, steps, {1: NOTHING}, {})).decision == "exit"


async def test_can_adapt_plan_a_name_without_a_contact_is_looked_for_in_the_mail(setting: Setting) -> None:
    steps = (step(1, "contacts", "Find Anna's email address", "one"), step(2, "email", "Email {1} saying hi", "proposal", (1,)))
    result = await adapted(setting, steps, {1: Failure(type="not_found", message="nobody")}, {1: 1})
    assert result.decision == "revise"
    assert (result.steps[0].id, result.steps[0].agent) == (1, "email")


async def test_need_user_input_an_ambiguity_is_asked(setting: Setting) -> None:
    choices = (
        Choice(id="1", label="David Smith", value="ds@example.org"),
        Choice(id="2", label="David Miller", value="dm@example.org"),
    )
    open_question = Data(ambiguity=Ambiguity(entity="David", question="Which David?", choices=choices))
    steps = (step(1, "contacts", "Find David's email address", "one"),)
    result = await adapted(setting, steps, {1: Success(data=open_question)}, {})
    assert result.decision == "ask"
    assert result.question is not None
    assert result.question.choices == choices


async def test_need_user_input_an_address_nobody_knows_is_asked(setting: Setting) -> None:
    steps = (step(1, "email", "Find the last mail from Anna", "one"), step(2, "email", "Email {1} saying hi", "proposal", (1,)))
    result = await adapted(setting, steps, {1: Failure(type="not_found", message="nobody")}, {1: 2})
    assert result.decision == "ask"
    assert result.question is not None
    assert "Anna" in result.question.text


@pytest.mark.parametrize("kind", ["api_down", "rate_limited", "unavailable"])
async def test_temporary_issue_is_tried_again(kind: str, setting: Setting) -> None:
    steps = (step(1, "email", "Find the mails from Anna"),)
    result = await adapted(setting, steps, {1: Failure(type=kind, message="Mail is down.")}, {1: 1})
    assert result.decision == "revise"
    assert [s.id for s in result.steps] == [1]


async def test_temporary_issue_goes_on_with_what_there_is_after_the_second_time(setting: Setting) -> None:
    steps = (step(1, "email", "Find the mails from Anna"), step(2, "email", "Find the mails from Tom"))
    found = Success(data=Data(kind="mails", mails=(Mail(account="a", id="1", etag="", folder="INBOX", date=setting.now),)))
    result = await adapted(setting, steps, {1: Failure(type="api_down", message="Mail is down."), 2: found}, {1: 2})
    assert result.decision == "continue"


@pytest.mark.parametrize("kind", ["auth_expired", "read_only"])
async def test_permanent_blocker_exits_with_an_explanation(kind: str, setting: Setting) -> None:
    steps = (step(1, "email", "Find the mails from Anna"), step(2, "email", "Archive {1}", "proposal", (1,)))
    result = await adapted(setting, steps, {1: Failure(type=kind, message="No access.")}, {1: 1})
    assert (result.decision, result.why) == ("exit", "No access.")
    assert result.instead


async def test_what_others_wait_for_and_nobody_finds_ends_the_plan(setting: Setting) -> None:
    steps = (step(1, "email", "Find the mails from Anna"), step(2, "email", "Archive {1}", "proposal", (1,)))
    result = await adapted(setting, steps, {1: NOTHING}, {1: 1})
    assert result.decision == "exit"
    assert "Nothing was found" in result.why


async def test_a_clean_result_goes_on(setting: Setting) -> None:
    result = await adapted(setting, (step(1, "email", "Find the mails from Anna", "answer"),), {1: NOTHING}, {})
    assert result.decision == "continue"
