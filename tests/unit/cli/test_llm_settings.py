"""The settings of language models: what can't be used is one sentence that names the setting, and what is used of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.bootstrap import endpoints_in_use, settings_for, zone_of
from assistant.errors import UserError
from assistant.llm.endpoint import Endpoint
from assistant.models import models_of
from assistant.reasoning.llm.reasoner import ROLES
from config.models import LlmSettings, RolesSetting
from config.settings import BadSetting, Settings, load

KEY = {"API_KEY": "sk-secret"}


def told(home: Path, **variables: str) -> str:
    with pytest.raises(BadSetting) as wrong:
        given(home, **variables)
    assert "\n" not in str(wrong.value) and "sk-secret" not in str(wrong.value)
    return str(wrong.value)


def given(home: Path, **variables: str) -> Settings:
    return load(home, {f"ASSISTANT_LLM__{name}": value for name, value in variables.items()})


def used(home: Path, **variables: str) -> list[tuple[str, str]]:
    """Model and address of each endpoint."""
    return [(one.model, one.base_url) for one in endpoints_in_use(given(home, **variables))]


WRONG = [
    ({"TIMEOUT": "abc"}, "llm.timeout", "write a number"),
    ({"TIMEOUT": "0"}, "llm.timeout", "greater than 0"),
    ({"TIMEOUT": "nan"}, "llm.timeout", "write a number"),
    ({"TIMEOUT": "inf"}, "llm.timeout", "write a number"),
    ({"RETRIES": "-1"}, "llm.retries", "0"),
    ({"RETRIES": "1.5"}, "llm.retries", "whole number"),
    ({"LONGEST": "100"}, "llm.longest", "256"),
    ({"EFFORT": "Very high!"}, "llm.effort", "one short word"),
    ({"COLOUR": "red"}, "llm.colour", "base_url"),
    ({"ROLES__DRAUGHT": "x"}, "llm.roles.draught", "summarise"),
    ({"BUDGET__WEEK__COST": "1"}, "llm.budget.week", "flow, day"),
    ({"BUDGET__DAY__COST": "nan"}, "llm.budget.day.cost", "write a number"),
    ({"BUDGET__DAY__COST": "-1"}, "llm.budget.day.cost", "0"),
    ({"BUDGET__FLOW__TOKENS": "-1"}, "llm.budget.flow.tokens", "0"),
    ({"BUDGET": "5"}, "llm.budget", "table"),
    ({"BUDGET": "5", "BUDGET__DAY__COST": "2"}, "ASSISTANT_LLM__BUDGET__DAY__COST", "another variable"),
    ({"PRICES__QWEN3__PROMPT": "-1"}, "llm.prices.qwen3", "0"),
    ({"PRICES__QWEN3__PROMPT": "1"}, "llm.prices.qwen3.completion", "missing"),
    ({"PRICES__QWEN3__OUTPUT": "1"}, "llm.prices.qwen3", ""),
    ({"BASE_URL": "localhost:11434/v1"}, "llm.base_url", "http://"),
    ({"BASE_URL": "http:///v1"}, "llm.base_url", "http://"),
    ({"BASE_URL": "http://localhost:99999/v1"}, "llm.base_url", "http://"),
    ({"BASE_URL": "http://local host/v1"}, "llm.base_url", "http://"),
    ({"API_KEY": "sk-…"}, "llm.api_key", "ASCII"),
    ({"MODEL": "qwen3"}, "llm.model", "llm.base_url"),
    ({"ROLES__DRAFT": "qwen3"}, "llm.roles.draft", "llm.base_url"),
    ({**KEY, "AZURE_VERSION": "2024-10-21"}, "llm.azure_version", "llm.base_url"),
    ({**KEY, "SECOND__MODEL": "gpt-5"}, "llm.second.model", "llm.second.base_url"),
    ({"SECOND__API_KEY": "sk-secret"}, "llm.second", "llm.base_url"),
]


@pytest.mark.parametrize(("variables", "setting", "words"), WRONG, ids=[" ".join(one) for one, _, _ in WRONG])
def test_what_cant_be_used_is_one_sentence_that_names_the_setting(tmp_path, variables, setting, words) -> None:
    sentence = told(tmp_path, **variables)
    assert setting in sentence and words in sentence


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("llm = 5", "llm"),
        ("[llm]\nbudget = 5", "llm.budget"),
        ("[llm]\nmodel = { a = 1 }", "llm.model"),
        ("[llm]\napi_key = 5", "llm.api_key"),
        ("[llm]\nroles = { draft = 5 }", "llm.roles.draft"),
        ('[llm.prices]\n"gpt-5.1" = 3', "llm.prices.gpt-5.1"),
        ('[llm.prices]\n"gpt-5.1" = { prompt = 1, completion = 1, other = 1 }', "llm.prices.gpt-5.1.other"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_named(tmp_path, text, setting) -> None:
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    assert f"setting {setting} " in told(tmp_path) or f"setting {setting};" in told(tmp_path)


def test_a_variable_with_one_underscore_too_few_is_not_passed_over(tmp_path) -> None:
    with pytest.raises(BadSetting, match=r"ASSISTANT_LLM_API_KEY; write two underscores"):
        load(tmp_path, {"ASSISTANT_LLM_API_KEY": "sk-secret"})


def test_spaces_around_a_value_are_not_part_of_it(tmp_path) -> None:
    llm = given(tmp_path, BASE_URL=" http://localhost:11434/v1 \n", API_KEY="sk-secret\n", MODEL=" qwen3 ").llm
    assert (llm.base_url, llm.model, llm.api_key.get_secret_value()) == ("http://localhost:11434/v1", "qwen3", "sk-secret")


def test_the_key_is_shown_nowhere(tmp_path) -> None:
    settings = given(tmp_path, API_KEY="sk-secret", BASE_URL="http://me:password@localhost/v1")
    (endpoint,) = endpoints_in_use(settings)
    for shown in (repr(settings), str(settings), str(settings.model_dump()["llm"]["api_key"]), repr(endpoint)):
        assert "sk-secret" not in shown and "password" not in shown
    assert Endpoint.model_validate(endpoint).api_key.get_secret_value() == "sk-secret"


def test_nothing_is_in_use_unless_an_endpoint_is_named(tmp_path) -> None:
    assert used(tmp_path) == [] and used(tmp_path, TIMEOUT="5", LONGEST="4000") == []


def test_each_question_may_have_a_model_of_its_own_at_the_same_endpoint(tmp_path) -> None:
    where = {"BASE_URL": "http://localhost/v1", "MODEL": "small", "ROLES__DRAFT": "large"}
    assert used(tmp_path, **where) == [("small", "http://localhost/v1"), ("large", "http://localhost/v1")]
    assert tuple(RolesSetting.model_fields) == ROLES


@pytest.mark.parametrize(
    ("second", "model"),
    [
        ({"SECOND__API_KEY": "k"}, ("", "")),
        ({"SECOND__BASE_URL": "http://other/v1"}, ("", "http://other/v1")),
        ({"SECOND__BASE_URL": "http://localhost/v1", "SECOND__API_KEY": "other"}, ("qwen3", "http://localhost/v1")),
        ({"SECOND__BASE_URL": "http://other/v1", "SECOND__MODEL": "llama"}, ("llama", "http://other/v1")),
    ],
    ids=["openai", "elsewhere", "same endpoint", "named"],
)
def test_a_second_endpoint_is_not_asked_for_the_firsts_model(tmp_path, second, model) -> None:
    assert used(tmp_path, BASE_URL="http://localhost/v1", MODEL="qwen3", **second)[-1] == model


def test_what_an_answer_may_have_reaches_the_endpoint(tmp_path) -> None:
    (endpoint,) = endpoints_in_use(given(tmp_path, **KEY, LONGEST="3000", EFFORT="low", TIMEOUT="7", RETRIES="1"))
    assert (endpoint.longest, endpoint.effort, endpoint.timeout, endpoint.retries) == (3000, "low", 7.0, 1)


def test_tokens_are_limited_by_default_and_dollars_are_not(tmp_path) -> None:
    budget = given(tmp_path, BUDGET__DAY__COST="2").llm.budget
    assert (budget.flow.tokens, budget.day.tokens, budget.flow.cost, budget.day.cost) == (200_000, 2_000_000, None, 2.0)


@pytest.fixture
def reasoner(tmp_path: Path) -> Callable[..., object]:
    def make(**variables: str) -> object:
        settings = given(tmp_path, **variables)
        return models_of(settings, None, None, zone_of("UTC")).reasoner  # type: ignore[arg-type]

    return make


UNPRICED = [
    {"MODEL": "qwen3"},
    {"ROLES__DRAFT": "qwen3"},
    {"SECOND__API_KEY": "k", "SECOND__MODEL": "qwen3"},
]


@pytest.mark.parametrize("variables", UNPRICED, ids=["model", "role", "second"])
@pytest.mark.parametrize("limit", ["BUDGET__DAY__COST", "BUDGET__FLOW__COST"])
def test_a_budget_in_dollars_wants_the_price_of_every_model(reasoner, variables, limit) -> None:
    with pytest.raises(UserError, match=r'price of qwen3.*\[llm\.prices\].*"qwen3" = \{ prompt'):
        reasoner(**KEY, **variables, **{limit: "1"})
    priced = {"PRICES__QWEN3__PROMPT": "0", "PRICES__QWEN3__COMPLETION": "0"}
    assert reasoner(**KEY, **variables, **priced, **{limit: "1"})
    assert reasoner(**KEY, **variables)


def test_the_price_of_the_usual_model_is_known(reasoner) -> None:
    assert reasoner(**KEY, BUDGET__DAY__COST="1")


def test_settings_that_cant_be_used_are_told_as_any_others(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ASSISTANT_LLM__TIMEOUT", "soon")
    with pytest.raises(UserError, match=r"llm\.timeout"):
        settings_for(tmp_path)


def test_a_key_given_in_code_is_kept_as_secret() -> None:
    assert "sk-secret" not in repr(LlmSettings.model_validate({"api_key": "sk-secret"}))
