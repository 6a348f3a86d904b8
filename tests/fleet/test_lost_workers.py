"""What a fleet does with the tasks of a worker that is lost, by a scheduler that the test plays."""

from collections.abc import Callable
from types import SimpleNamespace

import msgspec
import pytest

from ads_cli.fleet import cluster, cluster_link, cluster_state
from ads_cli.fleet.cluster import ClusterEngine
from ads_cli.fleet.cluster_link import LostError
from ads_cli.fleet.cluster_members import RETURN_SECONDS
from ads_cli.fleet.cluster_worker import Order, Refusal, Survey, TaskOutcome
from ads_cli.fleet.engine import TaskResult
from ads_cli.fleet.quota_allocator import REFRESH_SECONDS, Claims, Division, QuotaAllocator
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
        self.futures: list[SimpleNamespace] = []  # of what was sent
        self.events: list[SimpleNamespace] = []  # futures that are done, and not yet told
        self.allocator = QuotaAllocator()
        self.scheduler_id = "scheduler-1"
        self.lost_calls = 0  # that are to be lost, of those that tell the scheduler anything

    def restart_scheduler(self) -> None:
        """Start the scheduler again, which then knows nothing; what is under way is lost."""
        self.allocator, self.scheduler_id, self.lost_calls = QuotaAllocator(), "scheduler-2", 1
        self.variables.clear()

    def claim(self, claims: Claims) -> dict[str, Division]:
        self.require_scheduler()
        return self.allocator.update(claims, self.now)

    def put(self, name: str, value: str) -> None:
        self.require_scheduler()
        self.variables[name] = value

    def require_scheduler(self) -> None:
        if self.lost_calls:
            self.lost_calls -= 1
            raise LostError("the connection to the scheduler is broken")

    def monotonic(self) -> float:
        return self.now

    def link(self) -> SimpleNamespace:
        return SimpleNamespace(
            workers=lambda: {name: {"name": name, "nthreads": 2} for name in sorted(self.workers)},
            check_versions=dict,
            ask=self.ask,
            submit=self.submit,
            cancel=lambda future: None,
            next_event=lambda timeout: self.events.pop() if self.events else None,
            result=lambda future: future.answer,
            claim=self.claim,
            put=self.put,
            get=lambda name: self.variables.get(name, ""),
            scheduler_id=self.scheduler_id,
            close=lambda: None,
        )

    def ask(self, function, message: bytes, addresses: list[str]) -> dict[str, bytes]:
        scopes = {"nord": "token-1"}
        surveys = {name: Survey(name, LEASE_SECONDS, scopes, {}, self.ended[name]) for name in addresses}
        return {name: msgspec.json.encode(survey) for name, survey in surveys.items()}

    def submit(self, function, message: bytes, key: str, address: str) -> SimpleNamespace:
        task = msgspec.json.decode(message, type=Order).task
        self.sent.append((task.name, address))
        self.futures.append(SimpleNamespace(key=key, answer=b""))
        return self.futures[-1]

    def end(self, number: int, answer: bytes = b"") -> None:
        """Let the future of what was sent end with an answer of its worker."""
        self.futures[number].answer = answer
        self.events.append(self.futures[number])


@pytest.fixture
def world(monkeypatch) -> World:
    world = World()
    for module in (cluster, cluster_state):
        monkeypatch.setattr(module, "time", world)
    monkeypatch.setattr(cluster_link, "monotonic", world.monotonic)
    monkeypatch.setattr(cluster_link, "SchedulerLink", lambda address, board: world.link())
    return world


@pytest.fixture
def engine(world, tmp_path) -> ClusterEngine:
    Records(tmp_path, RUN).prepare()
    engine = ClusterEngine("tcp://scheduler", RUN, tmp_path, RunLimits(4), 300.0)
    engine._connection.open()
    return engine


@pytest.fixture
def steps(world, engine):
    """Run two tasks on a worker each; each call lets so many seconds pass, and is a step."""
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


def test_a_task_whose_own_worker_has_no_share_yet_waits_for_it_with_its_journal(world, steps):
    (ends,) = [number for number, (name, _) in enumerate(world.sent) if name == "a"]
    (name,) = [name for name in world.variables if name.endswith(TASKS[0].digest)]
    world.variables[name] = msgspec.json.encode(TaskOutcome(WELL["a"], "")).decode()
    world.end(ends)
    assert steps(1) == ["a"]  # so that its worker has nothing to do
    world.workers.remove("w2")
    steps(2)
    world.workers.add("w2")
    steps(2)
    world.end(2, msgspec.json.encode(Refusal("w2")))
    steps(1), steps(1)
    assert world.sent[2:] == [("b", "w2")] * 2


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


@pytest.fixture
def half(world, engine, steps) -> Callable[[], list[int]]:
    """Let a home leave for good; return what gives the parts of the limit that the other one has."""
    world.workers.remove("w2")
    steps(2), steps(RETURN_SECONDS + 1)

    def parts() -> list[int]:
        return [share.parts for share in engine._shares.shares("w1", world.now).values()]

    assert parts() == [8]  # of 16: what was sent under the others still counts
    return parts


def test_a_scheduler_that_was_started_again_knows_what_still_rests(world, steps, half):
    world.restart_scheduler()
    steps(1), steps(REFRESH_SECONDS)
    assert half() == [8]


@pytest.mark.parametrize("lost", ["claims", "variables"])
def test_a_scheduler_that_is_lost_before_it_was_told_everything_is_told_all_of_it(
    world, engine, steps, half, lost
):
    world.restart_scheduler()
    steps(1)
    before = len(world.sent)
    if lost == "claims":
        world.lost_calls = 1
    else:
        announce = engine._shared.announce

        def lose(link, task) -> None:
            engine._shared.announce = announce
            raise LostError("the connection to the scheduler is broken")

        engine._shared.announce = lose
    steps(REFRESH_SECONDS), steps(1), steps(2)
    assert half() == [8]
    assert {engine._shared.outcome_name(task) for task in TASKS} <= world.variables.keys()
    assert len(world.sent) == before  # the leases that were lost with it may still be held
    steps(LEASE_SECONDS), steps(1)
    assert len(world.sent) > before
