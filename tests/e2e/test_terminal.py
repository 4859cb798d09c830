"""The command line under streams, locales and signals that are not as one would wish."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "assistant")
posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell and its signals")


def shell(home: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`A` in the line is the command on this home."""
    defined = f'A() {{ {" ".join(COMMAND)} --home "{home}" "$@"; }}; set -o pipefail; {line}'
    return subprocess.run(
        ["bash", "-c", defined], capture_output=True, text=True, check=False, timeout=60, env=os.environ | environment
    )


@posix
@pytest.mark.parametrize("line", ["A <&-", "A ask hello <&-", "A ask hello >&-", "A ask hello 2>&-"])
def test_a_closed_stream_is_an_empty_one(home, line):
    done = shell(home, line)
    assert done.returncode == 0 and "Traceback" not in done.stderr


@posix
@pytest.mark.parametrize("line", ["A ask --json hello", "printf 'hello\\nhelp\\nhello\\nhelp\\nhello\\n' | A"])
def test_a_reader_that_has_seen_enough_is_no_failure(home, line):
    done = shell(home, f"{line} | head -1")
    assert done.returncode == 0 and not done.stderr and len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("line", ["A ask hello", "A ask --json hello", "echo hello | A"])
def test_an_output_that_cannot_be_written_is_told_in_one_sentence(home, line):
    done = shell(home, f"{line} >/dev/full")
    assert done.returncode == 1 and done.stderr == "assistant: The output can't be written: No space left on device.\n"


@posix
def test_a_terminal_without_unicode_gets_replacements(home):
    done = shell(home, "A ask 'find mails from Anna'", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and "1. " in done.stdout and done.stdout.isascii() and not done.stderr


@posix
@pytest.mark.parametrize("line", [r"A ask $'\xff\xfe hello' --json", r"printf '\xff hello\n' | A", r"A approve $'\xff'"])
def test_bytes_that_are_no_text_are_replaced(home, line):
    done = shell(home, line)
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr and done.returncode in (0, 2)


@posix
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_chat_that_waits_for_a_pipe_ends_at_once(home, heeded_signals, sent, status):
    chat = subprocess.Popen(
        [*COMMAND, "--home", str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert chat.stdin and chat.stdout and chat.stderr
    chat.stdin.write("hello\n")
    chat.stdin.flush()
    for line in chat.stdout:
        if line.startswith("offline reasoner"):
            break
    chat.send_signal(sent)
    assert chat.wait(60) == status and not chat.stderr.read()
    assert json.loads(shell(home, "A flows --json").stdout) == []


@posix
@pytest.mark.parametrize("name", ["assistant.sqlite/", "sample", "index"])
def test_a_home_that_is_in_the_way_is_one_sentence(home, name):
    home.mkdir()
    (home / name).mkdir() if name.endswith("/") else (home / name).touch()
    done = shell(home, "echo hello | A")
    assert done.returncode == 4 and len(done.stderr.splitlines()) == 1 and name.rstrip("/") in done.stderr
