"""`assistant deliberate` as a process: how it ends."""

import os
import signal
import subprocess
import sys
import threading
from functools import partial

import pytest
from doubles.command import Commands, Running
from doubles.llm import Reply, RequestSeen, ScriptedEndpoint, says, unreachable_url

COMMAND = (sys.executable, "-m", "assistant")


def started(arguments: tuple[str, ...], env: dict[str, str]) -> "subprocess.Popen[str]":
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def forked(commands: Commands, arguments: tuple[str, ...], env: dict[str, str]) -> Running:
    return commands.start(*arguments, env=env)


def environment(url: str, key: str = "k") -> dict[str, str]:
    llm = {"ASSISTANT_LLM__BASE_URL": url, "ASSISTANT_LLM__API_KEY": key, "ASSISTANT_LLM__RETRIES": "0"}
    return os.environ | {"COLUMNS": "100"} | llm


@pytest.mark.parametrize("strategy", ["single", "coordination", "blackboard"])
def test_where_nobody_answers_it_is_one_sentence_and_out_of_reach(home, commands, strategy):
    asked = ("--home", str(home), "deliberate", "-s", strategy, "Where to meet?")
    done = commands.run(*asked, env=environment(unreachable_url()))
    assert done.returncode == 4 and done.stderr.startswith("assistant: N") and done.stderr.count("\n") == 1
    assert "nobody listens there" in done.stderr


@pytest.mark.parametrize("strategy", ["single", "coordination", "blackboard"])
def test_ctrl_c_ends_it_with_nothing_left_behind(heeded_signals, home, commands, strategy):
    """One has an interpreter of its own; how the others end is a matter of what they wait for."""
    begun = started if strategy == "single" else partial(forked, commands)
    asked, over = threading.Event(), threading.Event()

    def thinking(seen: RequestSeen) -> Reply:
        asked.set()
        over.wait(60)
        return says("too late")

    with ScriptedEndpoint(thinking) as endpoint:
        running = begun(
            ("--home", str(home), "deliberate", "-s", strategy, "Where to meet?"), environment(endpoint.url, endpoint.key)
        )
        try:
            assert asked.wait(60)
            running.send_signal(signal.SIGINT)
            _, errors = running.communicate(timeout=60)
        finally:
            over.set()
            running.kill()
            running.wait()
    assert (running.returncode, errors) == (130, "")


@pytest.mark.parametrize("arguments", [["-s", "duel", "x"], ["-n", "0", "x"], ["-n", "13", "x"], ["--profile", "x", "x"], []])
def test_what_it_does_not_know_is_wrong_use(home, commands, arguments):
    done = commands.run("--home", str(home), "deliberate", *arguments)
    assert done.returncode == 2 and done.stderr and not done.stdout


def test_a_task_comes_from_a_pipe(home, commands):
    task = "write a mail to Anna saying the parcel has arrived"
    done = commands.run("--home", str(home), "deliberate", "-", "--json", stdin=task)
    assert done.returncode == 0 and "The parcel has arrived." in done.stdout
