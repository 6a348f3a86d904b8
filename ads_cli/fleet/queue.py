"""Which task may start: one job of an account at a time, parts of one user list at once."""

from collections import deque
from collections.abc import Iterable

import msgspec

from .tasks import Task


class Limits(msgspec.Struct, frozen=True):
    """How many tasks run at once, and how many may fail."""

    parallel: int
    max_failures: int | None = None  # so many failures let no further task start


class TaskQueue:
    """The tasks that wait and run. The tasks of an account start in their order."""

    def __init__(self, tasks: Iterable[Task], limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[str, deque[Task]] = {}  # by account, in the order of their first tasks
        self._running: dict[str, Task] = {}  # by name
        self._busy: dict[str, list[str]] = {}  # the group of each running task of an account
        self._failures = 0
        self._is_stopped = False
        for task in tasks:
            self._waiting.setdefault(_account(task), deque()).append(task)

    @property
    def running(self) -> int:
        """The number of running tasks."""
        return len(self._running)

    @property
    def is_done(self) -> bool:
        """Whether nothing runs, and nothing may start."""
        return not self._running and not self._may_start

    def stop(self) -> None:
        """Let no further task start."""
        self._is_stopped = True

    def take(self) -> Task | None:
        """Start a task, or return None where none may start before another one ends."""
        if not self._may_start or len(self._running) >= self._limits.parallel:
            return None
        for account, waiting in self._waiting.items():
            task = waiting[0]
            if all(group == task.group for group in self._busy.get(account, ())):
                return self._start(account, task)
        return None

    def end(self, task: Task, *, failed: bool) -> None:
        """Note that a running task has ended."""
        del self._running[task.name]
        account = _account(task)
        self._busy[account].remove(task.group)
        if not self._busy[account]:
            del self._busy[account]
        self._failures += failed

    @property
    def _may_start(self) -> bool:
        most = self._limits.max_failures
        return bool(self._waiting) and not self._is_stopped and (most is None or self._failures < most)

    def _start(self, account: str, task: Task) -> Task:
        self._waiting[account].popleft()
        if not self._waiting[account]:
            del self._waiting[account]
        self._running[task.name] = task
        self._busy.setdefault(account, []).append(task.group)
        return task


def _account(task: Task) -> str:
    """Return whose jobs a task must wait for; a task without an account waits for none."""
    return task.account or f"task {task.digest}"
