"""Rows into a file of any format, in a form that the readers take back."""

import json
from collections.abc import Mapping, Sequence
from typing import IO, Any

from ..output.records import csv_rows
from ..output.text import cell


class RowWriter:
    """Writes rows as csv, tsv, jsonl, json (one list) or yaml (one list)."""

    def __init__(self, stream: IO[str], format: str, columns: Sequence[str]) -> None:
        self._stream = stream
        self._format = format
        self._columns = columns
        self.count = 0
        self._write_row = csv_rows(stream, "\t" if format == "tsv" else ",")
        if format in ("csv", "tsv"):
            self._write_row(columns)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row."""
        if self._format in ("csv", "tsv"):
            self._write_row([cell(values.get(column)) for column in self._columns])
        else:
            self._write_document(json.dumps(values, ensure_ascii=False))
        self.count += 1

    def close(self) -> None:
        """Write what ends the document."""
        if self._format == "json":
            self._stream.write("\n]\n" if self.count else "[]\n")
        elif self._format == "yaml" and not self.count:
            self._stream.write("[]\n")

    def _write_document(self, record: str) -> None:
        if self._format == "jsonl":
            self._stream.write(f"{record}\n")
        elif self._format == "json":
            self._stream.write(("[\n" if not self.count else ",\n") + record)
        else:
            # A mapping of JSON is a mapping of YAML, but for characters that YAML will not have raw.
            safe = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in record)
            self._stream.write(f"- {safe}\n")
