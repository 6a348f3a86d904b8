"""Run the tasks of a fleet, and show their results."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import typer

from ...console.invocation import Invocation
from ...errors import (
    ERRORS,
    SIGNAL_EXIT_CODES,
    AdsctlError,
    Interrupted,
    NotFoundError,
    ReportedError,
    UnavailableError,
    UsageError,
)
from ...fleet.engine import Ended, Engine, Status, TaskEvent, TaskResult, done, error_of
from ...fleet.records import FleetRun, FleetState, RunId
from ...fleet.run_task import LOCAL_WORKER, SIGNAL_BASE, LocalEngine
from ...fleet.tasks import RunLimits, Task
from ...hosts import host_of, is_loopback
from ...installation import missing_extra
from ...output.text import counted, shell_command
from ..runs.options import ShownOptions
from ..runs.reports import resume_command
from . import RUN_COLUMNS, FleetRecord
from .page import FleetReport
from .plan import FleetPlan
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
        is_here = is_loopback(host_of(parts.netloc))
    except ValueError:
        raise UsageError(f"--scheduler: not an address: {scheduler}", hint=f"such as {EXAMPLE}") from None
    if parts.scheme != "tls" and not is_here:
        raise UsageError(
            f"--scheduler {scheduler} is on another machine, and is not reached by TLS: whoever is on "
            "the way can run programs here and on all workers",
            hint=f"use certificates and {EXAMPLE} (docs/cluster.md); "
            "in a network of your own alone: --insecure-scheduler",
        )


TABLE_COLUMNS = ("task", "status", "done", "seconds")  # for people; others only where they say more
FURTHER_FIELDS = ("summary", "error", "data")


def run_tasks(
    call: Invocation,
    engine: Engine,
    tasks: Sequence[Task],
    log_of: Callable[[Task], Path],
    on_end: Callable[[Ended], None],
    *,
    shows_ends: bool = True,
) -> Interrupted | None:
    """Run tasks, and show their progress; return the signal that has stopped them."""
    view = FleetView(call.messages, len(tasks), log_of, shows_ends)

    def on_event(event: TaskEvent) -> None:
        if isinstance(event, Ended):
            on_end(event)
        view.on_event(event)

    with view.shown():
        try:
            engine.run(tasks, on_event)
        except Interrupted as signalled:
            return signalled
    return None


def end_run(
    call: Invocation,
    results: Sequence[TaskResult],
    tasks: Sequence[Task],
    error: ReportedError | None,
    names: Sequence[str] = ("profile", "task"),
) -> None:
    """Show a record of each task, and end as the run did.

    Where all tasks print data, formats of columns show all their data, each with the `names` of its task.
    """
    counts = Counter(result.status for result in results)
    states: tuple[Status, ...] = ("ok", "failed", "skipped")
    call.note_summary({"tasks": len(results)} | {state: counts[state] for state in states})
    try:
        if call.printer.shows_documents or any(task.is_job for task in tasks):
            show_records(call, results)
        else:
            show_merged(call, results, names)
    except AdsctlError as other:
        if error is None:
            raise
        call.messages.warn(other.message)  # that tasks failed is more important
    exit_as(results, error)


def show_records(call: Invocation, results: Sequence[TaskResult], shown: ShownOptions | None = None) -> None:
    """Show a record of each task, with what it printed as its data."""
    printer = call.printer
    records: Sequence[Mapping[str, Any]] = [{**result.record, "done": done(result)} for result in results]
    if shown:
        printer.noun = "tasks"
        records = shown.applied(records, (*RUN_COLUMNS, *FURTHER_FIELDS), "tasks", "task")
    if printer.shows_documents:
        records = [{name: value for name, value in record.items() if name != "done"} for record in records]
    columns = _table_columns(results) if printer.is_for_people else RUN_COLUMNS
    printer.show(records, columns, "task", (*RUN_COLUMNS, *FURTHER_FIELDS))


def _table_columns(results: Sequence[TaskResult]) -> tuple[str, ...]:
    """Return the columns for people: profiles that are not the names of tasks, workers of other machines."""
    is_said = any(result.profile != result.task for result in results)
    is_elsewhere = not all((result.worker or LOCAL_WORKER).startswith(LOCAL_WORKER) for result in results)
    return TABLE_COLUMNS + ("profile",) * is_said + ("worker",) * is_elsewhere


def error_of_run(
    results: Sequence[TaskResult],
    resume: str,
    stopped: Interrupted | None,
    may_be_left_out: Collection[str] = (),
) -> ReportedError | None:
    """Return the error that a run ends with: the signal that stopped it, or that of its worst task."""
    if stopped:
        stopped.hint = f"run again what did not end well: {resume}"
    return stopped or error_of(results, resume, may_be_left_out=may_be_left_out)


def exit_code_of(results: Sequence[TaskResult]) -> int:
    """Return the exit code of a run without an error: 0, or that differences were found."""
    return max((result.exit_code or 0 for result in results), default=0)


def exit_as(results: Sequence[TaskResult], error: ReportedError | None) -> None:
    """Raise the error of a run, or exit with its code."""
    if error:
        raise error
    if code := exit_code_of(results):
        raise typer.Exit(code)


def show_merged(call: Invocation, results: Sequence[TaskResult], names: Sequence[str]) -> None:
    """Show the records that all tasks have printed, each with the names of its task."""
    if not any(result.status == "ok" for result in results):
        return  # their errors say it all
    shapes = [result.shape for result in results if result.shape]
    rows: Iterator[dict[str, Any]] = (row for result in results for row in _rows(result, names))
    columns = [*dict.fromkeys(name for shape in shapes for name in shape.columns)]
    others = [*dict.fromkeys(name for shape in shapes for name in shape.others)]
    asked = [*dict.fromkeys(_beside(name, names) for shape in shapes for name in shape.asked)]
    if not columns:
        rows = iter(merged := [*rows])
        columns = [
            name for name in dict.fromkeys(name for row in merged for name in row) if name not in names
        ]
    shown = (*names, *(_beside(name, names) for name in columns))
    key = shapes[0].key if shapes else "profile"
    call.printer.noun = "results"
    call.printer.show_records(rows, shown, key, others, asked=asked)


def _rows(result: TaskResult, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the records that a task has printed; a plain value is that of the key."""
    if result.document is None:
        return
    records = result.document if isinstance(result.document, list) else [result.document]
    key = result.shape.key if result.shape else "value"
    labels = {name: getattr(result, name) for name in names}
    for record in records:
        fields = record if isinstance(record, dict) else {key: record}
        yield labels | {_beside(name, names): value for name, value in fields.items()}


