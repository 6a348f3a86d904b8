"""The signals that end a program, handled for a while in another way."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Replace the handlers of signals that are not ignored."""
    before = {number: signal.getsignal(number) for number in signal_numbers()}
    replaced = [number for number, previous in before.items() if previous is not signal.SIG_IGN]
    for number in replaced:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, before[number])


def signal_numbers() -> list[int]:
    """Return the numbers of those signals that this system has."""
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
