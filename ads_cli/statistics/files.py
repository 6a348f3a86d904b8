"""Rows of statistics in files: csv, tsv, jsonl and parquet."""

import csv
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, cast

from ..config.atomic_files import atomic, replacing
from ..errors import UsageError
from ..output.text import as_json
from .rows import Row, Table

Record = dict[str, Any]
Format = Literal["csv", "tsv", "jsonl", "parquet"]
EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
ROWS_AT_ONCE = 10_000  # of a group of a parquet file


def format_of(path: Path) -> Format:
    """Return the format of a file by its name; raise UsageError."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    found = EXTENSIONS.get(name.suffix.lower())
    if found is None or (found == "parquet" and name != path):
        raise UsageError(f"{path}: the name ends in none of {', '.join(EXTENSIONS)}", hint="or .csv.gz")
    return found


def write(path: Path, table: Table, may_replace: Callable[[Path], bool] | None) -> int:
    """Write rows to a file, which appears whole or not at all; return their number."""
    kind, counted = format_of(path), Counted(table.rows)
    table = table._replace(rows=counted)
    if kind == "parquet":
        with replacing(path, may_replace=may_replace, keep_mode=True) as output:
            _write_parquet(cast(Any, output), table)
        return counted.count
    with atomic(path, may_replace=may_replace, keep_mode=True) as stream:
        if kind == "jsonl":
            stream.writelines(as_json(as_numbers(record)) + "\n" for record in table.records())
        else:
            writer = csv.writer(stream, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
            writer.writerow(table.columns)
            writer.writerows(table.rows)
    return counted.count


class Counted:
    """Rows that are counted as they are read."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for self.count, row in enumerate(self._rows, 1):  # noqa: B020
            yield row


def as_numbers(record: Record) -> Record:
    """Return a row whose amounts are numbers."""
    return {name: _number(value) for name, value in record.items()}


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def as_texts(record: Record) -> Record:
    """Return a row whose amounts are texts, with all their decimals."""
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in record.items()}


def require_parquet() -> Any:
    """Import what writes parquet; raise UsageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "writing parquet needs adsctl[parquet]", hint="pip install 'adsctl[parquet]'"
        ) from None
    return pyarrow


def _write_parquet(output: IO[bytes], table: Table) -> None:
    arrow, rest = require_parquet(), iter(table.rows)
    kinds = [arrow.string()] * len(table.keys) + [arrow.float64()] * len(table.metrics)
    schema = arrow.schema([*zip(table.columns, kinds, strict=True)])
    with arrow.parquet.ParquetWriter(output, schema) as writer:
        while rows := [*islice(rest, ROWS_AT_ONCE)]:
            columns = zip(kinds, zip(*rows, strict=True), strict=True)
            arrays = [arrow.array(map(_number, column), kind) for kind, column in columns]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
