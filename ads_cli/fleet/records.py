"""The results of the tasks of a run, on disk: a task that ended well is never run again."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from ..config.atomic_files import atomic, make_folder, sync_folder
from ..config.file_locks import is_locked, locked, locked_or_refused
from ..errors import StateError
from ..own_ids import random_letters
from .engine import TaskResult
from .tasks import Task

T = TypeVar("T")


class RunId(msgspec.Struct, frozen=True):
    """The identity of a run; `--resume` continues the same run."""

    fleet: str  # 16 hex digits that stand for the fleet's file, wherever it is read from
    id: str


class PlannedTask(msgspec.Struct, frozen=True):
    """A task of a run, without its command line."""

    name: str
    profile: str
    stem: str
    attempt: str = ""


class Records:
    """The records and logs of one run, in the state folder of the machine that runs its tasks."""

    def __init__(self, state_dir: Path, run: RunId) -> None:
        self.folder = state_dir / "fleet" / run.fleet / run.id

    def find(self, task: Task | PlannedTask) -> TaskResult | None:
        """Return the result of a task that has ended; a damaged record counts as none."""
        return _read(self._path(task, "json"), TaskResult)

    def has_begun(self, task: Task | PlannedTask) -> bool:
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
        """Store the result of a task."""
        with atomic(self._path(task, "json")) as stream:
            stream.write(msgspec.json.encode(result).decode())

    def earlier_jobs(self, task: Task | PlannedTask) -> Path:
        """Return the file of the jobs that had ended before a task first sent what counts each time."""
        return self._path(task, "earlier")

    def count_file(self, task: Task | PlannedTask) -> Path:
        """Return the file in which a task notes how many records it changes."""
        return self.folder / f"counts{task.attempt}" / task.stem

    def log(self, task: Task | PlannedTask) -> Path:
        """Return the file of what a task writes to stderr."""
        return self._path(task, "log")

    def locked(self, task: Task) -> AbstractContextManager[None]:
        """Hold a task, so that no other process runs it; wait for one that is about to end."""
        return locked(self._path(task, "lock"))

    def prepare(self) -> None:
        """Make the folder; raise StateError."""
        _make_folder(self.folder)

    def _path(self, task: Task | PlannedTask, kind: str) -> Path:
        return self.folder / f"{task.stem}.{kind}"


KEPT_RUNS = 3  # of each fleet: their logs and records
DRY_RUN = "dry-run"


class FleetRun(msgspec.Struct, frozen=True):
    """A run, as it began."""

    file: str
    run: RunId
    began: str  # ISO 8601
    tasks: tuple[PlannedTask, ...]
    exit_code: int | None = None  # None: it goes on, or was killed


class FleetState:
    """What the state folder has of one fleet."""

    def __init__(self, state_dir: Path, file: Path) -> None:
        self._state_dir, self._file = state_dir, file
        name = str(file.resolve()).encode("utf-8", "surrogateescape")
        self._fleet = hashlib.sha256(name).hexdigest()[:16]
        self._folder = state_dir / "fleet" / self._fleet

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs of this fleet away; raise StateError where one is under way."""
        _make_folder(self._folder)
        with locked_or_refused(self._lock_path, f"a run of {self._file} is under way"):
            yield

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self._lock_path.exists() and is_locked(self._lock_path)

    def last(self) -> FleetRun | None:
        """Return the last run; a damaged file counts as none."""
        return _read(self._folder / "run.json", FleetRun)

    def begin(
        self, tasks: Sequence[Task], *, resume: bool, only: bool, dry_run: bool
    ) -> tuple[FleetRun, list[Task]]:
        """Begin a run, or continue the last one; return it, and its tasks. A dry run is never continued.

        With `only`, tasks are run anew in the last run, whose other tasks keep their records.
        """
        last = self.last() if (resume or only) and not dry_run else None
        run_id = DRY_RUN if dry_run else f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{random_letters(8)}"
        began = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        run = RunId(self._fleet, run_id)
        planned: dict[str, PlannedTask] = {}
        if last:
            run, began = last.run, last.began
            planned = {task.name: task for task in last.tasks}
            attempts = {task.name: task.attempt if resume else run_id for task in last.tasks}
            tasks = [msgspec.structs.replace(task, attempt=attempts.get(task.name, "")) for task in tasks]
        planned |= {
            task.name: PlannedTask(task.name, task.profile, task.stem, task.attempt) for task in tasks
        }
        begun = FleetRun(str(self._file.absolute()), run, began, tuple(planned.values()))
        if dry_run:
            shutil.rmtree(self._folder / DRY_RUN, ignore_errors=True)
        else:
            self._store(begun)
            self._remove_old_runs(run.id)
        self.records(run).prepare()
        return begun, [*tasks]

    def end(self, begun: FleetRun, exit_code: int) -> None:
        """Note that a run ends with an exit code."""
        if begun.run.id != DRY_RUN:
            self._store(msgspec.structs.replace(begun, exit_code=exit_code))

    def _store(self, run: FleetRun) -> None:
        with atomic(self._folder / "run.json") as stream:
            stream.write(msgspec.json.encode(run).decode())

    def records(self, run: RunId) -> Records:
        """Return the records of a run."""
        return Records(self._state_dir, run)

    @property
    def _lock_path(self) -> Path:
        return self._folder / "lock"

    def _remove_old_runs(self, own: str) -> None:
        """Remove all but the latest runs, and this one; a run of the future is the oldest."""
        now = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        runs = [path for path in self._folder.iterdir() if path.is_dir() and path.name not in (DRY_RUN, own)]
        runs.sort(key=lambda path: (path.name < now, path.name))
        for old in runs[: -(KEPT_RUNS - 1)]:
            shutil.rmtree(old, ignore_errors=True)


def list_runs(state_dir: Path) -> list[FleetRun]:
    """Return the last run of each fleet, oldest first."""
    runs = (_read(path, FleetRun) for path in (state_dir / "fleet").glob("*/run.json"))
    return sorted(filter(None, runs), key=lambda run: run.began)


def _make_folder(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as error:
        raise StateError(f"{folder} cannot be created: {error.strerror}") from None


def _read(path: Path, type_: type[T]) -> T | None:
    """Read a record; a damaged one counts as none."""
    with suppress(FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(path.read_bytes(), type=type_)
    return None
