"""Write records in each format but a table: tsv, csv, xlsx, json, jsonl, yaml, ids."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, NamedTuple, TextIO, cast

from .text import as_json, as_yaml, cell, safe

Record = Mapping[str, Any]
# How a formula begins in one spreadsheet or another: some drop blanks, and some read full-width signs.
FORMULA = "[\t\r\n]|[\\s\0\ufeff\u200b-\u200f\u2060]*[=+\\-@\uff1d\uff0b\uff0d\uff20]"
NUMBER = r" *[+-]?[0-9]+(\.[0-9]+)?"


class WriteOptions(NamedTuple):
    """What a format may need to know beside the records."""

    columns: Sequence[str] = ()
    key: str = "id"  # the field that holds their id
    csv_safe: bool = False  # no cell is a formula
    noun: str = "results"  # what they are
    is_chosen: bool = False  # whether the columns were chosen one by one


NO_OPTIONS = WriteOptions()


def write_tsv(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a header and tab-separated lines. Control characters are escaped: a line is a record."""
    stream.write("\t".join(map(safe, options.columns)) + "\n")
    for record in records:
        stream.write("\t".join(safe(cell(record.get(name))) for name in options.columns) + "\n")


def write_csv(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a header and comma-separated lines; control characters are escaped on a terminal only."""
    write_row = csv_rows(stream)
    shown = safe if stream.isatty() else str
    written = without_formula if options.csv_safe else str
    write_row([shown(written(name)) for name in options.columns])
    for record in records:
        write_row([shown(written(cell(record.get(name)))) for name in options.columns])


def write_workbook(stream: IO[Any], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a workbook with one sheet."""
    from .workbook_records import write_records

    binary = cast(TextIO, stream).buffer
    keeps_columns = options.is_chosen
    write_records(binary, records, options.columns, name=options.noun, keeps_columns=keeps_columns)


def without_formula(value: str) -> str:
    """Prefix an apostrophe to a cell that a spreadsheet would take for a formula, which numbers are not."""
    if not re.match(FORMULA, value) or re.fullmatch(NUMBER, value):
        return value
    return f"'{value}"


def csv_rows(stream: IO[str], delimiter: str = ",") -> Callable[[Sequence[object]], None]:
    """Return a function that writes a row of cells; every CSV reader reads the same cells."""
    import csv

    plain = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(cells: Sequence[object]) -> None:
        # The csv module quotes a line feed, but not a carriage return.
        (quoted if any("\r" in str(value) for value in cells) else plain).writerow(cells)

    return write


def write_jsonl(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write one line of JSON for each record."""
    stream.writelines(as_json(record) + "\n" for record in records)


def write_json(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write a list of records one by one, as if it were written as a whole."""
    written = False
    for record in records:
        text = as_json(record, indent=2).replace("\n", "\n  ")
        stream.write(f"{',' if written else '['}\n  {text}")
        written = True
    stream.write("\n]\n" if written else "[]\n")


def write_yaml(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write a list of records one by one, as if it were written as a whole."""
    written = False
    for record in records:
        stream.write(as_yaml([record]))
        written = True
    if not written:
        stream.write(as_yaml([]))


def write_ids(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write the id of each record that has one, one per line."""
    ids = (safe(cell(record.get(options.key))) for record in records)
    stream.writelines(id + "\n" for id in ids if id)


def write_nothing(stream: IO[str], result: Any, options: WriteOptions = NO_OPTIONS) -> None:
    """Write neither records nor documents."""


def write_as_json(stream: IO[str], document: Any) -> None:
    """Write a whole document; a list record by record, whose text is never held as a whole."""
    if isinstance(document, list):
        write_json(stream, document)
    else:
        stream.write(as_json(document, indent=2) + "\n")


def write_as_jsonl(stream: IO[str], document: Any) -> None:
    """Write a line for each item of a list, or one for any other document."""
    write_jsonl(stream, document if isinstance(document, list) else [document])


def write_as_yaml(stream: IO[str], document: Any) -> None:
    """Write a whole document; a list record by record."""
    if isinstance(document, list):
        write_yaml(stream, document)
    else:
        stream.write(as_yaml(document))
