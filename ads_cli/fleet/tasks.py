"""A task: one run of one command under one profile, and what must not run beside it."""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from ..store.epochs import UploadTarget

UNFIT = re.compile(r"[^A-Za-z0-9._-]+")  # for the name of a file
MAX_STEM = 60  # characters of a task's name


class Task(msgspec.Struct, frozen=True):
    """One command line of a fleet. It is sent to other machines, so it holds no secret."""

    name: str
    profile: str  # as it is shown; the words have it too, where it was named
    words: tuple[str, ...]  # after `adsctl`, without -o
    lane: str = ""  # whose tasks run one after another, such as the jobs of an account; or empty
    target: UploadTarget | None = None  # what it changes
    is_part: bool = False  # of a user list: parts of one list may run at once
    can_resume: bool = False  # whether the command takes --resume
    is_once: bool = False  # what it sends counts each time
    is_creation: bool = False  # creates another record each time, and has no job to resume
    is_job: bool = True  # what it prints is its summary, and no data
    uses_account: bool = True  # so that it counts in the limits of its token
    account: str = ""  # as it is set, if it is
    fixed: dict[str, str | bool | None] = {}  # common options that outrank those of its words
    attempt: str = ""  # of --only: it is run anew in a run that has run it, and has records of its own

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for what is run: with another command it is another task.

        So it is under another profile or in another account, whatever has named these.
        """
        run = (self.name, self.words, self.profile, self.account, self.attempt)
        return hashlib.sha256(msgspec.json.encode(run)).hexdigest()[:16]

    @property
    def stem(self) -> str:
        """Return how the names of the task's files begin."""
        return f"{UNFIT.sub('-', self.name)[:MAX_STEM]}-{self.digest}"

    @property
    def group(self) -> str:
        """Return what tasks have in common that may use an account at the same time."""
        return f"{self.target}" if self.is_part else self.digest


class RunLimits(msgspec.Struct, frozen=True):
    """How many tasks run at once, and how many may fail."""

    parallel: int
    max_failures: int | None = None  # so many failures let no further task start


class TaskQueue:
    """The tasks that wait and run. The tasks of a lane start in their order."""

    def __init__(self, tasks: Iterable[Task], limits: RunLimits) -> None:
        self._limits = limits
        self._waiting: dict[str, deque[Task]] = {}  # by lane, in the order of their first tasks
        self._busy: dict[str, list[str]] = {}  # the group of each running task, by lane
        self._failures = 0
        self._is_stopped = False
        for task in tasks:
            self._waiting.setdefault(_lane(task), deque()).append(task)

    @property
    def running(self) -> int:
        """The number of running tasks."""
        return sum(map(len, self._busy.values()))

    @property
    def is_stopped(self) -> bool:
        """Whether no further task may start: after `stop`, or too many failures."""
        most = self._limits.max_failures
        return self._is_stopped or (most is not None and self._failures >= most)

    @property
    def is_done(self) -> bool:
        """Whether nothing runs, and nothing may start."""
        return not self._busy and (self.is_stopped or not self._waiting)

    def stop(self) -> None:
        """Let no further task start."""
        self._is_stopped = True

    def take(self, fits: Callable[[Task], bool] = lambda task: True) -> Task | None:
        """Start a task that fits, or return None where none may start before another one ends."""
        if self.is_stopped or self.running >= self._limits.parallel:
            return None
        for lane, waiting in self._waiting.items():
            task = waiting[0]
            if all(group == task.group for group in self._busy.get(lane, ())) and fits(task):
                return self._start(lane, task)
        return None

    def end(self, task: Task, *, failed: bool) -> None:
        """Note that a running task has ended."""
        self._free(task)
        self._failures += failed

    def put_back(self, task: Task) -> None:
        """Let a running task wait again, before all others."""
        self._free(task)
        lane = _lane(task)
        waiting = deque([task, *self._waiting.pop(lane, ())])
        self._waiting = {lane: waiting, **self._waiting}

    def _free(self, task: Task) -> None:
        lane = _lane(task)
        self._busy[lane].remove(task.group)
        if not self._busy[lane]:
            del self._busy[lane]

    def _start(self, lane: str, task: Task) -> Task:
        self._waiting[lane].popleft()
        if not self._waiting[lane]:
            del self._waiting[lane]
        self._busy.setdefault(lane, []).append(task.group)
        return task


def _lane(task: Task) -> str:
    """Return the lane of a task; one without a lane waits for no other."""
    return task.lane or f"task {task.digest}"
