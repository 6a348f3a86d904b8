"""Work in batches, in threads with the results in order, and in worker processes, which import little."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from ..lean_imports import import_msgspec

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield items in lists of so many; the last may be shorter (`itertools.batched` of Python 3.12)."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def serve() -> None:
    """Run a task on each block that arrives on standard input, until it is closed: a worker process."""
    import pickle

    requests, results = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not end up between the results
    import_msgspec()
    with suppress(EOFError, BrokenPipeError):
        task = pickle.load(requests)
        while True:
            block, *args = pickle.load(requests)
            try:
                result: tuple[bool, Any] = True, task(block, *args)
            except Exception as error:
                result = False, error
            pickle.dump(result, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
