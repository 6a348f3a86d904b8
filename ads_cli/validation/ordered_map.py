"""Work in several threads, with its results in the order of its tasks."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def map_ordered(work: Callable[[T], R], tasks: Iterable[T], threads: int, waiting: int) -> Iterator[R]:
    """Give `work(task)` for each task, in order; `threads` at a time, at most `waiting` begun and not given.

    The threads are daemons, so that a signal ends the program without waiting for an answer. When a
    task fails, the error is raised in its turn and what was begun is still finished.
    """
    queue: SimpleQueue[tuple[Future[R], T] | None] = SimpleQueue()
    begun: deque[Future[R]] = deque()

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
            begun.append(future)
            while begun and (begun[0].done() or len(begun) >= waiting):
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    except Exception:
        for future in begun:
            future.exception()  # waits until it is done
        raise
    finally:
        for _ in range(threads):
            queue.put(None)
