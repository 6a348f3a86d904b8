"""The connection to a scheduler, and what is kept there, without one."""

from types import SimpleNamespace

import msgspec
import pytest

from ads_cli.client.shared_window import LimitShare
from ads_cli.errors import UnavailableError
from ads_cli.fleet import cluster_link
from ads_cli.fleet.cluster_link import LostError, SchedulerConnector, SchedulerLink
from ads_cli.fleet.cluster_state import SharedState
from ads_cli.fleet.cluster_worker import Board, TaskOutcome, shares_of
from ads_cli.fleet.engine import TaskResult
from ads_cli.fleet.tasks import Task

TASK = Task("a", "nord", ("products", "push"), "service a")


class Variables(dict[str, str]):
    """A link that keeps variables."""

    lost = "nothing"  # a part of the name of what cannot be set

    def put(self, name: str, value: str) -> None:
        if self.lost in name:
            raise LostError("cut")
        self[name] = value

    def get(self, name: str) -> str:
        return super().get(name, "")


def test_an_outcome_that_was_stored_is_not_read_again():
    state, link = SharedState(), Variables()
    state.announce(link, TASK)
    assert state.outcome(link, TASK) is None
    outcome = TaskOutcome(TaskResult.ended(TASK, 0, worker="w1"), "")
    link.put(state.outcome_name(TASK), msgspec.json.encode(outcome).decode())
    assert state.outcome(link, TASK) == outcome
    state.mark_stored(link, TASK)
    assert state.outcome(link, TASK) is None


def test_a_new_share_is_told_of_though_that_of_a_home_that_then_leaves_could_not_be_stored():
    state, link = SharedState(), Variables()
    homes, parts = {"a"}, 1

    def counted() -> int:
        members = SimpleNamespace(homes=homes, shares=lambda home, now: {"token": LimitShare(parts, 2)})
        state.publish(link, members, [])
        return msgspec.json.decode(link[state.board], type=Board).shares

    first = counted()
    homes, parts = {"a", "b"}, 2
    link.lost = "-shares-b"
    with pytest.raises(LostError):
        counted()
    homes = {"a"}
    assert counted() != first and '"parts":2' in link.get(shares_of(state.board, "a"))


@pytest.mark.parametrize("error", [OSError("cut"), KeyboardInterrupt()])
def test_a_client_whose_scheduler_is_lost_at_once_is_closed(monkeypatch, error):
    closed = []

    class Client:
        """Fails as soon as anything is asked."""

        def __init__(self, address: str, **options: object) -> None:
            self.address = address

        def subscribe_topic(self, *words: object) -> None:
            raise error

        def close(self, timeout: float) -> None:
            closed.append(self.address)

    monkeypatch.setattr(cluster_link, "Client", Client)
    with pytest.raises(LostError if isinstance(error, OSError) else KeyboardInterrupt):
        SchedulerLink("tcp://scheduler", "board")
    assert closed == ["tcp://scheduler"]


def test_a_scheduler_that_accepts_and_is_lost_again_each_time_is_waited_for_as_long_as_one_that_refuses(
    monkeypatch,
):
    class Link:
        """Connects, and does nothing else."""

        def __init__(self, *words: str) -> None:
            self.scheduler_id = f"scheduler-{now}"

        def close(self) -> None:
            pass

    now, tries = 0.0, 0

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(cluster_link, "SchedulerLink", Link)
    monkeypatch.setattr(cluster_link, "monotonic", lambda: now)
    monkeypatch.setattr(cluster_link, "sleep", sleep)
    connector = SchedulerConnector("tcp://scheduler", "board", max_wait=60.0)
    connector.open()
    with pytest.raises(UnavailableError, match="the scheduler at tcp://scheduler was lost: cut"):
        while tries < 100:
            connector.lose(LostError("cut"))
            _, is_other = connector.reopen()
            tries += 1
            assert is_other == (tries > 1)
    assert 60 <= now < 80 and tries < 20
