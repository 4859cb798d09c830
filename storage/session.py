"""One transaction, and the statements that run in it: SQLAlchemy words each once, SQLite's own driver runs it."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy
from pydantic import BaseModel
from sqlalchemy import BindParameter, ColumnElement, Delete, Insert, Select, Update, false, or_
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.types import TypeEngine

V = TypeVar("V", bound=BaseModel)
Process = Callable[[Any], Any]
_SQLITE = dialect(paramstyle="named")


def given(name: str) -> BindParameter[Any]:
    """A value that comes with each run. In an UPDATE its name must not be that of a column, which stands for the new value."""
    return sqlalchemy.bindparam(name)


def among(column: ColumnElement[Any], values: Iterable[str]) -> ColumnElement[bool]:
    """An IN whose values are part of the statement."""
    return or_(false(), *(column == value for value in values))


class Prepared:
    """A statement, worded at its first run. An INSERT or UPDATE sets `columns`; an INSERT all, unless told otherwise. What it
    compares with by itself must be text or a number."""

    def __init__(self, statement: "Select[Any] | Insert | Update | Delete", columns: Sequence[str] | None = None) -> None:
        self._statement = statement
        self._columns = list(statement.table.c.keys()) if columns is None and isinstance(statement, Insert) else columns
        self._sql = ""

    def run(self, connection: sqlite3.Connection, values: Mapping[str, Any]) -> sqlite3.Cursor:
        if not self._sql:
            self._compile()
        return connection.execute(self._sql, self._bound(values))

    def run_many(self, connection: sqlite3.Connection, values: Iterable[Mapping[str, Any]]) -> None:
        if not self._sql:
            self._compile()
        connection.executemany(self._sql, [self._bound(one) for one in values])

    def values(self, row: Sequence[Any]) -> dict[str, Any]:
        """A row by the names of its columns, in Python's types."""
        found = dict(zip(self._names, row, strict=True))
        for name, process in self._results:
            found[name] = process(found[name])
        return found

    def _bound(self, values: Mapping[str, Any]) -> dict[str, Any]:
        bound = {**self._fixed, **values}
        for name, process in self._binds:
            bound[name] = process(bound[name])
        return bound

    def _compile(self) -> None:
        compiled: Any = self._statement.compile(dialect=_SQLITE, column_keys=self._columns)
        columns = list(self._statement.selected_columns) if isinstance(self._statement, Select) else []
        self._names = [str(column.key) for column in columns]
        self._results = _processes(((str(c.key), c.type) for c in columns), lambda type: type.result_processor(_SQLITE, None))
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._fixed = {name: bind.value for name, bind in binds.items() if not bind.required}
        coming = ((name, bind.type) for name, bind in binds.items() if bind.required)
        self._binds = _processes(coming, lambda type: type.bind_processor(_SQLITE))
        self._sql = str(compiled)


def _processes(
    types: Iterable[tuple[str, TypeEngine[Any]]], made_by: Callable[[TypeEngine[Any]], Process | None]
) -> list[tuple[str, Process]]:
    found = ((name, made_by(type.dialect_impl(_SQLITE))) for name, type in types)
    return [(name, process) for name, process in found if process is not None]


class Session:
    """What may be done within one transaction. Rows are handed out as frozen values, unvalidated: they were checked when stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def first(self, kind: type[V], statement: Prepared, **values: Any) -> V | None:
        row = statement.run(self.connection, values).fetchone()
        return None if row is None else kind.model_construct(**statement.values(row))

    def every(self, kind: type[V], statement: Prepared, **values: Any) -> tuple[V, ...]:
        rows = statement.run(self.connection, values).fetchall()
        return tuple(kind.model_construct(**statement.values(row)) for row in rows)

    def column(self, statement: Prepared, **values: Any) -> tuple[Any, ...]:
        """The first column of every row."""
        rows = statement.run(self.connection, values).fetchall()
        return tuple(next(iter(statement.values(row).values())) for row in rows)

    def row(self, statement: Prepared, **values: Any) -> tuple[Any, ...]:
        """The columns of the only row, such as sums."""
        return tuple(statement.values(statement.run(self.connection, values).fetchone()).values())

    def insert(self, statement: Prepared, values: Mapping[str, Any]) -> int:
        """The new row's id, where the table has such."""
        return statement.run(self.connection, values).lastrowid or 0

    def insert_all(self, statement: Prepared, values: Iterable[Mapping[str, Any]]) -> None:
        statement.run_many(self.connection, values)

    def changed(self, statement: Prepared, **values: Any) -> int:
        """The number of rows that it met."""
        return statement.run(self.connection, values).rowcount
