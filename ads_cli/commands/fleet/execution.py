"""Choose where the tasks of a fleet run."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...console.invocation import Invocation
from ...console.output_file import write_page
from ...errors import AdsctlError, IncompleteError, Interrupted, NotFoundError, ReportedError, UsageError
from ...fleet.engine import Ended, Engine, Status, TaskEvent, TaskResult, error_of
from ...fleet.records import FleetRun, FleetState, PlannedTask, Records, RunId, list_runs
from ...fleet.task_process import LocalEngine
from ...fleet.tasks import RunLimits, Task
from ...hosts import is_loopback
from ...installation import missing_extra
from ...output.text import counted, shell_command
from ..uploads.reports import resume_command
from .view import FleetView

EXAMPLE = "tls://10.0.0.5:8786"


def choose_engine(
    call: Invocation, engine: str, scheduler: str | None, limits: RunLimits, *, allows_insecure: bool
) -> Callable[[RunId], Engine]:
    """Return what makes the engine of a run; raise UsageError where it cannot be used."""
    state_dir = call.settings.state_dir
    if engine == "local":
        if scheduler:
            raise UsageError("--scheduler is that of --engine dask", hint="add --engine dask")
        return lambda run: LocalEngine(run, state_dir, limits)
    if not scheduler:
        raise UsageError("--engine dask needs --scheduler ADDRESS", hint=f"such as {EXAMPLE}")
    if not allows_insecure:
        _require_tls(scheduler)
    try:
        from ...fleet.cluster import ClusterEngine
    except ModuleNotFoundError:
        raise missing_extra("--engine dask", "fleet") from None
    max_wait = call.settings.seconds("max_wait")
    return lambda run: ClusterEngine(scheduler, run, state_dir, limits, max_wait)


def _require_tls(scheduler: str) -> None:
    """Raise UsageError for a scheduler of another machine that is not reached by TLS."""
    try:
        parts = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        is_here = is_loopback(parts.hostname or "")
    except ValueError:
        raise UsageError(f"--scheduler: not an address: {scheduler}", hint=f"such as {EXAMPLE}") from None
    if parts.scheme != "tls" and not is_here:
        raise UsageError(
            f"--scheduler {scheduler} is on another machine, and is not reached by TLS: whoever is on "
            "the way can run programs here and on all workers",
            hint=f"use certificates and {EXAMPLE} (docs/cluster.md); "
            "in a network of your own alone: --insecure-scheduler",
        )


RUN_COLUMNS = ("task", "status", "exit_code", "seconds", "profile", "worker")


@dataclass
class FleetCommand:
    """One run of a fleet."""

    call: Invocation
    file: str
    tasks: Sequence[Task]
    make_engine: Callable[[RunId], Engine]
    page: Path | None
    force: bool = False

    def run(self, *, resume: bool) -> None:
        """Run what is due, show every result, and raise what the fleet came to."""
        call = self.call
        state = FleetState(call.settings.state_dir, Path(self.file))
        with state.locked():
            last = state.last()
            begun = state.begin(self.tasks, resume=resume, dry_run=call.dry_run)
            records = state.records(begun.run)
            found = {task.name: records.find(task) for task in self.tasks}
            results = {name: result for name, result in found.items() if result and result.status == "ok"}
            due = [task for task in self.tasks if task.name not in results]
            if resume:
                self._say_resumed(len(results), begun, is_new=last is None)
            view = FleetView(call.messages, len(due), records.log)

            def on_event(event: TaskEvent) -> None:
                if isinstance(event, Ended):
                    results[event.task.name] = event.result
                    self._keep(records, event)
                view.on_event(event)

            stopped: Interrupted | None = None
            with view.shown():
                try:
                    self.make_engine(begun.run).run(due, on_event)
                except Interrupted as error:
                    stopped = error
        self._end(begun, [results.get(task.name) or TaskResult.skipped(task) for task in self.tasks], stopped)

    def _keep(self, records: Records, event: Ended) -> None:
        """Store a result that has no record here: of another machine, or of a process that was killed."""
        try:
            if records.find(event.task) != event.result:
                records.store(event.task, event.result)
        except AdsctlError as error:  # other tasks go on
            self.call.messages.warn(f"{event.task.name}: {error.message}")

    def _say_resumed(self, ended: int, begun: FleetRun, *, is_new: bool) -> None:
        if is_new:
            reason = f"{self.file} was not run on this machine"
            self.call.messages.say(f"nothing to resume: {reason}; every task is run")
        elif ended:
            tasks = f"{counted(ended, 'task')} of the run of {begun.began}"
            self.call.messages.say(f"not run again, since they ended well: {tasks}")

    def _end(self, begun: FleetRun, results: list[TaskResult], stopped: Interrupted | None) -> None:
        """Show the results and write the page; raise the error, or the signal."""
        counts = Counter(result.status for result in results)
        states: tuple[Status, ...] = ("ok", "failed", "skipped")
        self.call.note_summary({"tasks": len(results)} | {state: counts[state] for state in states})
        error: ReportedError | None = stopped or error_of(results, self._resume)
        if stopped:
            stopped.hint = f"run again what did not end well: {self._resume}"
        try:
            self.call.printer.show(msgspec.to_builtins(results), RUN_COLUMNS, "task", ("summary", "error"))
            if self.page:
                self._write_page(self.page, begun, results, error)
        except AdsctlError as other:
            if error is None:
                raise
            self.call.messages.warn(other.message)  # that tasks failed is more important
        if error:
            raise error

    def _write_page(
        self, path: Path, begun: FleetRun, results: list[TaskResult], error: ReportedError | None
    ) -> None:
        from .page import page_of

        write_page(self.call, path, page_of(self.file, begun.began, results, error), force=self.force)

    @property
    def _resume(self) -> str:
        """The command line that continues this run."""
        return resume_command(self.call.command_line)


def fleet_records(call: Invocation) -> list[dict[str, Any]]:
    """Return a record of the last run of each fleet."""
    return [_fleet_record(call, run) for run in list_runs(call.settings.state_dir)]


def task_records(call: Invocation, file: str) -> list[dict[str, Any]]:
    """Return a record of each task of the last run of a fleet; raise NotFoundError."""
    state = FleetState(call.settings.state_dir, Path(file))
    run = state.last()
    if run is None:
        raise NotFoundError(f"{file} was not run on this machine", hint=f"adsctl fleet run {file}")
    return _task_records(state, run)


def _task_records(state: FleetState, run: FleetRun) -> list[dict[str, Any]]:
    records, goes_on = state.records(run.run), state.is_running
    return [_task_record(records, task, goes_on=goes_on) for task in run.tasks]


def _task_record(records: Records, task: PlannedTask, *, goes_on: bool) -> dict[str, Any]:
    result = records.find(task)
    if result:
        state: str = result.status
    elif records.has_begun(task):
        state = "running" if goes_on else "unfinished"
    else:
        state = "waiting" if goes_on else "not started"
    found = msgspec.to_builtins(result) if result else {}
    return {"task": task.name, "profile": task.profile} | found | {"status": state, "state": state}


def error_of_run(records: list[dict[str, Any]], file: str) -> AdsctlError | None:
    """Return the error that a run has ended with; None where it goes on, or all tasks are ok."""
    states = Counter(record["status"] for record in records)
    if states["running"] or states["waiting"]:
        return None
    ended = ("ok", "failed")
    results = [
        msgspec.convert(
            record | {"status": record["status"] if record["status"] in ended else "skipped"}, TaskResult
        )
        for record in records
    ]
    resume = shell_command(["adsctl", "fleet", "run", file, "--resume"])
    if (error := error_of(results, resume)) or states["ok"] == len(records):
        return error
    left = counted(len(records) - states["ok"], "task")
    return IncompleteError(
        f"the run was stopped: {left} of {len(records):,} not ended", hint=f"run: {resume}"
    )


def _fleet_record(call: Invocation, run: FleetRun) -> dict[str, Any]:
    state = FleetState(call.settings.state_dir, Path(run.file))
    states = Counter(record["state"] for record in _task_records(state, run))
    total = len(run.tasks)
    ended = (
        "ok"
        if states["ok"] == total
        else "unfinished"
        if states["ok"] + states["failed"] < total
        else "failed"
    )
    return {
        "file": run.file,
        "state": "running" if state.is_running else ended,
        "began": run.began,
        "tasks": total,
        "ok": states["ok"],
        "failed": states["failed"],
    }
