"""DuckDB as a destination, and a mirror in its file, which one process at a time may open: others wait."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..installation import import_extra
from ..parallel import batched
from ..signals import NOTICE_SECONDS
from .destination import ANNOUNCE_SECONDS, Row, Surroundings, failed
from .sql import FREE_SPACE, MAKE_WRITABLE, OTHER_HINT, STAGE, DatabaseFile, SqlDestination
from .tables import Column, Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STAGED_CELLS = 160_000  # in memory at once
TYPES = {"text": "VARCHAR", "numeric": "DECIMAL(24,6)"}  # a plain DECIMAL has 3 decimals
EPOCH, MICROSECOND = datetime(1970, 1, 1), timedelta(microseconds=1)
SETTINGS = {
    "threads": 1,
    "memory_limit": "80MB",
    "preserve_insertion_order": False,
    "autoinstall_known_extensions": False,  # nothing is downloaded
}
LOCKED = "Could not set lock on file"
COLUMNS = """SELECT column_name, data_type, tables.comment FROM duckdb_columns() columns
JOIN duckdb_tables() tables USING (table_oid, schema_oid, database_oid)
WHERE columns.table_name = ? AND columns.schema_name = 'main' AND NOT columns.internal
ORDER BY column_index"""
KEY_COMMENT = "adsctl; one row for each "
HINTS = {
    LOCKED: "another program has the file open: end it, or give --max-wait more time",
    "No space left": FREE_SPACE,
    "Permission denied": MAKE_WRITABLE,
    "not a valid DuckDB": "name a DuckDB file, or a new one",
    "Read-only": MAKE_WRITABLE,
}


class DuckDB(SqlDestination):
    """What DuckDB executes, wherever the rows are kept."""

    feature: str  # which needs the extra

    def __init__(self, surroundings: Surroundings) -> None:
        self._driver = import_extra("duckdb", self.feature, "mirror")
        self._arrow = import_extra("nanoarrow", self.feature, "mirror")
        self._surroundings = surroundings

    def _open(self) -> "DuckDBPyConnection":
        """Return the connection, which is opened where there is none."""
        raise NotImplementedError

    def _connected(self, place: str, **options: Any) -> "DuckDBPyConnection":
        """Open a database."""
        self._connection = self._driver.connect(place, config=SETTINGS, **options)
        connection: DuckDBPyConnection = self._connection
        return connection.execute("SET enable_progress_bar = false")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except self._driver.Error as error:
            text = str(error)
            hint = next((hint for part, hint in HINTS.items() if part in text), OTHER_HINT)
            raise failed(self.name, text.strip().splitlines()[0], hint) from error

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._open().execute(statement, [*values]).fetchall()

    def _declared(self, column: Column) -> str:
        return f'"{column.name}" {TYPES.get(column.type, column.type)}'

    def _stage(self, table: Table, rows: Iterable[Row]) -> int:
        """Write rows by Arrow, which DuckDB takes many times faster than values of Python."""
        count = 0
        for some in batched(rows, STAGED_CELLS // len(table.columns)):
            count += len(some)
            self._open().register("rows", self._in_arrow(table, some))
            self._rows(f"INSERT INTO {STAGE} FROM rows")
            self._open().unregister("rows")
        return count

    def _in_arrow(self, table: Table, rows: Sequence[Row]) -> Any:
        """Return rows by columns. DuckDB converts the integers that are short, and texts to decimals."""
        arrow = self._arrow
        types = {"boolean": arrow.bool_(), "timestamp": arrow.timestamp("us")}
        types |= {"integer": arrow.int64(), "bigint": arrow.int64()}
        arrays = list[Any]()
        columns: Iterable[Sequence[Any]] = zip(*rows, strict=True)
        for column, values in zip(table.columns, columns, strict=True):
            if column.type == "timestamp":
                values = [time and (time - EPOCH) // MICROSECOND for time in values]
            elif column.type == "numeric":
                values = [None if value is None else str(value) for value in values]
            arrays.append(arrow.c_array(values, types.get(column.type, arrow.string())))
        fields = arrow.struct({name: array.schema for name, array in zip(table.names, arrays, strict=True)})
        whole = arrow.c_array_from_buffers(fields, len(rows), [None], children=arrays)
        return arrow.ArrayStream(whole)


class DuckDBFile(DatabaseFile, DuckDB):
    """A DuckDB file as a destination.

    Its tables have no primary keys, whose index would have to be in memory; their comments name the keys.
    """

    feature = "a mirror in DuckDB"

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        DuckDB.__init__(self, surroundings)
        DatabaseFile.__init__(self, address, surroundings)

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

    def _open(self, *, read_only: bool = True) -> "DuckDBPyConnection":
        begun, is_announced = time.monotonic(), False
        longest = self._surroundings.wait_seconds
        while self._connection is None:
            try:
                self._connected(str(self._path), read_only=read_only)
            except self._driver.IOException as error:
                waited = time.monotonic() - begun
                if LOCKED not in str(error) or waited > longest:
                    raise
                if not is_announced and waited > ANNOUNCE_SECONDS:
                    is_announced = True
                    self._surroundings.say(f"{self.name}: another process has it open; waiting for it")
                time.sleep(NOTICE_SECONDS)
        connection: DuckDBPyConnection = self._connection
        return connection

    def _existing(self, table: Table) -> tuple[dict[str, str], list[str]]:
        columns = self._rows(COLUMNS, [table.name])
        types = {str(name): type_named(str(type)) for name, type, _ in columns}
        comment = str(columns[0][2] or "") if columns else ""
        return types, comment.removeprefix(KEY_COMMENT).split(", ")

    def _creating(self, table: Table) -> list[str]:
        columns = ", ".join(map(self._declared, table.columns))
        comment = f"COMMENT ON TABLE \"{table.name}\" IS '{KEY_COMMENT}{', '.join(table.key)}'"
        return [f'CREATE TABLE "{table.name}" ({columns})', comment]


def type_named(type: str) -> str:
    """Return the type of a column as tables name it."""
    return "text" if type == "VARCHAR" else "numeric" if type.startswith("DECIMAL") else type.lower()


def literal(value: object) -> str:
    """Quote a value for a statement that takes no others."""
    return "'" + str(value).replace("'", "''") + "'"
