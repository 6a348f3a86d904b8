"""A mirror in a DuckDB file, which one process at a time may open: others wait."""

import csv
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..installation import import_extra
from ..parallel import batched
from ..signals import NOTICE_SECONDS
from .destination import ANNOUNCE_SECONDS, Row, Surroundings, failed, staging
from .sql import FREE_SPACE, MAKE_WRITABLE, OTHER_HINT, STAGE, DatabaseFile
from .tables import Column, Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STAGED_CELLS = 320_000  # of one file of CSV, which DuckDB reads faster than it takes values from Python
CSV = "HEADER false, AUTO_DETECT false, DELIM ',', QUOTE '\"', ESCAPE '\"', ALLOW_QUOTED_NULLS false"
TYPES = {"text": "VARCHAR", "numeric": "DECIMAL(24,6)"}  # a plain DECIMAL has 3 decimals
SETTINGS = {
    "threads": 1,
    "memory_limit": "64MB",
    "preserve_insertion_order": False,
    "autoinstall_known_extensions": False,  # nothing is downloaded
}
LOCKED = "Could not set lock on file"
COLUMNS = """SELECT column_name, data_type, tables.comment FROM duckdb_columns() columns
JOIN duckdb_tables() tables USING (table_oid, schema_oid, database_oid)
WHERE columns.table_name = ? AND columns.schema_name = 'main' AND NOT columns.internal
ORDER BY column_index"""
KEY_COMMENT = "adsctl; one row for each "
_driver = partial(import_extra, "duckdb", "a mirror in DuckDB", "mirror")
HINTS = {
    LOCKED: "another program has the file open: end it, or give --max-wait more time",
    "No space left": FREE_SPACE,
    "Permission denied": MAKE_WRITABLE,
    "not a valid DuckDB": "name a DuckDB file, or a new one",
    "Read-only": MAKE_WRITABLE,
}


class DuckDBFile(DatabaseFile):
    """A DuckDB file as a destination.

    Its tables have no primary keys, whose index would have to be in memory; their comments name the keys.
    """

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        _driver()
        super().__init__(address, surroundings)

    def begin(self) -> None:
        """Open the file once no other process has it, and begin a transaction."""
        with self._errors():
            self._open(read_only=False).begin()

    def commit(self) -> None:
        """Commit, and let others open the file."""
        with self._errors():
            self._open().commit()
        self.close()

    def rollback(self) -> None:
        """Roll back, and let others open the file."""
        self.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        driver = _driver()
        try:
            yield
        except driver.Error as error:
            text = str(error)
            hint = next((hint for part, hint in HINTS.items() if part in text), OTHER_HINT)
            raise failed(self.name, text.strip().splitlines()[0], hint) from error

    def _open(self, *, read_only: bool = True) -> "DuckDBPyConnection":
        driver, begun, is_announced = _driver(), time.monotonic(), False
        longest = self._surroundings.wait_seconds
        while self._connection is None:
            try:
                self._connection = driver.connect(str(self._path), read_only=read_only, config=SETTINGS)
                self._connection.execute("SET enable_progress_bar = false")
            except driver.IOException as error:
                waited = time.monotonic() - begun
                if LOCKED not in str(error) or waited > longest:
                    raise
                if not is_announced and waited > ANNOUNCE_SECONDS:
                    is_announced = True
                    self._surroundings.say(f"{self.name}: another process has it open; waiting for it")
                time.sleep(NOTICE_SECONDS)
        connection: DuckDBPyConnection = self._connection
        return connection

    def _rows(self, statement: str, values: Sequence[Any] = (), times: Sequence[int] = ()) -> list[Row]:
        return self._open().execute(statement, [*values]).fetchall()

    def _existing(self, table: Table) -> tuple[dict[str, str], list[str]]:
        columns = self._rows(COLUMNS, [table.name])
        types = {str(name): _named(str(type)) for name, type, _ in columns}
        comment = str(columns[0][2] or "") if columns else ""
        return types, comment.removeprefix(KEY_COMMENT).split(", ")

    def _creating(self, table: Table) -> list[str]:
        columns = ", ".join(map(self._declared, table.columns))
        comment = f"COMMENT ON TABLE \"{table.name}\" IS '{KEY_COMMENT}{', '.join(table.key)}'"
        return [f'CREATE TABLE "{table.name}" ({columns})', comment]

    def _declared(self, column: Column) -> str:
        return f'"{column.name}" {TYPES.get(column.type, column.type)}'

    def _stage(self, table: Table, rows: Iterable[Row]) -> int:
        """Write rows by files of CSV."""
        count = 0
        with staging(self.name), tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "rows.csv")
            for some in batched(rows, STAGED_CELLS // len(table.columns)):
                count += len(some)
                _write(file, some)
                self._rows(f"COPY {STAGE} FROM {_literal(str(file))} ({CSV})")
        return count


class _Null:
    """An empty cell: the writer of CSV quotes all that is not a number, and an unquoted empty one is null."""

    def __float__(self) -> float:
        return 0.0

    def __str__(self) -> str:
        return ""


NULL = _Null()


def _write(file: Path, rows: Iterable[Row]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerows([NULL if value is None else value for value in row] for row in rows)


def _named(type: str) -> str:
    return "text" if type == "VARCHAR" else "numeric" if type.startswith("DECIMAL") else type.lower()


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
