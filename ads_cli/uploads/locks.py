"""One run of a job at a time. The system lets go of the locks of a process that has died."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock


def alone(folder: Path) -> "FileLock":
    """Keep others from taking and removing locks meanwhile: else one may be taken that is gone."""
    from filelock import FileLock

    return FileLock(folder / ".lock", mode=0o600)


def locked(folder: Path, key: str) -> "FileLock | None":
    """Take the lock of a job; None where another run holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / f"{key}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    return lock
