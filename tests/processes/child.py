"""Fork a process that becomes a command: with the folder, environment, streams and signals of another one."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import NamedTuple, TextIO

from tests.processes.client import FORWARDED, STREAMS


class Child(NamedTuple):
    """A forked process."""

    pid: int
    descriptor: int  # readable once the process has ended

    def end(self) -> int:
        """Kill the process if it still runs; return its exit code, or minus the signal that ended it."""
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def fork(run: Callable[[], int]) -> Child:
    """Fork a process that calls a function and ends with its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return Child(pid, os.pidfd_open(pid))
    code = 1
    try:
        code = run()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def take_over(
    folder: Path | bytes,
    environment: Mapping[bytes, bytes],
    streams: Mapping[int, int],
    ignored: Collection = (),
) -> None:
    """Give this process a folder, an environment, descriptors as its streams, and signals that it ignores."""
    os.chdir(folder)
    os.environ.clear()
    os.environb.update(environment)
    time.tzset()
    for number, name in zip(STREAMS, ("stdin", "stdout", "stderr"), strict=True):
        if number in streams:
            os.dup2(streams[number], number)
        else:
            os.close(number)
        setattr(sys, name, opened(number) if number in streams else None)
    for descriptor in streams.values():
        os.close(descriptor)
    for number in FORWARDED:
        default = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in ignored else default)


def opened(number: int) -> TextIO:
    """Open a standard stream as Python does when it starts."""
    mode, errors = ("r" if number == 0 else "w"), ("backslashreplace" if number == 2 else "surrogateescape")
    return open(number, mode, 1 if number == 2 else -1, "utf-8", errors, "\n", closefd=False)


def encoded(environment: Mapping[str, str]) -> dict[bytes, bytes]:
    return {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
