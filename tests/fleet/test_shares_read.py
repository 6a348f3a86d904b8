"""What a worker of a cluster does with its shares while the scheduler is silent."""

import signal
from types import SimpleNamespace

import msgspec
import pytest

from ads_cli.client.shared_window import LimitShare
from ads_cli.fleet import cluster_worker
from ads_cli.fleet.cluster_worker import Board, BoardReader, Home, Watch, shares_of

HALF = LimitShare(1, 2)


class Scheduler:
    """Variables by name; those that are silent answer no read."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.silent: set[str] = set()

    def set(self, name: str, value: object) -> None:
        self.texts[name] = msgspec.json.encode(value).decode()

    def variable(self, name: str) -> "Variable":
        return Variable(self, name)


class Variable:
    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self.scheduler, self.name = scheduler, name

    def get(self, **timeouts: object) -> str:
        if self.name in self.scheduler.silent or self.name not in self.scheduler.texts:
            raise TimeoutError
        return self.scheduler.texts[self.name]


class Process:
    """The process of a task, which ends as soon as it is told to."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def send_signal(self, signum: int) -> None:
        self.told.append(signum)


@pytest.mark.parametrize(
    ("left", "told"),
    [({"token": LimitShare(2, 16)}, [signal.SIGTERM]), ({"token": LimitShare(2, 16), "account": HALF}, [])],
)
def test_a_task_ends_when_its_share_of_a_limit_is_taken_back(monkeypatch, tmp_path, left, told):
    scheduler, home, process = Scheduler(), Home("home", tmp_path), Process()
    monkeypatch.setattr(cluster_worker, "Variable", scheduler.variable)
    reader = BoardReader("board", home)
    scheduler.set("board", Board(1, shares=1))
    scheduler.set(shares_of("board", home.id), {"token": LimitShare(15, 16), "account": HALF})
    reader.grant()
    scheduler.set("board", Board(2, shares=2))
    scheduler.set(shares_of("board", home.id), left)
    watch = Watch(
        process, reader, ["token", "account"], SimpleNamespace(status=SimpleNamespace(name="running"))
    )
    looks = iter([False, False, True])
    monkeypatch.setattr(watch._has_ended, "wait", lambda seconds: next(looks))
    watch.run()
    assert process.told == told and home.allowance.share("token") == LimitShare(2, 16)


def test_a_share_that_could_not_be_read_once_is_read_again(monkeypatch, tmp_path):
    scheduler, home = Scheduler(), Home("home", tmp_path)
    monkeypatch.setattr(cluster_worker, "Variable", scheduler.variable)
    shares = shares_of("board", home.id)
    reader = BoardReader("board", home)
    scheduler.set("board", Board(1, shares=1))
    scheduler.set(shares, {"token": LimitShare(3, 4)})
    reader.grant()
    assert reader.has_shares(["token"]) and home.allowance.share("token") == LimitShare(3, 4)
    scheduler.set("board", Board(2, shares=2))
    scheduler.set(shares, {"token": LimitShare(1, 4)})
    scheduler.silent.add(shares)
    assert reader.grant() == Board(2, shares=2)
    assert reader.has_shares(["token"]) and home.allowance.share("token") == LimitShare(3, 4)
    scheduler.silent.clear()
    reader.grant()
    assert home.allowance.share("token") == LimitShare(1, 4)
