"""Rows of statistics in files: csv, tsv, jsonl, xlsx and parquet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from ..config.atomic_files import atomic, replacing
from ..errors import UsageError
from ..installation import missing_extra
from ..output.records import WriteOptions, write_csv, write_jsonl, write_tsv
from ..output.workbook_records import write_records
from ..parallel import batched
from .rows import Row, StatsTable

if TYPE_CHECKING:
    from ..output.printer import Printer

Record = dict[str, Any]
Format = Literal["csv", "tsv", "jsonl", "xlsx", "parquet"]
EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
    ".parquet": "parquet",
}
ROWS_OF_A_GROUP = 10_000  # in parquet


def format_of(path: Path) -> Format:
    """Return the format of a file by its name; raise UsageError."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    format = EXTENSIONS.get(name.suffix.lower())
    if format is None or (format in ("xlsx", "parquet") and name != path):
        raise UsageError(f"{path}: the name ends in none of {', '.join(EXTENSIONS)}", hint="or .csv.gz")
    return format


def check_format(path: Path) -> None:
    """Raise UsageError for a file whose format cannot be written."""
    if format_of(path) == "parquet":
        require_parquet()


def write(
    path: Path,
    table: StatsTable,
    may_replace: Callable[[Path], bool] | None,
    *,
    csv_safe: bool = False,
    sheet: str = "statistics",
) -> int:
    """Write rows to a file, which appears whole or not at all. Return their number.

    `sheet` names that of a workbook.
    """
    kind, counted = format_of(path), Counted(table.rows)
    table = table._replace(rows=counted)
    if kind in ("xlsx", "parquet"):
        with replacing(path, may_replace=may_replace, is_output=True) as output:
            if kind == "xlsx":
                write_records(cast(Any, output), table.records(), table.columns, name=sheet)
            else:
                _write_parquet(cast(Any, output), table)
        return counted.count
    with atomic(path, may_replace=may_replace, is_output=True) as stream:
        if kind == "jsonl":
            write_jsonl(stream, map(as_numbers, table.records()))
        elif kind == "tsv":
            write_tsv(stream, map(as_texts, table.records()), WriteOptions(table.columns))
        else:
            write_csv(stream, map(as_texts, table.records()), WriteOptions(table.columns, csv_safe=csv_safe))
    return counted.count


class Counted:
    """Rows that are counted as they are read."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for self.count, row in enumerate(self._rows, 1):  # noqa: B020
            yield row


def as_printed(printer: "Printer", records: Iterable[Record]) -> Iterable[Record]:
    """Return rows with amounts as a printer's format has them: those of a table and a workbook have types."""
    if printer.is_binary or printer.is_table:
        return records
    return map(as_numbers if printer.shows_documents else as_texts, records)


def as_numbers(record: Mapping[str, Any]) -> Record:
    """Return a row whose amounts are numbers."""
    return {name: _number(value) for name, value in record.items()}


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def as_texts(record: Mapping[str, Any]) -> Record:
    """Return a row whose amounts are texts, with all their decimals."""
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in record.items()}


def require_parquet() -> Any:
    """Import what writes parquet; raise UsageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("writing parquet", "parquet") from None
    return pyarrow


def _write_parquet(output: IO[bytes], table: StatsTable) -> None:
    arrow = require_parquet()
    kinds = [arrow.string()] * len(table.keys) + [arrow.float64()] * len(table.metrics)
    schema = arrow.schema([*zip(table.columns, kinds, strict=True)])
    with arrow.parquet.ParquetWriter(output, schema) as writer:
        for rows in batched(table.rows, ROWS_OF_A_GROUP):
            columns = zip(kinds, zip(*rows, strict=True), strict=True)
            arrays = [arrow.array(map(_number, column), kind) for kind, column in columns]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
