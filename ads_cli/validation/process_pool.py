"""Blocks of a table, worked on in processes of their own where a file is large."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .ordered_map import map_ordered

if TYPE_CHECKING:
    from ..feeds.rows import Block

LARGE = 8 * 1024 * 1024  # bytes of a file, from which on starting processes pays
MOST = 4  # processes that one which hands out blocks can feed
AHEAD = 4  # blocks for each process that are under way or wait to be given
SERVE = "import sys; sys.path[:] = {}; from ads_cli.validation.worker_process import serve; serve()"

R = TypeVar("R")


class ProcessPool(Generic[R]):
    """A process for each core, where there are several and the file is large; each is given `work` once.

    Where one cannot be had, or dies, its blocks are worked on in this process.
    """

    def __init__(self, work: Callable[..., R], size: int) -> None:
        self._work = work
        self._count = _cores() if size >= LARGE else 1
        self._idle: SimpleQueue[_WorkerProcess | None] = SimpleQueue()
        for _ in range(self._count if self._count > 1 else 0):
            self._idle.put(_WorkerProcess.of(work))

    def each(self, blocks: "Iterable[Block]", *how: Any) -> "Iterator[tuple[Block, R]]":
        """Give each block, in order, with what `work(block, *how)` makes of it."""
        if self._count == 1:
            return ((block, self._work(block, *how)) for block in blocks)
        return map_ordered(
            lambda block: (block, self._done(block, *how)), blocks, self._count, AHEAD * self._count
        )

    def close(self) -> None:
        """Let the processes go."""
        while not self._idle.empty():
            if worker := self._idle.get():
                worker.close()

    def _done(self, block: "Block", *how: Any) -> R:
        """Have a block worked on by whoever is idle; in a thread of its own."""
        worker = self._idle.get()
        try:
            if worker:
                return cast(R, worker.done(block, *how))
        except (OSError, EOFError, pickle.UnpicklingError):
            worker = None
        finally:
            self._idle.put(worker)
        return self._work(block, *how)


class _WorkerProcess:
    """A process that ends with this one, however it ends: what it reads from is closed then."""

    def __init__(self, work: Callable[..., Any]) -> None:
        # In a session of its own, no signal of a terminal reaches it.
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE.format(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._tell(work)

    @classmethod
    def of(cls, work: Callable[..., Any]) -> "_WorkerProcess | None":
        """Start a process; None where that cannot be."""
        with suppress(OSError):
            return cls(work)
        return None

    def done(self, *told: Any) -> Any:
        """Have a block worked on; raise what that raises, or OSError or EOFError where it died."""
        self._tell(told)
        is_done, result = pickle.load(cast(Any, self._process.stdout))
        if not is_done:
            raise result
        return result

    def close(self) -> None:
        """End it."""
        with suppress(OSError), self._process:
            pass

    def _tell(self, told: Any) -> None:
        stdin = cast(Any, self._process.stdin)
        pickle.dump(told, stdin, pickle.HIGHEST_PROTOCOL)
        stdin.flush()


def _cores() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST)
