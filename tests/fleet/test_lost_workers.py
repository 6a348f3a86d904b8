"""What a fleet does with the tasks of a worker that is lost, by a scheduler that the test plays."""

from collections.abc import Callable

import pytest

from ads_cli.errors import StateError, UnavailableError
from ads_cli.fleet.cluster import RETURN_SECONDS, SETTLE_SECONDS, ClusterEngine
from ads_cli.fleet.engine import Ended, TaskResult
from ads_cli.fleet.tasks import Task

from .world import LEASE_SECONDS, MAX_WAIT_SECONDS, World

TASKS = [Task(name, "nord", ("products", "push"), f"service {name}") for name in "ab"]
WELL = {task.name: TaskResult.ended(task, 0, worker="w1") for task in TASKS}


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def engine(world, monkeypatch, tmp_path) -> ClusterEngine:
    return world.play(monkeypatch, tmp_path)


@pytest.fixture
def steps(world, engine):
    """Run two tasks on a worker each; each call lets so many seconds pass, and is a step."""
    ended = []
    engine._begin(TASKS, lambda event: isinstance(event, Ended) and ended.append(event.task.name))

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


@pytest.mark.parametrize("lost", [1, 2])
def test_after_the_loss_of_the_scheduler_tasks_wait_for_their_workers_or_their_leases(world, steps, lost):
    world.restart_scheduler()
    world.workers.remove("w1")
    world.lost_calls = lost
    for _ in range(lost + 1):
        steps(1)
    steps(2)
    assert world.sent[2:] == [("b", "w2")]
    steps(LEASE_SECONDS)
    assert world.sent[3:] == [("a", "w2")]


def test_what_has_ended_before_the_scheduler_was_lost_is_found_and_not_run_again(world, steps):
    world.ended["w1"] = {"a": WELL["a"]}
    world.restart_scheduler()
    steps(1), steps(1)
    assert steps(1) == ["a"]
    assert world.sent[2:] == [("b", "w2")]


def test_a_scheduler_that_accepts_and_is_lost_again_each_time_is_waited_for_as_long_as_max_wait(world, steps):
    began, world.lost_calls = world.now, 10_000
    with pytest.raises(UnavailableError, match="the scheduler at tcp://scheduler was lost: "):
        while world.now < began + 2 * MAX_WAIT_SECONDS:
            steps()
    assert MAX_WAIT_SECONDS < world.now - began < MAX_WAIT_SECONDS + 10


def test_tasks_of_a_token_run_on_one_worker_at_a_time_and_then_on_any(world, engine):
    """Others do not wait for them."""
    world.tokens |= {"nord": "token-1", "sued": "token-2"}
    tasks = [Task(name, "nord", (), f"service {name}") for name in "abc"]
    engine._begin([*tasks, Task("d", "sued", (), "service d")], lambda event: None)
    engine._step()
    (home,) = {worker for name, worker in world.sent if name != "d"}
    assert sorted(name for name, _ in world.sent) == ["a", "b", "d"]
    for number, (name, worker) in enumerate([*world.sent]):
        if name != "d":
            task = next(task for task in tasks if task.name == name)
            world.end(number, (TaskResult.ended(task, 0, worker=worker), ""))
    world.workers.remove(home)
    for _ in range(4):
        world.now += 2
        engine._step()
    assert world.sent[3:] == [("c", *{"w1", "w2"} - {home})]


def test_a_task_that_every_worker_refuses_fails_once_none_has_joined_for_a_while(world, engine, steps):
    for worker in ("w1", "w2"):
        world.refusals[worker]["nord"] = {"exit_code": 4, "message": f"{worker} is signed out"}
        world.start_again(worker, worker)
    steps(2), steps(SETTLE_SECONDS)
    assert steps(RETURN_SECONDS - SETTLE_SECONDS - 3) == []  # those that have left could run it
    assert sorted(steps(4)) == ["a", "b"]
    record = engine._records.find(TASKS[0])
    assert record.exit_code == 4
    assert record.error["message"] == "no worker can run it: w1: w1 is signed out; w2: w2 is signed out"


PROBLEM = "has adsctl 9.9.9 (here 0.1)"


@pytest.fixture
def unfit(world, steps) -> Callable[..., list[str]]:
    """Let a worker of another version join two that have tasks."""
    world.workers.add("w9")
    world.problems["w9"] = PROBLEM
    steps(2)
    return steps


