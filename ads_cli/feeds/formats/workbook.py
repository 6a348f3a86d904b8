"""Read a sheet of a workbook: rows of texts, and the cells whose formula failed.

This is the program of a process of its own. A sheet is loaded as a whole, and its memory returns to the
system at the end. The workbook is standard input. Each line of standard output is a row or an error, in JSON.
"""

import json
import posixpath
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from decimal import Decimal
from math import inf
from typing import Any, BinaryIO, NamedTuple
from xml.etree import ElementTree

from ...output.text import counted
from .. import MAX_DECOMPRESSED_BYTES, MAX_RATIO, MIN_JUDGED_BYTES
from ..memory_limit import memory_limit

MAX_DIGITS = 15  # that a floating-point number keeps, whatever they are


def is_rounded(value: Any) -> bool:
    """Tell whether a number has more digits than a floating-point number, or a spreadsheet, keeps."""
    return isinstance(value, float) and 10**MAX_DIGITS <= abs(value) < inf


def as_text(value: Any) -> str:
    """Return a number, a date or another single value as text: no exponent, and no `.0`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date | time):  # date includes datetime
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


CHUNK_BYTES = 1024 * 1024
MAX_ROW_BYTES = 16 * 1024 * 1024
MAX_CELLS_PER_ROW = 100  # on average; those between the first cell and the last one are loaded
MEMORY_BYTES, MEMORY_BYTES_PER_ROW = 1024**3, 10 * 1024
OLD_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of Excel 97, and of the envelope of what is encrypted
END_OF_ROW = re.compile(rb"</(?:\w+:)?row>")
VALUE = re.compile(rb"<(?:\w+:)?(?:v|is)[ >]")
CELL = re.compile(rb"<(?:\w+:)?c(?=[\s/>])")  # the rest of a cell reaches to the next one
PLACE = re.compile(rb"""\sr=["']([A-Z]+)([0-9]+)["']""")
TYPE = re.compile(rb"""\st=["'](\w+)["']""")
FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^<>]*?ref=["']([A-Z0-9:]+)["']""")
STORED = re.compile(rb"<(?:\w+:)?v(?:\s[^<>]*)?>([^<]*)<")
FAILED = re.compile(rb"""\st=["']e["']|<(?:\w+:)?f[\s/>]""")  # what a row without failed cells lacks
NOT_STORED = "a formula without a stored value; open the workbook in a spreadsheet and save it"


class WorkbookRow(NamedTuple):
    """A row of a sheet, as it is handed over."""

    number: int  # in the sheet, from 1
    cells: list[str]
    errors: dict[str, str]  # by cell, as in C5
    rounded: list[int]  # cells with numbers of more digits than are kept


class WorkbookError(Exception):
    """Why a workbook cannot be read."""

    def __init__(self, message: str, hint: str = "", *, is_usage: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.is_usage = is_usage


@contextmanager
def _readable() -> Iterator[None]:
    """Raise WorkbookError where a damaged workbook raises anything else."""
    try:
        yield
    except WorkbookError:
        raise
    except Exception as error:
        raise WorkbookError(f"not a complete xlsx file: {error}", "save it again as xlsx") from None


def read_sheet(file: BinaryIO, sheet: str | None, max_rows: int) -> Iterator[WorkbookRow]:
    """Yield the rows of a sheet that are not empty; raise WorkbookError."""
    import python_calamine

    if file.read(len(OLD_MAGIC)) == OLD_MAGIC:
        raise WorkbookError("encrypted, or in the older format .xls", "save it as xlsx, without a password")
    with _readable():
        archive = zipfile.ZipFile(file)
        _refuse_bomb(archive)
        file.seek(0)
        workbook = python_calamine.CalamineWorkbook.from_filelike(file)
        name = _choose(workbook, sheet)
        errors = _scan(archive, name, max_rows)
        loaded = workbook.get_sheet_by_name(name)
        height, width = loaded.height, loaded.width
        if height * width > MAX_CELLS_PER_ROW * max_rows:
            message = f"the sheet {name!r} spans {height:,} rows x {width:,} columns"
            raise WorkbookError(message, "remove the cells that are far from the table, or save it as CSV")
        for number, cells in enumerate(loaded.iter_rows(), 1):
            texts = [as_text(cell) for cell in cells]
            if any(map(str.strip, texts)) or number in errors:
                rounded = [at for at, cell in enumerate(cells) if is_rounded(cell)]
                yield WorkbookRow(number, texts, errors.get(number, {}), rounded)


def sheet_names(file: BinaryIO) -> list[str]:
    """Name the sheets of a workbook; raise WorkbookError if it is not one."""
    import python_calamine

    with _readable():
        _refuse_bomb(zipfile.ZipFile(file))
        file.seek(0)
        return list(python_calamine.CalamineWorkbook.from_filelike(file).sheet_names)


def merged_cells(file: BinaryIO, sheet: str) -> list[str]:
    """Return the ranges of cells of a sheet that are merged, as in B3:C5."""
    archive, data = zipfile.ZipFile(file), b""
    cells = list[str]()
    with archive.open(_part_of(archive, sheet)) as part:
        while chunk := part.read(CHUNK_BYTES):
            *complete, data = (data + chunk).split(b">")
            ranges = (MERGED.search(tag) for tag in complete)
            cells += [groups[1].decode() for groups in ranges if groups]
            data = data[-MAX_ROW_BYTES:]
    return cells


def _choose(workbook: Any, sheet: str | None) -> str:
    """Return the name of the sheet that is asked for, or of the only one that is visible and not empty."""
    names: list[str] = workbook.sheet_names
    if sheet is None:
        from python_calamine import SheetTypeEnum, SheetVisibleEnum

        shown = SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible
        visible = [
            metadata.name
            for metadata in workbook.sheets_metadata
            if (metadata.typ, metadata.visible) == shown
        ]
        sheets = [name for name in visible if len(visible) == 1 or workbook.get_sheet_by_name(name).height]
        if len(sheets) == 1:
            return str(sheets[0])
        names = sheets or names
    elif sheet in names:
        return sheet
    elif sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    listed = ", ".join(map(repr, names))
    message = f"there is no sheet {sheet!r}" if sheet else f"the workbook has {counted(len(names), 'sheet')}"
    raise WorkbookError(message, f"add --sheet with one of {listed}, or its number", is_usage=True)


def _scan(archive: zipfile.ZipFile, name: str, max_rows: int) -> dict[int, dict[str, str]]:
    """Count the rows of a sheet before it is loaded. Return the failed cells of each, which loading drops."""
    errors: dict[int, dict[str, str]] = {}
    data, rows = b"", 0
    with archive.open(_part_of(archive, name)) as part:
        while chunk := part.read(CHUNK_BYTES):
            *complete, data = END_OF_ROW.split(data + chunk)
            if len(data) > MAX_ROW_BYTES:
                raise WorkbookError(f"a row of more than {MAX_ROW_BYTES:,} bytes")
            rows += sum(1 for row in complete if VALUE.search(row))
            for row in complete:
                for number, cell, text in _failed_cells(row) if FAILED.search(row) else ():
                    errors.setdefault(number, {})[cell] = text
            if rows > max_rows + 1:
                raise WorkbookError(
                    f"the sheet {name!r} has more than {max_rows:,} rows, and is loaded as a whole",
                    "save it as CSV, or raise --max-rows: 100,000 rows take about 200 MB",
                )
    return errors


def _failed_cells(row: bytes) -> Iterator[tuple[int, str, str]]:
    """Yield row number, name and failure of each cell that has an error, or a formula without its value."""
    for cell in CELL.split(row)[1:]:
        attributes, _, content = cell.partition(b">")
        place, type = PLACE.search(attributes), TYPE.search(attributes)
        if not place:
            continue
        stored = STORED.search(content)
        value = stored[1].decode("utf-8", "replace") if stored else ""
        name = f"{place[1].decode()}{int(place[2])}"
        if type and type[1] == b"e" and value:
            yield int(place[2]), name, value
        # A formula whose result is an empty text is stored as one.
        elif FORMULA.search(content) and not value and not (stored and type and type[1] == b"str"):
            yield int(place[2]), name, NOT_STORED


def _part_of(archive: zipfile.ZipFile, name: str) -> str:
    """Find the part of a workbook that is a sheet."""
    related = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {relation.get("Id"): relation.get("Target", "") for relation in related}
    for element in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
        if element.tag.endswith("}sheet") and element.get("name") == name:
            ids = (value for key, value in element.attrib.items() if key.endswith("}id"))
            return posixpath.normpath(posixpath.join("/xl", targets[next(ids)])).lstrip("/")
    raise WorkbookError(f"the sheet {name!r} is missing")


def _refuse_bomb(archive: zipfile.ZipFile) -> None:
    """Read every part once: its checksum proves the size that it states."""
    parts = archive.infolist()
    size, packed = sum(part.file_size for part in parts), sum(part.compress_size for part in parts)
    if size > MAX_DECOMPRESSED_BYTES or size > max(MIN_JUDGED_BYTES, MAX_RATIO * packed):
        raise WorkbookError(f"decompresses to {size:,} bytes, as no feed does")
    if damaged := archive.testzip():
        raise WorkbookError(f"not a complete xlsx file: {damaged!r} is damaged")


def main(sheet: str, max_rows: str) -> None:
    """Write the rows of the workbook on standard input."""
    size = MEMORY_BYTES + MEMORY_BYTES_PER_ROW * int(max_rows)
    try:
        with memory_limit(size):
            for row in read_sheet(sys.stdin.buffer, json.loads(sheet), int(max_rows)):
                sys.stdout.write(json.dumps(row) + "\n")
    except WorkbookError as error:
        problem = {"message": str(error), "hint": error.hint, "is_usage": error.is_usage}
        sys.stdout.write(json.dumps(problem) + "\n")
