"""What became of the tasks of a run, on disk: a task that ended well is never run again."""

import hashlib
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Protocol

import msgspec

from ..config.atomic_files import atomic, make_folder, sync_folder
from ..config.file_locks import locked
from ..errors import StateError
from .engine import TaskResult
from .tasks import Task


class Run(msgspec.Struct, frozen=True):
    """The identity of a run; `--resume` continues the same run."""

    fleet: str  # 16 hex digits that stand for the fleet's file
    id: str


def fleet_id(file: Path) -> str:
    """Return what identifies a fleet: its file, wherever it is read from."""
    return hashlib.sha256(str(file.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]


class HasFiles(Protocol):
    """A task, as its files know it."""

    @property
    def stem(self) -> str:
        """Return how the names of its files begin."""


class Records:
    """The records and logs of one run, in the state folder of the machine that runs its tasks."""

    def __init__(self, state_dir: Path, run: Run) -> None:
        self.folder = state_dir / "fleet" / run.fleet / run.id

    def find(self, task: HasFiles) -> TaskResult | None:
        """Return what a task came to, if it has ended; a damaged record counts as none."""
        with suppress(FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
            return msgspec.json.decode(self._path(task, "json").read_bytes(), type=TaskResult)
        return None

    def has_begun(self, task: HasFiles) -> bool:
        """Tell whether a task has begun, and may have ended."""
        return self._path(task, "started").exists()

    def begin(self, task: Task) -> bool:
        """Note that a task begins, and forget how it failed; tell whether it had begun before."""
        self._path(task, "json").unlink(missing_ok=True)
        try:
            self._path(task, "started").touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            return True
        sync_folder(self.folder)
        return False

    def store(self, task: Task, result: TaskResult) -> None:
        """Store what a task came to."""
        with atomic(self._path(task, "json")) as stream:
            stream.write(msgspec.json.encode(result).decode())

    def earlier_jobs(self, task: HasFiles) -> Path:
        """Return the file of the jobs that had ended before a task came to send what counts each time."""
        return self._path(task, "earlier")

    def log(self, task: HasFiles) -> Path:
        """Return the file of what a task writes to stderr."""
        return self._path(task, "log")

    def locked(self, task: Task) -> AbstractContextManager[None]:
        """Hold a task, so that no other process runs it; wait for one that is about to end."""
        return locked(self._path(task, "lock"))

    def prepare(self) -> None:
        """Make the folder; raise StateError."""
        try:
            make_folder(self.folder)
        except OSError as error:
            raise StateError(f"{self.folder} cannot be created: {error.strerror}") from None

    def _path(self, task: HasFiles, kind: str) -> Path:
        return self.folder / f"{task.stem}.{kind}"
