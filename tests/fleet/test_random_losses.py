"""A fleet ends whatever is lost, and in whatever order, in a world where tasks take their time."""

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from ads_cli.errors import UnavailableError
from ads_cli.fleet.cluster import RETURN_SECONDS
from ads_cli.fleet.cluster_link import LostError
from ads_cli.fleet.engine import Ended, TaskResult
from ads_cli.fleet.tasks import Task
from tests.effort import tries

from .world import LEASE_SECONDS, MAX_WAIT_SECONDS, World

TASKS = [Task(name, "nord", ("products", "push"), f"service {name}") for name in "abcdef"]
WORKERS = ("w1", "w2", "w3")
LONGEST_TASK_SECONDS = 40.0


class Attempt(msgspec.Struct):
    """A task that Dask has, and the worker that runs it; None while there is none."""

    task: Task
    key: str
    account: str  # the lease
    address: str | None
    seconds: float  # that it still takes
    lease_number: int = 0  # 0: it waits for the lease


class LossyWorld(World):
    """A world in which time passes while the fleet waits, and everything may be lost."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = Random(seed)
        self.workers = {*WORKERS}
        self.attempts: list[Attempt] = []
        self.leases: dict[str, tuple[int, float]] = {}  # by name: a number, and when it ends
        self.returns: dict[str, float] = {}  # of workers that have left
        self.scheduler_starts_at = 0.0
        self.is_calm = False
        self.clients = 0

    def link(self) -> SimpleNamespace:
        if self.now < self.scheduler_starts_at:
            raise LostError("connection refused")
        self.clients += 1
        link, number = super().link(), self.clients
        next_ended = link.next_ended

        def wait(timeout: float) -> object:
            if timeout:
                is_slow = not self.is_calm and self.random.random() < 0.02
                self.sleep(self.random.uniform(10, 20) if is_slow else timeout)
            return next_ended(timeout)

        def close() -> None:
            """Dask ends what a client has left behind."""
            if number == self.clients:
                for attempt in [*self.attempts]:
                    self._end_attempt(attempt)

        return SimpleNamespace(**{**vars(link), "next_ended": wait, "close": close})

    def submit(self, function: object, task: Task, *order: Any, key: str, worker: str) -> None:
        super().submit(function, task, *order, key=key, worker=worker)
        seconds = self.random.uniform(1, LONGEST_TASK_SECONDS)
        _, _, account, _ = order
        address = worker if worker in self.workers else None
        self.attempts.append(Attempt(task, key, account, address, seconds))

    def cancel(self, key: str) -> None:
        super().cancel(key)
        for attempt in [attempt for attempt in self.attempts if attempt.key == key]:
            self._end_attempt(attempt)

    def _end_attempt(self, attempt: Attempt) -> None:
        self.attempts.remove(attempt)
        if attempt.lease_number and attempt.address:
            self.leases.pop(attempt.account, None)

    def sleep(self, seconds: float) -> None:
        """Let time pass for workers and their tasks."""
        self.now += seconds
        for worker in [worker for worker, time in self.returns.items() if time <= self.now]:
            if self.now >= self.scheduler_starts_at:
                del self.returns[worker]
                self.workers.add(worker)
        for attempt in [*self.attempts]:
            if attempt.address is not None and (result := self._go_on(attempt, seconds)) is not None:
                self._end_attempt(attempt)
                self.events.append((attempt.key, (result, "")))

    def _go_on(self, attempt: Attempt, seconds: float) -> TaskResult | None:
        """Do what `carry_out` does; return its result, once it ends."""
        worker = str(attempt.address)
        number, ends = self.leases.get(attempt.account, (0, 0.0))
        if not attempt.lease_number:
            if number and ends > self.now:
                return None
            attempt.lease_number = len(self.sent)
        self.leases[attempt.account] = attempt.lease_number, self.now + LEASE_SECONDS
        attempt.seconds -= seconds
        if attempt.seconds > 0:
            return None
        result = TaskResult.ended(attempt.task, 0, worker=worker)
        self.ended[self.home_of(worker)][attempt.task.name] = result
        return result

    def lose(self) -> None:
        """Lose a worker, all of them with the scheduler, or a call."""
        connected = sorted(self.workers & {*WORKERS})
        what = self.random.choice(["worker", "worker", "worker", "scheduler", "call", "late"])
        if what == "worker" and connected:
            self.lose_workers([self.random.choice(connected)])
        elif what == "scheduler":
            self.restart_scheduler()
            self.workers.discard("w9")
            self.leases.clear()
            self.attempts.clear()
            self.scheduler_starts_at = self.now + self.random.uniform(0, 30)
            self.lose_workers(connected)
        elif what == "call":
            self.lost_calls = 1
        elif what == "late":
            self.workers.add("w9")
            self.problems["w9"] = "has adsctl 9.9.9 (here 0.1)"

    def lose_workers(self, workers: list[str]) -> None:
        """Kill them, or cut their network; they return, maybe at once, and maybe with other state folders."""
        returns = self.now + self.random.choice([0, 0.6, 5, 40, 100, 200])
        for worker in workers:
            self.returns[worker] = returns
            self._lose_worker(worker)

    def _lose_worker(self, worker: str) -> None:
        self.workers.remove(worker)
        self.starts[worker] += 1
        for attempt in [attempt for attempt in self.attempts if attempt.address == worker]:
            if attempt.lease_number and self.random.random() < 0.3:  # it ends, and cannot tell
                result = TaskResult.ended(attempt.task, 0, worker=worker)
                self.ended[self.home_of(worker)][attempt.task.name] = result
            attempt.address, attempt.lease_number = None, 0
        if self.random.random() < 0.3:
            self.homes[worker] = f"{worker}-{self.starts[worker]}"


@pytest.mark.parametrize("seed", range(tries(40, 2000)))
def test_whatever_is_lost_a_fleet_ends_every_task_or_says_that_no_worker_is_left(
    monkeypatch, tmp_path: Path, seed
):
    world, ended = LossyWorld(seed), list[str]()
    engine = world.play(monkeypatch, tmp_path)
    engine._begin(TASKS, lambda event: isinstance(event, Ended) and ended.append(event.task.name))
    engine._step()
    until = world.now + 120
    while world.now < until:
        if world.random.random() < 0.04:
            world.lose()
        engine._step()
    world.is_calm = True
    is_over = seed % 4 == 0
    if is_over:  # but for a worker of another version, if one has joined
        world.lose_workers(sorted(world.workers & {*WORKERS}))
        world.returns.clear()
        until = world.now + MAX_WAIT_SECONDS + 60
    else:
        world.returns = dict.fromkeys(world.returns, world.now)
        until = world.now + RETURN_SECONDS + LEASE_SECONDS + 2 * LONGEST_TASK_SECONDS
    try:
        while not engine._is_done:
            assert world.now < until, "the fleet waits for ever"
            engine._step()
    except UnavailableError:
        assert is_over
    else:
        assert sorted(ended) == [task.name for task in TASKS]
