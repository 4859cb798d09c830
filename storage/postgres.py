"""Everything that is particular to PostgreSQL: connections, transactions, and what its errors mean."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import conninfo, errors
from psycopg.sql import SQL, Identifier
from psycopg.types.string import StrDumper
from sqlalchemy import Connection, Dialect, NullPool, create_engine
from sqlalchemy.dialects.postgresql.psycopg import dialect
from sqlalchemy.exc import DBAPIError

from storage.errors import (
    BrokenOff,
    CorruptDatabase,
    DatabaseLocked,
    DiskFull,
    Duplicate,
    StorageError,
    Uncertain,
    Unreachable,
    Unwritable,
)
from storage.session import Session, T, Work
from storage.store import Kind

OLDEST = 13
"""Versions before are not maintained any more."""
PATIENCE = 10.0
"""Seconds: how long a server that was there before is waited for, and a lock that somebody else holds."""
PAUSE = 0.1
"""Seconds between two looks at a server that is waited for."""
ATTEMPTS = 5
"""At the same work, where others were at the same rows or the connection was lost."""
MIGRATING = 0x617373697374
"""The advisory lock of whoever changes the tables."""
BEGIN: Mapping[Kind, str] = {
    "read": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "write": "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    "synced": "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit TO on",
}
ENTER = "INSERT INTO writer (id, number, at) VALUES (%s, 0, now()) ON CONFLICT DO NOTHING"
TIDY = "DELETE FROM writer WHERE at < now() - interval '30 days'"
COUNT = "UPDATE writer SET number = number + 1, at = now() WHERE id = '{}' RETURNING number, clock_timestamp()"
END = "SELECT pg_terminate_backend(a.pid) FROM writer w JOIN pg_stat_activity a ON a.backend_xid = w.xmax WHERE w.id = %s"
LAST = "SELECT number FROM writer WHERE id = %s FOR UPDATE"
"""Each transaction that writes takes the next number of its writer along: where the answer to a commit is lost, it tells whether
that was made. (The server's own number of the transaction may be given out anew after a crash.)"""
PARAMETERS = {
    "application_name": "personal-assistant",
    "client_encoding": "UTF8",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""Where the address says nothing else: a connection that has died is noticed within a minute."""
DIALECT: Dialect = dialect(paramstyle="pyformat")  # type: ignore[no-untyped-call]
ADDRESS = "postgresql://user:password@host:5432/name, with signs such as @ and / in the password written as %40 and %2F"


class PostgresStore:
    """A database of a server. Implements `storage.store.Store`."""

    path = None

    def __init__(self, url: str) -> None:
        self._parameters = _parameters(url)
        self.place = _place(self._parameters)
        self.ahead = timedelta()
        self._mine = threading.local()
        self._opened: set[psycopg.Connection] = set()
        self._writers: list[str] = []

    def revision(self) -> str | None:
        with self._translated(), self._connect() as connection:
            self._check(connection.info)
            if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
                return None
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            return str(row[0]) if row else None

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(**self._parameters), poolclass=NullPool)
        try:
            with self._translated(), engine.begin() as connection:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATING})")
                yield connection
        finally:
            engine.dispose()

    @contextmanager
    def transaction(self, kind: Kind) -> Iterator[Session]:
        with self._translated():
            connection, number = self._begun(kind)
            try:
                yield Session(connection, DIALECT)
            except BaseException:
                try:
                    connection.execute("ROLLBACK", prepare=False)
                except psycopg.Error:  # whatever state it is in, its end ends the transaction too
                    connection.close()
                raise
            self._commit(connection, number)

    def perform(self, kind: Kind, work: Work[T], attempts: int = ATTEMPTS) -> T:
        """Work that raised Duplicate may have looked just before somebody else's commit, so it looks again."""
        try:
            with self.transaction(kind) as session:
                return work(session)
        except (BrokenOff, Duplicate) as error:
            if attempts == 1 or (isinstance(error, Duplicate) and attempts < ATTEMPTS):
                raise
        return self.perform(kind, work, attempts - 1)

    def goes_on(self, session: Session, error: BaseException) -> bool:
        """What `perform` would run anew is run anew by it."""
        return not (isinstance(error, errors.UniqueViolation) or _collided(error))

    def told(self, error: Exception) -> Exception:
        return _explain(error, self.place) if isinstance(error, psycopg.Error) else error

    def compact(self, tables: Sequence[str]) -> None:
        """Each is written anew, while its users wait. What is free in the others the server uses again by itself."""
        with self._translated(), self._connect() as connection:
            for table in tables:
                connection.execute(SQL("VACUUM FULL {}").format(Identifier(table)))

    def close(self) -> None:
        for connection in self._opened:
            with suppress(psycopg.Error):
                connection.execute("DELETE FROM writer WHERE id = ANY(%s)", [self._writers])
                break
        while self._opened:
            self._opened.pop().close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise _explain(error, self.place) from error
        except DBAPIError as error:
            raise _explain(error.orig, self.place) from error

    # --- transactions

    def _begun(self, kind: Kind) -> tuple[psycopg.Connection, str]:
        """With the transaction's number, empty for one that reads."""
        connection = self._connection()
        try:
            return connection, self._begin(connection, kind)
        except psycopg.Error:  # it was lost since it was used last
            connection.close()
        connection = self._connection()
        return connection, self._begin(connection, kind)

    def _begin(self, connection: psycopg.Connection, kind: Kind) -> str:
        if kind == "read":
            connection.execute(BEGIN[kind], prepare=False)
            return ""
        if not hasattr(self._mine, "writer"):
            self._mine.writer = uuid4().hex
            self._writers.append(self._mine.writer)
            connection.execute(TIDY)
            connection.execute(ENTER, [self._mine.writer])
        counting = f"{BEGIN[kind]}; {COUNT.format(self._mine.writer)}"
        if not (number := self._timed(connection, counting)):
            # It wrote nothing for so long that others took it for ended.
            connection.execute("ROLLBACK", prepare=False)
            connection.execute(ENTER, [self._mine.writer])
            number = self._timed(connection, counting)
        return number

    def _timed(self, connection: psycopg.Connection, query: str) -> str:
        """The first value, where the second is the server's time."""
        asked = _now()
        row = _row(connection.execute(query, prepare=False))
        if row is None:
            return ""
        # No more than is certain, since the answer may have been long on its way.
        self.ahead = max(row[1] - _now(), min(row[1] - asked, timedelta()))
        return str(row[0])

    def _commit(self, connection: psycopg.Connection, number: str) -> None:
        try:
            told = connection.execute("COMMIT", prepare=False).statusmessage
        except psycopg.Error as lost:
            if not _lost(lost):
                raise
            connection.close()
            if number and not self._was_committed(number):
                raise BrokenOff(f"{self._was_lost()}, and nothing was saved; try again.") from lost
            return
        if told != "COMMIT":
            raise StorageError(f"The database {self.place} saved nothing, since an error within the transaction was passed over.")

    def _was_committed(self, number: str) -> bool:
        """Asks the server whose answer was lost. Raises Uncertain."""
        giving_up = time.monotonic() + PATIENCE
        while time.monotonic() < giving_up:
            with suppress(psycopg.Error, Unreachable):  # lost once more
                connection = self._connection()
                connection.execute(END, [self._mine.writer])
                if last := _last(connection.execute(LAST, [self._mine.writer])):
                    return last == number
            time.sleep(PAUSE)
        raise Uncertain(f"{self._was_lost()}; it is not certain whether the last change was saved.")

    def _was_lost(self) -> str:
        return f"The connection to the database {self.place} was lost"

    # --- connections

    def _check(self, server: psycopg.ConnectionInfo) -> None:
        if server.server_version < OLDEST * 10_000:
            raise StorageError(f"The database {self.place} is of an old PostgreSQL; it must be {OLDEST} or later.")
        if server.parameter_status("server_encoding") != "UTF8":
            raise StorageError(f"The database {self.place} can't hold every letter; make it anew with ENCODING 'UTF8'.")

    def _connection(self) -> psycopg.Connection:
        """This thread's own. One that was lost is replaced; a server that starts anew is waited for."""
        connection: psycopg.Connection | None = getattr(self._mine, "connection", None)
        if connection is None:
            self._mine.connection = connection = self._connect()
        elif connection.closed:
            self._opened.discard(connection)
            self._mine.connection = connection = self._connect(giving_up=time.monotonic() + PATIENCE)
        self._opened.add(connection)
        return connection

    def _connect(self, giving_up: float = 0) -> psycopg.Connection:
        while True:
            try:
                connection = psycopg.connect(**self._parameters, autocommit=True)
                break
            except psycopg.OperationalError as error:
                if time.monotonic() > giving_up:
                    raise _unreachable(error, self.place) from error
            time.sleep(PAUSE)
        connection.adapters.register_dumper(str, _Text)
        lock = f"SET lock_timeout TO {PATIENCE * 1000:.0f}"
        connection.execute(f"SET timezone TO 'UTC'; SET idle_in_transaction_session_timeout TO '60s'; {lock}", prepare=False)
        self._timed(connection, "SELECT '', clock_timestamp()")
        return connection


class _Text(StrDumper):
    """PostgreSQL's text holds everything but NUL."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def _last(cursor: psycopg.Cursor[Any]) -> str:
    """The only value that the last of several statements selects, if it does."""
    row = _row(cursor)
    return str(row[0]) if row else ""


def _row(cursor: psycopg.Cursor[Any]) -> tuple[Any, ...] | None:
    """What the last of several statements selects first."""
    while cursor.nextset():
        pass
    return cursor.fetchone() if cursor.description else None


def _now() -> datetime:
    return datetime.now(UTC)


# --- words


def _parameters(url: str) -> dict[str, Any]:
    """What the driver says of an address that it can't read may quote the password, and so may parts that a sign in the password
    has torn from it."""
    unusable = StorageError(f"The database's address is not usable; write {ADDRESS}.")
    try:
        found = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise unusable from None
    torn = any("@" in str(found.get(part, "")) for part in ("host", "port", "dbname"))
    if torn or not str(found.get("port", 0)).replace(",", "").isdecimal():
        raise unusable
    return {**PARAMETERS, **found}


def _place(parameters: Mapping[str, Any]) -> str:
    port = f":{parameters['port']}" if "port" in parameters else ""
    host = parameters.get("host") or parameters.get("hostaddr") or "this machine"
    return f"{parameters.get('dbname') or parameters.get('user') or 'of this user'} at {host}{port}"


def _unreachable(error: psycopg.Error, place: str) -> Unreachable:
    why = _first_line(error).rpartition(" failed: ")[2].removeprefix("FATAL:").strip()
    return Unreachable(f"The database {place} can't be reached ({why}).")


def _first_line(error: Any) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _explain(error: Any, place: str) -> StorageError:
    why = _first_line(error)
    match error.sqlstate:
        case "23505":
            return Duplicate(f"That is stored already ({why}).")
        case "53100":
            return DiskFull(f"The disk of the database {place} is full, so nothing was saved; free some space and try again.")
        case "25006" | "42501" | "58030":
            return Unwritable(f"The database {place} can't be written ({why}); check the server and this user's rights.")
        case "XX001" | "XX002":
            return CorruptDatabase(f"The database {place} is damaged ({why}); restore a backup.")
        case "55P03" | "57014":
            return DatabaseLocked(f"Another program is holding the database {place}; try again when it is done.")
    if _collided(error) or _lost(error):
        return BrokenOff(f"The database {place} broke that off, and nothing was saved ({why}); try again.")
    return StorageError(f"The database {place} refused that: {why}.")


def _collided(error: Any) -> bool:
    """A deadlock, or a row that was changed since the transaction began."""
    return (getattr(error, "sqlstate", None) or "").startswith("40")


def _lost(error: Any) -> bool:
    """Whether the connection, or the session at the server, has ended."""
    state = error.sqlstate or ""
    ended = state.startswith(("08", "57P")) or state in ("25P03", "25P04")
    return ended or (isinstance(error, psycopg.OperationalError) and not state)
