"""Read from a back end in a thread, since not each of its operations has a time-out."""

import threading
from collections.abc import Iterator
from queue import Empty, Full, Queue
from typing import Any

HELD_ITEMS = 4


def in_thread(items: Iterator[Any], timeout: float) -> Iterator[Any]:
    """Yield items that a thread makes, or the exception that ended it; TimeoutError after a silence.

    Not every operation of every back end has a time-out; a thread that hangs is left behind.
    """
    made: Queue[Any] = Queue(HELD_ITEMS)
    abandoned = threading.Event()
    end = object()

    def put(item: Any) -> None:
        while not abandoned.is_set():
            try:
                made.put(item, timeout=1.0)
                return
            except Full:
                continue

    def make() -> None:
        try:
            for item in items:
                put(item)
                if abandoned.is_set():
                    return
            put(end)
        except Exception as error:
            put(error)

    threading.Thread(target=make, daemon=True).start()
    try:
        while True:
            try:
                item = made.get(timeout=timeout)
            except Empty:
                item = TimeoutError()
            if item is end:
                return
            yield item
            if isinstance(item, Exception):
                return
    finally:
        abandoned.set()
