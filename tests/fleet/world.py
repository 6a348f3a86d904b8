"""A cluster that a test plays: its clock, its scheduler, and its workers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ads_cli.fleet import cluster
from ads_cli.fleet.cluster import ClusterEngine
from ads_cli.fleet.cluster_link import LostError
from ads_cli.fleet.cluster_worker import Member
from ads_cli.fleet.engine import TaskResult
from ads_cli.fleet.records import Records, RunId
from ads_cli.fleet.tasks import RunLimits, Task

RUN = RunId("fleet", "run")
MAX_WAIT_SECONDS = 300.0
LEASE_SECONDS = 30.0


class World:
    """The clock, the workers that are connected, what ended at their homes, and what they were sent."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.workers = {"w1", "w2"}
        self.starts = Counter[str]()  # of each worker
        self.homes: dict[str, str] = {}  # of workers whose home has not their own name
        self.problems: dict[str, str] = {}  # of workers that cannot run anything
        self.refusals = defaultdict[str, dict[str, dict]](dict)  # by worker: why it cannot use a profile
        self.tokens = {"nord": ""}  # of each profile
        self.ended = defaultdict[str, dict[str, TaskResult]](dict)  # by home
        self.surveyed: list[str] = []
        self.sent: list[tuple[str, str]] = []
        self.told = 0  # the signal that ends the tasks of the fleet
        self.keys: list[str] = []  # of what was sent
        self.cancelled: set[str] = set()  # keys
        self.events: list[tuple[str, Any]] = []  # keys and answers that are not yet told
        self.scheduler_id = "scheduler-1"
        self.lost_calls = 0  # that are to be lost, of those that tell the scheduler anything

    def play(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> ClusterEngine:
        """Stand in for a cluster; return the engine of a fleet on it."""
        monkeypatch.setattr(cluster, "time", self)
        monkeypatch.setattr(cluster, "SchedulerLink", lambda address, board: self.link())
        Records(folder, RUN).prepare()
        return ClusterEngine("tcp://scheduler", RUN, folder, RunLimits(4), MAX_WAIT_SECONDS)

    def restart_scheduler(self) -> None:
        """Start the scheduler again, which then knows nothing; what is under way is lost."""
        self.scheduler_id = f"scheduler-{self.now}"
        self.events.clear()

    def start_again(self, worker: str, home: str) -> None:
        """Let a worker end and start again, before anybody sees that it has left."""
        self.starts[worker] += 1
        self.homes[worker] = home

    def home_of(self, worker: str) -> str:
        return self.homes.get(worker, worker)

    def tell(self, signum: int) -> None:
        if self.lost_calls:
            self.lost_calls -= 1
            raise LostError("the connection to the scheduler is broken")
        self.told = signum

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def link(self) -> SimpleNamespace:
        """Connect to the scheduler; the link is broken once that was started again."""
        calls: dict[str, Callable[..., Any]] = {
            "workers": self.connected,
            "survey": self.survey,
            "submit": self.submit,
            "cancel": self.cancel,
            "next_ended": self.next_ended,
            "tell": self.tell,
        }
        through = {name: partial(self._call, self.scheduler_id, call) for name, call in calls.items()}
        return SimpleNamespace(close=lambda: None, **through)

    def _call(self, scheduler_id: str, function: Callable[..., Any], *words: Any, **options: Any) -> Any:
        if scheduler_id != self.scheduler_id:
            raise LostError("the scheduler was started again")
        return function(*words, **options)

    def connected(self) -> dict[tuple[str, str], str]:
        return {(name, self._directory(name)): name for name in sorted(self.workers)}

    def _directory(self, worker: str) -> str:
        return f"/tmp/{worker}-{self.starts[worker]}"

    def survey(self, run: RunId, tasks: Sequence[Task], addresses: list[str]) -> dict[str, Member | str]:
        self.surveyed += addresses
        return {
            name: self.problems.get(name) or self._member(name) for name in addresses if name in self.workers
        }

    def _member(self, worker: str) -> Member:
        home = self.home_of(worker)
        ended = {name: result for name, result in self.ended[home].items() if result.status == "ok"}
        about = (worker, self._directory(worker), worker, 2, home, LEASE_SECONDS)
        return Member(*about, self.tokens, {**self.refusals[worker]}, ended)

    def submit(self, function: object, task: Task, *order: Any, key: str, worker: str) -> None:
        self.sent.append((task.name, worker))
        self.keys.append(key)

    def cancel(self, key: str) -> None:
        self.cancelled.add(key)

    def next_ended(self, timeout: float) -> tuple[str, Any] | None:
        key, answer = self.events.pop(0) if self.events else ("", None)
        return (key, answer) if key and key not in self.cancelled else None

    def end(self, number: int, answer: Any) -> None:
        """Let what was sent end with an answer of its worker."""
        self.events.append((self.keys[number], answer))
