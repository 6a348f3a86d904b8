"""Pack a block of a table of people."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..feeds.rows import Block
from .answers import CellAnswers
from .operation_params import ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow
from .roles import ColumnRoles


class TableLayout(NamedTuple):
    """How the rows of a table become users."""

    delimiter: str
    roles: ColumnRoles
    resolver: ParamsResolver


class AnswersInBlock(NamedTuple):
    """What the columns of conditions say in a block."""

    answers: dict[str, CellAnswers]
    lines: dict[int, int]  # of the rows that they name, counted from 0
    rows: int


class PackedBlock(NamedTuple):
    """The packed rows of a block."""

    packed: PackedRows
    rows: int
    blank: list[int]  # rows without any value, which are not counted as records
    lines: dict[int, int]  # of rows with problems, counted from 0


def pack_block(layout: TableLayout, block: Block, options: PackingOptions) -> PackedBlock | None:
    """Pack the rows of a block; return None where it cannot be parsed: reading it by lines tells why."""
    if (parsed := _parse_block(layout, block)) is None:
        return None
    text, cells, problems = parsed
    rows = len(cells[0]) if cells else 0
    packed = layout.roles.pack(cells, rows, layout.resolver, options, problems)
    not_packed = [*packed.problems, *packed.left_out]
    blank = [row for row in not_packed if not any(column[row].strip() for column in cells)]
    for answers in packed.answers.values():
        answers[""] -= len(packed.problems.keys() & {*blank})
    packed.left_out = {*packed.left_out}.difference(blank)
    for row in blank:
        packed.problems.pop(row, None)
    reported = {*packed.problems, *packed.partial, *packed.doubts}
    lines = _find_lines(layout, text, reported) if reported else {}
    return PackedBlock(packed, rows, blank, lines)


def find_answers(layout: TableLayout, block: Block) -> AnswersInBlock | None:
    """Find what the columns of conditions say in a block; return None where it cannot be parsed."""
    if (parsed := _parse_block(layout, block)) is None:
        return None
    text, cells, problems = parsed
    rows = len(cells[0]) if cells else 0
    answers = layout.roles.find_answers(cells, rows, problems.keys())
    named = {row for found in answers.values() for row in found.rows}
    return AnswersInBlock(answers, _find_lines(layout, text, named) if named else {}, rows)


def _parse_block(layout: TableLayout, block: Block) -> tuple[str, list[Sequence[str]], ProblemsByRow] | None:
    """Return the text of a block, its columns, and the rows with too many or too few cells."""
    try:
        text = block.data.decode()
        return None if "\0" in text else (text, *_parse(layout, text))
    except (UnicodeDecodeError, csv.Error):
        return None


def _parse(layout: TableLayout, text: str) -> tuple[list[Sequence[str]], ProblemsByRow]:
    """Return the columns of a block, and the rows with too many or too few cells."""
    width = len(layout.roles.fields)
    if width == 1 and not any(sign in text for sign in ('"', "\r", layout.delimiter)):
        return [text.removesuffix("\n").split("\n")], {}  # one value a line, which is common
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter, strict=True))
    problems: ProblemsByRow = {}
    if any(len(row) != width for row in rows):
        for number, row in enumerate(rows):
            if row and len(row) != width:
                problems[number] = [("", f"has {len(row)} cells, and the header has {width}")]
            row[width:] = [""] * (width - len(row))
    return list(zip(*rows, strict=True)), problems


def _find_lines(layout: TableLayout, text: str, rows: Iterable[int]) -> dict[int, int]:
    """Find the line on which each of some rows begins, counted from 0."""
    wanted, lines, begins = set(rows), {}, 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter, strict=True)
    for number, _ in enumerate(reader):
        if number in wanted:
            lines[number] = begins
        begins = reader.line_num
    return lines
