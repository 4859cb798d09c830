"""`assistant schedules` as commands: separate processes, a real home."""

import json
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from doubles.command import Commands

from assistant import open_assistant
from assistant.timetable.rules import Ask, Cron, Once, Remind

Run = Callable[..., str]
WEEKDAYS = ("--cron", "0 8 * * 1-5", "--briefing", "inbox,day", "--name", "Morning")


@pytest.fixture
def run(home: Path, commands: Commands) -> Run:
    def call(*arguments: str, status: int = 0, stdin: str = "") -> str:
        """What it says, where it ends with that status."""
        done = commands.run("--home", str(home), "schedules", *arguments, stdin=stdin)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout or done.stderr

    return call


async def added_two_days_ago(home: Path, task: Remind | Ask) -> None:
    """An hourly schedule, which nobody was there to run; it isn't due again in the next minutes."""
    then = datetime.now(UTC) - timedelta(days=2)
    async with open_assistant(home, clock=lambda: then) as a:
        await a.schedules.add("Hourly", task, Cron(expression=f"{(then.minute + 30) % 60} * * * *"))


def test_a_schedule_is_added_in_words(run: Run) -> None:
    told = " ".join(run("add", "every weekday at 8 summarise my inbox and my day").split())
    assert "Every weekday at 08:00 I will give you a briefing on your inbox and your day in the chat. The next is on" in told
    assert "schedules due" in told
    (one,) = json.loads(run("--json"))
    assert one["conversation"] == "chat" and one["last"] is None


def test_a_schedule_is_added_by_options(run: Run) -> None:
    one = json.loads(run("add", *WEEKDAYS, "--to", "mail", "--zone", "Asia/Tokyo", "-c", "work", "--json"))
    assert one["name"] == "Morning" and one["targets"] == ["mail"] and one["conversation"] == "work"
    assert one["words"] == "every weekday at 08:00 (Asia/Tokyo time)"
    assert one["task"] == {"kind": "briefing", "parts": ["inbox", "day"]}


def test_a_reminder_is_due_once_and_a_day_without_an_hour_means_nine(run: Run) -> None:
    one = json.loads(run("add", "--at", "2090-11-27", "--remind", "call the bank", "--json"))
    assert one["rule"] == {"kind": "once", "at": "2090-11-27T09:00:00"}


