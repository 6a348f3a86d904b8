"""The locks of a folder of jobs."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.file_locks import how_to_unlock, locked
from ..config.file_locks import try_lock as try_lock_file

if TYPE_CHECKING:
    from filelock import FileLock


def lock_folder(folder: Path) -> AbstractContextManager[None]:
    """Keep other processes from taking or removing locks, so that none takes a lock that is removed."""
    return locked(folder / ".lock")


def try_lock(folder: Path, key: str) -> "FileLock | None":
    """Take the lock of a job; return None where another run holds it."""
    return try_lock_file(_path(folder, key))


def how_to_unlock_job(folder: Path, key: str) -> str:
    """Say how to get the lock of a job that another run holds."""
    return how_to_unlock(_path(folder, key))


def _path(folder: Path, key: str) -> Path:
    return folder / f"{key}.lock"
