"""Workbooks: one sheet, read once by a process of its own into a temporary file."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import BinaryIO, cast
from weakref import finalize

from ...errors import ContentError, UsageError
from ...output.text import counted
from ..header import Header, plain_name
from ..locations import spooled
from ..row import Row
from ..rows import RecordRows
from .workbook import MAX_DIGITS, WorkbookRow

PROGRAM = "import sys; sys.path[:] = {}; from ads_cli.feeds.formats.workbook import main; main(*sys.argv[1:])"
TIMEOUT_SECONDS = 900
HEADER_ROWS = 20  # among which the header is: titles and remarks may precede it
ROUNDED = "the spreadsheet has rounded this number; make the column text, and enter it again"


class XlsxRows(RecordRows):
    """The rows of a sheet below its header."""

    def _read(self) -> Iterator[Row]:
        rows = self._sheet_rows()
        first = list(islice(rows, HEADER_ROWS))
        if not first:
            raise self.error(1, "the sheet is empty")
        matches = [sum(self.is_field(plain_name(cell)) for cell in row.cells) for row in first]
        at = matches.index(max(matches))
        if not matches[at]:  # a title has fewer cells than the header of foreign columns
            filled = [sum(1 for cell in row.cells if cell.strip()) for row in first]
            at = next(index for index, count in enumerate(filled) if 2 * count >= max(filled))
        line = first[at].number
        header, names = Header(first[at].cells), self.distinct_names([*map(plain_name, first[at].cells)])
        self.notes, self.warnings, self.repeated_headers = list(self.source.notes), [], []
        if at:
            self.notes.append(f"{counted(at, 'row')} skipped before the header")
        self.if_empty = line, "no row below the header"
        for row in chain(first[at + 1 :], rows):
            if matches[at] and header.is_repeated_by(row.cells):
                self.repeated_headers.append(row.number)
                continue
            values = dict(zip(names, row.cells, strict=False))
            values.pop("", None)
            problems = [f"the cell {cell} is {text}" for cell, text in row.errors.items()]
            problems += [
                f"{names[column]!r} has more than {MAX_DIGITS} digits: {ROUNDED}"
                for column in row.rounded
                if column < len(names) and self.is_used(names[column])
            ]
            yield self.row(row.number, values, ", ".join(problems))
        self.warnings += self.skipped

    def _sheet_rows(self) -> Iterator[WorkbookRow]:
        """Yield the rows that are not empty; raise the error of the process."""
        spool = self._spool
        spool.seek(0)
        for line in spool:
            row = json.loads(line)
            if isinstance(row, dict):
                kind = UsageError if row["is_usage"] else ContentError
                raise kind(f"{self.source.label}: {row['message']}", hint=row["hint"])
            yield WorkbookRow(*row)

    @cached_property
    def _spool(self) -> BinaryIO:
        """The rows in a temporary file, a line of JSON for each."""
        options = self.source.options
        spool = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - open as long as these rows
        finalize(self, spool.close)
        command = [sys.executable, "-c", PROGRAM.format(sys.path)]
        command += [json.dumps(options.sheet), str(options.max_rows)]
        with spooled(self.source.stream(), self.source.label) as workbook:
            try:
                process = subprocess.run(
                    command, stdin=workbook, stdout=spool, stderr=subprocess.PIPE, timeout=TIMEOUT_SECONDS
                )
            except subprocess.TimeoutExpired:
                raise self._unreadable(f"it takes more than {TIMEOUT_SECONDS} seconds") from None
        if b"memory allocation" in process.stderr or b"MemoryError" in process.stderr:
            raise self._unreadable("it takes more memory than its rows may; a cell may be far from the table")
        if process.returncode:
            reason = process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise self._unreadable(reason or "its reader ended early")
        return spool

    def _unreadable(self, reason: str) -> ContentError:
        message = f"{self.source.label} cannot be read as xlsx: {reason}"
        return ContentError(message, hint="save it again, or as CSV")
