"""`assistant models test`: its exit status, and what it prints for scripts."""

import json
from pathlib import Path

import pytest
from doubles.llm import ScriptedEndpoint, unreachable_url
from doubles.llm import misbehaving as bad

from assistant.cli import models
from assistant.errors import UserError


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("ASSISTANT_LLM__API_KEY", "sk-scripted")
    monkeypatch.setenv("ASSISTANT_LLM__RETRIES", "0")
    return monkeypatch


async def test_a_good_endpoint_ends_well(configured: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with ScriptedEndpoint(key="", context=32_000) as endpoint:
        configured.setenv("ASSISTANT_LLM__BASE_URL", endpoint.url.replace("//", "//user:hunter2@"))
        assert await models.tested(tmp_path, length=False, json=True) == 0
        printed = capsys.readouterr().out
        assert [one["good"] for one in json.loads(printed)[endpoint.url]] == [True] * 6 and "hunter2" not in printed


async def test_an_endpoint_that_is_down_ends_badly(
    configured: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    configured.setenv("ASSISTANT_LLM__BASE_URL", unreachable_url())
    assert await models.tested(tmp_path, length=False, json=False) == 4
    assert "nobody listens there" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("script", "key", "words"),
    [(bad.NOT_AN_API, "sk-scripted", "answers with a web page"), (bad.obliging, "sk-wrong", "does not accept the key")],
    ids=["page", "key"],
)
async def test_so_does_one_that_gives_no_answer(
    configured: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], script: object, key: str, words: str
):
    with ScriptedEndpoint(script) as endpoint:  # type: ignore[arg-type]
        configured.setenv("ASSISTANT_LLM__BASE_URL", endpoint.url)
        configured.setenv("ASSISTANT_LLM__API_KEY", key)
        assert await models.tested(tmp_path, length=False, json=False) == 4
    assert words in " ".join(capsys.readouterr().out.split())


async def test_where_nothing_is_configured_it_says_how(tmp_path: Path):
    with pytest.raises(UserError, match=r"No model is configured; set llm\.base_url"):
        await models.tested(tmp_path, length=False, json=False)
