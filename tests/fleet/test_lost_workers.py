"""What a fleet does with the tasks of a worker that is lost, by a scheduler that the test plays."""

from types import SimpleNamespace

import msgspec
import pytest

from ads_cli.fleet import cluster, cluster_state
from ads_cli.fleet.cluster import ClusterEngine
from ads_cli.fleet.cluster_worker import Order, Survey, TaskOutcome
from ads_cli.fleet.engine import TaskResult
from ads_cli.fleet.quota_allocator import QuotaAllocator
from ads_cli.fleet.records import Records, RunId
from ads_cli.fleet.tasks import RunLimits, Task

RUN = RunId("fleet", "run")
LEASE_SECONDS = 30.0
TASKS = [Task(name, "nord", ("products", "push"), f"service {name}") for name in "ab"]
WELL = {task.name: TaskResult.ended(task, 0, worker="w1") for task in TASKS}


class World:
    """The clock, the workers that are connected, what ended at their homes, and what they were sent."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.workers = {"w1", "w2"}
        self.ended: dict[str, dict[str, TaskResult]] = {"w1": {}, "w2": {}}
        self.sent: list[tuple[str, str]] = []
        self.variables: dict[str, str] = {}
        self.allocator = QuotaAllocator()
        self.status = "running"

    def monotonic(self) -> float:
        return self.now

    def link(self) -> SimpleNamespace:
        return SimpleNamespace(
            workers=lambda: {name: {"name": name, "nthreads": 2} for name in sorted(self.workers)},
            check_versions=dict,
            ask=self.ask,
            submit=self.submit,
            cancel=lambda future: None,
            next_event=lambda timeout: None,
            claim=lambda claims: self.allocator.update(claims, self.now),
            put=self.variables.__setitem__,
            get=lambda name: self.variables.get(name, ""),
        )

    def ask(self, function, message: bytes, addresses: list[str]) -> dict[str, bytes]:
        scopes = {"nord": "token-1"}
        surveys = {name: Survey(name, LEASE_SECONDS, scopes, {}, self.ended[name]) for name in addresses}
        return {name: msgspec.json.encode(survey) for name, survey in surveys.items()}

    def submit(self, function, message: bytes, key: str, address: str) -> SimpleNamespace:
        task = msgspec.json.decode(message, type=Order).task
        self.sent.append((task.name, address))
        return SimpleNamespace(key=key)


@pytest.fixture
def world(monkeypatch) -> World:
    world = World()
    for module in (cluster, cluster_state):
        monkeypatch.setattr(module, "time", world)
    return world


@pytest.fixture
def steps(world, tmp_path):
    """An engine whose two tasks run on a worker each; each call lets so many seconds pass, and is a step."""
    Records(tmp_path, RUN).prepare()
    engine = ClusterEngine("tcp://scheduler", RUN, tmp_path, RunLimits(4), 300.0)
    engine._connection.current = world.link()
    ended = []
    engine._begin(TASKS, lambda event: ended.append(event.task.name))

    def step(seconds: float = 0.0) -> list[str]:
        world.now += seconds
        engine._step()
        return ended

    step()
    assert sorted(world.sent) == [("a", "w1"), ("b", "w2")]
    return step


def test_a_task_that_ended_before_its_worker_could_tell_is_found_when_the_worker_returns(world, steps):
    world.ended["w1"] = {"a": WELL["a"]}
    world.workers.remove("w1")
    assert steps(2) == steps(LEASE_SECONDS - 5) == []
    world.workers.add("w1")
    assert steps(2) == ["a"]
    assert len(world.sent) == 2


def test_a_task_is_run_again_by_its_own_worker_which_has_its_journal(world, steps):
    world.workers.remove("w2")
    assert steps(2) == []
    world.workers.add("w2")
    steps(2)
    assert world.sent[2:] == [("b", "w2")]


def test_a_task_whose_worker_does_not_return_while_its_lease_lasts_is_run_by_another_one(world, steps):
    world.workers.remove("w1")
    steps(2)
    assert steps(LEASE_SECONDS - 1) == [] and len(world.sent) == 2
    steps(2)
    assert world.sent[2:] == [("a", "w2")]


def test_what_a_worker_has_told_the_scheduler_counts_though_it_is_lost(world, steps):
    (name,) = [name for name in world.variables if name.endswith(TASKS[0].digest)]
    world.variables[name] = msgspec.json.encode(TaskOutcome(WELL["a"], "")).decode()
    world.workers.remove("w1")
    steps(2)
    assert steps(1) == ["a"] and len(world.sent) == 2
