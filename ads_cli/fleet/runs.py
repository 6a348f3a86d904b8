"""The last run of each fleet: which tasks it has, and whether it still goes on."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import msgspec

from ..config.atomic_files import atomic, make_folder
from ..config.file_locks import how_to_unlock, try_lock
from ..errors import StateError
from .records import Records, Run, fleet_id
from .tasks import Task

KEPT_RUNS = 3  # of each fleet: their logs and records
DRY_RUN = "dry-run"


class PlannedTask(msgspec.Struct, frozen=True):
    """A task of a run, without its command line."""

    name: str
    profile: str
    stem: str


class FleetRun(msgspec.Struct, frozen=True):
    """A run, as it began."""

    file: str
    run: Run
    began: str  # ISO 8601
    tasks: tuple[PlannedTask, ...]


class FleetState:
    """What the state folder has of one fleet."""

    def __init__(self, state_dir: Path, file: Path) -> None:
        self._state_dir, self._file = state_dir, file
        self._fleet = fleet_id(file)
        self._folder = state_dir / "fleet" / self._fleet

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs of this fleet away; raise StateError where one goes on."""
        try:
            make_folder(self._folder)
        except OSError as error:
            raise StateError(f"{self._folder} cannot be created: {error.strerror}") from None
        lock = try_lock(self._lock_path)
        if lock is None:
            raise StateError(f"a run of {self._file} goes on", hint=how_to_unlock(self._lock_path))
        try:
            yield
        finally:
            lock.release()

    @property
    def is_running(self) -> bool:
        """Whether a run goes on."""
        if not self._lock_path.exists():
            return False
        lock = try_lock(self._lock_path)
        if lock:
            lock.release()
        return lock is None

    def last(self) -> FleetRun | None:
        """Return the last run; a damaged file counts as none."""
        return _read(self._folder / "run.json")

    def begin(self, tasks: Sequence[Task], *, resume: bool, dry_run: bool) -> FleetRun:
        """Begin a run, or continue the last one; a dry run is never continued."""
        last = self.last() if resume else None
        run_id = DRY_RUN if dry_run else f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{uuid4().hex[:8]}"
        planned = tuple(PlannedTask(task.name, task.profile, task.stem) for task in tasks)
        began = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        run = Run(self._fleet, run_id)
        if last and not dry_run:
            run, began = last.run, last.began
            names = {task.name for task in planned}
            planned = (*planned, *(task for task in last.tasks if task.name not in names))
        begun = FleetRun(str(self._file.absolute()), run, began, planned)
        if dry_run:
            shutil.rmtree(self._folder / DRY_RUN, ignore_errors=True)
        else:
            with atomic(self._folder / "run.json") as stream:
                stream.write(msgspec.json.encode(begun).decode())
        self.records(run).prepare()
        self._remove_old_runs()
        return begun

    def records(self, run: Run) -> Records:
        """Return the records of a run."""
        return Records(self._state_dir, run)

    @property
    def _lock_path(self) -> Path:
        return self._folder / "lock"

    def _remove_old_runs(self) -> None:
        runs = sorted(path for path in self._folder.iterdir() if path.is_dir() and path.name != DRY_RUN)
        for old in runs[:-KEPT_RUNS]:
            shutil.rmtree(old, ignore_errors=True)


def list_runs(state_dir: Path) -> list[FleetRun]:
    """Return the last run of each fleet, oldest first."""
    found = (_read(path) for path in (state_dir / "fleet").glob("*/run.json"))
    return sorted(filter(None, found), key=lambda run: run.began)


def _read(path: Path) -> FleetRun | None:
    with suppress(FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(path.read_bytes(), type=FleetRun)
    return None
