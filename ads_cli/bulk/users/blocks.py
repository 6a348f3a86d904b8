"""Blocks of a table, packed in processes of their own where a file is large."""

import csv
import io
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, NamedTuple

from .heads import Heads
from .pack import Packed, Packing, pack

if TYPE_CHECKING:
    from ..read_csv import Block

LARGE = 8 * 1024 * 1024  # bytes of a file, from which on starting processes pays
Wrong = dict[int, list[tuple[str, str]]]  # field and reason, by row
AHEAD = 4  # blocks that are under way while one is waited for


class Table(NamedTuple):
    """How the rows of a table become users."""

    delimiter: str
    fields: tuple[str, ...]  # the field of each cell; "" where it is left out
    heads: Heads
    packing: Packing


class PackedBlock(NamedTuple):
    """A packed block: what became of its rows, how many there are, and the lines of those that are wrong."""

    packed: Packed
    rows: int
    blank: list[int]  # rows that hold nothing, and are none
    lines: dict[int, int]  # of rows with problems, counted from 0


def pack_block(table: Table, data: bytes) -> PackedBlock | None:
    """Pack the rows of a block; None where it cannot be read; who reads line by line says why."""
    try:
        text = data.decode()
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
    packed = pack(columns, heads, table.packing, wrong)
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


@cache
def processes() -> Executor | None:
    """Open a process for each core, once, where there are several."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ProcessPoolExecutor(cores, get_context("spawn"), _follow) if cores > 1 else None


def packed_blocks(
    table: Table, blocks: "Iterable[Block]", size: int
) -> "Iterator[tuple[Block, PackedBlock | None]]":
    """Pack blocks, in their order; where the file is large, in several processes."""
    if size < LARGE or not (pool := processes()):
        yield from ((block, pack_block(table, block.data)) for block in blocks)
        return
    begun: deque[tuple[Block, Future[PackedBlock | None]]] = deque()
    try:
        for block in blocks:
            begun.append((block._replace(data=b""), pool.submit(pack_block, table, block.data)))
            if len(begun) > AHEAD:
                first, packed = begun.popleft()
                yield first, packed.result()
        while begun:
            first, packed = begun.popleft()
            yield first, packed.result()
    finally:
        for _, packed in begun:
            packed.cancel()


def _follow() -> None:
    """Leave signals to the process that everybody sees, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent_process(),), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(0)
