"""Tasks by host: hosts take turns, and of each only a few tasks are worked on at a time."""

import threading
from collections import Counter, OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class HostQueue(Generic[T]):
    """A queue that one thread fills and looks after, and several threads work on."""

    def __init__(self, per_host: int, max_waiting: int) -> None:
        self._per_host, self._max_waiting = per_host, max_waiting
        lock = threading.Lock()
        self._has_task = threading.Condition(lock)
        self._has_changed = threading.Condition(lock)  # for the thread that fills it
        self._waiting: OrderedDict[str, deque[T]] = OrderedDict()
        self._count = 0  # of waiting tasks
        self._working: Counter[str] = Counter()
        self._is_closed = False

    def put(self, host: str, task: T) -> None:
        """Add a task, however many there are."""
        with self._has_task:
            self._waiting.setdefault(host, deque()).append(task)
            self._count += 1
            self._has_task.notify()

    def has_room(self, seconds: float) -> bool:
        """Wait until there are few enough tasks; return False if there are still too many after that time."""
        with self._has_changed:
            return self._has_changed.wait_for(lambda: self._count < self._max_waiting, seconds)

    def is_done(self, seconds: float) -> bool:
        """Wait until every task is done; return False if one is not after that time."""
        with self._has_changed:
            return self._has_changed.wait_for(lambda: not (self._count or self._working), seconds)

    def take(self) -> tuple[str, T] | None:
        """Wait for a task of a host that has not too many, and return both; None once the queue is closed.

        `done` must follow.
        """
        with self._has_task:
            while (host := self._next_host()) is None and not self._is_closed:
                self._has_task.wait()
            if host is None or self._is_closed:
                return None
            tasks = self._waiting.pop(host)
            task = tasks.popleft()
            if tasks:
                self._waiting[host] = tasks  # at the end: it is the turn of the others
            self._count -= 1
            self._working[host] += 1
            self._has_changed.notify()
            return host, task

    def done(self, host: str) -> None:
        """Note that a task of a host was worked on; what it led to was put before."""
        with self._has_task:
            self._working[host] -= 1
            if not self._working[host]:
                del self._working[host]
            self._has_task.notify()  # another task of the host may be taken
            self._has_changed.notify()

    def close(self) -> None:
        """Drop what waits, and end the threads that take tasks."""
        with self._has_task:
            self._is_closed = True
            self._waiting.clear()
            self._has_task.notify_all()

    def _next_host(self) -> str | None:
        return next((host for host in self._waiting if self._working[host] < self._per_host), None)
