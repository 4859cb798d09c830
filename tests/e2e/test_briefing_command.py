"""`assistant briefing` as a script or a reader meets it."""

import json
import os
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest


@pytest.fixture
def run(home: Path, commands):
    def call(*arguments: str, columns: str = "80"):
        return commands.run("--home", str(home), "briefing", *arguments, env=os.environ | {"COLUMNS": columns})

    return call


def test_a_morning_is_told_within_the_width_of_the_terminal(run):
    done = run()
    lines = done.stdout.rstrip().split("\n")
    assert done.returncode == 0 and not done.stderr and max(map(len, lines)) <= 80
    assert "Needs an answer:" in lines and "Looks like phishing:" in lines and lines[-1].endswith(").")
    assert any(line.startswith("Covered: sample since ") for line in lines)


def test_parts_can_be_chosen(run):
    assert "Needs an answer:" not in run("week").stdout
    inbox = run("inbox").stdout
    assert "Needs an answer:" in inbox and "Invitations to answer:" not in inbox


def test_a_part_that_there_is_not_is_told_with_those_that_there_are(run):
    done = run("evening")
    assert (
        done.returncode == 2
        and done.stderr == "assistant: A briefing has no part “evening”: it can be of inbox, day, week, morning.\n"
    )


def test_explained_it_shows_each_weight_and_what_was_left_out(run):
    done = run("inbox", "--explain", columns="120")
    ranked = done.stdout.partition("How it was ranked")[2]
    assert done.returncode == 0 and "+4 you flagged it" in ranked and "Left out: " in ranked and "newsletter" in ranked
    assert all(heading in ranked for heading in ("\nNeeds an answer\n", "\nLooks like phishing\n"))


def test_as_json_it_holds_the_same(run):
    told = json.loads(run("inbox", "--json", "--explain").stdout)
    assert {"lead", "sections", "looked", "weighed"} <= set(told) and told["weighed"][0]["points"]
    numbers = [line["number"] for section in told["sections"] for line in section["lines"] if line["number"]]
    assert numbers == sorted(numbers) and numbers[0] == 1


def test_as_markdown_and_as_the_html_of_a_mail(run):
    assert run("inbox", "--markdown").stdout.startswith("# Your inbox")
    page = run("inbox", "--html").stdout
    parser = HTMLParser()
    parser.feed(page)
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")


def test_only_one_form_at_a_time(run):
    assert run("--json", "--html").returncode == 2 and run("--explain", "--html").returncode == 2


def test_it_keeps_nothing(run, home):
    run()
    first = run("inbox", "--json").stdout
    assert json.loads(run("inbox", "--json").stdout)["sections"] == json.loads(first)["sections"]


def test_an_account_out_of_reach_is_named_and_the_rest_is_told(run, home, commands, tmp_path):
    for name in ("here", "there"):
        folder = tmp_path / name
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True)
        added = commands.run(
            "--home",
            str(home),
            "accounts",
            "add",
            "local",
            "--name",
            name,
            "--mail",
            str(folder),
            "--address",
            f"me@{name}.example",
        )
        assert added.returncode == 0, added.stderr
    shutil.rmtree(tmp_path / "there")
    done = run()
    assert done.returncode == 0 and "! there is not in here:" in done.stdout and "Covered: here since" in done.stdout
