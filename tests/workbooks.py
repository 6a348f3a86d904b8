"""Read what adsctl writes as a workbook."""

from pathlib import Path
from typing import Any

import openpyxl
import python_calamine


def sheet_of(path: Path, name: str | None = None) -> list[list[Any]]:
    """The rows of the first sheet, or of a named one, as the reader of feeds sees them."""
    workbook = python_calamine.CalamineWorkbook.from_path(path)
    return workbook.get_sheet_by_name(name or workbook.sheet_names[0]).to_python()


def records_of(path: Path) -> list[dict[str, Any]]:
    """The rows below the head, by its names."""
    head, *rows = sheet_of(path)
    return [dict(zip(head, row, strict=True)) for row in rows]


def cells_of(path: Path) -> list[Any]:
    """The cells below the head with their formats, as a spreadsheet sees them."""
    return [cell for row in openpyxl.load_workbook(path).active.iter_rows(min_row=2) for cell in row]


def frozen(path: Path) -> str | None:
    """The first cell below what stays in view."""
    return openpyxl.load_workbook(path).active.freeze_panes
