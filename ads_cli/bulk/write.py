"""Rows into a file of any format, in a form that the readers take back."""

import gzip
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from ..errors import UsageError
from ..output.records import csv_rows
from ..output.text import cell


class RowWriter:
    """Writes rows as csv, tsv, jsonl, json (one list) or yaml (one list)."""

    def __init__(self, stream: IO[str], format: str, columns: Sequence[str]) -> None:
        self._stream = stream
        self._format = format
        self._columns = columns
        self._count = 0
        self._write_row = csv_rows(stream, "\t" if format == "tsv" else ",")
        if format in ("csv", "tsv"):
            self._write_row(columns)

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row."""
        if self._format in ("csv", "tsv"):
            self._write_row([cell(values.get(column)) for column in self._columns])
        else:
            self._write_document(json.dumps(values, ensure_ascii=False))
        self._count += 1

    def close(self) -> None:
        """Write what ends the document."""
        if self._format == "json":
            self._stream.write("\n]\n" if self._count else "[]\n")
        elif self._format == "yaml" and not self._count:
            self._stream.write("[]\n")

    def _write_document(self, record: str) -> None:
        if self._format == "jsonl":
            self._stream.write(f"{record}\n")
        elif self._format == "json":
            self._stream.write(("[\n" if not self._count else ",\n") + record)
        else:
            # A mapping of JSON is a mapping of YAML, but for characters that YAML will not have raw.
            safe = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in record)
            self._stream.write(f"- {safe}\n")


@contextmanager
def atomic(path: Path) -> Iterator[TextIO]:
    """Write a file that is there whole or not at all, and for nobody else to read (mode 0600)."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            raw: Any = gzip.GzipFile(fileobj=file, mode="wb") if path.suffix == ".gz" else file
            text = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="")
            yield text
            text.detach()  # writes what is left, and leaves the file open
            if raw is not file:
                raw.close()
        Path(name).replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            Path(name).unlink()
