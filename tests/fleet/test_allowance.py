"""How a limit is divided among workers that come and go."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.rates import QUARTER_HOUR_SECONDS
from ads_cli.client.shared_window import LimitShare, token_scope
from ads_cli.errors import AccessError
from ads_cli.fleet.quota_allocator import REST_SECONDS, Division, scope_of_profile

PARTS, REQUESTS_OF_A_PART = 4, 3
LIMIT = PARTS * REQUESTS_OF_A_PART
WORKERS = "abcdef"

steps = st.tuples(
    st.sampled_from(["join", "leave", "spread", "nothing"]),
    st.sampled_from(WORKERS),
    st.sampled_from([0.0, 1.0, 100.0, QUARTER_HOUR_SECONDS, 2000.0]),
)


@given(st.lists(steps, max_size=60))
def test_workers_that_use_all_they_may_never_overrun_the_limit(taken):
    division, now = Division.among(PARTS), 0.0
    sent: list[float] = []  # by anybody
    windows: dict[str, list[float]] = {}  # what each worker knows that it has sent
    for step, worker, seconds in taken:
        now += seconds
        if step == "join":
            division.join(worker, now)
        elif step == "leave":
            division.leave(worker, now)
        elif step == "spread":
            division.spread(now)
        for holder, share in division.shares(now).items():
            own = windows.setdefault(holder, [])
            recent = sum(time > now - QUARTER_HOUR_SECONDS for time in own)
            new = [now] * max(0, share.of(LIMIT) - recent)
            own += new
            sent += new
        assert sum(time > now - QUARTER_HOUR_SECONDS for time in sent) <= LIMIT


def test_the_first_workers_begin_at_once_with_a_part_each():
    division = Division.among(3)
    assert [division.join(worker, 0.0) for worker in "abc"] == [0.0] * 3
    assert division.shares(0.0) == dict.fromkeys("abc", LimitShare(1, 3))
    assert division.join("d", 0.0) == inf and "d" not in division.shares(10**6)


def test_what_a_worker_had_goes_to_the_others_after_a_window():
    division = Division.among(3)
    for worker in "abc":
        division.join(worker, 0.0)
    division.leave("c", 100.0)
    division.spread(100.0 + REST_SECONDS - 1)
    assert division.shares(100.0 + REST_SECONDS)["a"] == LimitShare(1, 3)
    division.spread(100.0 + REST_SECONDS)
    assert division.shares(100.0 + REST_SECONDS) == {"a": LimitShare(2, 3), "b": LimitShare(1, 3)}


def test_a_late_worker_gets_a_part_of_one_that_has_several():
    division = Division.among(2)
    division.join("a", 0.0)
    division.spread(0.0)
    assert division.shares(0.0) == {"a": LimitShare(2, 2)}
    assert division.join("b", 10.0) == REST_SECONDS
    assert division.shares(10.0) == {"a": LimitShare(1, 2)}
    assert division.shares(10.0 + REST_SECONDS) == {"a": LimitShare(1, 2), "b": LimitShare(1, 2)}


def test_a_worker_that_returns_has_its_part_back_and_another_one_waits_until_it_counts_no_longer():
    division = Division.among(1)
    assert division.join("a", 0.0) == 0.0
    division.leave("a", 50.0)
    assert division.delay("a", 60.0) == 0.0 and division.delay("b", 60.0) == REST_SECONDS - 10
    assert division.join("b", 60.0) == REST_SECONDS - 10
    assert division.delay("a", 60.0) == inf


def test_profiles_with_one_token_have_one_scope(adsctl):
    config = adsctl.home / "config" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("profiles:\n  nord: {service: x}\n  sued: {service: x, account: a}\n")
    environ = {"ADSCTL_CONFIG_DIR": str(config.parent), "ADSCTL_STATE_DIR": str(adsctl.home / "state")}
    with pytest.raises(AccessError):
        scope_of_profile("nord", environ)
    secrets = dict.fromkeys(("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN_SECRET"), "s3cret")
    environ |= {f"ADSCTL_{name}": value for name, value in secrets.items()} | {"ADSCTL_ACCESS_TOKEN": "t0ken"}
    assert scope_of_profile("nord", environ) == scope_of_profile("sued", environ) == token_scope("t0ken")
    assert "t0ken" not in scope_of_profile("nord", environ)
