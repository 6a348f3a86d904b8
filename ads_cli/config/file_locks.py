"""Locks between processes. The system releases those of a process that has died.

Some network file systems have no such locks. There filelock creates a file that names its process. The file
of a dead process on this machine is removed by the next run. Whether a process on another machine still runs
is unknown, so that waiting for it ends with an error that names it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import StateError
from .atomic_files import make_folder

if TYPE_CHECKING:
    from filelock import FileLock

FOLDER = "locks"  # in the state folder
LOCK_TIMEOUT_SECONDS = 30.0
RECLAIM_SECONDS = 3.0  # in which filelock finds that a lock file was left behind
MAX_HOLDER_BYTES = 1024


def state_lock(state_dir: Path, kind: str, *key: str) -> Path:
    """Return the path of the lock that a state folder has for a kind of work on what a key names."""
    from hashlib import sha256

    digest = sha256("\n".join(key).encode()).hexdigest()[:16]  # a key may be longer than a name of a file
    return state_dir / FOLDER / f"{kind}-{digest}.lock"


@contextmanager
def locked(path: "Path | FileLock", timeout: float | None = None) -> Iterator[None]:
    """Hold a lock. Raise StateError if another process keeps it for too long, or it cannot be created."""
    lock = file_lock(path) if isinstance(path, Path) else path
    if not _is_taken(lock, LOCK_TIMEOUT_SECONDS if timeout is None else timeout):
        raise _locked_error(Path(lock.lock_file), lock)
    try:
        yield
    finally:
        lock.release()


def try_lock(path: Path) -> "FileLock | None":
    """Take a lock; return None where a process has it.

    Raise StateError where nothing tells which, and where the lock cannot be created.
    """
    lock = file_lock(path)
    if _is_taken(lock, 0):
        return lock
    may_be_free = _may_outlive_its_process(lock) or not path.exists()
    if may_be_free and _is_taken(lock, RECLAIM_SECONDS):
        return lock
    if may_be_free and not _holder(path):
        raise _locked_error(path, lock)
    return None


def _is_taken(lock: "FileLock", timeout: float) -> bool:
    """Try to take a lock, and tell whether it is taken. Raise StateError if it cannot be created."""
    from filelock import Timeout

    try:
        lock.acquire(timeout=timeout)
    except Timeout:
        return False
    except OSError as error:
        raise _unwritable(Path(lock.lock_file), error.strerror) from error
    return True


def _unwritable(path: Path, reason: str | None) -> StateError:
    hint = f"make {path.parent} a folder that you may write to, with free space"
    return StateError(f"{path} cannot be written: {reason}", hint=hint)


@contextmanager
def locked_or_refused(path: Path, refusal: str) -> Iterator[None]:
    """Hold a lock. Raise StateError with `refusal` at once if another process has it."""
    lock = try_lock(path)
    if lock is None:
        raise StateError(refusal, hint=how_to_unlock(path))
    try:
        yield
    finally:
        lock.release()


def is_locked(path: Path) -> bool:
    """Whether a process has a lock; raise StateError where nothing tells which."""
    if not path.exists():  # no file is made only to look
        return False
    lock = try_lock(path)
    if lock:
        lock.release()
    return lock is None


def how_to_unlock(path: Path) -> str:
    """Say how to get a lock that another process has."""
    if holder := _holder(path):
        return f"wait until {holder} ends, or stop it; if it no longer runs, remove {path}"
    return "wait until it ends, or stop it"


def file_lock(path: Path, *, is_of_threads: bool = False) -> "FileLock":
    """Make a lock, and its folder.

    One `is_of_threads` keeps threads from each other too, which take it many times, since making one takes
    longer. Any other one may be released by another thread than the one that took it.
    """
    from filelock import FileLock

    try:
        make_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error.strerror) from error
    return FileLock(path, mode=0o600, thread_local=is_of_threads)


def _may_outlive_its_process(lock: "FileLock") -> bool:
    from filelock import SoftFileLock

    return isinstance(lock, SoftFileLock)


def _locked_error(path: Path, lock: "FileLock") -> StateError:
    if not path.exists():
        return _unwritable(path, "no file can be created there")
    hint = how_to_unlock(path)
    if _may_outlive_its_process(lock) and not _holder(path):
        hint = f"if no other adsctl runs here or on another machine, remove {path}"
    return StateError(f"{path} is locked by another process", hint=hint)


def _holder(path: Path) -> str:
    """Name the process that a lock file names. It is "" if the system keeps the lock, in an empty file."""
    try:
        with path.open("rb") as file:
            process, host, *_ = file.read(MAX_HOLDER_BYTES).decode().splitlines()
    except (OSError, ValueError):
        return ""
    return f"process {process} on {host}" if process.isdecimal() else ""
