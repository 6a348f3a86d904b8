"""The runs of fleets and the results of their tasks: a task that ended well is never run again."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from ..client.guard import FleetCount
from ..config.atomic_files import atomic, make_folder
from ..config.file_locks import is_locked, locked, locked_or_refused, state_lock
from ..errors import StateError
from ..own_ids import random_letters
from ..store import as_json, store_in
from ..stored_times import utc_text
from .engine import NO_DATA, TaskResult
from .tasks import Task

FOLDER = "fleet"  # in the state folder: logs and what tasks have printed, which may be large


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
        self._store, self._state_dir, self._run = store_in(state_dir), state_dir, run
        self.folder = state_dir / FOLDER / run.fleet / run.id

    def find(self, task: Task | PlannedTask) -> TaskResult | None:
        """Return the result of a task that has ended; one whose output is lost counts as none."""
        for text, has_output in self._select("result, has_output", task):
            if text is None:  # it has begun and not ended
                break
            with suppress(FileNotFoundError):
                data = msgspec.Raw(self._output(task).read_bytes()) if has_output else NO_DATA
                return msgspec.structs.replace(msgspec.json.decode(text, type=TaskResult), data=data)
        return None

    def has_begun(self, task: Task | PlannedTask) -> bool:
        """Tell whether a task has begun, and may have ended."""
        return any(has_begun for (has_begun,) in self._select("has_begun", task))

    def begin(self, task: Task) -> None:
        """Note that a task begins, and forget how it failed."""
        with self._store.writing() as db:
            db.execute("REPLACE INTO fleet_tasks VALUES (?, ?, ?, 1, NULL, 0)", self._key(task))

    def store(self, task: Task, result: TaskResult) -> None:
        """Store the result of a task."""
        if has_output := result.data != NO_DATA:
            with atomic(self._output(task)) as stream:
                stream.write(bytes(result.data).decode())
        text = as_json(msgspec.structs.replace(result, data=NO_DATA))
        with self._store.writing() as db:
            # One that this machine has not begun was run by another one, or could not be started.
            db.execute(
                "INSERT INTO fleet_tasks VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT (fleet, run, stem)"
                " DO UPDATE SET (result, has_output) = (excluded.result, excluded.has_output)",
                (*self._key(task), text, has_output),
            )

    def place_of(self, task: Task) -> str:
        """Return under what a task notes the jobs that had ended before it."""
        return as_json(self._key(task))

    def count_of(self, task: Task) -> FleetCount:
        """Return where a task notes how many records it changes."""
        return FleetCount(str(self._state_dir), self._run.fleet, self._run.id, task.attempt, task.stem)

    def log(self, task: Task | PlannedTask) -> Path:
        """Return the file of what a task writes to stderr."""
        return self.folder / f"{task.stem}.log"

    def locked(self, task: Task) -> AbstractContextManager[None]:
        """Hold a task, so that no other process runs it; wait for one that is about to end."""
        return locked(self.folder / f"{task.stem}.lock")

    def prepare(self) -> None:
        """Make the folder; raise StateError."""
        try:
            make_folder(self.folder)
        except OSError as error:
            raise StateError(f"{self.folder} cannot be created: {error.strerror}") from None

    def remove(self) -> None:
        """Remove all that is kept of the run."""
        run = self._run.fleet, self._run.id
        with self._store.writing() as db:
            for table in ("fleet_tasks", "fleet_counts", "fleet_earlier_jobs"):
                db.execute(f"DELETE FROM {table} WHERE (fleet, run) = (?, ?)", run)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _select(self, columns: str, task: Task | PlannedTask) -> list[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM fleet_tasks WHERE (fleet, run, stem) = (?, ?, ?)"
        return self._store.rows(query, self._key(task))

    def _key(self, task: Task | PlannedTask) -> tuple[str, str, str]:
        return self._run.fleet, self._run.id, task.stem

    def _output(self, task: Task | PlannedTask) -> Path:
        return self.folder / f"{task.stem}.json"


KEPT_RUNS = 3  # of each fleet: their logs and records
DRY_RUN = "dry-run"


class FleetRun(msgspec.Struct, frozen=True):
    """A run, as it began."""

    file: str  # as it is shown: bytes that are not UTF-8 are escaped
    run: RunId
    began: str  # ISO 8601
    tasks: tuple[PlannedTask, ...]
    exit_code: int | None = None  # None: it goes on, or was killed


class FleetState:
    """What the state folder has of one fleet."""

    def __init__(self, state_dir: Path, file: Path, run: RunId | None = None) -> None:
        self._state_dir, self._file = state_dir, file
        name = str(file.resolve()).encode("utf-8", "surrogateescape")
        self._fleet = run.fleet if run else hashlib.sha256(name).hexdigest()[:16]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs of this fleet away; raise StateError where one is under way."""
        with locked_or_refused(self._lock, f"a run of {self._file} is under way"):
            yield

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return is_locked(self._lock)

    def last(self) -> FleetRun | None:
        """Return the last run."""
        return next(iter(_runs(self._state_dir, "WHERE fleet = ?", (self._fleet,))), None)

    def begin(
        self, tasks: Sequence[Task], *, resume: bool, only: bool, dry_run: bool
    ) -> tuple[FleetRun, list[Task]]:
        """Begin a run, or continue the last one; return it, and its tasks. A dry run is never continued.

        With `only`, tasks are run anew in the last run, whose other tasks keep their records.
        """
        last = self.last() if (resume or only) and not dry_run else None
        run_id = DRY_RUN if dry_run else f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}-{random_letters(8)}"
        began = utc_text()
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
        file = str(self._file.absolute()).encode(errors="backslashreplace").decode()
        begun = FleetRun(file, run, began, tuple(planned.values()))
        if dry_run:
            self.records(run).remove()
        else:
            self._store_run(begun)
            self._remove_old_runs(run.id)
        self.records(run).prepare()
        return begun, [*tasks]

    def end(self, begun: FleetRun, exit_code: int) -> None:
        """Note that a run ends with an exit code."""
        if begun.run.id != DRY_RUN:
            self._store_run(msgspec.structs.replace(begun, exit_code=exit_code))

    def _store_run(self, run: FleetRun) -> None:
        tasks = as_json(run.tasks)
        values = run.run.fleet, run.run.id, run.file, run.began, tasks, run.exit_code
        with store_in(self._state_dir).writing() as db:
            db.execute("REPLACE INTO fleet_runs VALUES (?, ?, ?, ?, ?, ?)", values)

    def records(self, run: RunId) -> Records:
        """Return the records of a run."""
        return Records(self._state_dir, run)

    @property
    def _lock(self) -> Path:
        return state_lock(self._state_dir, "fleet", self._fleet)

    def _remove_old_runs(self, own: str) -> None:
        """Remove all but the latest runs, and this one; a run of the future is the oldest."""
        now = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
        query = "SELECT DISTINCT run FROM fleet_tasks WHERE fleet = ?"
        runs = {run for (run,) in store_in(self._state_dir).rows(query, (self._fleet,))}
        runs |= {path.name for path in (self._state_dir / FOLDER / self._fleet).glob("*")}
        old = sorted(runs - {own, DRY_RUN}, key=lambda run: (run < now, run))[: -(KEPT_RUNS - 1)]
        for run in old:
            self.records(RunId(self._fleet, run)).remove()


def list_runs(state_dir: Path) -> list[FleetRun]:
    """Return the last run of each fleet, oldest first."""
    return _runs(state_dir, "ORDER BY began", ())


def _runs(state_dir: Path, condition: str, values: tuple[str, ...]) -> list[FleetRun]:
    columns = "file, fleet, id, began, tasks, exit_code"
    rows = store_in(state_dir).rows(f"SELECT {columns} FROM fleet_runs {condition}", values)
    decode = msgspec.json.Decoder(tuple[PlannedTask, ...]).decode
    return [
        FleetRun(file, RunId(fleet, id), began, decode(tasks), code)
        for file, fleet, id, began, tasks, code in rows
    ]
