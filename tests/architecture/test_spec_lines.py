"""Every line of the specification of deliberation has a test that names it, and no test names one that there is not."""

import re
from collections import Counter
from pathlib import Path

import pytest
from spec_lines import LINES

TESTS = Path(__file__).parents[1] / "unit" / "drafting"
SPECIFICATION = Path(__file__).parents[3] / "shared" / "specs" / "deliberation.md"
MARKS = re.compile(r"\bmark\.spec\(([^)]*)\)")
SECTIONS = {"1": "mass", "2": "mass", "3": "massgen", "4": "restart", "5": "blackboard"}


def marked() -> Counter[str]:
    sources = [path.read_text("utf-8") for path in TESTS.glob("test_*.py")]
    return Counter(name for source in sources for mark in MARKS.findall(source) for name in re.findall(r'"([^"]+)"', mark))


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_specification_has_a_test(line: str):
    assert marked()[line]


def test_no_test_names_a_line_that_there_is_not():
    assert set(marked()) <= set(LINES)


@pytest.mark.skipif(not SPECIFICATION.is_file(), reason="the specification is not here")
def test_the_lines_are_those_of_the_specification():
    """Numbered ones as they are; those of the multi-turn section are its table and its points, those of the head its points."""
    parts = re.split(r"(?m)^## (\d)\. .*$", SPECIFICATION.read_text("utf-8"))
    lines = {f"ids 0.{n + 1}" for n in range(len(re.findall(r"(?m)^- ", parts[0])))}
    for number, text in zip(parts[1::2], parts[2::2], strict=True):
        points = len(re.findall(r"(?m)^\d+\. ", text)) or 1 + len(re.findall(r"(?m)^- ", text))
        lines |= {f"{SECTIONS[number]} {number}.{n + 1}" for n in range(points)}
    assert lines == set(LINES)
