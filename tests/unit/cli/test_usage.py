"""What `assistant usage` shows of the calls that are recorded."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.bootstrap import open_database, settings_for
from assistant.cli import usage
from storage import calls

TODAY = datetime.now(UTC)
MINI = {"role": "reply", "model": "gpt-5-mini", "prompt": 3000, "cached": 1024, "completion": 200, "cost": 0.0012, "seconds": 1.0}
LOCAL = MINI | {"model": "qwen[3]", "cost": None}


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Calls that were made so many days ago."""
    monkeypatch.setenv("ASSISTANT_ZONE", "UTC")
    monkeypatch.setenv("COLUMNS", "100")

    async def fill(*made: tuple[int, dict[str, object]]) -> Path:
        database = open_database(settings_for(tmp_path))
        for days, call in made:
            row = {"at": TODAY - timedelta(days=days), "flow_id": "f", "trouble": "", "estimated": False, **call}
            await database.write(lambda s, row=row: calls.add(s, row))
        await database.close()
        return tmp_path

    return fill


async def test_each_day_and_model_has_a_line_and_all_have_a_sum(filled, capsys) -> None:
    home = await filled((1, LOCAL), (0, MINI), (0, MINI | {"trouble": "timeout"}))
    await usage.usage(home, 30, json=False)
    heads, *lines, left = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert heads == ["day", "model", "calls", "failed", "prompt", "cached", "answers", "US$"]
    assert lines[0][1:] == ["gpt-5-mini", "2", "1", "6,000", "2,048", "400", "0.0024"]
    assert lines[1][1:] == ["qwen[3]", "1", "0", "3,000", "1,024", "200", "no", "price"]
    assert lines[2] == ["total", "3", "1", "9,000", "3,072", "600", "0.0024"]
    assert " ".join(left) == "Left of today's budget: 1,993,600 of 2,000,000 tokens."


async def test_one_line_needs_no_sum(filled, capsys) -> None:
    await usage.usage(await filled((0, MINI)), 30, json=False)
    assert "total" not in capsys.readouterr().out


async def test_estimates_are_marked(filled, capsys) -> None:
    await usage.usage(await filled((0, MINI | {"estimated": True}), (1, MINI)), 30, json=False)
    estimated, counted, total, note, _ = capsys.readouterr().out.splitlines()[1:]
    assert "~3,000" in estimated and "~0.0012" in estimated and "~" not in counted and "~6,000" in total
    assert note.startswith("~ in part estimated")


async def test_what_is_left_is_told_in_what_is_limited_and_never_below_nothing(filled, capsys, monkeypatch) -> None:
    monkeypatch.setenv("ASSISTANT_LLM__BUDGET__DAY__COST", "0.5")
    monkeypatch.setenv("ASSISTANT_LLM__BUDGET__DAY__TOKENS", "1000")
    await usage.usage(await filled((0, MINI)), 30, json=False)
    assert capsys.readouterr().out.endswith("Left of today's budget: 0 of 1,000 tokens and $0.50 of $0.50.\n")


async def test_json_has_the_same_lines(filled, capsys) -> None:
    await usage.usage(await filled((0, MINI), (2, LOCAL)), 30, json=True)
    today, before = json.loads(capsys.readouterr().out)
    assert set(today) == {"day", "model", "calls", "failed", "prompt", "cached", "completion", "cost", "estimated"}
    assert (today["day"], today["cost"], before["cost"]) == (TODAY.date().isoformat(), 0.0012, None)


@pytest.mark.parametrize(("days", "words"), [(30, "in the last 30 days"), (1, "today")])
async def test_where_nothing_was_spent_it_says_so(filled, capsys, days, words) -> None:
    home = await filled((40, MINI))
    await usage.usage(home, days, json=False)
    assert capsys.readouterr().out == f"No model was called {words}.\n"
    await usage.usage(home, days, json=True)
    assert capsys.readouterr().out == "[]\n"
