"""Who puts a task in other words gets the same plan; `pytest -s` shows the share and what is read otherwise."""

import pytest
from unit.paraphrases.plans import plan_of, wednesday_morning
from unit.paraphrases.table import STYLES, results, share, tasks

ENOUGH = 0.85


async def test_most_wordings_of_a_task_give_its_plan() -> None:
    found = await results()
    misses = [str(result) for result in found if not result.same]
    print(f"\n{len(found) - len(misses)} of {len(found)} wordings give their task's plan ({share(found):.1%})", *misses, sep="\n")
    assert share(found) >= ENOUGH


def test_there_are_thirty_tasks_in_eight_different_wordings() -> None:
    assert len(tasks()) == 30
    assert len({wording.lower() for task in tasks() for wording in task.wordings.values()}) == 30 * len(STYLES)


def test_different_tasks_have_different_plans() -> None:
    assert len({task.plan for task in tasks()}) == len(tasks())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("find the last mail from Anna and archive it", "archive the last mail from anna"),
        ("move the 3pm meeting to 4pm on Thursday", "Move the Thursday 3pm meeting to 4pm"),
        ("email Tom and Anna saying 'See you.'", "email Anna and Tom saying 'see you'"),
        ("cancel my meetings on Friday", "cancel my meetings on 20 November"),
    ],
)
async def test_plans_are_alike_whatever_the_words(one: str, other: str) -> None:
    assert await plan_of(one, wednesday_morning()) == await plan_of(other, wednesday_morning())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("archive the last mail from Anna", "archive all mails from Anna"),
        ("archive the last mail from Anna", "read the last mail from Anna"),
        ("find mails from Tom", "find mails to Tom"),
        ("email David Chen saying 'yes'", "email David Smith saying 'yes'"),
        ("cancel my meetings on Friday", "cancel my meetings on Thursday"),
        ("schedule a meeting with Tom tomorrow at 2pm", "schedule a meeting with Tom tomorrow at 2pm for 30 minutes"),
        ("if I'm free on Friday at noon, email Tom saying 'yes'", "if I'm not free on Friday at noon, email Tom saying 'yes'"),
    ],
)
async def test_plans_differ_in_what_matters(one: str, other: str) -> None:
    assert await plan_of(one, wednesday_morning()) != await plan_of(other, wednesday_morning())
