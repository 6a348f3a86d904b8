"""Rows of statistics in files: csv, tsv, jsonl and parquet."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Literal, cast

from ..config.atomic_files import atomic, replacing
from ..errors import UsageError
from ..output.text import as_json
from .rows import BASE, Row

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


def write(
    path: Path, rows: Iterable[Row], columns: Sequence[str], may_replace: Callable[[Path], bool] | None
) -> int:
    """Write rows to a file, which appears whole or not at all; return their number."""
    kind = format_of(path)
    names = [*BASE, *columns]
    if kind == "parquet":
        with replacing(path, may_replace=may_replace, keep_mode=True) as output:
            return _write_parquet(cast(Any, output), rows, names)
    with atomic(path, may_replace=may_replace, keep_mode=True) as stream:
        if kind == "jsonl":
            counted = _Counted(rows)
            stream.writelines(as_json(as_numbers(row)) + "\n" for row in counted)
            return counted.count
        writer = csv.writer(stream, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
        writer.writerow(names)
        counted = _Counted(rows)
        writer.writerows(map(dict.values, counted))
        return counted.count


class _Counted:
    """Rows that are counted as they are read."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for self.count, row in enumerate(self._rows, 1):  # noqa: B020
            yield row


def as_numbers(row: Row) -> Row:
    """Return a row whose amounts are numbers."""
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()}


def as_texts(row: Row) -> Row:
    """Return a row whose amounts are texts, with all their decimals."""
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in row.items()}


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


def _write_parquet(output: IO[bytes], rows: Iterable[Row], names: list[str]) -> int:
    arrow = require_parquet()
    kinds = {name: arrow.string() if name in BASE else arrow.float64() for name in names}
    schema = arrow.schema([*kinds.items()])
    count, rest = 0, iter(rows)
    with arrow.parquet.ParquetWriter(output, schema) as writer:
        while group := [as_numbers(row) for _, row in zip(range(ROWS_AT_ONCE), rest, strict=False)]:
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count
