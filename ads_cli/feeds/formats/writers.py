"""Writers of CSV, TSV, JSON, JSON Lines, YAML and workbooks."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import IO, Any, TextIO, cast

from ...output.records import csv_rows
from ...output.text import cell
from ..registry import FeedFormat, load


class RowWriter(ABC):
    """Writes rows to a text stream."""

    def __init__(self, stream: IO[str], columns: Sequence[str]) -> None:
        self.stream = stream
        self.columns = columns
        self.count = 0
        self._begin()

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row."""
        self._write(values)
        self.count += 1

    def close(self) -> None:  # noqa: B027 - most formats need no end
        """Complete the document; the stream stays open."""

    def _begin(self) -> None:  # noqa: B027 - most formats need no beginning
        """Write what precedes the first row."""

    @abstractmethod
    def _write(self, values: Mapping[str, Any]) -> None:
        """Write one row; `count` rows precede it."""


def open_writer(stream: IO[str], format: FeedFormat, columns: Sequence[str]) -> RowWriter:
    """Write rows with the writer of a format."""
    if format.writer is None:
        raise ValueError(f"{format.name} has no writer")
    writer: RowWriter = load(format.writer)(stream, columns)
    return writer


class CsvWriter(RowWriter):
    """A header and a line for each row."""

    delimiter = ","

    def _begin(self) -> None:
        self._write_cells = csv_rows(self.stream, self.delimiter)
        self._write_cells(self.columns)

    def _write(self, values: Mapping[str, Any]) -> None:
        self._write_cells([cell(values.get(column)) for column in self.columns])


class TsvWriter(CsvWriter):
    """CSV with tabs."""

    delimiter = "\t"


class JsonLinesWriter(RowWriter):
    """An object in each line."""

    def _write(self, values: Mapping[str, Any]) -> None:
        self.stream.write(f"{_as_json(values)}\n")


class JsonWriter(RowWriter):
    """A list of objects."""

    def _write(self, values: Mapping[str, Any]) -> None:
        self.stream.write((",\n" if self.count else "[\n") + _as_json(values))

    def close(self) -> None:
        """End the list."""
        self.stream.write("\n]\n" if self.count else "[]\n")


class YamlWriter(RowWriter):
    """A list of mappings, each in the syntax of JSON, which YAML includes."""

    def _write(self, values: Mapping[str, Any]) -> None:
        # YAML does not allow all characters that JSON allows unescaped.
        escaped = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in _as_json(values))
        self.stream.write(f"- {escaped}\n")

    def close(self) -> None:
        """Write an empty list if there are no rows."""
        if not self.count:
            self.stream.write("[]\n")


class XlsxWriter(RowWriter):
    """A sheet whose texts stay texts: the reader returns them as they were."""

    def _begin(self) -> None:
        from ...output.workbook import open_workbook

        self._open = ExitStack()
        binary = cast(TextIO, self.stream).buffer
        self._sheet = self._open.enter_context(open_workbook(binary)).add_sheet("rows", self.columns)

    def _write(self, values: Mapping[str, Any]) -> None:
        self._sheet.write(values.get(column) for column in self.columns)

    def close(self) -> None:
        """Write the workbook, which is made of all rows."""
        self._open.close()


def _as_json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)
