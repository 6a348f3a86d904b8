"""A process that works on blocks of a table; it imports no more than that takes."""

import pickle
import sys
from contextlib import suppress
from typing import Any


def serve() -> None:
    """Work on blocks until there are no more; standard input and output belong to who hands them out."""
    told, results = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    with suppress(EOFError, BrokenPipeError):
        work = pickle.load(told)
        while True:
            block, *how = pickle.load(told)
            try:
                answer: tuple[bool, Any] = True, work(block, *how)
            except Exception as error:
                answer = False, error
            pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
