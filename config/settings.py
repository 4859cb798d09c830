"""Settings: built-in defaults, then `config.toml` in the home, then ASSISTANT_… variables; read by `assistant.bootstrap` alone."""

import os
import tomllib
from collections.abc import Mapping
from datetime import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

PREFIX = "ASSISTANT_"


class BadSetting(ValueError):
    """The message is one sentence that names the setting."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PriceSetting(Part):
    """US dollars for a million tokens."""

    prompt: float
    completion: float
    cached: float | None = None


class LimitSetting(Part):
    """What may be spent, in US dollars or tokens; nothing set: as much as it takes."""

    cost: float | None = None
    tokens: int | None = None


class BudgetSetting(Part):
    flow: LimitSetting = LimitSetting()
    day: LimitSetting = LimitSetting()


class ModelSetting(Part):
    """One model at one endpoint; `azure_version` makes it an Azure deployment. `timeout` in seconds."""

    model: str = ""
    base_url: str = ""
    api_key: str = ""
    azure_version: str = ""
    timeout: float = 60.0
    retries: int = 2

    @property
    def is_set(self) -> bool:
        return bool(self.base_url or self.api_key)


class LlmSettings(ModelSetting):
    """`second` stands in where the endpoint fails; `roles` gives a question of its own another model of the same endpoint."""

    second: ModelSetting = ModelSetting()
    roles: Mapping[str, str] = {}
    budget: BudgetSetting = BudgetSetting()
    prices: Mapping[str, PriceSetting] = {}


class Settings(BaseModel):
    """`zone` is an IANA name, empty for the machine's; `day_starts` and `day_ends` are the user's working hours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path
    zone: str = ""
    day_starts: time = time(9)
    day_ends: time = time(18)
    risk_matrix: Path | None = None
    llm: LlmSettings = LlmSettings()

    @field_validator("day_starts", "day_ends", mode="before")
    @classmethod
    def _time_of_day(cls, value: object) -> object:
        """A bare number would be taken for seconds."""
        if not isinstance(value, str | time):
            raise ValueError('write a time such as "09:00"')
        return value


def default_home() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("personal-assistant", appauthor=False))


def load(home: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Raises BadSetting."""
    environment = os.environ if environment is None else environment
    home = _usable(home or Path(environment.get(f"{PREFIX}HOME") or default_home()))
    values: dict[str, Any] = tomllib.loads(files("config").joinpath("default.toml").read_text(encoding="utf-8"))
    values = _over(values, _own(home / "config.toml"))
    for name in Settings.model_fields:
        if name not in ("home", "llm") and (value := environment.get(f"{PREFIX}{name.upper()}")):
            values[name] = value
    values = _over(values, _nested(environment))
    try:
        settings = Settings(home=home, **values)
    except ValidationError as error:
        raise BadSetting(_sentence(error)) from error
    _check_hours(settings)
    return settings


def _over(values: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """`own` over `values`, table by table."""
    shared = [key for key in own if isinstance(own[key], Mapping) and isinstance(values.get(key), Mapping)]
    return {**values, **own, **{key: _over(values[key], own[key]) for key in shared}}


def _nested(environment: Mapping[str, str]) -> dict[str, Any]:
    """ASSISTANT_LLM__BUDGET__DAY__COST is llm.budget.day.cost."""
    tables: dict[str, Any] = {}
    for name, value in environment.items():
        path = name.removeprefix(PREFIX).lower().split("__")
        if not name.startswith(f"{PREFIX}LLM__") or not value:
            continue
        table = tables
        for part in path[:-1]:
            table = table.setdefault(part, {})
        table[path[-1]] = value
    return tables


def _usable(home: Path) -> Path:
    try:
        home = home.expanduser()
    except RuntimeError as unknown:
        raise BadSetting(f"The home {home} can't be found: {unknown}") from unknown
    if home.exists() and not home.is_dir():
        raise BadSetting(f"The home must be a folder, but {home} is a file; give another with --home or ASSISTANT_HOME.")
    return home


def _own(path: Path) -> dict[str, Any]:
    """The owner's settings; a relative path in them starts at their folder."""
    try:
        values = _read(path, "The settings")
    except FileNotFoundError:
        return {}
    if "home" in values:
        raise BadSetting(f"The setting home can't stand in {path}, which is in the home already; use --home or ASSISTANT_HOME.")
    if isinstance(given := values.get("risk_matrix"), str) and given:
        values["risk_matrix"] = path.parent / Path(given).expanduser()
    return values


def _read(path: Path, what: str) -> dict[str, Any]:
    """Raises BadSetting, and FileNotFoundError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{what} in {path} are not valid TOML: {error}.") from error
    except UnicodeDecodeError as error:
        raise BadSetting(f"{what} in {path} are not UTF-8 text; save the file as UTF-8.") from error
    except OSError as error:
        raise BadSetting(f"{what} in {path} can't be read: {error.strerror}.") from error


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "path_type":
        return f"The setting {name} is not usable: write a path in quotes."
    if first["type"] == "extra_forbidden":
        known = ", ".join(field for field in Settings.model_fields if field != "home")
        return f"There is no setting {name}; there are: {known}."
    return f"The setting {name} is not usable: {first['msg'].removeprefix('Value error, ')}."


def _check_hours(settings: Settings) -> None:
    starts, ends = settings.day_starts, settings.day_ends
    for name, value in (("day_starts", starts), ("day_ends", ends)):
        if value.tzinfo is not None:
            raise BadSetting(f"The setting {name} is not usable: write a time without a zone, such as 09:00.")
    if starts >= ends:
        raise BadSetting(f"The setting day_starts ({starts:%H:%M}) must be earlier than day_ends ({ends:%H:%M}).")


def risk_matrix(settings: Settings) -> Mapping[str, Any]:
    """The risk matrix as data: the owner's own file where one is set, else the built-in. Raises BadSetting."""
    if settings.risk_matrix is None:
        return tomllib.loads(files("config").joinpath("risk_matrix.toml").read_text(encoding="utf-8"))
    path = settings.risk_matrix.expanduser()
    try:
        return _read(path, "The rules of the setting risk_matrix")
    except FileNotFoundError as missing:
        raise BadSetting(f"The setting risk_matrix names {path}, which is not there.") from missing
