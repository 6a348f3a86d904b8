"""What carries tasks out, and what it tells of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from ..errors import (
    DIFFERENCES_FOUND,
    AccessError,
    AdsctlError,
    ContentError,
    IncompleteError,
    NotConfirmedError,
    NotFoundError,
    RateLimitedError,
    RefusedError,
    StateError,
    UnavailableError,
    UsageError,
)
from ..output.text import counted, first_of
from .tasks import Task

Status = Literal["ok", "failed", "skipped"]


class TaskResult(msgspec.Struct, frozen=True):
    """What a task came to: the record of `-o json`."""

    task: str
    profile: str
    status: Status
    exit_code: int | None = None  # None: it was not run
    seconds: float = 0.0
    worker: str | None = None  # where it ran
    summary: dict[str, Any] | None = None  # what the command printed
    error: dict[str, Any] | None = None  # as `-o json` reports it

    @classmethod
    def skipped(cls, task: Task) -> "TaskResult":
        """Return the result of a task that was not started."""
        return cls(task.name, task.profile, "skipped")

    @classmethod
    def ended(
        cls,
        task: Task,
        exit_code: int,
        *,
        seconds: float = 0.0,
        worker: str | None = None,
        summary: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
    ) -> "TaskResult":
        """Return the result of a task that has ended with an exit code."""
        status: Status = "failed" if exit_code else "ok"
        return cls(task.name, task.profile, status, exit_code, round(seconds, 3), worker, summary, error)


class Started(msgspec.Struct, frozen=True):
    """A worker has begun with a task."""

    task: Task
    worker: str


class Ended(msgspec.Struct, frozen=True):
    """A task has ended, and its record is on disk."""

    task: Task
    result: TaskResult


TaskEvent: TypeAlias = Started | Ended
OnEvent: TypeAlias = Callable[[TaskEvent], None]


class Engine(Protocol):
    """Runs tasks; it prints nothing."""

    def run(self, tasks: Sequence[Task], on_event: OnEvent) -> None:
        """Run tasks until all have ended, or no further one may start.

        Tasks without an `Ended` were not started. `on_event` is called in the thread of the caller.
        Raises Interrupted after a signal, once the tasks that were running have ended.
        """


# From the mildest to the worst: first what concerns some rows of one task, at last what concerns every task.
# A process that was killed counts as UnavailableError: its task can be run again.
_WORSE_AND_WORSE = (
    *(IncompleteError, NotConfirmedError, ContentError, NotFoundError, RefusedError, RateLimitedError),
    *(UnavailableError, AccessError, UsageError, StateError, AdsctlError),
)
SEVERITY = (0, DIFFERENCES_FOUND, *(kind.exit_code for kind in _WORSE_AND_WORSE))
NAMED_FAILURES = 10
COUNTS = ("created", "updated", "unchanged", "deleted", "accepted", "failed", "skipped")
KINDS: list[type[AdsctlError]] = [AdsctlError, *AdsctlError.__subclasses__()]
ERRORS = {kind.exit_code: kind for kind in KINDS}


def severity(exit_code: int) -> int:
    """Return how bad an exit code is: the higher, the worse."""
    return SEVERITY.index(exit_code if exit_code in SEVERITY else UnavailableError.exit_code)


def worst(exit_codes: Sequence[int]) -> type[AdsctlError]:
    """Return the class of the worst exit code."""
    return ERRORS.get(max(exit_codes, key=severity), UnavailableError)


def error_of(results: Sequence[TaskResult], resume: str) -> AdsctlError | None:
    """Return the error that a fleet ends with; None where all tasks are ok."""
    failed = [result for result in results if result.status == "failed"]
    if not failed:
        return None
    skipped = sum(result.status == "skipped" for result in results)
    not_run = f", {skipped:,} not started" if skipped else ""
    lines = [f"{len(failed):,} of {counted(len(results), 'task')} failed{not_run}"]
    groups: dict[str, list[str]] = {}
    for result in failed:
        groups.setdefault(reason(result), []).append(result.task)
    for why, tasks in islice(groups.items(), NAMED_FAILURES):
        several = f"{counted(len(tasks), 'task')}: " if len(tasks) > 1 else ""
        lines.append(f"{several}{first_of(tasks, NAMED_FAILURES)}: {why}")
    if more := sum(map(len, islice(groups.values(), NAMED_FAILURES, None))):
        lines.append(f"and {more:,} more")
    kind = worst([result.exit_code or 0 for result in failed])
    return kind("\n".join(lines), hint=f"run again what did not end well: {resume}")


def reason(result: TaskResult) -> str:
    """Say in one line why a task failed."""
    message = str((result.error or {}).get("message", "")).partition("\n")[0]
    return f"exit {result.exit_code}: {message}" if message else f"exit {result.exit_code}"


def totals(results: Sequence[TaskResult]) -> dict[str, int]:
    """Add up what the tasks did."""
    found: Counter[str] = Counter()
    for result in results:
        found.update(numbers(result.summary))
    return {name: found[name] for name in COUNTS if found[name]}


def numbers(summary: dict[str, Any] | None) -> dict[str, int]:
    """Return the counts of a summary that are not 0."""
    values = {name: (summary or {}).get(name) for name in COUNTS}
    return {name: value for name, value in values.items() if isinstance(value, int) and value}
