"""The share of a limit that each worker of a fleet has, in virtual time and by commands."""

import json
import time

import pytest

from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
from ads_cli.client import shared_window
from ads_cli.client.shared_window import Allowance, LimitShare, account_scope, token_scope
from tests.client.virtual_time import Crowd, Service, World
from tests.conftest import feed
from tests.effort import THOROUGH, tries

LIMIT, SECONDS, WINDOWS = tries(96, 600), 900.0, 2
PRODUCTS = Rate("products", LIMIT, SECONDS)
LATENCY = 0.3
PUSH = ("products", "push", "feed.csv", "--service", "x", "-o", "json")


def served(service: Service, window: int) -> int:
    """Count the successful requests of a window of the service."""
    return sum(at // SECONDS == window for at in service.served["/a"])


def run_together(world: World, *crowds: Crowd, until: float = WINDOWS * SECONDS - 10) -> None:
    world.run(*(work for crowd in crowds for work in crowd.works(10**6, until=until)))


EVERY = [(workers, says) for workers in (2, 3, 16) for says in ("x-rate-limit", "x-account-rate-limit", "")]
FEW = [(2, "x-rate-limit"), (3, "x-account-rate-limit"), (16, "")]


@pytest.mark.parametrize(("workers", "says"), EVERY if THOROUGH else FEW)
def test_workers_with_a_share_each_use_a_limit_up_and_never_overrun_it(workers, says, tmp_path):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY, says=says)
    share = LimitShare(1, workers)
    crowds = [
        Crowd(world, service, 8, PRODUCTS, tmp_path / str(number), lambda: share) for number in range(workers)
    ]
    run_together(world, *crowds)
    assert service.refused == []
    assert all(served(service, window) >= 0.98 * LIMIT for window in range(WINDOWS))


@pytest.mark.parametrize("kind", ["fixed", "sliding", "first"])
def test_processes_of_one_worker_together_keep_its_share(kind, tmp_path):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY, kind)
    crowds = [Crowd(world, service, 8, PRODUCTS, tmp_path, lambda: LimitShare(1, 2)) for _ in range(4)]
    run_together(world, *crowds)
    assert service.refused == []
    assert all(served(service, window) == LIMIT // 2 for window in range(WINDOWS))


def test_a_limit_that_the_service_states_replaces_the_one_of_the_declaration(tmp_path):
    world = World()
    service = Service(world, 2 * LIMIT, SECONDS, lambda: LATENCY)
    crowds = [Crowd(world, service, 8, PRODUCTS, tmp_path / name, lambda: LimitShare(1, 2)) for name in "ab"]
    run_together(world, *crowds)
    assert service.refused == [] and served(service, 0) == 2 * LIMIT


def test_a_share_that_grows_is_used_at_once(tmp_path):
    world, allowance = World(), Allowance(tmp_path)
    allowance.grant(LimitShare(1, 4))
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY)
    crowd = Crowd(world, service, 8, PRODUCTS, tmp_path, lambda: allowance.share("token"))

    def grow() -> None:
        world.sleep(SECONDS)
        allowance.grant(LimitShare(3, 4), "token")

    world.run(grow, *crowd.works(10**6, until=WINDOWS * SECONDS - 10))
    assert [served(service, window) for window in range(WINDOWS)] == [LIMIT // 4, LIMIT * 3 // 4]


def test_what_another_client_of_the_token_has_used_still_counts(tmp_path):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: LATENCY)
    service.served["/a"] = [0.0] * (LIMIT - 20)
    crowds = [Crowd(world, service, 2, PRODUCTS, tmp_path / name, lambda: LimitShare(1, 2)) for name in "ab"]
    run_together(world, *crowds, until=SECONDS - 10)
    assert served(service, 0) == LIMIT and len(service.refused) <= 4


@pytest.mark.parametrize("text", ["", "half", "2/1", "0/3", "1/0", "-1/2"])
@pytest.mark.parametrize("service_name", ["x"])
def test_a_damaged_share_is_refused_before_anything_is_sent(text, adsctl, service, tmp_path):
    (tmp_path / "allowance").mkdir()
    (tmp_path / "allowance" / "share").write_text(text)
    adsctl.env["ADSCTL_ALLOWANCE"] = str(tmp_path / "allowance")
    adsctl.file("feed.csv", feed(1))
    refused = adsctl(*PUSH, code=11)
    assert service.puts == []
    assert "is not a share of rate limits, such as 1/3" in refused.stderr


@pytest.mark.parametrize("service_name", ["x"])
def test_a_push_keeps_to_the_share_of_its_token(adsctl, service, monkeypatch, tmp_path):
    monkeypatch.setattr(shared_window, "MARGIN_SECONDS", 0.2)
    monkeypatch.setitem(PutProducts.endpoint.rates, "x", Rate("products", 8, 0.1, kept="without headers"))
    allowance = Allowance(tmp_path / "allowance")
    allowance.grant(LimitShare(1, 8), token_scope(adsctl.env["ADSCTL_ACCESS_TOKEN"]))
    adsctl.file("feed.csv", feed(100))
    begun = time.monotonic()
    summary = json.loads(adsctl(*PUSH, **allowance.environment()).stdout)
    assert (summary["created"], summary["retries"]) == (100, 0)
    assert time.monotonic() - begun > 3 * (0.1 + 0.2)  # four batches, one in a window


def test_a_token_and_an_account_have_shares_of_their_own(tmp_path):
    allowance = Allowance(tmp_path)
    assert allowance.share(token_scope("secret")) == LimitShare(1, 1)
    allowance.grant(LimitShare(1, 4))
    allowance.grant(LimitShare(1, 2), account_scope("acc"))
    assert allowance.share(account_scope("acc")) == LimitShare(1, 2)
    assert (
        allowance.share(account_scope("other")) == allowance.share(token_scope("secret")) == LimitShare(1, 4)
    )
    assert not any("secret" in path.name for path in tmp_path.iterdir())
