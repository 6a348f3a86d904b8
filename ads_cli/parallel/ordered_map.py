"""Map a function over tasks in several threads, with the results in order."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

WAKE_UP_SECONDS = 1.0

T = TypeVar("T")
R = TypeVar("R")


class WorkerThreads:
    """Threads for any number of maps, one after the other; each keeps its connections from map to map.

    They start as tasks come. They are daemons, so that a signal ends the program without waiting for a
    response.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._started = 0
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def _run(self) -> None:
        while (entry := self._queue.get()) is not None:
            future, work = entry
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

    def map_ordered(self, work: Callable[[T], R], tasks: Iterable[T], max_pending: int) -> Iterator[R]:
        """Yield `work(task)` for each task, in order; at most `max_pending` are started and not yielded.

        When a task fails, its error is raised in turn, and the tasks already started still finish.
        """
        pending: deque[Future[R]] = deque()
        try:
            for task in tasks:
                if self._started < self._threads:
                    threading.Thread(target=self._run, daemon=True).start()
                    self._started += 1
                future: Future[R] = Future()
                self._queue.put((future, partial(work, task)))
                pending.append(future)
                while pending and (pending[0].done() or len(pending) >= max_pending):
                    yield _result_of(pending.popleft())
            while pending:
                yield _result_of(pending.popleft())
        except Exception:
            for future in pending:
                future.exception()  # waits until it is done
            raise

    def close(self) -> None:
        """End the threads once they have done what was started."""
        for _ in range(self._started):
            self._queue.put(None)


def map_ordered(work: Callable[[T], R], tasks: Iterable[T], threads: int, max_pending: int) -> Iterator[R]:
    """Map as `WorkerThreads.map_ordered` does, with threads of its own; a single task needs none."""
    if isinstance(tasks, Sized) and len(tasks) == 1:
        yield from map(work, tasks)
        return
    with closing(WorkerThreads(threads)) as workers:
        yield from workers.map_ordered(work, tasks, max_pending)


def _result_of(future: Future[R]) -> R:
    """Wait for a result, waking up now and then: a signal right before a wait is handled only after it."""
    while True:
        try:
            return future.result(WAKE_UP_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result()
