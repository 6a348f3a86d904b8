"""A mirror in PostgreSQL: rows are copied into a temporary table, and replace those of their keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ..errors import StateError, UsageError
from ..installation import import_extra
from ..masking import mask_address
from .destination import ANNOUNCE_SECONDS, Row, Scope, Surroundings, failed
from .sql import STAGE, SqlDestination, listed
from .tables import Table

if TYPE_CHECKING:
    from psycopg import Connection

    Database = Connection[tuple[Any, ...]]

_driver = partial(import_extra, "psycopg", "a mirror in PostgreSQL", "mirror")
CONNECT_SECONDS = 30
# While jobs are waited for, the connection is idle: what lies between must not forget it.
KEEPALIVES = {"keepalives_idle": 60, "keepalives_interval": 10, "keepalives_count": 6}
EXAMPLE = "as in --into 'postgresql://USER@HOST/DATABASE?schema=ads'"
COLUMNS = """SELECT attname, format_type(atttypid, NULL), coalesce(attnum = ANY(indkey), false)
FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped"""
# Who may not use a schema would see no tables in it.
CLOSED = "SELECT FROM pg_namespace WHERE nspname = %s AND NOT has_schema_privilege(oid, 'USAGE')"
ACCOUNT_LOCK = "hashtextextended(concat_ws(' ', 'adsctl mirror', current_schema(), %s::text), 0)"
HINTS = {  # by SQLSTATE
    "42501": "grant the user USAGE and CREATE on the schema, and SELECT, INSERT, UPDATE and DELETE on its"
    " tables; only the owner of a table adds columns to it",
    "53100": "free space on the disk of the database, and run it again: nothing was changed",
    "55P03": "pg_stat_activity shows who holds it; --max-wait sets how long it is waited for",
    "22P05": "name a database whose encoding is UTF8, as createdb -E UTF8 -T template0 makes it",
    "25006": "name a database that may be written: this one is a replica, or read-only",
    "28P01": "set PGPASSWORD, or write the password into ~/.pgpass",
    "3D000": "create it, as with createdb, or name another one",
}
PASSWORD_HINT = HINTS["28P01"]
OTHER_HINT = "nothing was changed; run it again once the database answers"


class PostgresSchema(SqlDestination):
    """A schema of a PostgreSQL database as a destination."""

    place = "%s"

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        _driver()
        self.name = mask_address(address)
        self._conninfo, self._schema = _parsed(address, self.name)
        self._surroundings = surroundings
        self._account: str | None = None  # whose lock is held

    @contextmanager
    def locked(self, account: str) -> Iterator[None]:
        """Hold the lock of an account, which ends with the connection."""
        with self._errors():
            self._take_lock(account)
        self._account = account
        try:
            yield
        finally:
            self._account = None
            self.close()

    def begin(self) -> None:
        """Begin a transaction, on a new connection where the server has ended the last one."""
        from psycopg import OperationalError

        with self._errors():
            try:
                self._open().execute("BEGIN")
            except OperationalError:
                self.close()
                if self._account is not None:
                    self._take_lock(self._account)
                self._open().execute("BEGIN")

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create tables, and add columns."""
        with self._errors():
            if not self._changes(tables):
                return
            # Two sessions that create the same at once would both fail, whatever IF NOT EXISTS says.
            self._wait_for(
                "SELECT pg_advisory_xact_lock(hashtext('adsctl mirror'))", (), f"{self.name}: tables"
            )
            for statement, name in self._changes(tables):
                self._wait_for(statement, (), self._locked_table(name))

    @contextmanager
    def _reading(self, table: Table) -> Iterator[Mapping[str, str]]:
        """Wait until nobody else has locked the table."""
        with super()._reading(table) as types:
            if types:
                lock = f"LOCK TABLE {listed([table.name])} IN ACCESS SHARE MODE"
                self._wait_for(lock, (), self._locked_table(table.name))
            yield types

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows, once nobody else has locked the table."""
        with self._errors():
            lock = f"LOCK TABLE {listed([table.name])} IN ROW EXCLUSIVE MODE"
            self._wait_for(lock, (), self._locked_table(table.name))
        return super().replace(table, rows, scope)

    def _stage(self, table: Table, rows: Iterable[Row]) -> int:
        """Write rows by COPY."""
        cursor = self._open().cursor()
        with cursor.copy(f"COPY {STAGE} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        staged = cursor.rowcount
        # Without statistics, the deletion would be planned for a few rows.
        self._rows(f"ANALYZE {STAGE} ({listed(table.key)})")
        return staged

    def _order(self, table: Table) -> str:
        return f" ORDER BY {_index(table)}"

    def commit(self) -> None:
        """Commit."""
        with self._errors():
            self._open().execute("COMMIT")

    def rollback(self) -> None:
        """Roll back."""
        with self._errors():
            if self._connection is not None and not self._connection.closed:
                self._connection.rollback()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        driver = _driver()
        try:
            yield
        except driver.Error as error:
            raise self._described(error) from None  # whose text may hold the address

    def _described(self, error: Any) -> StateError:
        code, text = error.sqlstate or "", mask_address(error.diag.message_primary or str(error))
        asks = "no password supplied" in text or "password authentication failed" in text
        if code == "55P03":
            text += f" ({self._surroundings.wait_seconds:.0f} s)"
        return failed(self.name, text, PASSWORD_HINT if asks else HINTS.get(code, OTHER_HINT))

    def _open(self) -> "Database":
        if self._connection is None:
            options: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, **KEEPALIVES}
            options |= {"application_name": "adsctl mirror", "autocommit": True, "client_encoding": "UTF8"}
            connection = _driver().connect(self._conninfo, **options)
            self._connection = connection
            connection.execute("SET client_min_messages = warning")
            connection.execute(f"SET lock_timeout = {_milliseconds(self._surroundings.wait_seconds)}")
            if self._schema:
                connection.execute(f"SET search_path = {listed([self._schema])}")
                if connection.execute(CLOSED, (self._schema,)).fetchall():
                    raise failed(self.name, f"permission denied for schema {self._schema}", HINTS["42501"])
        opened: Database = self._connection
        return opened

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        cursor = self._open().execute(_sql(statement), values or None)
        return cursor.fetchall() if cursor.description else []

    def _changes(self, tables: Sequence[Table]) -> list[tuple[str, str]]:
        # Not to_regnamespace, which does not see what was created while a lock was waited for.
        query = "SELECT 1 FROM pg_namespace WHERE nspname = %s"
        schema = self._schema if self._schema and not self._rows(query, [self._schema]) else None
        created = [(f"CREATE SCHEMA {listed([schema])}", schema)] if schema else []
        return [*created, *super()._changes(tables)]

    def _existing(self, table: Table) -> tuple[dict[str, str], list[str]]:
        columns = self._rows(COLUMNS, [listed([table.name])])
        types = {str(name): str(type).removesuffix(" without time zone") for name, type, _ in columns}
        return types, [str(name) for name, _, is_key in columns if is_key]

    def _creating(self, table: Table) -> list[str]:
        columns = ", ".join(map(self._declared, table.columns))
        return [f'CREATE TABLE "{table.name}" ({columns}, PRIMARY KEY ({_index(table)}))']

    def _take_lock(self, account: str) -> None:
        from psycopg.errors import LockNotAvailable

        refusal = f"account {account} is locked by another process, which mirrors it"
        try:
            self._wait_for(f"SELECT pg_advisory_lock({ACCOUNT_LOCK})", (account,), f"{self.name}: {refusal}")
        except LockNotAvailable:
            raise failed(self.name, refusal, "wait until it ends; --max-wait sets how long") from None

    def _locked_table(self, name: str) -> str:
        return f"{self.name}: another session has locked {name}"

    def _wait_for(self, statement: str, values: Sequence[str], what: str) -> None:
        """Execute what takes a lock; say after a moment what is waited for."""
        from psycopg.errors import LockNotAvailable

        longest = self._surroundings.wait_seconds
        first = min(ANNOUNCE_SECONDS, longest)
        try:
            self._execute_within(first, statement, values)
        except LockNotAvailable:
            if longest <= first:
                raise
            self._surroundings.say(f"{what}; waiting for it, up to {longest:.0f} s")
            self._execute_within(longest - first, statement, values)

    def _execute_within(self, seconds: float, statement: str, values: Sequence[str]) -> None:
        longest = self._surroundings.wait_seconds
        with self._open().transaction():  # a savepoint, where one was begun
            self._open().execute(f"SET LOCAL lock_timeout = {_milliseconds(seconds)}")
            self._open().execute(_sql(statement), values)
            self._open().execute(f"SET LOCAL lock_timeout = {_milliseconds(longest)}")


def _milliseconds(seconds: float) -> int:
    return max(1, int(seconds * 1000))  # 0 would be no limit


def _index(table: Table) -> str:
    """Return the key in the order of its index: days of an account are what is read and replaced."""
    first = (table.owner, "date") if table.entity else ()
    return listed(dict.fromkeys((*first, *table.key)))


def _sql(statement: str) -> Any:
    """Return a statement of declared names only, where psycopg's types ask for a literal."""
    return statement


def _parsed(address: str, name: str) -> tuple[str, str | None]:
    """Return an address as PostgreSQL's own library takes it, and the schema that it names."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = urlsplit(address)
        _ = parts.port  # which raises an error where it is not a number
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        query = urlencode([pair for pair in options if pair[0] != "schema"])
        conninfo = urlunsplit(parts._replace(query=query))
        conninfo_to_dict(conninfo)
    except (ValueError, ProgrammingError):  # their texts may quote a password
        raise UsageError(f"--into: {name} is not an address of PostgreSQL", hint=EXAMPLE) from None
    return conninfo, dict(options).get("schema")
