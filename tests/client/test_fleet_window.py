"""The limit that all processes of a fleet keep together, in virtual time and by commands."""

import json
import time
from itertools import product

import pytest

from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
from ads_cli.client import shared_window
from ads_cli.client.shared_window import windows_variable
from tests.client.virtual_time import Crowd, Service, World
from tests.conftest import feed
from tests.effort import every, tries

LIMIT, SECONDS, WINDOWS = tries(64, 600), 900.0, 2
PRODUCTS = Rate("products", LIMIT, SECONDS)
LATENCY = 0.3
PUSH = ("products", "push", "feed.csv", "--service", "x", "-o", "json")


def served(service: Service, window: int) -> int:
    """Count the successful requests of a window of the service."""
    return sum(at // SECONDS == window for at in service.served["/a"])


def run_together(world: World, *crowds: Crowd, until: float = WINDOWS * SECONDS - 10) -> None:
    world.run(*(work for crowd in crowds for work in crowd.works(10**6, until=until)))


@pytest.mark.parametrize(
    ("kind", "says"),
    every(2, product(["fixed", "sliding", "first"], ["x-rate-limit", "x-account-rate-limit", ""])),
)
def test_processes_of_a_fleet_together_keep_the_limit(kind, says, tmp_path):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY, kind, says=says)
    run_together(world, *(Crowd(world, service, 8, PRODUCTS, tmp_path, in_fleet=True) for _ in range(4)))
    assert service.refused == []
    assert all(served(service, window) == LIMIT for window in range(WINDOWS))


def test_a_limit_that_the_service_states_replaces_the_one_of_the_declaration(tmp_path):
    world = World()
    service = Service(world, 2 * LIMIT, SECONDS, lambda: LATENCY)
    run_together(world, *(Crowd(world, service, 8, PRODUCTS, tmp_path, in_fleet=True) for _ in range(2)))
    assert service.refused == [] and served(service, 0) == 2 * LIMIT


def test_what_another_client_of_the_token_has_used_still_counts(tmp_path):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY)
    service.served["/a"] = [0.0] * (LIMIT - 20)
    crowds = [Crowd(world, service, 2, PRODUCTS, tmp_path, in_fleet=True) for _ in range(2)]
    run_together(world, *crowds, until=SECONDS - 10)
    assert served(service, 0) == LIMIT and len(service.refused) <= 4


@pytest.mark.parametrize("service_name", ["x"])
def test_commands_of_a_fleet_keep_its_limit_together(adsctl, service, monkeypatch, tmp_path):
    monkeypatch.setattr(shared_window, "MARGIN_SECONDS", 0.2)
    monkeypatch.setitem(PutProducts.endpoint.rates, "x", Rate("products", 1, 0.1, kept="without headers"))
    adsctl.file("feed.csv", feed(100))
    begun = time.monotonic()
    summary = json.loads(adsctl(*PUSH, **windows_variable(tmp_path)).stdout)
    assert (summary["created"], summary["retries"]) == (100, 0)
    assert time.monotonic() - begun > 3 * (0.1 + 0.2)  # four batches, one in a window
    (window,) = (path for path in (tmp_path / "caches/pace").iterdir() if path.suffix != ".lock")
    assert adsctl.env["ADSCTL_ACCESS_TOKEN"] not in window.name
