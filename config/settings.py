"""Settings: built-in defaults, then `config.toml` in the home, then ASSISTANT_… variables; read by `assistant.bootstrap` alone."""

import os
import tomllib
from collections.abc import Mapping
from datetime import time
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

PREFIX = "ASSISTANT_"


class BadSetting(ValueError):
    """The message is one sentence that names the setting."""


class Settings(BaseModel):
    """`zone` is an IANA name, empty for the machine's; `day_starts` and `day_ends` are the user's working hours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path
    zone: str = ""
    day_starts: time = time(9)
    day_ends: time = time(18)
    risk_matrix: Path | None = None


def default_home() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("personal-assistant", appauthor=False))


def load(home: Path | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Raises BadSetting."""
    environment = os.environ if environment is None else environment
    home = home or Path(environment.get(f"{PREFIX}HOME") or default_home())
    values: dict[str, Any] = tomllib.loads(files("config").joinpath("default.toml").read_text(encoding="utf-8"))
    own = home / "config.toml"
    if own.exists():
        values |= _read(own)
    for name in Settings.model_fields:
        if name != "home" and (value := environment.get(f"{PREFIX}{name.upper()}")):
            values[name] = value
    try:
        return Settings(home=home.expanduser(), **values)
    except (ValidationError, TypeError) as error:
        raise BadSetting(_sentence(error)) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{path} is not valid TOML: {error}.") from error


def _sentence(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"The setting {'.'.join(str(p) for p in first['loc'])} is not usable: {first['msg']}."
    return f"The settings are not usable: {error}."


def risk_matrix(settings: Settings) -> Mapping[str, Any]:
    """The risk matrix as data: the owner's own file where one is set, else the built-in."""
    if settings.risk_matrix:
        return _read(settings.risk_matrix.expanduser())
    return tomllib.loads(files("config").joinpath("risk_matrix.toml").read_text(encoding="utf-8"))
