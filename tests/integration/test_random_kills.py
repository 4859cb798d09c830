"""Whenever the program is killed, every approved write took effect exactly once, and no flow is stuck."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from servers import installed

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
TESTS = Path(__file__).parents[1]
PASSED = re.compile(r"kills 24 approved (\d+) done (\d+) unknown 0 doubled 0 lost 0 stuck 0")


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=240, check=False, cwd=TESTS, env=environment
    )


def test_every_approval_has_one_effect_whenever_the_program_is_killed():
    bench = run("benchmarks/crash.py", "--kills", "24", "--provider", "local", "double", "--seed", "1")
    passed = PASSED.fullmatch(bench.stdout.splitlines()[-1]) if bench.stdout else None
    assert bench.returncode == 0 and passed, bench.stdout + bench.stderr
    assert int(passed[1]) == int(passed[2]) > 0


def needs_servers() -> None:
    try:
        installed.dovecot(), installed.radicale()
    except installed.NotInstalled as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("provider", ["google", "microsoft", "imap"])
def test_over_the_network_nothing_is_doubled_lost_or_told_falsely_whenever_the_program_is_killed(provider: str):
    if provider == "imap":
        needs_servers()
    bench = run("benchmarks/crash.py", "--kills", "12", "--each", "12", "--provider", provider, "--seed", "1")
    assert bench.returncode == 0 and bench.stdout.splitlines()[-1].endswith("doubled 0 lost 0 stuck 0"), bench.stdout + bench.stderr


@pytest.mark.parametrize("stays", [[], ["resident"]])
def test_a_flow_that_is_killed_rests_or_has_ended_and_repeats_no_finished_step(tmp_path: Path, stays: list[str]):
    killed = run("-m", "doubles.killing.flows", str(tmp_path), "10", "1", *stays)
    flows = [json.loads(line) for line in killed.stdout.splitlines()]
    assert killed.returncode == 0 and len(flows) == 10, killed.stderr
    assert {flow["found"] for flow in flows} <= {"nothing", "done", *([] if stays else ["suspended"])}
    begun = [flow for flow in flows if flow["found"] != "nothing"]
    assert begun and {flow["ended"] for flow in begun} == {"done"}
    assert not any(flow["stuck"] or flow["again"] for flow in begun)
    assert all(flow["archived"] == (flow in begun) for flow in flows)
