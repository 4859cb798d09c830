"""Settings of language models: where they are, what they cost, and what may be spent on them."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, str_strip_whitespace=True)


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PriceSetting(Part):
    """US dollars for a million tokens."""

    prompt: Amount
    completion: Amount
    cached: Amount | None = None


class LimitSetting(Part):
    """What may be spent, in US dollars or tokens; nothing set: as much as it takes."""

    cost: Amount | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None


class BudgetSetting(Part):
    flow: LimitSetting = LimitSetting()
    day: LimitSetting = LimitSetting()


class RolesSetting(Part):
    """The model of one question each; empty: the same as of all."""

    analyse: str = ""
    choose_calls: str = ""
    adapt: str = ""
    draft: str = ""
    reply: str = ""
    summarise: str = ""


class ModelSetting(Part):
    """One model at one endpoint; `azure_version` makes it an Azure deployment. `timeout` in seconds; `longest` in tokens of an
    answer; `effort` is sent as reasoning_effort."""

    model: str = ""
    base_url: str = Field(default="", repr=False)
    api_key: SecretStr = SecretStr("")
    azure_version: str = ""
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
    retries: Annotated[int, Field(ge=0)] = 2
    longest: Annotated[int, Field(ge=256)] = 8000
    effort: Annotated[str, Field(pattern="^[a-z]{0,20}$")] = ""

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if value and (not usable or not value.isprintable() or " " in value):
            raise ValueError("write an address that begins with http:// or https://, such as http://localhost:11434/v1")
        return value

    @field_validator("api_key")
    @classmethod
    def _sendable(cls, value: SecretStr) -> SecretStr:
        """As a header: a key that was copied with its line's end, or its example's dots, would fail far from here."""
        key = value.get_secret_value().strip()
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("a key holds only letters, digits and signs of ASCII")
        return SecretStr(key)

    @property
    def is_set(self) -> bool:
        return bool(self.base_url or self.api_key.get_secret_value())


class LlmSettings(ModelSetting):
    """`second` stands in where the endpoint fails; `roles` gives a question of its own another model of the same endpoint."""

    second: ModelSetting = ModelSetting()
    roles: RolesSetting = RolesSetting()
    budget: BudgetSetting = BudgetSetting()
    prices: Mapping[str, PriceSetting] = {}
