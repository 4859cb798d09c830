"""The settings of drafting: what can't be used is one sentence that names the setting, and who drafts where."""

from pathlib import Path

import pytest

from assistant.bootstrap import endpoints_in_use, settings_for, zone_of
from assistant.drafting.blackboard import Mind
from assistant.drafting.model import ModelSeat
from assistant.drafting.table import Table
from assistant.errors import UserError
from assistant.models import models_of
from config.drafting import DraftingSettings
from config.settings import BadSetting, Settings, load

LLM = '[llm]\nbase_url = "http://localhost/v1"\nmodel = "small"\napi_key = "sk-first"\n'


def given(home: Path, text: str = "", **variables: str) -> Settings:
    (home / "config.toml").write_text(text, encoding="utf-8")
    return load(home, {f"ASSISTANT_{name}": value for name, value in variables.items()})


def told(home: Path, text: str = "", **variables: str) -> str:
    with pytest.raises(BadSetting) as wrong:
        given(home, text, **variables)
    assert "\n" not in str(wrong.value) and "sk-" not in str(wrong.value).replace("sk-…", "")
    return str(wrong.value)


def table(settings: Settings) -> Table:
    return models_of(settings, None, None, zone_of("UTC")).table  # type: ignore[arg-type]


def asked(settings: Settings, agent: int = 0) -> tuple[str, str, str]:
    """Model, address and key of one who drafts."""
    seat = table(settings).seats[agent]
    assert isinstance(seat, ModelSeat)
    one = seat.client.client.endpoint  # type: ignore[attr-defined]
    return one.model, one.base_url, one.api_key.get_secret_value()


def agents(*lines: str) -> str:
    return LLM + "\n".join(f'[[drafting.agents]]\nname = "agent {chr(97 + n)}"\n{line}' for n, line in enumerate(lines))


WRONG = [
    ('[drafting]\nprofile = "mas"', "drafting.profile", "'mass' or 'massgen'"),
    ('[drafting]\nboard = "white"', "drafting.board", "'paper' or 'original'"),
    ('[drafting]\nsensitivity = "none"', "drafting.sensitivity", "'strict'"),
    ("[drafting]\nagent_timeout = 0", "drafting.agent_timeout", "greater than 0"),
    ("[drafting]\nmax_answers = -1", "drafting.max_answers", "0"),
    ("[drafting]\nmax_orchestration_restarts = 11", "drafting.max_orchestration_restarts", "10"),
    ('[drafting]\nenable_post_presentation_evaluation = "perhaps"', "drafting.enable_post", "true or false"),
    ("[drafting]\nvoters = 3", "drafting.voters", "agents"),
    ('[drafting.when]\nlevel = "low"', "drafting.when.level", "'medium'"),
    ("[drafting.when]\nconfidence = 101", "drafting.when.confidence", "100"),
    ("[drafting.when]\nimportant = 5", "drafting.when.important", "a list"),
    ("[drafting.when]\nnever = true", "drafting.when.never", "recipients"),
    ("[drafting]\nagents = 3", "drafting.agents", "a list"),
    ("[drafting]\nagents = []", "drafting.agents", "one to 12"),
    ('[[drafting.agents]]\nstyle = "short"', "drafting.agents.1.name", "missing"),
    ('[[drafting.agents]]\nname = "a"\n[[drafting.agents]]\nname = "b"\nstile = "x"', "drafting.agents.2.stile", "style"),
    ('[[drafting.agents]]\nname = "2nd"', "drafting.agents.1.name", "begins with a letter"),
    ('[[drafting.agents]]\nname = "Presenter"', "drafting.agents", "taken"),
    ('[[drafting.agents]]\nname = "a"\n[[drafting.agents]]\nname = "A"', "drafting.agents", "two agents have the name A"),
    ('[[drafting.agents]]\nname = "a"\ntemperature = 3', "drafting.agents.1.temperature", "2"),
    ('[[drafting.agents]]\nname = "a"\nmodel = "large"', "drafting.agents.1.model", "llm.base_url"),
    ('[[drafting.agents]]\nname = "a"\nbase_url = "localhost"', "drafting.agents.1.base_url", "http://"),
    ('[drafting.presenter]\nmodel = "large"', "drafting.presenter.model", "llm.base_url"),
    ('[llm]\napi_key = "k"\n[drafting.presenter]\nazure_version = "1"', "drafting.presenter.azure_version", "base_url"),
]


@pytest.mark.parametrize(("text", "setting", "words"), WRONG, ids=[f"{setting} {words}" for _, setting, words in WRONG])
def test_what_cant_be_used_is_one_sentence_that_names_the_setting(tmp_path, text, setting, words) -> None:
    sentence = told(tmp_path, text)
    assert setting in sentence and words in sentence


