"""Running statements in a session, with rows as frozen values. Core statements: the ORM's bookkeeping costs more than SQLite."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Delete, Insert, Select, Update
from sqlmodel import Session

V = TypeVar("V", bound=BaseModel)


def first(s: Session, kind: type[V], statement: Select[Any]) -> V | None:
    row = s.connection().execute(statement).first()
    return None if row is None else kind.model_construct(**row._mapping)


def every(s: Session, kind: type[V], statement: Select[Any]) -> tuple[V, ...]:
    return tuple(kind.model_construct(**row._mapping) for row in s.connection().execute(statement))


def insert(s: Session, statement: Insert, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    s.connection().execute(statement, values)


def changed(s: Session, statement: Update | Delete) -> int:
    """The number of rows that it met."""
    return s.connection().execute(statement).rowcount