def test_a_late_worker_of_another_version_is_left_out_and_is_asked_only_once(world, unfit):
    world.surveyed.clear()
    world.workers.remove("w1")
    unfit(2), unfit(LEASE_SECONDS)
    assert world.sent[2:] == [("a", "w2")]
    assert world.surveyed == []


def test_a_fleet_ends_where_only_a_worker_of_another_version_is_left(world, unfit):
    world.workers -= {"w1", "w2"}
    for _ in range(int(MAX_WAIT_SECONDS / 10)):
        assert unfit(10) == []
    with pytest.raises(UnavailableError, match="for 300 s; the worker w9 at w9 has adsctl"):
        unfit(10)


def test_lost_workers_are_waited_for_as_long_as_max_wait_and_then_their_tasks_run(world, steps):
    world.workers.clear()
    steps(2), steps(RETURN_SECONDS + 1), steps(MAX_WAIT_SECONDS - RETURN_SECONDS - 10)
    world.workers.add("w2")
    steps(2)
    assert sorted(world.sent[2:]) == [("a", "w2"), ("b", "w2")]


def test_a_fleet_that_has_lost_its_workers_for_good_says_so_after_max_wait(world, steps):
    world.workers.clear()
    steps(2), steps(RETURN_SECONDS + 1), steps(MAX_WAIT_SECONDS - RETURN_SECONDS - 10)
    with pytest.raises(UnavailableError, match="has had no worker that can run tasks for 300 s"):
        steps(10)


def test_a_fleet_that_no_worker_has_joined_says_so_after_a_minute(world, engine):
    world.workers.clear()
    engine._begin(TASKS, print)
    engine._step()
    world.now += 61
    with pytest.raises(
        UnavailableError, match="no worker has joined the scheduler at tcp://scheduler for 60 s"
    ):
        engine._step()


def test_the_first_workers_must_be_fit(world, engine):
    world.problems["w1"] = PROBLEM
    engine._begin(TASKS, print)
    with pytest.raises(StateError, match="the worker w1 at w1 has adsctl"):
        engine._step()


def test_a_worker_of_another_version_that_comes_first_after_all_were_lost_is_left_out(world, steps):
    world.workers.clear()
    steps(2), steps(RETURN_SECONDS + 1)
    world.workers.add("w9")
    world.problems["w9"] = PROBLEM
    assert steps(2) == steps(SETTLE_SECONDS + 1) == []  # none has failed
    world.workers.add("w2")
    steps(2)
    assert sorted(world.sent[2:]) == [("a", "w2"), ("b", "w2")]


@pytest.mark.parametrize("is_seen", [True, False])
def test_a_worker_that_returns_at_its_address_with_another_state_folder_gets_tasks(
    world, engine, steps, is_seen
):
    if is_seen:
        world.workers.remove("w1")
        steps(2)
    world.start_again("w1", "w1-new")
    world.workers.add("w1")
    steps(2)
    world.workers.remove("w2")
    steps(2), steps(LEASE_SECONDS), steps(1)
    assert world.sent[-1][1] == "w1"


def test_a_worker_that_was_started_again_with_the_right_version_gets_tasks(world, unfit):
    world.workers -= {"w1", "w2"}
    del world.problems["w9"]
    world.start_again("w9", "w9")
    unfit(2), unfit(LEASE_SECONDS), unfit(RETURN_SECONDS), unfit(2)
    assert sorted(world.sent[2:]) == [("a", "w9"), ("b", "w9")]


def test_a_task_that_failed_before_is_run_and_one_that_ended_well_before_is_not(world, engine):
    for home in world.workers:
        world.ended[home] = {"a": TaskResult.ended(TASKS[0], 9, worker=home)}
    world.ended["w2"]["b"] = WELL["b"]
    ended = []
    engine._begin(TASKS, lambda event: isinstance(event, Ended) and ended.append(event.task.name))
    engine._step()
    assert [name for name, _ in world.sent] == ["a"] and "b" in ended


def test_a_task_that_no_worker_could_carry_out_fails_and_says_why(world, engine, steps):
    world.end(0, OSError("disk full"))
    assert steps(1) == [world.sent[0][0]]
    record = engine._records.find(TASKS[0])
    assert (record.exit_code, record.error["message"]) == (8, "no worker could run it: disk full")


def test_a_signal_starts_nothing_further_and_ends_what_is_told_to_stop_before_it_began(world, engine, steps):
    engine._on_signal(15, None)
    steps(1)
    assert world.told == 15
    for number in range(2):
        world.end(number, None)
    steps(1)
    assert engine._is_done and len(world.sent) == 2 and engine._records.find(TASKS[0]) is None
