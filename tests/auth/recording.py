"""Record what a command runs and which files it opens for writing, by an audit hook of Python."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
_log: int | None = None  # the file that the hook of this process writes to; a hook cannot be removed
_is_hooked = False


def record(log: int, event: str, arguments: tuple) -> None:
    if event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR) and not isinstance(arguments[0], int):
        os.write(log, f"wrote {arguments[0]}\n".encode("utf-8", "replace"))
    elif event in STARTS:
        os.write(log, f"ran {arguments[:2]}\n".encode("utf-8", "replace"))


@contextmanager
def recording(path: Path) -> Iterator[None]:
    """Record what this process does in the block."""
    global _log, _is_hooked
    if not _is_hooked:
        sys.addaudithook(lambda event, arguments: _log is not None and record(_log, event, arguments))
        _is_hooked = True
    _log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(_log, b"ran in the process of the tests\n")
    try:
        yield
    finally:
        os.close(_log)
        _log = None
