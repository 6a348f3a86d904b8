"""Blocks of a table, packed in processes of their own where a file is large."""

import csv
import io
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import accumulate
from multiprocessing import get_context
from typing import Any, NamedTuple

from ..read_csv import Block
from .heads import Heads
from .pack import Packed, Packing, pack

LARGE = 8 * 1024 * 1024  # bytes of a file, from which on starting processes pays
Wrong = dict[int, list[tuple[str, str]]]  # field and reason, by row
AHEAD = 3  # blocks of each process that are under way


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

    def folded(self) -> tuple["PackedBlock", bytes]:
        """Take the bodies of all operations out, as one: thousands of small ones travel badly."""
        bodies = b"".join(operation.body for operation in self.packed.operations)
        if bodies:
            self.packed.operations = [each._replace(body=b"") for each in self.packed.operations]
        return self, bodies

    def unfolded(self, bodies: bytes) -> "PackedBlock":
        """Put the bodies of the operations back."""
        if bodies:
            view, ends = memoryview(bodies), accumulate(each.size for each in self.packed.operations)
            self.packed.operations = [
                each._replace(body=view[end - each.size : end])
                for each, end in zip(self.packed.operations, ends, strict=True)
            ]
        return self


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


def packed_blocks(
    table: Table, blocks: Iterable[Block], size: int
) -> Iterator[tuple[Block, PackedBlock | None]]:
    """Pack blocks, in their order; where the file is large, in as many processes as there are cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if size < LARGE or cores < 2:
        yield from ((block, pack_block(table, block.data)) for block in blocks)
        return
    begun: deque[tuple[Block, Future[tuple[PackedBlock, bytes] | None]]] = deque()
    pool = ProcessPoolExecutor(cores, get_context("spawn"), _quietly)
    try:
        for block in blocks:
            begun.append((block._replace(data=b""), pool.submit(_elsewhere, table, block.data)))
            if len(begun) >= cores * AHEAD:
                yield _result(*begun.popleft())
        while begun:
            yield _result(*begun.popleft())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _elsewhere(table: Table, data: bytes) -> tuple[PackedBlock, bytes] | None:
    """Pack a block in a process of its own."""
    packed = pack_block(table, data)
    return packed.folded() if packed else None


def _result(
    block: Block, future: "Future[tuple[PackedBlock, bytes] | None]"
) -> tuple[Block, PackedBlock | None]:
    done = future.result()
    return block, done[0].unfolded(done[1]) if done else None


def _quietly() -> None:
    """Leave signals to the process that everybody sees; it ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
