"""Worker processes that process the blocks of a large table."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Generic, TypeVar, cast

from .ordered_map import map_ordered

MIN_FILE_BYTES = 8 * 1024 * 1024  # below this, starting processes takes longer than they save
MAX_PROCESSES = 4  # that one process can supply with blocks
BLOCKS_AHEAD = 4  # for each process, started or waiting to be yielded
PROGRAM = "import sys; sys.path[:] = {}; from ads_cli.parallel import serve; serve()"

B = TypeVar("B")  # a block: what the task is run on, picklable
R = TypeVar("R")


class ProcessPool(Generic[R]):
    """One process for each core where the file is large; each receives the task once.

    Where a process cannot be started, or dies, its blocks are processed in this process.
    """

    def __init__(self, task: Callable[..., R], file_bytes: int) -> None:
        self._task = task
        self._count = _cores() if uses_processes(file_bytes) else 1
        self._idle: SimpleQueue[WorkerProcess | None] = SimpleQueue()
        self._is_started = False
        self._start_lock = threading.Lock()

    def each(self, blocks: Iterable[B], *args: Any) -> Iterator[tuple[B, R]]:
        """Yield each block, in order, with the result of `task(block, *args)`."""
        if self._count == 1:
            yield from ((block, self._task(block, *args)) for block in blocks)
            return

        def run(block: B) -> tuple[B, R]:
            return block, self._run(block, *args)

        yield from map_ordered(run, blocks, self._count, BLOCKS_AHEAD * self._count)

    def close(self) -> None:
        """End the idle processes."""
        while not self._idle.empty():
            if worker := self._idle.get():
                worker.close()

    def _start(self) -> None:
        with self._start_lock:
            for _ in range(0 if self._is_started else self._count):
                self._idle.put(WorkerProcess.start(self._task))
            self._is_started = True

    def _run(self, block: B, *args: Any) -> R:
        """Run the task in an idle process; called in a thread of its own."""
        self._start()
        worker = self._idle.get()
        try:
            if worker:
                return cast(R, worker.run(block, *args))
        except (OSError, EOFError, pickle.UnpicklingError):
            worker = None
        finally:
            self._idle.put(worker)
        return self._task(block, *args)


class WorkerProcess:
    """Runs a task. It ends with this process, however that ends, since its standard input is closed."""

    def __init__(self, task: Callable[..., Any]) -> None:
        # In a session of its own it receives no signal of the terminal.
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._send(task)

    @classmethod
    def start(cls, task: Callable[..., Any]) -> "WorkerProcess | None":
        """Start a process, or return None where that fails."""
        with suppress(OSError):
            return cls(task)
        return None

    def run(self, *args: Any) -> Any:
        """Return the task's result. Raise its error, or OSError or EOFError if the process died."""
        self._send(args)
        succeeded, result = pickle.load(cast(Any, self._process.stdout))
        if not succeeded:
            raise result
        return result

    def close(self) -> None:
        """End the process."""
        with suppress(OSError), self._process:
            pass

    def _send(self, message: Any) -> None:
        stdin = cast(Any, self._process.stdin)
        pickle.dump(message, stdin, pickle.HIGHEST_PROTOCOL)
        stdin.flush()


def uses_processes(file_bytes: int) -> bool:
    """Tell whether a table is so large that several processes work on it."""
    return file_bytes >= MIN_FILE_BYTES


def _cores() -> int:
    if sys.platform == "linux":
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return min(cores, MAX_PROCESSES)
