"""What a worker of a cluster does with its shares while the scheduler is silent."""

import msgspec

from ads_cli.client.shared_window import LimitShare
from ads_cli.fleet import cluster_worker
from ads_cli.fleet.cluster_worker import Board, BoardReader, Home, shares_of


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


def test_a_share_that_could_not_be_read_once_is_read_again(monkeypatch, tmp_path):
    scheduler, home = Scheduler(), Home("home", tmp_path)
    monkeypatch.setattr(cluster_worker, "Variable", scheduler.variable)
    shares = shares_of("board", home.id)
    reader = BoardReader("board", home)
    scheduler.set("board", Board(1, shares=1))
    scheduler.set(shares, {"token": LimitShare(3, 4)})
    reader.grant()
    assert reader.scopes == {"token"} and home.allowance.share("token") == LimitShare(3, 4)
    scheduler.set("board", Board(2, shares=2))
    scheduler.set(shares, {"token": LimitShare(1, 4)})
    scheduler.silent.add(shares)
    assert reader.grant() == Board(2, shares=2)
    assert reader.scopes == {"token"} and home.allowance.share("token") == LimitShare(3, 4)
    scheduler.silent.clear()
    reader.grant()
    assert home.allowance.share("token") == LimitShare(1, 4)
