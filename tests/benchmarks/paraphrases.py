"""How often another wording of an everyday task gives the same plan: `python tests/benchmarks/paraphrases.py [--misses]`.

Prints a row for each task of tests/unit/paraphrases/tasks.toml (* its plan, . another) and the share of each style.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).parents[1]))

from unit.paraphrases.table import STYLES, Result, results, share, tasks

from assistant.reasoning.calls import Operation
from assistant.reasoning.offline.criteria import writes


def main(arguments: Sequence[str]) -> int:
    found = asyncio.run(results())
    print(f"{'':44}" + " ".join(f"{style:>10}" for style in STYLES))
    for task in tasks():
        row = [result for result in found if result.task.name == task.name]
        print(f"{task.name:44}" + " ".join(f"{'*' if result.same else '.':>10}" for result in row))
    print(f"{'share':44}" + " ".join(f"{_of_style(found, style):>10.0%}" for style in STYLES))
    print(f"\n{sum(result.same for result in found)} of {len(found)} wordings give their task's plan ({share(found):.1%})")
    print(f"{sum(_writes_otherwise(result) for result in found)} of the others prepare a write that was not asked for")
    if "--misses" in arguments:
        print(*(f"\n{result}" for result in found if not result.same), sep="\n")
    return 0


def _of_style(found: Sequence[Result], style: str) -> float:
    return share([result for result in found if result.style == style])


def _writes_otherwise(result: Result) -> bool:
    """A write that is not in the task's plan, with nothing asked before it."""
    if any(line.startswith("asks") for line in result.plan):
        return False
    deeds = [line.rpartition("] ")[2].split(" ")[0] for line in result.plan if line not in result.task.plan]
    return any(writes(cast(Operation, deed)) for deed in deeds if "." in deed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
