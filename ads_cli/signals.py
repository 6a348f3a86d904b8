"""The signals that end a program, handled for a while in another way."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")
# No wait of the main thread that a signal must end may be longer. Python calls handlers between two of its
# own instructions. A signal right before a system call is handled only when the call has returned.
NOTICE_SECONDS = 0.1


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


def turn_off_core_dumps() -> None:
    """Let the system write no core dump of this process and those that it starts; Windows writes none."""
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
