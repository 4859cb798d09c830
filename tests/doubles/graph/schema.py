"""What the SDK's models know: which properties a type has, and how each is written."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Field:
    """`kind` is str, bool, int, float, uuid, datetime, timedelta, date, time, bytes, enum, object or any; `factory` the class of
    an enum or object."""

    kind: str
    many: bool = False
    factory: Any = None

    @property
    def values(self) -> frozenset[str]:
        return frozenset(one.value for one in self.factory)

    @property
    def model(self) -> "Model":
        return model_of(self.factory)


@dataclass(frozen=True, eq=False)
class Model:
    """`fields` are of the class itself; what is derived from it may have more."""

    factory: Any
    fields: Mapping[str, Field]

    def of(self, kind: str) -> "Model":
        """What stands there when it names its own type ("#microsoft.graph.fileAttachment")."""
        return model_of(type(self.factory.create_from_discriminator_value(_Named(kind)))) if kind else self


def model(name: str) -> Model:
    """By its full name: "msgraph.generated.models.message.Message"."""
    module, _, own = name.rpartition(".")
    return model_of(getattr(import_module(module), own))


def model_of(factory: Any) -> Model:
    with _LOCK:
        return _read(factory)


_LOCK = threading.Lock()


@cache
def _read(factory: Any) -> Model:
    from msgraph.generated.models.entity import Entity

    bare = {"id": lambda node: node.get_str_value(), "@odata.type": lambda node: node.get_str_value()}
    with patch.object(Entity, "get_field_deserializers", lambda self: dict(bare)):  # the real one imports every model there is
        setters = factory().get_field_deserializers()
    return Model(factory, {name: _field(setter) for name, setter in setters.items()})


def _field(setter: Any) -> Field:
    noted = _Noting()
    setter(noted)
    return noted.field


class _Named:
    """Stands for a value that says nothing but its type."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def get_child_node(self, _: str) -> "_Named":
        return self

    def get_str_value(self) -> str:
        return self._kind


class _Noting:
    """Takes down how a property would be read."""

    field = Field("any")

    def __getattr__(self, name: str) -> Any:
        def note(factory: Any = None) -> None:
            self.field = _noted(name, factory)

        return note


def _noted(read: str, factory: Any) -> Field:
    match read.removeprefix("get_").removesuffix("_value").removesuffix("_values"):
        case "collection_of_primitive":
            return Field(factory.__name__.lower(), many=True)
        case "collection_of_enum":
            return Field("enum", many=True, factory=factory)
        case "collection_of_object":
            return Field("object", many=True, factory=factory)
        case "object" if getattr(factory, "__name__", "") == "UntypedNode":
            return Field("any")
        case kind:
            return Field("enum" if isinstance(factory, type) and issubclass(factory, Enum) else kind, factory=factory)
