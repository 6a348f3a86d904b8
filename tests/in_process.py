"""What a command in the process of the tests has as if it were a process: streams, environment, signals."""

import io
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
JOIN_TIMEOUT_SECONDS = 60


@contextmanager
def like_a_process(
    argv: list[str], environment: Mapping[str, str], folder: Path, stdin: bytes | None
) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Give the block what a new process has, and take back what it leaves; yield its stdout and stderr.

    These are filled when the block ends. Children of the block inherit its standard streams.
    """
    stdout, stderr = io.BytesIO(), io.BytesIO()
    with ExitStack() as stack:
        stack.enter_context(_attributes())
        stack.enter_context(_environment(environment))
        stack.enter_context(_folder(folder))
        stack.enter_context(_signals())
        stack.enter_context(_threads_joined())
        stack.enter_context(_stdin(stdin))
        stack.enter_context(_captured(1, stdout))
        stack.enter_context(_captured(2, stderr))
        sys.argv = ["adsctl", *argv]
        sys.stdin = io.TextIOWrapper(os.fdopen(0, "rb", closefd=False), "utf-8", newline="\n")
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), "utf-8", newline="\n")
        sys.stderr = io.TextIOWrapper(
            os.fdopen(2, "wb", closefd=False),
            "utf-8",
            errors="backslashreplace",
            newline="\n",
            line_buffering=True,
        )
        stack.callback(sys.stderr.flush)
        stack.callback(sys.stdout.flush)
        yield stdout, stderr


@contextmanager
def _attributes() -> Iterator[None]:
    """Restore what a command changes in modules, and forget what a new process has not looked up."""
    keyring = sys.modules.get("keyring.core")
    places = [(sys, name) for name in ("argv", "stdin", "stdout", "stderr", "unraisablehook")]
    places += [(tempfile, "tempdir")] + [(keyring, "_keyring_backend")] * bool(keyring)
    saved = [(place, name, getattr(place, name)) for place, name in places]
    tempfile.tempdir = None
    if keyring:
        keyring._keyring_backend = None
    try:
        yield
    finally:
        for place, name, value in saved:
            setattr(place, name, value)


@contextmanager
def _environment(environment: Mapping[str, str]) -> Iterator[None]:
    saved = dict(os.environ)
    try:
        _replace_environment(environment)
        yield
    finally:
        _replace_environment(saved)


def _replace_environment(environment: Mapping[str, str]) -> None:
    now = dict(os.environ)
    for name in now.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment.items() - now.items())
    if now.get("TZ") != environment.get("TZ"):
        time.tzset()


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    saved = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(saved)


@contextmanager
def _signals() -> Iterator[None]:
    saved = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in saved.items():
            signal.signal(number, handler)


@contextmanager
def _threads_joined() -> Iterator[None]:
    """Wait, as Python does before it ends, for threads that are not daemons."""
    before = set(threading.enumerate())
    try:
        yield
    finally:
        for thread in set(threading.enumerate()) - before:
            if not thread.daemon:
                thread.join(JOIN_TIMEOUT_SECONDS)
                assert not thread.is_alive(), thread


@contextmanager
def _stdin(content: bytes | None) -> Iterator[None]:
    """Make standard input a pipe that holds `content`, or the null device."""
    if content is None:
        with Path(os.devnull).open("rb") as nothing, _redirected(0, nothing):
            yield
        return
    reading, writing = os.pipe()
    feeder = threading.Thread(target=_feed, args=(writing, content), daemon=True)
    with os.fdopen(reading, "rb") as pipe, _redirected(0, pipe):
        feeder.start()
        yield
    feeder.join()


def _feed(descriptor: int, content: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as pipe:
        pipe.write(content)


@contextmanager
def _captured(descriptor: int, content: io.BytesIO) -> Iterator[None]:
    """Redirect a descriptor to a file in memory, so that the output of children is captured too."""
    with os.fdopen(os.memfd_create("output"), "w+b") as file:
        with _redirected(descriptor, file):
            yield
        file.seek(0)
        content.write(file.read())


@contextmanager
def _redirected(descriptor: int, file: BinaryIO) -> Iterator[None]:
    saved = os.dup(descriptor)
    os.dup2(file.fileno(), descriptor)
    try:
        yield
    finally:
        os.dup2(saved, descriptor)
        os.close(saved)
