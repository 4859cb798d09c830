"""One transaction, and the statements that run in it: SQLAlchemy words each once for a dialect, the database's driver runs it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy
from pydantic import BaseModel
from sqlalchemy import BindParameter, ColumnElement, Delete, Dialect, Insert, Select, Update, false, or_
from sqlalchemy.types import TypeEngine

V = TypeVar("V", bound=BaseModel)
T = TypeVar("T")
Process = Callable[[Any], Any]
Statement = Select[Any] | Insert | Update | Delete


def given(name: str) -> BindParameter[Any]:
    """A value that comes with each run. In an UPDATE its name must not be that of a column, which stands for the new value."""
    return sqlalchemy.bindparam(name)


def among(column: ColumnElement[Any], values: Iterable[str]) -> ColumnElement[bool]:
    """An IN whose values are part of the statement."""
    return or_(false(), *(column == value for value in values))


class Prepared:
    """A statement, worded at its first run. An INSERT or UPDATE sets `columns`; an INSERT all, unless told otherwise. What it
    compares with by itself must be text or a number. `unless_there`: an INSERT of a row that is there already does nothing."""

    def __init__(self, statement: Statement, columns: Sequence[str] | None = None, *, unless_there: bool = False) -> None:
        self._statement = statement
        self._columns = list(statement.table.c.keys()) if columns is None and isinstance(statement, Insert) else columns
        self._ending = " ON CONFLICT DO NOTHING" if unless_there else ""
        self._worded: dict[str, Worded] = {}

    def on(self, dialect: Dialect) -> "Worded":
        worded = self._worded.get(dialect.name)
        if worded is None:
            worded = self._worded[dialect.name] = Worded(self._statement, self._columns, self._ending, dialect)
        return worded


class Worded:
    """A statement in one dialect."""

    def __init__(self, statement: Statement, columns: Sequence[str] | None, ending: str, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=columns)
        self.sql = f"{compiled}{ending}"
        self._dialect = dialect
        self._selected = list(statement.selected_columns) if isinstance(statement, Select) else []
        self._names = [str(column.key) for column in self._selected]
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._fixed = {name: bind.value for name, bind in binds.items() if not bind.required}
        coming = {name: _in(dialect, bind.type).bind_processor(dialect) for name, bind in binds.items() if bind.required}
        self._binds = _given(coming)
        self._results: list[tuple[str, Process]] | None = None

    def run(self, connection: Any, values: Mapping[str, Any]) -> Any:
        """The driver's cursor."""
        cursor = connection.execute(self.sql, self._bound(values))
        if self._results is None:
            self._results = self._results_of(cursor.description or ())
        return cursor

    def run_many(self, connection: Any, values: Iterable[Mapping[str, Any]]) -> None:
        connection.cursor().executemany(self.sql, [self._bound(one) for one in values])

    def values(self, row: Sequence[Any]) -> dict[str, Any]:
        """A row by the names of its columns, in Python's types."""
        found = dict(zip(self._names, row, strict=True))
        for name, process in self._results or ():
            found[name] = process(found[name])
        return found

    def _bound(self, values: Mapping[str, Any]) -> dict[str, Any]:
        bound = {**self._fixed, **values}
        for name, process in self._binds:
            bound[name] = process(bound[name])
        return bound

    def _results_of(self, description: Sequence[Any]) -> list[tuple[str, Process]]:
        """A float is told from a decimal only by the driver's code of its type."""
        dialect, coming = self._dialect, zip(self._selected, description, strict=False)
        return _given({str(c.key): _in(dialect, c.type).result_processor(dialect, told[1]) for c, told in coming})


def _in(dialect: Dialect, type: TypeEngine[Any]) -> TypeEngine[Any]:
    return type.dialect_impl(dialect)


def _given(processes: Mapping[str, Process | None]) -> list[tuple[str, Process]]:
    return [(name, process) for name, process in processes.items() if process is not None]


class Session:
    """What may be done within one transaction. Rows are handed out as frozen values, unvalidated: they were checked when stored.
    `connection` is the driver's own."""

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self.connection, self._dialect = connection, dialect

    def first(self, kind: type[V], statement: Prepared, **values: Any) -> V | None:
        worded, cursor = self._run(statement, values)
        row = cursor.fetchone()
        return None if row is None else kind.model_construct(**worded.values(row))

    def every(self, kind: type[V], statement: Prepared, **values: Any) -> tuple[V, ...]:
        worded, cursor = self._run(statement, values)
        return tuple(kind.model_construct(**worded.values(row)) for row in cursor.fetchall())

    def column(self, statement: Prepared, **values: Any) -> tuple[Any, ...]:
        """The first column of every row."""
        worded, cursor = self._run(statement, values)
        return tuple(next(iter(worded.values(row).values())) for row in cursor.fetchall())

    def row(self, statement: Prepared, **values: Any) -> tuple[Any, ...]:
        """The columns of the only row, such as sums."""
        worded, cursor = self._run(statement, values)
        return tuple(worded.values(cursor.fetchone()).values())

    def insert(self, statement: Prepared, values: Mapping[str, Any]) -> int:
        """The new row's id, where the table has such."""
        _, cursor = self._run(statement, values)
        if cursor.description:  # the dialect has the id returned
            return int(cursor.fetchone()[0])
        return getattr(cursor, "lastrowid", 0) or 0

    def insert_all(self, statement: Prepared, values: Iterable[Mapping[str, Any]]) -> None:
        statement.on(self._dialect).run_many(self.connection, values)

    def changed(self, statement: Prepared, **values: Any) -> int:
        """The number of rows that it met."""
        _, cursor = self._run(statement, values)
        return int(cursor.rowcount)

    def _run(self, statement: Prepared, values: Mapping[str, Any]) -> tuple[Worded, Any]:
        worded = statement.on(self._dialect)
        return worded, worded.run(self.connection, values)


Work = Callable[[Session], T]
