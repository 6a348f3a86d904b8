"""Locks between processes; the system releases those of a process that has died."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock


def lock_folder(folder: Path) -> "FileLock":
    """Keep other processes from taking or removing locks, so that none takes a lock that is removed."""
    from filelock import FileLock

    return FileLock(folder / ".lock", mode=0o600)


def try_lock(folder: Path, key: str) -> "FileLock | None":
    """Take the lock of a job; return None where another run holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / f"{key}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    return lock
