"""Three processes on one database, one of which is killed and started again meanwhile: each slot is run exactly once."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
PASSED = re.compile(r"slots 500 processes 3 kills [3-9] runs 500 doubled 0 lost 0 missed 0 .*")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


def test_500_slots_are_500_runs_while_processes_are_killed(url: str) -> None:
    paths = os.pathsep.join((str(TESTS), str(TESTS.parent)))
    command = [sys.executable, "benchmarks/slots.py", "--slots", "500", "--kills", "3", "--url", url]
    race = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, cwd=TESTS, env={**os.environ, "PYTHONPATH": paths}
    )
    assert race.returncode == 0 and PASSED.fullmatch(race.stdout.splitlines()[-1]), race.stdout + race.stderr
