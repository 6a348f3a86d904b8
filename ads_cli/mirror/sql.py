"""What the destinations that speak SQL share: SQLite, DuckDB and PostgreSQL take the same statements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from ..config.atomic_files import check_output_path
from ..errors import UsageError
from .destination import Days, Row, Scope, Surroundings, Value, lock_here, missing_columns
from .tables import SYNCED, Column, Table

STAGE = "adsctl_stage"
FREE_SPACE = "free space on that disk, and run it again: nothing was changed"
MAKE_WRITABLE = "make the file and its folder writable, or name another file"
OTHER_HINT = "nothing was changed; run it again once that is repaired"


class SqlDestination:
    """A destination by statements; a subclass has the driver, its types, and how others are waited for."""

    name: str
    place = "?"  # how a statement marks a value
    _connection: Any = None

    def _errors(self) -> AbstractContextManager[None]:
        """Raise StateError for what the driver raises."""
        raise NotImplementedError

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Execute a statement, and return its rows."""
        raise NotImplementedError

    def _existing(self, table: Table) -> tuple[Mapping[str, str], Sequence[str]]:
        """Return the types of the columns of a table, and its key; none where there is no table."""
        raise NotImplementedError

    def _creating(self, table: Table) -> list[str]:
        """Return the statements that create a table."""
        raise NotImplementedError

    def _declared(self, column: Column) -> str:
        return f'"{column.name}" {column.type}'

    def _stage(self, table: Table, rows: Iterable[Row]) -> int:
        """Write rows into the temporary table STAGE; return their number."""
        raise NotImplementedError

    @contextmanager
    def _reading(self, table: Table) -> Iterator[Mapping[str, str]]:
        """Yield the types of the columns of a table while it is read; none where there is no table."""
        with self._errors():
            yield self._existing(table)[0]

    def _changes(self, tables: Sequence[Table]) -> list[tuple[str, str]]:
        """Return the statements that make what lacks of tables, each with the name of what it changes."""
        changes = list[tuple[str, str]]()
        for table in tables:
            types, key = self._existing(table)
            statements = [
                f'ALTER TABLE "{table.name}" ADD COLUMN {self._declared(column)}'
                for column in (missing_columns(table, types, key, self.name) if types else ())
            ]
            changes += [(made, table.name) for made in (statements if types else self._creating(table))]
        return changes

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create tables, and add columns."""
        with self._errors():
            for statement, _ in self._changes(tables):
                self._rows(statement)

    def select(self, table: Table, owner: str | None = None, days: Days | None = None) -> list[Row]:
        """Return rows."""
        with self._reading(table) as types:
            if not types:
                return []
            columns = ", ".join(listed([name]) if name in types else "NULL" for name in table.names)
            conditions = dict[str, Value]()
            if owner is not None:
                conditions[f'"{table.owner}" = {self.place}'] = owner
            if days is not None:
                conditions |= {f'"date" >= {self.place}': days.first, f'"date" < {self.place}': days.end}
            where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
            query = f"SELECT {columns} FROM {self._source(table, owner, days)}{where}"
            return self._rows(query, [*conditions.values()])

    def day_counts(self, table: Table, owner: str) -> Mapping[datetime, int]:
        """Count rows by day."""
        condition = f'"{table.owner}" = {self.place}'
        with self._reading(table) as types:
            if not types:
                return {}
            query = f'SELECT "date", count(*) FROM {self._source(table, owner)} WHERE {condition} GROUP BY 1'
            counted: list[Any] = self._rows(query, [owner])
            return dict(counted)

    def _source(self, table: Table, owner: str | None = None, days: Days | None = None) -> str:
        """Return what rows are read from, those of an owner and of days at least."""
        return f'"{table.name}"'

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows into a temporary table, which those of their keys are deleted by."""
        name, columns = f'"{table.name}"', listed(table.names)
        same = " AND ".join(f'old."{key}" = new."{key}"' for key in table.key)
        with self._errors():
            self._rows(f"CREATE TEMP TABLE {STAGE} AS SELECT {columns} FROM {name} LIMIT 0")
            count = self._stage(table, rows)
            self._load(table, scope)
            if scope:
                condition = f'"{table.owner}" = {self.place} AND "date" = ANY({self.place})'
                self._rows(f"DELETE FROM {name} WHERE {condition}", [scope.owner, [*scope.days]])
            self._rows(f"DELETE FROM {name} AS old USING {STAGE} AS new WHERE {same}")
            self._rows(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM {STAGE}{self._order(table)}")
            self._rows(f"DROP TABLE {STAGE}")
            return count

    def _load(self, table: Table, scope: Scope | None) -> None:
        """Make the rows accessible that those of the stage replace."""

    def _order(self, table: Table) -> str:
        return ""

    def mark_deleted(self, table: Table, owner: str, before: datetime) -> None:
        """Mark rows that were not written since."""
        condition = f'"{table.owner}" = {self.place} AND "{SYNCED}" < {self.place} AND "deleted" IS NOT TRUE'
        with self._errors():
            self._rows(f'UPDATE "{table.name}" SET "deleted" = TRUE WHERE {condition}', [owner, before])

    def close(self) -> None:
        """Close the connection, which rolls back."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class DatabaseFile(SqlDestination):
    """A database in a file of this machine, which has one writer at a time."""

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        scheme, _, file = address.partition(":")
        if not file:
            raise UsageError(f"--into: {scheme}: names no file", hint=f"as in --into {scheme}:ads.db")
        self._path, self.name = Path(file), f"{scheme}:{file}"
        check_output_path("--into", self._path)
        self._surroundings = surroundings

    def locked(self, account: str) -> AbstractContextManager[None]:
        """Hold the lock of an account, for all runs of this machine that share a state folder."""
        return lock_here(self._surroundings, str(self._path.resolve()), account)

    @contextmanager
    def _reading(self, table: Table) -> Iterator[Mapping[str, str]]:
        is_open = self._connection is not None
        try:
            with self._errors():
                yield self._existing(table)[0] if self._path.exists() else {}
        finally:
            if not is_open:
                self.close()


def listed(names: Iterable[str]) -> str:
    """Quote names, and join them."""
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
