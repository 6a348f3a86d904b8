"""The connection to a scheduler, and what is kept there, without one."""

import pytest

from ads_cli.errors import UnavailableError
from ads_cli.fleet import cluster_link
from ads_cli.fleet.cluster_link import LostError, SchedulerConnector, SchedulerLink


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
