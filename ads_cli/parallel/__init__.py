"""Work in threads, with the results in order, and in worker processes, whose main function imports little."""

import sys
from contextlib import suppress
from typing import Any

from ..lean_imports import import_msgspec


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
