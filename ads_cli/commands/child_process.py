"""A command that runs below adsctl, and is told of the signals that adsctl gets."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from ..errors import Interrupted, UsageError

SIGNALS = ("SIGTERM", "SIGHUP", "SIGINT")


def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a command and return its exit code; pass signals on, and raise Interrupted once it has ended.

    A signal may come before the command has started, and is then passed on as soon as it has.
    """
    received: list[int] = []
    early: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def pass_on(signum: int, frame: FrameType | None) -> None:
        received.append(signum)
        if child is None:
            early.append(signum)
        else:
            _send(child, signum)

    with _handled_by(pass_on):
        try:
            child = subprocess.Popen(command, env=environment)
        except OSError as error:
            raise UsageError(f"cannot run {command[0]}: {error.strerror}") from error
        for signum in early:
            _send(child, signum)
        code = child.wait()
    if received:
        raise Interrupted(received[0])
    return code


def _send(child: "subprocess.Popen[bytes]", signum: int) -> None:
    """Send a signal, unless the terminal has sent it to the child too."""
    if signum == signal.SIGTERM or not sys.stdin.isatty():
        child.send_signal(signum)


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Replace the handlers of signals that are not ignored."""
    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    replaced = [number for number, previous in before.items() if previous is not signal.SIG_IGN]
    for number in replaced:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, before[number])
