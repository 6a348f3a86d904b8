"""Workbooks (.xlsx): sheets with typed cells under a frozen head, written row by row in constant memory."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ..errors import ContentError
from .text import cell

if TYPE_CHECKING:
    from xlsxwriter import Workbook

MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS = 1_048_576, 16_384, 32_767  # of the format; characters are of UTF-16
MAX_NAME = 31  # characters of the name of a sheet, of UTF-16
MAX_DIGITS = 15  # that a number of a spreadsheet keeps
FIRST_DAY = date(1900, 3, 1)  # spreadsheets disagree on the days before
CREATED = datetime(1980, 1, 1, tzinfo=UTC)  # as in the archive: the same rows give the same bytes
MIN_WIDTH, MAX_WIDTH, MEASURED_ROWS = 8, 60, 1000
NOT_XML = re.compile("[\ufffe\uffff\ud800-\udfff]")  # control characters have an escape, these have none
NOT_IN_NAME = re.compile(r"[\[\]:*?/\\]|^'+|'+$")
HINT = "csv and jsonl have no such limit"


@contextmanager
def open_workbook(stream: IO[bytes]) -> "Iterator[WorkbookWriter]":
    """Write a workbook to a binary stream, as a whole at the end, or nothing if the block raises."""
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    # Rows wait there until the workbook is made of them, which needs a file that it can go back in.
    with TemporaryDirectory(prefix="adsctl-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "workbook.xlsx")
        book = Workbook(str(path), {"constant_memory": True, "tmpdir": folder})
        book.use_zip64()
        book.set_properties({"created": CREATED})
        writer = WorkbookWriter(book)
        yield writer
        for sheet in writer.sheets:
            sheet.finish()
        try:
            book.close()
        except FileCreateError as error:
            raise error.args[0] from None
        with path.open("rb") as written:
            copyfileobj(written, stream)


class WorkbookWriter:
    """A workbook whose sheets are filled row by row, one sheet after another or in turns."""

    def __init__(self, book: "Workbook") -> None:
        self._book = book
        self._formats: dict[tuple[str, bool], Any] = {}
        self.sheets: list[Sheet] = []

    def add_sheet(self, name: str, columns: Sequence[str]) -> "Sheet":
        """Add a sheet with these heads. Its name is cut, and gets `_` for characters that are not allowed."""
        sheet = Sheet(self, self._book, name, columns)
        self.sheets.append(sheet)
        return sheet

    def format(self, number_format: str = "", *, is_bold: bool = False) -> Any:
        """Return the format of cells such as `0.00`, which all of them share; None for that of any cell."""
        properties = {"num_format": number_format} if number_format else {}
        key = (number_format, is_bold)
        if key not in self._formats and (properties or is_bold):
            self._formats[key] = self._book.add_format(properties | ({"bold": True} if is_bold else {}))
        return self._formats.get(key)


class FormattedNumber(NamedTuple):
    """A number, and how a spreadsheet shows it."""

    number: int | float | Decimal
    format: str


class Sheet:
    """A sheet. The type of a value decides its cell: a text is never a number, a formula or a link."""

    def __init__(self, writer: WorkbookWriter, book: "Workbook", name: str, columns: Sequence[str]) -> None:
        self._writer, self._name, self._columns = writer, name, columns
        self._sheet: Any = book.add_worksheet(_sheet_name(name), _plain_sheet())
        self._widths = [MIN_WIDTH] * len(columns)
        self._last_filtered = 0  # the row down to which a reader can filter
        self.count = 0  # rows below the head
        if len(columns) > MAX_COLUMNS:
            raise ContentError(
                f"{len(columns):,} columns, and a workbook has {MAX_COLUMNS:,} at most", hint=HINT
            )
        self._sheet.freeze_panes(1, 0)
        for at, column in enumerate(columns):
            self._measure(at, column)
            self._sheet.write_string(0, at, self._checked(column, column), writer.format(is_bold=True))

    def write(self, values: Iterable[Any], *, is_total: bool = False) -> None:
        """Write a row of texts, numbers, booleans, dates and times. None is an empty cell, all else JSON.

        A total is bold.
        """
        self.count += 1
        if self.count >= MAX_ROWS:
            message = f"more rows than the {MAX_ROWS - 1:,} that a sheet of a workbook holds below its head"
            raise ContentError(message, hint=HINT)
        for at, value in enumerate(values):
            if value is not None and value != "":
                self._write_cell(at, value, is_bold=is_total)

    def _write_cell(self, at: int, value: Any, *, is_bold: bool) -> None:
        sheet, row = self._sheet, self.count

        def format(text: str = "") -> Any:
            return self._writer.format(text, is_bold=is_bold)

        if isinstance(value, bool):
            sheet.write_boolean(row, at, value, format())
        elif isinstance(value, FormattedNumber) and is_exact(value.number):
            sheet.write_number(row, at, value.number, format(value.format))
            self._measure(at, f"{value.number:,.2f} EUR")
        elif isinstance(value, int | float) and is_exact(value):
            sheet.write_number(row, at, value, format())
        elif isinstance(value, Decimal) and is_exact(value):
            sheet.write_number(
                row, at, value, format(decimals_format(max(0, -int(value.as_tuple().exponent))))
            )
            self._measure(at, f"{value:,}")
        elif isinstance(value, datetime) and value.date() >= FIRST_DAY:
            shown = format("yyyy-mm-dd hh:mm:ss" if value.second else "yyyy-mm-dd hh:mm")
            sheet.write_datetime(row, at, value.replace(tzinfo=None), shown)
            self._measure(at, "2026-01-01 00:00")
        elif isinstance(value, date) and not isinstance(value, datetime) and value >= FIRST_DAY:
            sheet.write_datetime(row, at, value, format("yyyy-mm-dd"))
            self._measure(at, "2026-01-01")
        else:
            text = _text(value.number if isinstance(value, FormattedNumber) else value)
            sheet.write_string(row, at, self._checked(text, self._columns[at]), format())
            self._measure(at, text)

    def filter_rows(self) -> None:
        """Let a reader filter the rows that there are so far; totals that follow stay."""
        self._last_filtered = self.count

    def _checked(self, text: str, column: str) -> str:
        """Return a text that a cell can hold; raise ContentError."""
        if len(text) > MAX_CHARACTERS // 2 and len(text.encode("utf-16-le", "surrogatepass")) // 2 > (
            MAX_CHARACTERS
        ):
            problem = f"{len(text):,} characters, and a cell of a workbook holds {MAX_CHARACTERS:,}"
        elif not text.isprintable() and (match := NOT_XML.search(text)):
            problem = f"the character U+{ord(match[0]):04X}, which no workbook can hold"
        else:
            return text
        raise ContentError(f"record {self.count:,} cannot be written: {column!r} has {problem}", hint=HINT)

    def _measure(self, at: int, text: str) -> None:
        if self.count < MEASURED_ROWS and len(text) >= self._widths[at]:
            self._widths[at] = min(MAX_WIDTH, len(text) + 1)

    def finish(self) -> None:
        """Make columns as wide as their first cells, and add the filter."""
        for at, width in enumerate(self._widths):
            self._sheet.set_column(at, at, width)
        if self._last_filtered:
            self._sheet.autofilter(0, 0, self._last_filtered, len(self._columns) - 1)


@cache
def _plain_sheet() -> Any:
    from xlsxwriter.worksheet import Worksheet

    class PlainSheet(Worksheet):  # type: ignore[misc]
        """A sheet without rich texts, for which XlsxWriter would take `<r>a</r>`."""

        def _xml_rich_inline_string(self, string: str, attributes: Any) -> None:
            self._xml_inline_string(string, False, attributes)

    return PlainSheet


def _sheet_name(name: str) -> str:
    cut = name.encode("utf-16-le", "replace")[: 2 * MAX_NAME].decode("utf-16-le", "ignore")
    return NOT_IN_NAME.sub("_", cut)


def _text(value: Any) -> str:
    """Format a value that no typed cell can hold."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return value.isoformat() if isinstance(value, date) else cell(value)


def is_exact(number: float | Decimal) -> bool:
    """Tell whether a spreadsheet keeps every digit; an id of more digits is a text."""
    if isinstance(number, Decimal) and (number.is_nan() or len(number.as_tuple().digits) > MAX_DIGITS):
        return False
    return bool(abs(number) < 10**MAX_DIGITS)  # False for NaN


def decimals_format(count: int) -> str:
    """Return the format of numbers with so many decimals."""
    return f"#,##0.{'0' * count}" if count else "#,##0"
