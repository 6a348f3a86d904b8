"""Blocks of a table, processed one by one, in worker processes where that pays."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from ..feeds.rows import Block, TableRows
from ..parallel.process_pool import ProcessPool

Task = Callable[..., Any]  # called with a block and further arguments; returns None where it is unreadable


class UnreadableError(Exception):
    """A block cannot be parsed; reading row by row tells why, or succeeds."""


class BlockRunner:
    """Run a task on each block of a table, as often as the table is read."""

    block_bytes = 256 * 1024

    def __init__(
        self,
        rows: TableRows,
        make_task: Callable[[TableRows], Task],
        *,
        on_header: Callable[[], None],
        block_bytes: int | None = None,
    ) -> None:
        self._rows = rows
        self._make_task = make_task  # called once the header is known
        self._on_header = on_header
        if block_bytes is not None:
            self.block_bytes = block_bytes
        self._pool: ProcessPool[Any] | None = None

    def run(self, *args: Any) -> Iterator[tuple[Block, Any]]:
        """Yield each block with the result of the task; raise UnreadableError."""
        blocks = self._rows.blocks(self.block_bytes)
        first = next(blocks, None)  # the header is known from here on
        self._on_header()
        if self._pool is None:
            self._pool = ProcessPool(self._make_task(self._rows), self._rows.source.size)
        for block, result in self._pool.each(chain([first] if first else [], blocks), *args):
            if result is None:
                raise UnreadableError
            yield block, result

    def results(self, *args: Any) -> Iterator[Any]:
        """Yield the results alone."""
        return (result for _, result in self.run(*args))

    def close(self) -> None:
        """End the worker processes; the next run starts new ones, with a new task."""
        if self._pool:
            self._pool.close()
            self._pool = None
