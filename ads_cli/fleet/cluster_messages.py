"""What a fleet and the workers of a cluster tell each other: JSON, and nothing secret."""

from collections.abc import Iterable
from typing import Any

import msgspec

from ..errors import UsageError
from ..masking import mask_address
from .engine import TaskResult
from .records import Run
from .tasks import Task


class Inquiry(msgspec.Struct, frozen=True):
    """What the fleet asks each worker before it runs anything."""

    run: Run
    tasks: tuple[Task, ...]


class Survey(msgspec.Struct, frozen=True):
    """What a worker answers."""

    home: str
    lease_seconds: float
    scopes: dict[str, str]  # of the limits of each profile's token
    problems: dict[str, dict[str, Any]]  # why it cannot use a profile: the error
    ended: dict[str, TaskResult]  # of the records in its state folder, by task


class Order(msgspec.Struct, frozen=True):
    """A task for a worker."""

    task: Task
    run: Run
    version: str  # of adsctl
    lease: str  # what must be held while it runs: that of its account
    ended: str  # the variable for its outcome
    board: str  # the variable of the fleet's board, and the topic of its events


class Board(msgspec.Struct, frozen=True):
    """What the fleet tells all workers, again and again: its silence ends their tasks."""

    beat: int
    stop: int = 0  # the signal that ends the tasks
    shares: int = 0  # changes of the shares


class Outcome(msgspec.Struct, frozen=True):
    """What a task came to, and the end of its log."""

    result: TaskResult
    log: str


class Refusal(msgspec.Struct, frozen=True):
    """Why a worker does not run a task."""

    worker: str
    error: dict[str, Any] | None = None  # None: it has no share of the limits of the token yet


class LostContactError(Exception):
    """A task was ended, since the fleet or the scheduler was silent."""


def shares_of(board: str, home: str) -> str:
    """Name the variable with the shares of a home."""
    return f"{board}-shares-{home}"


def failed(task: Task, error: dict[str, Any]) -> Outcome:
    """Return the outcome of a task that no worker could run."""
    return Outcome(TaskResult.ended(task, error["exit_code"], error=error), "")


def require_repeatable(tasks: Iterable[Task]) -> None:
    """Raise UsageError for a task that must not begin again on a worker that has not its journal."""
    if task := next((each for each in tasks if each.is_once), None):
        raise UsageError(
            f"task {task.name!r}: what a lost worker had sent would be sent, and counted, again",
            hint="run it in a fleet of one machine, without --engine",
        )


def require_nothing_secret(tasks: Iterable[Task]) -> None:
    """Raise UsageError for a command line that must not pass through a scheduler."""
    for task, word in ((each, word) for each in tasks for word in (each.name, *each.words)):
        if (shown := mask_address(word)) != word:
            raise UsageError(
                f"task {task.name!r}: {shown} may hold a secret, which would pass through the scheduler",
                hint="put the address into a variable of the workers, and write @NAME; "
                "where none is read, into a script that the workers have",
            )
