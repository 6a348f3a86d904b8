"""A cluster that a test plays: its clock, its scheduler, and its workers."""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from ads_cli.fleet import cluster, cluster_link, cluster_members
from ads_cli.fleet.cluster import ClusterEngine
from ads_cli.fleet.cluster_link import LostError
from ads_cli.fleet.cluster_worker import Order, Survey
from ads_cli.fleet.engine import TaskResult
from ads_cli.fleet.records import Records, RunId
from ads_cli.fleet.tasks import RunLimits

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
        self.differences: dict[str, str] = {}  # the versions of workers that have others
        self.tokens = {"nord": ""}  # of each profile
        self.unreadable: set[str] = set()  # workers whose answers nobody understands
        self.ended = defaultdict[str, dict[str, TaskResult]](dict)  # by home
        self.asked: list[str] = []
        self.sent: list[tuple[str, str]] = []
        self.variables: dict[str, str] = {}
        self.futures: list[SimpleNamespace] = []  # of what was sent
        self.events: list[Any] = []  # futures that are done, and not yet told
        self.scheduler_id = "scheduler-1"
        self.lost_calls = 0  # that are to be lost, of those that tell the scheduler anything
        self.lost_put = ""  # a part of the name of a variable that cannot be set, once

    def play(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> ClusterEngine:
        """Stand in for a cluster; return the engine of a fleet that is connected to it."""
        for module in (cluster, cluster_members):
            monkeypatch.setattr(module, "time", self)
        monkeypatch.setattr(cluster_link, "monotonic", self.monotonic)
        monkeypatch.setattr(cluster_link, "sleep", self.sleep)
        monkeypatch.setattr(cluster_link, "SchedulerLink", lambda address, board: self.link())
        Records(folder, RUN).prepare()
        engine = ClusterEngine("tcp://scheduler", RUN, folder, RunLimits(4), MAX_WAIT_SECONDS)
        engine._connection.open()
        return engine

    def restart_scheduler(self) -> None:
        """Start the scheduler again, which then knows nothing; what is under way is lost."""
        self.scheduler_id = f"scheduler-{self.now}"
        self.variables.clear()
        self.events.clear()

    def start_again(self, worker: str, home: str) -> None:
        """Let a worker end and start again, before anybody sees that it has left."""
        self.starts[worker] += 1
        self.homes[worker] = home

    def home_of(self, worker: str) -> str:
        return self.homes.get(worker, worker)

    def put(self, name: str, value: str) -> None:
        self._lose_some()
        if self.lost_put and self.lost_put in name:
            self.lost_put = ""
            raise LostError("the connection to the scheduler is broken")
        self.variables[name] = value

    def _lose_some(self) -> None:
        if self.lost_calls:
            self.lost_calls -= 1
            raise LostError("the connection to the scheduler is broken")

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def link(self) -> SimpleNamespace:
        """Connect to the scheduler; the link is broken once that was started again."""
        calls: dict[str, Callable[..., Any]] = {
            "workers": self.connected,
            "check_versions": lambda: dict(self.differences),
            "ask": self.ask,
            "submit": self.submit,
            "cancel": self.cancel,
            "next_event": lambda timeout: self.events.pop(0) if self.events else None,
            "result": self.result,
            "put": self.put,
            "get": lambda name: self.variables.get(name, ""),
            "delete": lambda *names: [self.variables.pop(name, None) for name in names],
        }
        through = {name: partial(self._call, self.scheduler_id, call) for name, call in calls.items()}
        return SimpleNamespace(scheduler_id=self.scheduler_id, close=lambda: None, **through)

    def _call(self, scheduler_id: str, function: Callable[..., Any], *words: Any) -> Any:
        if scheduler_id != self.scheduler_id:
            raise LostError("the scheduler was started again")
        return function(*words)

    def connected(self) -> dict[str, dict[str, Any]]:
        return {
            name: {"name": name, "nthreads": 2, "local_directory": f"/tmp/{name}-{self.starts[name]}"}
            for name in sorted(self.workers)
        }

    def ask(self, function: object, message: bytes, addresses: list[str]) -> dict[str, bytes]:
        self.asked += addresses
        return {
            name: b"{}" if name in self.unreadable else self.survey(name)
            for name in addresses
            if name in self.workers
        }

    def survey(self, worker: str) -> bytes:
        home = self.home_of(worker)
        return msgspec.json.encode(Survey(home, LEASE_SECONDS, self.tokens, {}, self.ended[home]))

    def submit(self, function: object, message: bytes, key: str, address: str) -> SimpleNamespace:
        task = msgspec.json.decode(message, type=Order).task
        self.sent.append((task.name, address))
        self.futures.append(SimpleNamespace(key=key, answer=b""))
        return self.futures[-1]

    def cancel(self, future: SimpleNamespace) -> None:
        pass

    def result(self, future: SimpleNamespace) -> bytes:
        return bytes(future.answer)

    def end(self, number: int, answer: bytes = b"") -> None:
        """Let the future of what was sent end with an answer of its worker."""
        self.futures[number].answer = answer
        self.events.append(self.futures[number])
