"""Blocks of a table of people, taken apart and packed."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..feeds.rows import Block
from .operation_params import Heads
from .packing import Packed, Packing, pack

Wrong = dict[int, list[tuple[str, str]]]  # field and reason, by row


class Table(NamedTuple):
    """How the rows of a table become users."""

    delimiter: str
    fields: tuple[str, ...]  # the field of each cell; "" where it is left out
    heads: Heads


class PackedBlock(NamedTuple):
    """A packed block: what became of its rows, how many there are, and the lines of those that are wrong."""

    packed: Packed
    rows: int
    blank: list[int]  # rows that hold nothing, and are none
    lines: dict[int, int]  # of rows with problems, counted from 0


def pack_block(table: Table, block: Block, packing: Packing) -> PackedBlock | None:
    """Pack the rows of a block; None where it cannot be read; who reads line by line says why."""
    try:
        text = block.data.decode()
        if "\0" in text:
            return None
        cells, wrong = _cells(table, text)
    except (UnicodeDecodeError, csv.Error):
        return None
    rows = len(cells[0]) if cells else 0
    columns: dict[str, Any] = {name: of for name, of in zip(table.fields, cells, strict=False) if name}
    heads, wrong_heads = table.heads.of(columns, rows)
    for number, problems in wrong_heads.items():
        wrong.setdefault(number, []).extend(problems)
    packed = pack(columns, heads, packing, wrong)
    blank = [number for number in packed.problems if not any(column[number].strip() for column in cells)]
    for number in blank:
        del packed.problems[number]
    lines = _lines(table, text, packed.problems) if packed.problems else {}
    return PackedBlock(packed, rows, blank, lines)


def _cells(table: Table, text: str) -> tuple[list[Sequence[str]], Wrong]:
    """Read the columns of a block, and say which rows have too many cells or too few."""
    width = len(table.fields)
    if width == 1 and not any(sign in text for sign in ('"', "\r", table.delimiter)):
        return [text.removesuffix("\n").split("\n")], {}  # a list of lines, which many are
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=table.delimiter, strict=True))
    wrong: Wrong = {}
    if any(len(row) != width for row in rows):
        for number, row in enumerate(rows):
            if row and len(row) != width:
                wrong[number] = [("", f"has {len(row)} cells, and the header has {width}")]
            row[width:] = [""] * (width - len(row))
    return list(zip(*rows, strict=True)), wrong


def _lines(table: Table, text: str, rows: Iterable[int]) -> dict[int, int]:
    """Find the line on which each of some rows begins, counted from 0."""
    wanted, found, begins = set(rows), {}, 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=table.delimiter, strict=True)
    for number, _ in enumerate(reader):
        if number in wanted:
            found[number] = begins
        begins = reader.line_num
    return found
