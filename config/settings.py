"""Settings: built-in defaults, then `config.toml` in the home, then ASSISTANT_… variables; read by `assistant.bootstrap` alone."""

import base64
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import time
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from config.drafting import DraftingSettings
from config.keeping import KeepSetting
from config.models import LlmSettings

PREFIX = "ASSISTANT_"
NESTED = ("llm", "drafting", "keep")
"""The settings that are tables, whose variables name their parts after two underscores."""


PUBLIC_URL = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?/?", re.IGNORECASE)


class BadSetting(ValueError):
    """The message is one sentence that names the setting."""


class Settings(BaseModel):
    """`zone` is an IANA name, empty for the machine's; `day_starts` and `day_ends` are the user's working hours; `undo_window` is
    for how many seconds a mail is held before it leaves; `database_url` names a PostgreSQL database, empty for a file in the
    home; `runner` says who works on tasks: the process that takes them, or the workers of a cluster; `secret_key` seals what
    accounts sign in with, empty for a key that is kept in the home; `public_url` is the address under which people reach the
    service, empty where that is this machine's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    home: Path
    zone: str = ""
    database_url: SecretStr = SecretStr("")
    secret_key: SecretStr = SecretStr("")
    runner: Literal["process", "cluster"] = "process"
    day_starts: time = time(9)
    day_ends: time = time(18)
    undo_window: Annotated[int, Field(ge=0, le=3600)] = 10
    public_url: str = ""
    risk_matrix: Path | None = None
    llm: LlmSettings = LlmSettings()
    drafting: DraftingSettings = DraftingSettings()
    keep: KeepSetting = KeepSetting()

    @field_validator("day_starts", "day_ends", mode="before")
    @classmethod
    def _time_of_day(cls, value: object) -> object:
        """A bare number would be taken for seconds."""
        if not isinstance(value, str | time):
            raise ValueError('write a time such as "09:00"')
        return value

    @field_validator("public_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        if value and not PUBLIC_URL.fullmatch(value):
            raise ValueError("write an address without a path, such as https://assistant.example.org")
        return value.rstrip("/").lower()

    @field_validator("database_url")
    @classmethod
    def _of_postgresql(cls, value: SecretStr) -> SecretStr:
        if value.get_secret_value() and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("write an address that begins with postgresql://, such as postgresql://user:password@host:5432/name")
        return value

    @field_validator("secret_key")
    @classmethod
    def _of_32_bytes(cls, value: SecretStr) -> SecretStr:
        """In either alphabet of base64."""
        key = value.get_secret_value().strip().translate(str.maketrans("+/", "-_"))
        try:
            usable = not key or len(base64.b64decode(key, "-_", validate=True)) == 32
        except ValueError:
            usable = False
        if not usable:
            raise ValueError("write 32 random bytes in base64, such as `openssl rand -base64 32` prints")
        return SecretStr(key)


def default_home() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("personal-assistant", appauthor=False))


def load(home: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Raises BadSetting."""
    environment = os.environ if environment is None else environment
    home = _usable(home or Path(environment.get(f"{PREFIX}HOME") or default_home()))
    values = _over(_built_in("default.toml"), _own(home / "config.toml"))
    for name in Settings.model_fields:
        if name not in ("home", *NESTED) and (value := environment.get(f"{PREFIX}{name.upper()}")):
            values[name] = value
    values = _over(values, _nested(environment))
    try:
        settings = Settings(home=home, **values)
    except ValidationError as error:
        raise BadSetting(_sentence(error)) from error
    _check_hours(settings)
    _check_runner(settings)
    _check_endpoints(settings.llm)
    _check_agents(settings)
    return settings


@cache
def _built_in(name: str) -> Mapping[str, Any]:
    return tomllib.loads(files("config").joinpath(name).read_text(encoding="utf-8"))


