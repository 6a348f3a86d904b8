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
def atomic(path: Path, mode: int = 0o600) -> Iterator[TextIO]:
    """Open a text stream whose content takes the place of `path` when all went well.

    Until then, and where anything fails, the file stays as it was. A name that ends with `.gz` is
    compressed. What is no file (`/dev/stdout`, a pipe) is written directly. Raises UsageError.
    """
    if path.exists() and not path.is_file():
        with _told(path), path.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    path = path.resolve()  # a link stays a link, and its target is replaced
    with _told(path):
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with _text(_Output(descriptor, path), compressed=path.suffix.lower() == ".gz") as stream:
            yield stream
        with _told(path):
            temporary.chmod(mode)
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


class _Output(io.FileIO):
    """A file whose troubles are told as those of `path`, and that is on the disk once it is closed."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "wb")
        self._path = path

    def write(self, data: Any) -> int:
        with _told(self._path):
            return super().write(data)

    def close(self) -> None:
        with _told(self._path):
            if not self.closed:
                os.fsync(self.fileno())
            super().close()


@contextmanager
def _text(output: _Output, *, compressed: bool) -> Iterator[TextIO]:
    with output:
        binary = gzip.GzipFile("", "wb", fileobj=output, mtime=0) if compressed else io.BufferedWriter(output)
        # A row that was refused for half a character can still be written, as the escape it was.
        with io.TextIOWrapper(binary, encoding="utf-8", errors="backslashreplace", newline="") as stream:
            yield stream


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{path}: cannot be written: {reason}") from None
