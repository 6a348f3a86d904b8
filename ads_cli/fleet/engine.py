"""What carries tasks out, and what it tells of them."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

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