def test_a_calendar_rule_counts_from_its_first_time(run: Run) -> None:
    told = run("add", "--rrule", "FREQ=WEEKLY;INTERVAL=2", "--at", "2090-11-27 18:00", "--ask", "Who has not answered me?")
    assert " ".join(told.split()).startswith(
        "Every two weeks on Monday at 18:00 I will do this and tell you in the chat: Who has not answered me? The"
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "Say it all in words, or give when"),
        (("every day at 8 my day", "--cron", "0 8 * * *"), "Say it all in words, or give when"),
        (("what is the weather",), "can't be read as something to be done later"),
        (("remind me to call the bank",), "When shall I remind you"),
        (("--cron", "0 0 30 2 *", "--remind", "x"), "day of the month is wrong or never comes"),
        (("--cron", "0 8 * * *"), "Say what to do"),
        (("--remind", "x"), "Say when"),
        (("--cron", "0 8 * * *", "--at", "2090-01-01", "--remind", "x"), "Say when"),
        (("--rrule", "FREQ=DAILY", "--remind", "x"), "Give the first time with --at"),
        (("--rrule", "FREQ=SECONDLY", "--at", "2090-01-01", "--remind", "x"), "more often than once a minute"),
        (("--at", "2020-01-01 09:00", "--remind", "x"), "over already"),
        (("--at", "tomorrow", "--remind", "x"), "Give the time like"),
        (("--at", "2090-01-01", "--remind", " "), "nothing in this reminder"),
        (("--at", "2090-01-01T09:00Z", "--remind", "x"), "as the clock on the wall shows it"),
        (("--cron", "0 8 * * *", "--briefing", "weather"), "one or several of inbox, day, week"),
        (("--cron", "0 8 * * *", "--remind", "x", "--to", "phone"), "no target called phone"),
        (("--cron", "0 8 * * *", "--remind", "x", "--zone", "Mars"), "no time zone"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(run: Run, arguments: tuple[str, ...], why: str) -> None:
    assert why in run("add", *arguments, status=2)


def test_one_is_found_by_words_or_the_beginning_of_its_id(run: Run) -> None:
    id = json.loads(run("add", *WEEKDAYS, "--json"))["id"]
    run("add", "--at", "2090-11-27 09:00", "--remind", "call the bank")
    assert run("pause", id[:8]) == "Paused Morning.\n" and "paused" in run()
    assert "Morning goes on, next" in run("resume", "MORNING")
    assert "Removed reminder: call the bank" in run("remove", "the", "bank")
    assert "No schedule fits" in run("remove", "bank", status=2)
    assert "bank" not in run("list")


async def test_what_is_over_is_listed_on_demand(run: Run, home: Path) -> None:
    then = datetime.now(UTC) - timedelta(days=2)
    async with open_assistant(home, clock=lambda: then) as a:
        await a.schedules.add("", Remind(text="stretch"), Once(at=(then + timedelta(hours=1)).replace(tzinfo=None)), zone="UTC")
    assert "stretch" in run("list")  # it is still to be made up for
    run("due")
    assert "no schedules yet" in run("list")
    assert "over" in run("list", "--all") and "stretch" in run("list", "--all")


def test_a_run_at_once_shows_what_comes_of_it_and_is_in_the_history(run: Run) -> None:
    run("add", *WEEKDAYS)
    assert "has not run yet" in run("history", "morning")
    assert "Covered" in run("run", "morning")
    (slot,) = json.loads(run("history", "morning", "--json"))
    assert slot["status"] == "done" and slot["flow"]
    assert "done" in run("history", "morning") and "done" in run()


async def test_what_was_missed_is_run_once_by_the_systems_cron(run: Run, home: Path) -> None:
    await added_two_days_ago(home, Remind(text="stretch"))
    (slot,) = json.loads(run("due", "--json"))
    assert slot["status"] == "done" and slot["stands_for"] == 47 and "stretch" in slot["turn"]["reply"]
    assert run("due") == ""
    told = run("history", "hourly", "--limit", "3")
    assert "for 47 missed before it too" in told and told.count("  missed  ") == 2


async def test_a_run_that_leaves_a_preview_ends_with_the_status_for_it(run: Run, home: Path, commands: Commands) -> None:
    await added_two_days_ago(home, Ask(text="send Sarah a mail saying the photos are ready"))
    run("due", status=10)
    assert "photos are ready" in commands.run("--home", str(home), "previews").stdout


# --- as the documents say

DOCUMENT = (Path(__file__).parents[2] / "docs" / "schedules.md").read_text()


def test_what_the_document_says_can_be_said(run: Run) -> None:
    said = re.findall(r"^\| (\w[^|]+) \| (?:a|it|by) ", DOCUMENT.partition("## When")[0], re.MULTILINE)
    assert len(said) == 8
    for words in said:
        run("add", words)


def test_the_commands_of_the_document_do_what_they_should(run: Run) -> None:
    pytest.importorskip("apprise")
    run("targets", "add", "phone", "json://127.0.0.1:1/")
    commands = re.findall(r"^assistant schedules (add .*)$", DOCUMENT, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        run(*shlex.split(command))


# --- in the chat


def test_an_open_chat_tells_what_a_schedule_says_in_it(run: Run, home: Path) -> None:
    run("add", "--at", "2090-11-27 09:00", "--remind", "stretch", "--name", "Legs")
    with subprocess.Popen(
        [sys.executable, "-m", "assistant", "--home", str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as chat:
        assert chat.stdin and chat.stdout
        next(line for line in chat.stdout if "Say help" in line)
        run("run", "legs")
        told = next(line for line in chat.stdout if "stretch" in line)
        chat.communicate("quit\n")
    assert told.rstrip() == "⏰ Reminder: stretch" and chat.returncode == 0


def test_who_opens_the_chat_later_hears_it_until_they_say_something(run: Run, home: Path, commands: Commands) -> None:
    def chat(*said: str) -> str:
        return commands.run("--home", str(home), stdin="".join(f"{line}\n" for line in said)).stdout

    run("add", "--at", "2090-11-27 09:00", "--remind", "stretch")
    assert "stretch" not in chat()
    run("run", "stretch")
    assert "Reminder: stretch" in chat("what's on my calendar tomorrow?")
    assert "stretch" not in chat()


# --- targets


@pytest.fixture
def service() -> Iterator[tuple[str, list[bytes]]]:
    """A web service by its Apprise address, and what it was sent."""
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"json://me:s3cret@127.0.0.1:{server.server_address[1]}/", got
    server.shutdown()
    server.server_close()


def test_a_target_is_added_from_standard_input_tried_and_removed(run: Run, service: tuple[str, list[bytes]]) -> None:
    url, got = service
    pytest.importorskip("apprise")
    assert "no targets but mail" in run("targets", "list")
    assert "s3cret" not in run("targets", "add", "phone", "-", stdin=f"{url}\n")
    assert not got
    assert run("targets", "try", "phone") == "Sent.\n" and len(got) == 1
    assert run("targets", "list").startswith("phone") and "s3cret" not in run("targets", "list")
    run("add", *WEEKDAYS, "--to", "phone")
    assert "Morning" in run("targets", "remove", "phone", status=2)
    run("remove", "morning")
    assert run("targets", "remove", "phone") == "Removed the target phone.\n"
    assert "no target called phone" in run("targets", "try", "phone", status=2)


def test_a_target_that_cannot_be_reached_is_told_and_fails(run: Run, service: tuple[str, list[bytes]]) -> None:
    pytest.importorskip("apprise")
    run("targets", "add", "desk", "json://127.0.0.1:1/")
    assert "desk" in run("targets", "try", "desk", status=1)


def test_an_address_that_is_none_is_refused(run: Run) -> None:
    pytest.importorskip("apprise")
    assert run("targets", "add", "phone", "nonsense", status=2).startswith("assistant: ")
