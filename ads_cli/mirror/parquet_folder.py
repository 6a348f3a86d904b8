"""A mirror in a folder of parquet files, here or in an object store, which every warehouse reads.

A report has a file for each account and day, TABLE/ACCOUNT/DAY.parquet; any other table has one for each
account, TABLE/ACCOUNT/all.parquet. TABLE/columns.parquet has no rows, but all columns and the key.

A run merges its rows with those of the files, and writes the new files into a folder of its own. To commit,
it writes a list of them, and each takes its place by a rename. What a killed run has left of such a list, the
next run of the account does first; without a list, nothing has changed.
"""

import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from ..errors import StateError
from ..parallel import batched
from ..parallel.ordered_map import map_ordered
from .destination import Days, Row, Scope, Surroundings, lock_here, missing_columns, staging
from .parquet_files import Files, files_of, parquet_library
from .tables import SYNCED, Table

STAGED = "_adsctl"  # readers of folders ignore names that begin so
BATCH_CELLS = 600_000  # in memory at once
WHOLE, COLUMNS, DAY = "all", "columns", "%Y-%m-%d"
SHARED = "shared"  # in place of an account
THREADS = 16
PARTS = 2  # slashes in the name of a file of rows
KEY = b"adsctl_key"  # in the metadata of the columns
TYPES = {
    "text": "string",
    "timestamp": "timestamp[us]",
    "boolean": "bool",
    "integer": "int32",
    "bigint": "int64",
    "numeric": "decimal128(24, 6)",  # which BigQuery's NUMERIC holds
}
NAMES = {there: name for name, there in TYPES.items()}


