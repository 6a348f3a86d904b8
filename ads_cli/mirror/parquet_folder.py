"""A mirror in a folder of parquet files, here or in an object store, which every warehouse reads.

A report has a file for each account and day, TABLE/ACCOUNT/DAY.parquet; any other table has one for each
account, TABLE/ACCOUNT/all.parquet. TABLE/columns.parquet has no rows, but all columns and the key.

DuckDB reads and writes the files. A transaction has its tables in memory, with the rows of those files that
are to be replaced. To commit, it writes these files into a folder of its own, then a list of them, and each
takes its place by a rename. What a killed run has left of such a list, the next run of the account does
first; without a list, nothing has changed.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ..errors import StateError
from ..parallel import batched
from ..parallel.ordered_map import map_ordered
from .destination import Days, Row, Scope, Surroundings, lock_here, missing_columns
from .duckdb_file import STAGED_CELLS, DuckDB, literal, type_named
from .parquet_files import files_of
from .sql import STAGE
from .tables import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STAGED = "_adsctl"  # readers of folders ignore names that begin so
WHOLE, DAY = "all", "%Y-%m-%d"
SHARED = "shared"  # in place of an account
THREADS = 16
SORTED_CELLS = 6_000_000  # at once, in the memory that DuckDB is given
PARTS = 2  # slashes in the name of a file of rows
KEY = "adsctl_key"  # in the metadata of the columns


class ParquetFolder(DuckDB):
    """A folder of parquet files as a destination."""

    feature = "a mirror in parquet"

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        super().__init__(surroundings)
        self._files = files_of(address, surroundings.access)
        self.name = self._files.label
        self._account = ""  # whose lock is held
        self._run = ""  # the folder of what is not yet in its place
        self._staged = set[str]()  # the files in it, by the names that they will have
        self._loaded = dict[str, tuple[Table, set[_Part]]]()  # tables in memory, by name

    @contextmanager
    def locked(self, account: str) -> Iterator[None]:
        """Hold the lock of an account, for all runs of this machine that share a state folder.

        An object store has no locks: one account of it is mirrored by one machine.
        """
        with lock_here(self._surroundings, self._files.identity, account):
            with self._errors():
                self._recover(account)
            self._account = account
            yield

    def begin(self) -> None:
        """Begin to write beside the files that are there."""
        self._run = f"{STAGED}/{self._account}.{uuid4().hex}"

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Write the columns of tables."""
        with self._errors():
            for table in tables:
                types, key = self._existing(table)
                if not types or missing_columns(table, types, key, self.name):
                    self._rows(f"CREATE TEMP TABLE {STAGE} ({', '.join(map(self._declared, table.columns))})")
                    others = f"{self._parquet([_columns_of(table)])} UNION ALL BY NAME FROM " if types else ""
                    self._write(table, f"FROM {others}{STAGE}", _columns_of(table), table.key)
                    self._rows(f"DROP TABLE {STAGE}")

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows into the table in memory."""
        with self._errors():
            if table.name not in self._loaded:
                self._loaded[table.name] = table, set()
                columns = self._parquet([_columns_of(table)])
                self._rows(f'CREATE TEMP TABLE "{table.name}" AS FROM {columns}')
        return super().replace(table, rows, scope)

    def _load(self, table: Table, scope: Scope | None) -> None:
        """Load the files that have parts of the stage. What a scope replaces whole is not read."""
        loaded, staged = self._loaded[table.name][1], self._parts(table, STAGE)
        whole = {_Part(scope.owner, day) for day in scope.days} if scope else set[_Part]()
        names = {owner: self._names(table, owner) for owner in {part.owner for part in staged | whole}}
        there = {_Part.of(name) for own in names.values() for name in own} - loaded
        if read := there & staged - whole:
            files = self._parquet([part.file(table) for part in read])
            self._rows(f'INSERT INTO "{table.name}" BY NAME FROM {files}')
        loaded |= there & (staged | whole)

    def commit(self) -> None:
        """Write the new files and the list of them, and let each take its place."""
        with self._errors():
            for table, loaded in self._loaded.values():
                self._write_parts(table, loaded | self._parts(table, f'"{table.name}"'))
            self._disconnect()
            if staged := self._staged:
                self._files.sync()  # the list must not be on the disk before what it names
                self._files.write(f"{self._run}/list", json.dumps([*staged]).encode())
                self._files.move(f"{self._run}/list", f"{self._run}.json")
                self._staged = set()  # what is listed is no longer rolled back: some may be in its place
                self._place(self._run, staged)

    def rollback(self) -> None:
        """Forget the tables in memory, and remove what was written beside the files."""
        self._disconnect()
        with self._errors():
            if self._staged:
                self._files.remove(f"{self._run}.json")
                self._files.remove(self._run)
        self._staged = set()

    def close(self) -> None:
        """Roll back."""
        self.rollback()
        self._files.close()

    def _disconnect(self) -> None:
        self._loaded = {}
        super().close()

    def _open(self) -> "DuckDBPyConnection":
        if self._connection is None:
            self._connected(":memory:").execute(f"SET temp_directory = {literal(self._files.temporary)}")
        connection: DuckDBPyConnection = self._connection
        return connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with self._files.errors(), super()._errors():
            yield

    def _recover(self, account: str) -> None:
        """Do what a killed run has begun to commit, and forget what it has not."""
        entries = self._files.entries(STAGED)
        for entry in sorted(entry for entry in entries if entry.startswith(f"{account}.")):
            run = f"{STAGED}/{entry.removesuffix('.json')}"
            if entry.endswith(".json"):
                self._place(run, json.loads(self._files.read(f"{STAGED}/{entry}")))
            elif f"{entry}.json" not in entries:
                self._files.remove(run)

    def _place(self, run: str, names: Iterable[str]) -> None:
        def place(name: str) -> None:
            with suppress(FileNotFoundError):  # it is in its place
                self._files.move(f"{run}/{name}", name)

        # At once, since readers may see a part until all are there. An object store copies each of them.
        deque(map_ordered(place, names, THREADS, THREADS), 0)
        self._files.remove(f"{run}.json")
        self._files.remove(run)

    def _names(self, table: Table, owner: str | None) -> list[str]:
        """Name the files that have rows.

        Raise StateError for who only reads, where those of a run are not all in their places.
        """
        if not self._account and any(name.endswith(".json") for name in self._files.entries(STAGED)):
            raise StateError(
                f"{self.name}: a run has not yet put all its files in their places",
                hint="wait until it ends; if it was killed, 'adsctl mirror run' completes it",
            )
        names = self._files.list(table.name if owner is None else f"{table.name}/{owner}")
        return [name for name in names if name.endswith(".parquet") and name.count("/") == PARTS]

    def _source(self, table: Table, owner: str | None = None, days: Days | None = None) -> str:
        names = self._names(table, owner)
        if days:
            names = [name for name in names if days.first <= (_Part.of(name).day or days.end) < days.end]
        return self._parquet([_columns_of(table), *names])

    def _parquet(self, names: Sequence[str]) -> str:
        """Return what reads files, with the columns of all of them."""
        return f"read_parquet({self._paths(names)}, union_by_name = true, hive_partitioning = false)"

    def _paths(self, names: Sequence[str]) -> str:
        staged = [f"{self._run}/{name}" if name in self._staged else name for name in names]
        return f"[{', '.join(map(literal, self._files.paths(staged)))}]"

    def _write_parts(self, table: Table, parts: "set[_Part]") -> None:
        """Write parts. The days of a report are sorted, as many at a time as there is memory for."""
        whole = f'"{table.name}"'
        if not table.entity:
            for part in parts:
                self._write_part(table, part, whole)
            return
        counted: list[Any] = self._rows(f"SELECT count(*) FROM {whole}")
        cells = counted[0][0] * len(table.columns)
        at_once = len(parts) * SORTED_CELLS // cells + 1 if cells else len(parts)
        for few in batched(sorted(parts, key=lambda part: str(part.day)), at_once):
            between = f"{literal(few[0].day)} AND {literal(few[-1].day)}"
            rows = f'FROM {whole} WHERE "date" BETWEEN {between} ORDER BY "date"'
            self._rows(f"CREATE OR REPLACE TEMP TABLE {STAGE} AS {rows}")
            for part in few:
                self._write_part(table, part, STAGE)

    def _write_part(self, table: Table, part: "_Part", source: str) -> None:
        self._write(table, f"FROM {source} WHERE {part.condition(table)}", part.file(table))

    def _write(self, table: Table, query: str, name: str, key: Sequence[str] = ()) -> None:
        options = f"FORMAT parquet, ROW_GROUP_SIZE {STAGED_CELLS // len(table.columns)}"  # in memory at once
        options += f", KV_METADATA {{{KEY}: {literal(','.join(key))}}}" if key else ""
        self._staged.add(name)  # first: what is written in part is removed too
        with self._files.written(f"{self._run}/{name}") as path:
            self._rows(f"COPY ({query}) TO {literal(path)} ({options})")

    def _existing(self, table: Table) -> tuple[dict[str, str], list[str]]:
        name = _columns_of(table)
        if name not in self._staged and not self._files.is_there(name):
            return {}, []
        declared = self._rows(f"DESCRIBE FROM {self._parquet([name])}")
        types = {str(name): type_named(str(type)) for name, type, *_ in declared}
        metadata = f"parquet_kv_metadata({self._paths([name])})"
        keys = self._rows(f"SELECT decode(value) FROM {metadata} WHERE key = '{KEY}'::BLOB")
        return types, [key for row in keys for key in str(row[0]).split(",")]

    def _parts(self, table: Table, rows: str) -> "set[_Part]":
        """Return the parts that rows belong to."""
        owner = literal(SHARED) if _is_shared(table) else f'"{table.owner}"'
        day = '"date"' if table.entity else "NULL"
        parts: list[Any] = self._rows(f"SELECT DISTINCT {owner}, {day} FROM {rows}")
        return {_Part(*part) for part in parts}


class _Part(NamedTuple):
    """The rows of one file: an account's, of a day where they are of a report."""

    owner: str
    day: datetime | None

    @classmethod
    def of(cls, name: str) -> "_Part":
        """Return what the name of a file says."""
        _, owner, file = name.split("/")
        part = file.removesuffix(".parquet")
        return cls(owner, None if part == WHOLE else datetime.strptime(part, DAY))

    def file(self, table: Table) -> str:
        """Name the file."""
        return f"{table.name}/{self.owner}/{self.day.strftime(DAY) if self.day else WHOLE}.parquet"

    def condition(self, table: Table) -> str:
        """Return what its rows have in common."""
        owner = "true" if _is_shared(table) else f'"{table.owner}" = {literal(self.owner)}'
        return f'{owner} AND "date" = {literal(self.day)}::TIMESTAMP' if self.day else owner


def _is_shared(table: Table) -> bool:
    """Tell whether a table has what this machine has done, of no single account."""
    return table.kind == "plain" and table.owner == "id"


def _columns_of(table: Table) -> str:
    return f"{table.name}/columns.parquet"
