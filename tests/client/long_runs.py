"""Runs of hours, in virtual time, at the real limits of service x."""

import os
from pathlib import Path

import pytest

from ads_cli.api.products import DeleteProducts, PutProducts
from ads_cli.api.rates import Rate
from tests.client.test_rate_limiter import MORE_THAN_ENOUGH, between, used
from tests.client.virtual_time import Crowd, Service, World

HOURS = int(os.environ.get("HOURS", "1"))  # `make chaos` wants ten
WINDOWS = 4 * HOURS
PUT, DELETE = PutProducts.endpoint.rates["x"], DeleteProducts.endpoint.rates["x"]


def run_of_hours(world: World, service: Service, rate: Rate, folder: Path, processes: int) -> list[Crowd]:
    """Send as much as the limits allow, in several processes; each ends in the last minute."""
    crowds = [Crowd(world, service, 2, rate=rate, folder=folder) for _ in range(processes)]
    works = (work for crowd in crowds for work in crowd.works(MORE_THAN_ENOUGH, until=HOURS * 3600.0 - 60))
    world.run(*works)
    return crowds


@pytest.mark.parametrize("rate", [PUT, DELETE])
def test_hours_with_headers_use_every_window_to_the_last_request_and_overrun_none(rate):
    world = World()
    service = Service(world, rate.requests, rate.seconds, between((0.05, 2.0)), says="x-account-rate-limit")
    run_of_hours(world, service, rate, None, 1)
    assert used(service, WINDOWS) == [rate.requests] * WINDOWS
    assert service.refused == []


@pytest.mark.parametrize(("rate", "processes"), [(PUT, 1), (DELETE, 2)])
def test_hours_without_headers_use_every_window_to_the_last_request_and_overrun_none(
    rate, processes, tmp_path
):
    world = World()
    service = Service(world, rate.requests, rate.seconds, between((0.05, 2.0)), says="")
    folder = tmp_path / "pace"
    if processes == 1:
        folder.write_text("no folder: times stay in memory, faster than a lock for each")
    crowds = run_of_hours(world, service, rate, folder, processes)
    assert used(service, WINDOWS) == [rate.requests] * WINDOWS
    assert service.refused == []
    times = service.served["/a"]
    # Windows that begin at any other time hold no more.
    assert all(
        last - first >= rate.seconds for first, last in zip(times, times[rate.requests :], strict=False)
    )
    assert len(crowds[0].waits) == WINDOWS  # each is announced once
    assert {wait.reason for wait in crowds[0].waits} == {f"the limit is {rate.requests} requests in 15 min"}