def test_variables_reach_every_depth(tmp_path) -> None:
    variables = {"DRAFTING__PROFILE": "massgen", "DRAFTING__WHEN__IMPORTANT": "boss@example.org, family"}
    drafting = given(tmp_path, **variables).drafting
    assert (drafting.profile, drafting.when.important) == ("massgen", ("boss@example.org", "family"))


def test_a_variable_with_one_underscore_too_few_is_not_passed_over(tmp_path) -> None:
    assert "ASSISTANT_DRAFTING_PROFILE; write two underscores" in told(tmp_path, DRAFTING_PROFILE="mass")


def test_what_the_defaults_say_in_words_they_also_are(tmp_path) -> None:
    assert given(tmp_path).drafting == DraftingSettings()


def test_without_a_model_rules_sit_down_under_the_configured_terms(tmp_path) -> None:
    text = '[drafting]\nmax_orchestration_restarts = 0\nmax_answers = 0\n[drafting.when]\nlevel = "never"'
    rules = table(given(tmp_path, text))
    assert rules.by_rules and rules.when.level == "never"
    assert (rules.options.max_orchestration_restarts, rules.options.max_answers) == (0, None)


def test_with_a_model_three_styles_draft_with_the_model_of_drafts(tmp_path) -> None:
    settings = given(tmp_path, LLM + 'roles = { draft = "large" }')
    assert [seat.agent.id for seat in table(settings).seats] == ["brief", "warm", "thorough"]  # type: ignore[attr-defined]
    assert {asked(settings, n) for n in range(3)} == {("large", "http://localhost/v1", "sk-first")}
    assert [one.model for one in endpoints_in_use(settings)] == ["small", "large"]


OWN = [
    ('model = "large"', ("large", "http://localhost/v1", "sk-first")),
    ('base_url = "http://other/v1"', ("", "http://other/v1", "")),
    ('base_url = "http://other/v1"\nmodel = "llama"', ("llama", "http://other/v1", "")),
    ('base_url = "http://localhost/v1"\napi_key = "sk-own"', ("small", "http://localhost/v1", "sk-own")),
    ('api_key = "sk-own"', ("", "", "sk-own")),
]


@pytest.mark.parametrize(("line", "expected"), OWN, ids=["model", "elsewhere", "named", "own key", "OpenAI's own"])
def test_what_an_agent_does_not_say_is_the_firsts_unless_it_is_asked_elsewhere(tmp_path, line, expected) -> None:
    settings = given(tmp_path, agents(line))
    assert asked(settings) == expected
    assert expected in [(one.model, one.base_url, one.api_key.get_secret_value()) for one in endpoints_in_use(settings)]


def test_a_firsts_effort_is_not_asked_of_another_endpoint_but_its_patience_is_kept(tmp_path) -> None:
    text = LLM + 'effort = "low"\ntimeout = 9.0\n[[drafting.agents]]\nname = "a"\nbase_url = "http://other/v1"'
    (other,) = (one for one in endpoints_in_use(given(tmp_path, text)) if one.base_url == "http://other/v1")
    assert (other.effort, other.timeout) == ("", 9.0)


def test_a_presenter_presents_and_decides_at_the_blackboard_too(tmp_path) -> None:
    there = table(given(tmp_path, LLM + '[drafting.presenter]\nmodel = "best"\ntemperature = 0.2'))
    assert isinstance(there.presenter, ModelSeat) and there.presenter.client.model == "best"
    assert isinstance(there.decider, Mind) and (there.decider.client.model, there.decider.temperature) == ("best", 0.2)
    assert table(given(tmp_path, LLM)).presenter is None


def test_those_at_the_blackboard_are_the_same_agents(tmp_path) -> None:
    there = table(given(tmp_path, agents("temperature = 0.1\nsystem = 'Be strict.'", 'model = "large"')))
    assert [(mind.client.model, mind.temperature, mind.system) for mind in there.minds] == [
        ("small", 0.1, "Be strict."),
        ("large", None, ""),
    ]


@pytest.mark.parametrize(
    "text", [agents('model = "costly"'), LLM + '[drafting.presenter]\nmodel = "costly"'], ids=["agent", "presenter"]
)
def test_a_budget_in_dollars_wants_their_prices_too(tmp_path, text) -> None:
    priced = "[llm.prices]\nsmall = { prompt = 1, completion = 1 }\n"
    with pytest.raises(UserError, match="price of costly"):
        table(given(tmp_path, text + "\n" + priced, LLM__BUDGET__DAY__COST="1"))
    assert table(given(tmp_path, text + "\n" + priced))


def test_settings_that_cant_be_used_are_told_as_any_others(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ASSISTANT_DRAFTING__TIMEOUT", "soon")
    with pytest.raises(UserError, match=r"drafting\.timeout"):
        settings_for(tmp_path)
