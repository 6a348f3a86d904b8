"""A file of records: validated whole, and kept in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from ..errors import ContentError
from ..feeds.row import Row
from ..feeds.rows import Rows
from ..runs.created import content_of
from ..validation import CheckedRow
from ..validation.report import ValidationReport


class Reader(Protocol):
    """Reads records, and encodes what they become."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that decide what is sent."""

    def read(self, row: Row) -> CheckedRow:
        """Return the item of a record, and everything that is wrong with it."""

    def encode(self, item: Any) -> bytes:
        """Return an item as JSON, by the names on the wire."""

    def id_of(self, item: Any) -> str:
        """Return the id of the record that an item changes; nothing where it creates one."""


class RecordFile:
    """The records of a file, as far as they were read."""

    def __init__(self, rows: Rows, reader: Reader) -> None:
        self.rows, self.reader = rows, reader
        self.report = ValidationReport()
        self.valid: list[CheckedRow] = []
        self._checked: list[CheckedRow] = []
        self._contents: list[str] = []

    @property
    def items(self) -> list[Any]:
        """Return the items of the valid records."""
        return [checked.item for checked in self.valid]

    def replace_items(self, items: Iterable[Any]) -> None:
        """Send other items in place of the valid ones: None for each that is not sent at all."""
        changed = zip(self.valid, items, strict=True)
        self.valid = [replace(checked, item=item) for checked, item in changed if item is not None]

    @property
    def contents(self) -> list[str]:
        """Return digests by which valid records are known."""
        if not self._contents:
            self._contents = [content_of(self.reader.encode(item)) for item in self.items]
        return self._contents

    def place_of(self, index: int) -> tuple[int, int]:
        """Return the number and the line of a valid record."""
        row = self.valid[index].row
        return row.record, row.line

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self.report = ValidationReport()
        self._checked, self._contents = [], []
        for row in self.rows:
            checked = self.reader.read(row)
            self._checked.append(checked)
            report.rows += 1
            if checked.problems:
                report.add(row, checked.problems)
            on_progress(report.rows)
        self.valid = [checked for checked in self._checked if checked.item is not None]
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no record in it")
        report.notes, report.warnings = [*self.rows.notes], [*self.rows.warnings]
        return report

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield each record with its problems."""
        return iter(self._checked)