class ParquetFolder:
    """A folder of parquet files as a destination."""

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        self._files: Files = files_of(address, surroundings.access)
        self.name = self._files.label
        self._surroundings = surroundings
        self._account = ""  # whose lock is held
        self._run = ""  # the folder of what is not yet in its place
        self._staged: dict[str, None] = {}  # the files in it, by the names that they will have

    @contextmanager
    def locked(self, account: str) -> Iterator[None]:
        """Hold the lock of an account, for all runs of this machine that share a state folder.

        An object store has no locks: one account of it is mirrored by one machine.
        """
        with lock_here(self._surroundings, self._files.identity, account):
            with self._files.errors():
                self._recover(account)
            self._account = account
            yield

    def begin(self) -> None:
        """Begin to write beside the files that are there."""
        self._run, self._staged = f"{STAGED}/{self._account}.{uuid4().hex}", {}

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Write the columns of tables."""
        with self._files.errors():
            for table in tables:
                name, existing = f"{table.name}/{COLUMNS}.parquet", self._columns(table)
                columns = _schema(table).empty_table()
                if existing is not None:
                    key = (existing.schema.metadata or {}).get(KEY, b"").decode().split(",")
                    if not missing_columns(table, _types(existing), key, self.name):
                        continue
                    columns = _joined(existing, columns)
                self._write(name, columns.replace_schema_metadata({KEY: ",".join(table.key)}))

    def select(self, table: Table, owner: str | None = None, days: Days | None = None) -> list[Row]:
        """Return rows."""
        with self._files.errors():
            names = self._names(table, owner)
            if days:
                names = [name for name in names if days.first <= (_Part.of(name).day or days.end) < days.end]
            return [row for name in names for row in self._rows(table, name)]

    def day_counts(self, table: Table, owner: str) -> Mapping[datetime, int]:
        """Count rows by day."""
        with self._files.errors():
            counts = {_Part.of(name).day: self._files.row_count(name) for name in self._names(table, owner)}
            return {day: count for day, count in counts.items() if day and count}

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows into new files, beside those of the old ones that have other keys."""
        with self._files.errors(), tempfile.TemporaryDirectory() as folder:
            spool = _Spool(Path(folder), table)
            with staging(self.name):
                for some in batched(rows, BATCH_CELLS // len(table.columns)):
                    spool.add(some)
            of_scope = {_Part(scope.owner, day) for day in scope.days} if scope else set[_Part]()
            for part in sorted(of_scope | spool.parts):
                name = part.file(table)
                if part in spool.parts:
                    added = spool.read(part)
                    self._write(name, added if part in of_scope else self._merged(table, name, added))
                elif self._files.is_there(name):
                    self._write(name, _schema(table).empty_table())
            return spool.count

    def mark_deleted(self, table: Table, owner: str, before: datetime) -> None:
        """Mark rows that were not written since."""
        import pyarrow.compute as compute

        with self._files.errors():
            for name in self._names(table, owner):
                rows = self._read(name)
                old = compute.less(rows[SYNCED], parquet_library().scalar(before, rows[SYNCED].type))
                deleted = compute.if_else(old, True, rows["deleted"])
                if not deleted.equals(rows["deleted"]):
                    position = rows.schema.get_field_index("deleted")
                    self._write(name, rows.set_column(position, "deleted", deleted))

    def commit(self) -> None:
        """Write the list of the new files, and let each take its place."""
        with self._files.errors():
            if staged := self._staged:
                self._files.sync()  # the list must not be on the disk before what it names
                self._files.write(f"{self._run}/list", json.dumps([*staged]).encode())
                self._files.move(f"{self._run}/list", f"{self._run}.json")
                self._staged = {}  # what is listed is no longer rolled back: some of it may be in its place
                self._place(self._run, staged)

    def rollback(self) -> None:
        """Remove what was written beside the files."""
        with self._files.errors():
            if self._staged:
                self._files.remove(f"{self._run}.json")
                self._files.remove_folder(self._run)
        self._staged = {}

    def close(self) -> None:
        """Roll back."""
        self.rollback()

    def _recover(self, account: str) -> None:
        """Do what a killed run has begun to commit, and forget what it has not."""
        entries = {name.split("/")[1] for name in self._files.list(STAGED)}
        for entry in sorted(entry for entry in entries if entry.startswith(f"{account}.")):
            run = f"{STAGED}/{entry.removesuffix('.json')}"
            if entry.endswith(".json"):
                self._place(run, json.loads(self._files.read(f"{STAGED}/{entry}")))
            elif f"{entry}.json" not in entries:
                self._files.remove_folder(run)

    def _place(self, run: str, names: Iterable[str]) -> None:
        def place(name: str) -> None:
            with suppress(FileNotFoundError):  # it is in its place
                self._files.move(f"{run}/{name}", name)

        # At once, since readers may see a part until all are there. An object store copies each of them.
        deque(map_ordered(place, names, THREADS, THREADS), 0)
        self._files.remove(f"{run}.json")
        self._files.remove_folder(run)

    def _names(self, table: Table, owner: str | None) -> list[str]:
        """Name the files that have rows, also those that are not yet in their places.

        Raise StateError for who only reads, where those of a run are not all in theirs.
        """
        if not self._account and any(name.endswith(".json") for name in self._files.list(STAGED)):
            raise StateError(
                f"{self.name}: a run has not yet put all its files in their places",
                hint="wait until it ends; if it was killed, 'adsctl mirror run' completes it",
            )
        folder = f"{table.name}/" if owner is None else f"{table.name}/{owner}/"
        there = (name for name in self._files.list(folder.rstrip("/")) if name.endswith(".parquet"))
        staged = (name for name in self._staged if name.startswith(folder))
        return sorted({name for name in (*there, *staged) if name.count("/") == PARTS})

    def _read(self, name: str) -> Any:
        """Return a file, as this run has written it or as it is."""
        return self._files.read_table(f"{self._run}/{name}" if name in self._staged else name)

    def _write(self, name: str, rows: Any) -> None:
        self._files.write_table(f"{self._run}/{name}", rows)
        self._staged[name] = None

    def _rows(self, table: Table, name: str) -> Iterator[Row]:
        stored = self._read(name)
        empty = [None] * len(stored)
        there = {*stored.column_names}
        lists = (stored[name].to_pylist() if name in there else empty for name in table.names)
        yield from zip(*lists, strict=True)

    def _columns(self, table: Table) -> Any:
        name = f"{table.name}/{COLUMNS}.parquet"
        return self._read(name) if name in self._staged or self._files.is_there(name) else None

    def _merged(self, table: Table, name: str, added: Any) -> Any:
        """Return the rows of a file without those of the same keys, and the added ones."""
        if name not in self._staged and not self._files.is_there(name):
            return added
        existing = self._read(name)
        kept = existing.join(added.select(table.key), [*table.key], join_type="left anti")
        return _joined(kept, added)


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


class _Spool:
    """The rows of a run on the disk, by the parts that they belong to."""

    def __init__(self, folder: Path, table: Table) -> None:
        self._folder, self._table = folder, table
        self._readers = dict[str, Any]()
        self._batches = dict[_Part, list[tuple[str, int]]]()  # a file, and the number of a batch in it
        self.count = 0

    @property
    def parts(self) -> set[_Part]:
        """The parts that have rows."""
        return {*self._batches}

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows."""
        arrow, schema, table = parquet_library(), _schema(self._table), self._table
        path = str(self._folder / f"{self.count}.arrow")
        self.count += len(rows)
        lists = zip(zip(*rows, strict=True), schema.types, strict=True)
        whole = arrow.Table.from_arrays([arrow.array(values, type) for values, type in lists], schema=schema)
        is_shared = table.kind == "plain" and table.owner == "id"  # rows of this machine
        by = [table.owner, "date"] if table.entity else [table.owner]
        whole = whole.sort_by([(name, "ascending") for name in by])
        owners = [SHARED] * len(rows) if is_shared else whole[table.owner].to_pylist()
        days = whole["date"].to_pylist() if table.entity else [None] * len(rows)
        begin = 0
        with arrow.ipc.new_file(path, schema) as writer:
            for number, (part, group) in enumerate(groupby(map(_Part, owners, days))):
                length = sum(1 for _ in group)
                writer.write(whole.slice(begin, length).combine_chunks())
                begin += length
                self._batches.setdefault(part, []).append((path, number))

    def read(self, part: _Part) -> Any:
        """Return the rows of a part."""
        batches = [self._opened(path).get_batch(number) for path, number in self._batches[part]]
        return parquet_library().Table.from_batches(batches)

    def _opened(self, path: str) -> Any:
        arrow = parquet_library()
        if path not in self._readers:
            self._readers[path] = arrow.ipc.open_file(arrow.memory_map(path))
        return self._readers[path]


def _schema(table: Table) -> Any:
    arrow = parquet_library()
    types = {name: arrow.type_for_alias(there) for name, there in TYPES.items() if "(" not in there}
    types["numeric"] = arrow.decimal128(24, 6)
    return arrow.schema([(column.name, types[column.type]) for column in table.columns])


def _types(rows: Any) -> dict[str, str]:
    """Return the types of the columns of a file, as tables name them."""
    return {field.name: NAMES.get(str(field.type), str(field.type)) for field in rows.schema}


def _joined(existing: Any, added: Any) -> Any:
    """Return the rows of both, with the columns of both."""
    return parquet_library().concat_tables([existing, added], promote_options="default")
