"""Each of the published attacks has a test named after it."""

import ast
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
CASES = HERE.parents[2] / "shared" / "data" / "attack_cases.json"


def named_tests() -> list[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in HERE.glob("test_*.py")]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node.name for tree in trees for node in tree.body if isinstance(node, kinds) and node.name.startswith("test_")]


def test_each_case_has_a_test_named_after_it() -> None:
    found = {match["case"] for name in named_tests() if (match := re.match(r"test_(?P<case>a\d\d)_", name))}
    wanted = {f"a{n:02}" for n in range(1, 25)}
    if CASES.is_file():
        wanted |= {case["id"].lower() for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]}
    assert found == wanted
