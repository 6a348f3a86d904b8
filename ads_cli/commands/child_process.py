"""A command that runs below adsctl, and is told of the signals that adsctl gets."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from ..errors import Interrupted, UsageError
from ..signals import handled_by


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

    with handled_by(pass_on):
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