def _over(values: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """`own` over `values`, table by table."""
    shared = [key for key in own if isinstance(own[key], Mapping) and isinstance(values.get(key), Mapping)]
    return {**values, **own, **{key: _over(values[key], own[key]) for key in shared}}


def _nested(environment: Mapping[str, str]) -> dict[str, Any]:
    """ASSISTANT_LLM__BUDGET__DAY__COST is llm.budget.day.cost."""
    tables: dict[str, Any] = {}
    for name, value in sorted(environment.items()):
        part = next((part for part in NESTED if name.startswith(f"{PREFIX}{part.upper()}")), "")
        if part and not name.startswith(f"{PREFIX}{part.upper()}__"):
            example = {"llm": "LLM__BASE_URL", "drafting": "DRAFTING__PROFILE", "keep": "KEEP__MAILS"}[part]
            raise BadSetting(f"There is no variable {name}; write two underscores, as in {PREFIX}{example}.")
        if not part or not value:
            continue
        *parents, last = name.removeprefix(PREFIX).lower().split("__")
        table = tables
        for parent in parents:
            table = table.setdefault(parent, {})
            if not isinstance(table, dict):
                raise BadSetting(f"The variable {name} names a part of what another variable sets to one value; leave one out.")
        table[last] = value
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
    if "secret_key" in values:
        raise BadSetting(f"The setting secret_key can't stand in {path}, which is part of every backup; use ASSISTANT_SECRET_KEY.")
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
    name = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"There is no setting {name}; there are: {', '.join(_beside(first['loc']))}."
    if first["type"] == "missing":
        return f"The setting {name} is missing."
    words = _WANTED.get(first["type"]) or first["msg"].removeprefix("Value error, ").replace("Input should be", "it must be")
    return f"The setting {name} is not usable: {words}."


_WANTED = {
    "path_type": "write a path in quotes",
    "string_type": "write a text (a string in quotes)",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a number",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_from_float": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "model_type": "it is a table of several settings",
    "mapping_type": "it is a table of several settings",
    "tuple_type": "write a list in brackets",
    "bool_parsing": "write true or false",
    "bool_type": "write true or false",
    "string_pattern_mismatch": "write one short word in small letters",
}


def _beside(path: Sequence[int | str]) -> list[str]:
    """The settings that there are where a path ends."""
    kind: Any = Settings
    for part in path[:-1]:
        of = {Mapping: 1, tuple: 0}.get(get_origin(kind))
        kind = kind.model_fields[part].annotation if of is None else get_args(kind)[of]
    return [field for field in kind.model_fields if field != "home"]


def _check_endpoints(llm: LlmSettings) -> None:
    """What is said of a model is lost where nothing says who serves it."""
    for name, given in (("llm", llm), ("llm.second", llm.second)):
        told = [field for field in ("model", "azure_version", "effort") if getattr(given, field)]
        told += [f"roles.{role}" for role, model in (llm.roles if given is llm else ()) if model]
        if told and not given.is_set:
            where = f"{name}.base_url, or {name}.api_key for OpenAI's own"
            raise BadSetting(f"The setting {name}.{told[0]} needs an endpoint: give {where}.")
        if given.azure_version and not given.base_url:
            raise BadSetting(f"The setting {name}.azure_version needs {name}.base_url, the address of your Azure resource.")
    if llm.second.is_set and not llm.is_set:
        raise BadSetting("The setting llm.second stands in for a first model: give llm.base_url, or llm.api_key for OpenAI's own.")


def _check_agents(settings: Settings) -> None:
    """Who drafts asks a model only where there is one."""
    llm, drafting = settings.llm, settings.drafting
    agents = {f"drafting.agents.{n}": agent for n, agent in enumerate(drafting.agents, 1)}
    for name, agent in {**agents, "drafting.presenter": drafting.presenter}.items():
        told = [field for field in ("base_url", "api_key", "model", "azure_version", "effort") if field in agent.given]
        if told and not llm.is_set:
            raise BadSetting(
                f"The setting {name}.{told[0]} needs a first model: give llm.base_url, or llm.api_key for OpenAI's own."
            )
        if "azure_version" in agent.given and not (agent.base_url or llm.base_url):
            raise BadSetting(f"The setting {name}.azure_version needs {name}.base_url, the address of your Azure resource.")


def _check_hours(settings: Settings) -> None:
    starts, ends = settings.day_starts, settings.day_ends
    for name, value in (("day_starts", starts), ("day_ends", ends)):
        if value.tzinfo is not None:
            raise BadSetting(f"The setting {name} is not usable: write a time without a zone, such as 09:00.")
    if starts >= ends:
        raise BadSetting(f"The setting day_starts ({starts:%H:%M}) must be earlier than day_ends ({ends:%H:%M}).")


def _check_runner(settings: Settings) -> None:
    if settings.runner == "cluster" and not settings.database_url.get_secret_value():
        raise BadSetting("The setting runner can be cluster only with a database_url that all of its machines reach.")


def risk_matrix(settings: Settings) -> Mapping[str, Any]:
    """The risk matrix as data: the owner's own file where one is set, else the built-in. Raises BadSetting."""
    if settings.risk_matrix is None:
        return _built_in("risk_matrix.toml")
    path = settings.risk_matrix.expanduser()
    try:
        return _read(path, "The rules of the setting risk_matrix")
    except FileNotFoundError as missing:
        raise BadSetting(f"The setting risk_matrix names {path}, which is not there.") from missing
