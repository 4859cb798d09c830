"""The tasks of tasks.toml, and which wordings of them come to their plan."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unit.paraphrases.plans import plan_of, wednesday_morning

STYLES = ("plain", "polite", "terse", "typo", "reordered", "split", "indirect", "colloquial")


class Task(NamedTuple):
    name: str
    plan: tuple[str, ...]
    wordings: dict[str, str]
    """By style, in the order of STYLES."""


class Result(NamedTuple):
    task: Task
    style: str
    plan: tuple[str, ...]

    @property
    def same(self) -> bool:
        return self.plan == self.task.plan

    def __str__(self) -> str:
        said = f"{self.task.name}, {self.style}: {self.task.wordings[self.style]}"
        return "\n".join([said, *(f"    {line}" for line in self.plan), *(f"    expected  {line}" for line in self.task.plan)])


def tasks() -> list[Task]:
    rows = tomllib.loads((Path(__file__).parent / "tasks.toml").read_text("utf-8"))["task"]
    return [Task(row["name"], tuple(sorted(row["plan"])), {style: row[style] for style in STYLES}) for row in rows]


async def results() -> list[Result]:
    setting = wednesday_morning()
    return [Result(task, style, await plan_of(wording, setting)) for task in tasks() for style, wording in task.wordings.items()]


def share(found: Sequence[Result]) -> float:
    return sum(result.same for result in found) / len(found)
