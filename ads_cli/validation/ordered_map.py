"""Map a function over tasks in several threads, with the results in order."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

WAKE_UP_SECONDS = 1.0

T = TypeVar("T")
R = TypeVar("R")


def map_ordered(work: Callable[[T], R], tasks: Iterable[T], threads: int, max_pending: int) -> Iterator[R]:
    """Yield `work(task)` for each task, in order; at most `max_pending` are started and not yielded.

    The threads are daemons, so that a signal ends the program without waiting for a response. When a
    task fails, its error is raised in turn, and the tasks already started still finish.
    """
    queue: SimpleQueue[tuple[Future[R], T] | None] = SimpleQueue()
    pending: deque[Future[R]] = deque()

    def run() -> None:
        while (entry := queue.get()) is not None:
            future, task = entry
            try:
                future.set_result(work(task))
            except BaseException as error:
                future.set_exception(error)

    for _ in range(threads):
        threading.Thread(target=run, daemon=True).start()
    try:
        for task in tasks:
            future: Future[R] = Future()
            queue.put((future, task))
            pending.append(future)
            while pending and (pending[0].done() or len(pending) >= max_pending):
                yield _result_of(pending.popleft())
        while pending:
            yield _result_of(pending.popleft())
    except Exception:
        for future in pending:
            future.exception()  # waits until it is done
        raise
    finally:
        for _ in range(threads):
            queue.put(None)


def _result_of(future: Future[R]) -> R:
    """Wait for a result, waking up now and then: a signal right before a wait is handled only after it."""
    while True:
        try:
            return future.result(WAKE_UP_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result()
