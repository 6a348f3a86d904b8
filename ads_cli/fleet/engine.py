"""What carries tasks out, and what it tells of them."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar

import msgspec

from ..errors import DIFFERENCES_FOUND, ERRORS, AdsctlError, UnavailableError
from ..output import ResultShape
from ..output.text import Lines, counted, listed
from .tasks import Task

Status = Literal["ok", "failed", "skipped", "running", "waiting", "unfinished"]  # the last three: not ended
NO_DATA = msgspec.Raw(b"null")


class TaskRecord(TypedDict):
    """The result of a task, as `-o json` has it."""

    task: str
    profile: str
    status: Status
    exit_code: int | None  # None: it was not run
    seconds: float
    worker: str | None  # where it ran
    summary: dict[str, Any] | None  # of a job: what the command printed
    error: dict[str, Any] | None  # as `-o json` reports it
    data: Any  # what a command printed that is no job


class TaskResult(msgspec.Struct, frozen=True):
    """The result of a task: the record of `-o json`."""

    task: str
    profile: str
    status: Status
    exit_code: int | None = None  # None: it was not run
    seconds: float = 0.0
    worker: str | None = None  # where it ran
    summary: dict[str, Any] | None = None  # of a job: what the command printed
    error: dict[str, Any] | None = None  # as `-o json` reports it
    data: msgspec.Raw = NO_DATA  # what a command printed that is no job, in JSON
    shape: ResultShape | None = None  # of the data

    @property
    def record(self) -> TaskRecord:
        """The record of `-o json`."""
        return {
            "task": self.task,
            "profile": self.profile,
            "status": self.status,
            "exit_code": self.exit_code,
            "seconds": self.seconds,
            "worker": self.worker,
            "summary": self.summary,
            "error": self.error,
            "data": self.document,
        }

    @property
    def document(self) -> Any:
        """What the command printed."""
        return msgspec.json.decode(self.data)

    @classmethod
    def skipped(cls, task: Task, reason: AdsctlError | None = None) -> "TaskResult":
        """Return the result of a task that was not started, for a reason of its own or one of the fleet."""
        return cls(task.name, task.profile, "skipped", error=reason.as_dict() if reason else None)

    @classmethod
    def ended(
        cls,
        task: Task,
        exit_code: int,
        *,
        seconds: float = 0.0,
        **fields: Any,
    ) -> "TaskResult":
        """Return the result of a task that has ended with an exit code; `fields` are the others."""
        status: Status = "failed" if exit_code not in (0, DIFFERENCES_FOUND) else "ok"
        return cls(task.name, task.profile, status, exit_code, round(seconds, 3), **fields)


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


NAMED_FAILURES = 10  # that differ
NAMED_TASKS = 5  # of each
IN_TEXTS = re.compile(r"--profile (?!local\b)[^\s;,)]+")
T = TypeVar("T")
COUNTS = ("created", "updated", "unchanged", "deleted", "accepted", "failed", "skipped")


def severity(exit_code: int) -> int:
    """Return how bad an exit code is: the higher, the worse.

    A process that was killed counts as UnavailableError: its task can be run again.
    """
    if exit_code in (0, DIFFERENCES_FOUND):
        return int(exit_code != 0)
    return ERRORS.get(exit_code, UnavailableError).severity


def worst(exit_codes: Sequence[int]) -> type[AdsctlError]:
    """Return the class of the worst exit code."""
    return ERRORS.get(max(exit_codes, key=severity), UnavailableError)


def error_of(
    results: Sequence[TaskResult],
    resume: str = "",
    *,
    noun: str = "task",
    may_be_left_out: Collection[str] = (),
) -> AdsctlError | None:
    """Return the error that a fleet ends with; None where all tasks are ok.

    `resume` is the command line that runs what failed; without one, failures have the hint that all share.
    A task that was left out for an error of its own counts, unless it `may_be_left_out`.
    """
    failed = [result for result in results if result.status == "failed"]
    skipped = [result for result in results if result.status == "skipped"]
    left_out = [result for result in skipped if result.error and result.task not in may_be_left_out]
    if not (failed or left_out):
        return None
    counts = {"failed": len(failed), "left out": len(left_out)}
    if failed:
        counts = {"failed": len(failed), "not started": len(skipped)}
    (first, count), *others = ((word, count) for word, count in counts.items() if count)
    words = [f"{count:,} of {counted(len(results), noun)} {first}"]
    words += [f"{count:,} {word}" for word, count in others]
    lines = [", ".join(words), *grouped((result.task, reason(result)) for result in (*failed, *left_out))]
    failed += left_out
    kind = worst([exit_code_of(result) for result in failed])
    hints = equal_texts((str((result.error or {}).get("hint") or ""), result) for result in failed)
    shared = hints[0][0] if len(hints) == 1 else ""
    return kind(Lines(lines), hint=f"run again what did not end well: {resume}" if resume else shared)


def equal_texts(said: Iterable[tuple[str, T]]) -> list[tuple[str, list[T]]]:
    """Return each text with everything that it is said of; texts that name profiles may differ in these."""
    groups: dict[str, tuple[str, list[T]]] = {}
    for text, of in said:
        groups.setdefault(IN_TEXTS.sub("--profile NAME", text), (text, []))[1].append(of)
    return [(general if len(of) > 1 else text, of) for general, (text, of) in groups.items()]


def grouped(named: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each text, with the tasks that it is said of; the most frequent first."""
    groups = sorted(equal_texts((text, name) for name, text in named), key=lambda group: -len(group[1]))
    lines = [f"{listed(several, NAMED_TASKS)}: {text}" for text, several in groups[:NAMED_FAILURES]]
    if left := sum(len(several) for _, several in groups[NAMED_FAILURES:]):
        lines.append(f"and {left:,} more")
    return lines


def exit_code_of(result: TaskResult) -> int:
    """Return the exit code of a task, or of the error for which it was left out."""
    return int((result.error or {}).get("exit_code", 0) if result.exit_code is None else result.exit_code)


def reason(result: TaskResult) -> str:
    """Say in one line why a task failed, or was left out."""
    message = _message(result)
    return f"exit {exit_code_of(result)}: {message}" if message else f"exit {exit_code_of(result)}"


def done(result: TaskResult) -> str:
    """Say in a few words what a task did, or why it did not."""
    if result.status != "ok":
        return _message(result) or (reason(result) if result.status == "failed" else "")
    counts = [f"{count:,} {name}" for name, count in numbers(result.summary).items()]
    rows, document = (result.summary or {}).get("rows"), result.document
    if isinstance(document, list):
        counts.append(counted(len(document), "record"))
    elif not counts and isinstance(rows, int):
        counts.append(counted(rows, "row"))
    differ = ["differences found"] if result.exit_code == DIFFERENCES_FOUND else []
    return ", ".join([*differ, *counts])


def _message(result: TaskResult) -> str:
    return str((result.error or {}).get("message", "")).partition("\n")[0]


def totals(results: Sequence[TaskResult]) -> dict[str, int]:
    """Add up what the tasks did."""
    sums: Counter[str] = Counter()
    for result in results:
        sums.update(numbers(result.summary))
    return {name: sums[name] for name in COUNTS if sums[name]}


def numbers(summary: dict[str, Any] | None) -> dict[str, int]:
    """Return the counts of a summary that are not 0."""
    values = {name: (summary or {}).get(name) for name in COUNTS}
    return {name: value for name, value in values.items() if isinstance(value, int) and value}