def _beside(name: str, names: Sequence[str]) -> str:
    """Name a field of a task's data beside the columns of the fleet."""
    return f"data.{name}" if name in names else name


def run_fleet(
    call: Invocation,
    file: str,
    plan: FleetPlan,
    make_engine: Callable[[RunId], Engine],
    report: FleetReport,
    *,
    resume: bool,
    only: bool,
) -> None:
    """Run the tasks that are due, show every result, and raise the error of the fleet, if there is one."""
    state = FleetState(call.settings.state_dir, Path(file))
    with state.locked():
        is_first = state.last() is None
        begun, tasks = state.begin(plan.tasks, resume=resume, only=only, dry_run=call.dry_run)
        records = state.records(begun.run)
        earlier = {task.name: records.find(task) for task in tasks}
        results = {name: result for name, result in earlier.items() if result and result.status == "ok"}
        due = [task for task in tasks if task.name not in results]
        if resume and is_first:
            reason = f"{file} was not run on this machine"
            call.messages.say(f"nothing to resume: {reason}; every task is run")
        elif resume and results:
            ended_before = f"{counted(len(results), 'task')} of the run of {begun.began}"
            call.messages.say(f"not run again, since they ended well: {ended_before}")

        def on_end(event: Ended) -> None:
            task, result = event.task, event.result
            results[task.name] = result
            try:
                if records.find(task) != result:  # of another machine, or of a process that was killed
                    records.store(task, result)
            except AdsctlError as error:  # other tasks go on
                call.messages.warn(f"{task.name}: {error.message}")

        stopped = run_tasks(call, make_engine(begun.run), due, records.log, on_end)
        ended = [results.get(task.name) or TaskResult.skipped(task) for task in tasks]
        ended += plan.left_out
        error = error_of_run(ended, resume_command(call.command_line), stopped, plan.may_be_left_out)
        state.end(begun, error.exit_code if error else exit_code_of(ended))
    report.began, report.results, report.error = begun.began, ended, error
    with report.written():
        end_run(call, ended, tasks, error)


def show_status(call: Invocation, file: str, shown: ShownOptions) -> None:
    """Show the tasks of the last run of a fleet as it showed them, and end as it did; raise NotFoundError."""
    state = FleetState(call.settings.state_dir, Path(file))
    run = state.last()
    if run is None:
        raise NotFoundError(f"{file} was not run on this machine", hint=f"adsctl fleet run {file}")
    is_running = state.is_running
    results = _results(state, run, is_running=is_running)
    show_records(call, results, shown)
    if is_running:
        return
    resume = shell_command(("adsctl", "fleet", "run", file, "--resume"))
    code = run.exit_code
    stopped = Interrupted(code - SIGNAL_BASE) if code in SIGNAL_EXIT_CODES else None
    error = error_of_run(results, resume, stopped)
    if error is None and any(result.status not in ("ok", "failed") for result in results):
        how = "was killed" if code is None else "is unfinished"  # after --only
        error = UnavailableError(f"the run of {run.began} {how}", hint=f"continue it: {resume}")
    if error is None and code and code != exit_code_of(results):
        words = f"tasks were left out of the run of {run.began}; the others ended well"
        error = ERRORS.get(code, UnavailableError)(words, hint=f"run them: {resume}")
    exit_as(results, error)


def _results(state: FleetState, run: FleetRun, *, is_running: bool) -> list[TaskResult]:
    """Return the result of each task, or its progress."""
    records = state.records(run.run)
    begun: Status = "running" if is_running else "unfinished"
    not_begun: Status = "waiting" if is_running else "skipped"
    return [
        records.find(task)
        or TaskResult(task.name, task.profile, begun if records.has_begun(task) else not_begun)
        for task in run.tasks
    ]


def fleet_record(call: Invocation, run: FleetRun) -> FleetRecord:
    """Return a record of the last run of a fleet."""
    state = FleetState(call.settings.state_dir, Path(run.file), run.run)
    is_running = state.is_running
    states = Counter(result.status for result in _results(state, run, is_running=is_running))
    total = len(run.tasks)
    has_ended = states["ok"] + states["failed"] == total
    ended = "ok" if states["ok"] == total else "failed" if has_ended else "unfinished"
    return {
        "file": run.file,
        "state": "running" if is_running else ended,
        "began": run.began,
        "tasks": total,
        "ok": states["ok"],
        "failed": states["failed"],
    }
