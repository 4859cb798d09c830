"""How many cases of the sentences' tables come out right: `python tests/benchmarks/sentences.py [table ...]`.

Prints the count of each table, what went wrong, and last the known misses, which are no tests.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from e2e.sentences.notation import Case, read_table
from e2e.sentences.playing import HERE, KNOWN_MISSES, Miss, Stage, stage, tables


async def play(paths: Sequence[Path]) -> None:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        async with stage(Path(folder)) as opened:
            totals = [await _table(path, opened) for path in paths]
    right, of = sum(right for right, _ in totals), sum(of for _, of in totals)
    print(f"\n{right} of {of} cases are right, {time.perf_counter() - began:.1f} s")


async def _table(path: Path, opened: Stage) -> tuple[int, int]:
    cases = read_table(path)
    wrong = [(case, miss) for case in cases if (miss := await _play(case, opened))]
    name = "known misses" if path.stem == KNOWN_MISSES else path.stem
    print(f"\n{name}: {len(cases) - len(wrong)} of {len(cases)}")
    for case, miss in wrong:
        _show(case, miss)
    if path.stem == KNOWN_MISSES:
        missed = [case for case, _ in wrong]
        _show_mended([case for case in cases if case not in missed])
    return len(cases) - len(wrong), len(cases)


async def _play(case: Case, opened: Stage) -> Miss | None:
    try:
        return await opened.play(case)
    except Exception as error:
        return Miss(1, case.turns[0].text, (repr(error),), "a crash")


def _show(case: Case, miss: Miss) -> None:
    print(f"  {case.turns[0].text!r}" + (f", message {miss.number}: {miss.said!r}" if miss.number > 1 else ""))
    for complaint in miss.wrong:
        print(f"      {complaint}")
    print(f"      got {miss.got}")


def _show_mended(cases: Sequence[Case]) -> None:
    for case in cases:
        print(f"  right by now, belongs into its table: {case.turns[0].text!r}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tables", nargs="*", help="names of tables; all, and the known misses, when none is given")
    names = options.parse_args().tables
    asyncio.run(play([path for path in (*tables(), HERE / f"{KNOWN_MISSES}.txt") if not names or path.stem in names]))
