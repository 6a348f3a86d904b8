"""The shares of limits that fleets of one cluster have, beside and after each other."""

from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.rates import QUARTER_HOUR_SECONDS
from ads_cli.client.shared_window import LimitShare
from ads_cli.fleet.quota_allocator import (
    PARTS,
    REFRESH_SECONDS,
    REST_SECONDS,
    Claims,
    FleetLimits,
    QuotaAllocator,
)

TOKEN, LIMIT, SILENCE_SECONDS = "token-1", PARTS * 3, 35.0
HOMES, FLEETS = "abcd", ("one", "two")

steps = st.tuples(
    st.sampled_from(["claim", "leave", "restart", "nothing"]),
    st.sampled_from(FLEETS),
    st.sampled_from(HOMES),
    st.sampled_from([0.0, 1.0, 20.0, 100.0, QUARTER_HOUR_SECONDS, 2000.0]),
)


class Cluster:
    """A scheduler whose allocator can be lost."""

    def __init__(self) -> None:
        self.allocator = QuotaAllocator()
        self.fleets = {name: FleetLimits(name, self.update) for name in FLEETS}

    def update(self, claims: Claims, now: float):
        return self.allocator.update(claims, now + 5.0)  # by a clock of its own

    def total(self, now: float) -> int:
        shares = [self.fleets["one"].shares(home, now).get(TOKEN, LimitShare(0, PARTS)) for home in HOMES]
        return sum(share.parts for share in shares)


@given(st.lists(steps, max_size=40))
def test_fleets_that_use_all_they_may_never_overrun_a_limit_together(taken):
    """Each home counts what it has sent, for all fleets. A new scheduler learns from fleets that go on."""
    cluster, now = Cluster(), 0.0
    sent: list[float] = []
    windows: dict[str, list[float]] = {home: [] for home in HOMES}
    for step, name, home, seconds in taken:
        now += seconds
        limits = cluster.fleets[name]
        if step == "claim" and home not in limits.claimed(TOKEN):
            limits.claim(TOKEN, [home], now)
        elif step == "leave":
            limits.leave(now)
        elif step == "restart" and any(each.claimed(TOKEN) for each in cluster.fleets.values()):
            cluster.allocator = QuotaAllocator()
            for each in cluster.fleets.values():
                each.restore(now)
        for each in cluster.fleets.values():
            each.refresh(now)
            for user in each.claimed(TOKEN):
                share = each.shares(user, now).get(TOKEN)
                recent = sum(time > now - QUARTER_HOUR_SECONDS for time in windows[user])
                new = [now] * max(0, share.of(LIMIT) - recent) if share else []
                windows[user] += new
                sent += new
        assert sum(time > now - QUARTER_HOUR_SECONDS for time in sent) <= LIMIT


@given(
    st.lists(st.tuples(st.sampled_from(FLEETS), st.sampled_from(HOMES)), max_size=8),
    st.lists(st.sampled_from(HOMES), min_size=1, unique=True),
    st.sampled_from([0.0, 4.0, 30.0, 500.0]),
)
def test_shares_never_exceed_a_limit_once_all_fleets_are_heard_whichever_began_before(claimed, new, silent):
    """A scheduler that was started again hears of a new fleet before those that its predecessor knew."""
    cluster, now = Cluster(), 0.0
    for name, home in claimed:
        if home not in cluster.fleets[name].claimed(TOKEN):
            cluster.fleets[name].claim(TOKEN, [home], now)
    now += REFRESH_SECONDS
    for each in cluster.fleets.values():
        each.refresh(now)
    had = cluster.fleets["one"].shares
    users_before = [home for home in cluster.fleets["one"].claimed(TOKEN) if had(home, now)]
    cluster.allocator, now = QuotaAllocator(), now + silent
    newer = FleetLimits("newer", cluster.update)
    newer.claim(TOKEN, new, now)
    for each in cluster.fleets.values():
        each.restore(now + 1)
    newer.refresh(now + REFRESH_SECONDS)
    for each in cluster.fleets.values():
        each.refresh(now + 1 + REFRESH_SECONDS)
    now += 1 + REFRESH_SECONDS
    assert all(had(home, now) for home in users_before)
    users = [*cluster.fleets.values(), newer]
    shares = {home: each.shares(home, now).get(TOKEN) for each in users for home in each.claimed(TOKEN)}
    assert sum(share.parts for share in shares.values() if share) <= PARTS


def test_a_fleet_that_falls_silent_gives_back_what_only_it_had():
    cluster = Cluster()
    one, two = cluster.fleets.values()
    one.silence_seconds = two.silence_seconds = SILENCE_SECONDS
    one.claim(TOKEN, ["a", "b"], 0.0)
    two.claim(TOKEN, ["b"], 1.0)
    assert two.shares("b", 1.0) == {TOKEN: LimitShare(PARTS // 2, PARTS)}
    ended = SILENCE_SECONDS + REFRESH_SECONDS
    two.refresh(20.0), two.refresh(ended)
    assert two.shares("a", ended) == {}
    two.refresh(ended + REST_SECONDS)
    assert two.shares("b", ended + REST_SECONDS) == {TOKEN: LimitShare(PARTS, PARTS)}


def test_a_fleet_that_follows_another_begins_at_once_on_the_homes_that_had_shares():
    cluster = Cluster()
    one, two = cluster.fleets.values()
    one.claim(TOKEN, ["a", "b"], 0.0)
    one.leave(10.0)
    assert [two.delay(TOKEN, home, 11.0) for home in "abc"] == [0.0, 0.0, REST_SECONDS - 1]
    two.claim(TOKEN, ["a"], 11.0)
    assert two.shares("a", 11.0) == {TOKEN: LimitShare(PARTS // 2, PARTS)}


def test_what_a_home_may_send_is_one_for_all_fleets():
    cluster = Cluster()
    one, two = cluster.fleets.values()
    one.claim(TOKEN, ["a"], 0.0)
    assert two.delay(TOKEN, "a", 1.0) == 0.0  # it has all; both count in one window
    two.claim(TOKEN, ["b"], 1.0)
    one.refresh(1.0 + REFRESH_SECONDS)
    assert one.shares("a", 10.0) == two.shares("a", 10.0) == {TOKEN: LimitShare(PARTS - 1, PARTS)}
    assert cluster.total(10.0) == PARTS - 1


def test_a_scheduler_that_is_started_again_is_told_what_the_last_one_knew():
    cluster = Cluster()
    one, two = cluster.fleets.values()
    one.claim(TOKEN, ["a"], 0.0)
    two.claim(TOKEN, ["b"], 1.0)
    one.refresh(1.0 + REFRESH_SECONDS)
    cluster.allocator = QuotaAllocator()
    two.restore(100.0), one.restore(101.0)
    assert one.shares("a", 101.0) == {TOKEN: LimitShare(PARTS - 1, PARTS)}
    assert one.shares("b", 101.0) == {} and two.delay(TOKEN, "b", 101.0) == REST_SECONDS - 100
    assert one.shares("b", 2 + REST_SECONDS) == {TOKEN: LimitShare(1, PARTS)}


def test_a_fleet_that_begins_before_an_older_one_is_heard_gives_way_to_it():
    cluster = Cluster()
    older, newer = cluster.fleets.values()
    older.claim(TOKEN, ["a"], 0.0)
    cluster.allocator = QuotaAllocator()
    newer.claim(TOKEN, ["c"], 10.0)
    assert newer.shares("c", 10.0) == {TOKEN: LimitShare(PARTS, PARTS)}  # nothing else is known yet
    older.restore(12.0), newer.refresh(16.0)
    assert older.shares("a", 16.0) == {TOKEN: LimitShare(PARTS, PARTS)} and not newer.shares("c", 16.0)
    for seconds in range(20, 20 + int(REST_SECONDS), 20):
        older.refresh(seconds), newer.refresh(seconds)
        assert cluster.total(seconds) == PARTS - 1
    rested = 16.0 + REST_SECONDS
    assert older.shares("a", rested) == newer.shares("a", rested) == {TOKEN: LimitShare(PARTS - 1, PARTS)}
    assert older.shares("c", rested) == newer.shares("c", rested) == {TOKEN: LimitShare(1, PARTS)}


def test_a_fleet_that_was_away_for_a_window_takes_nothing_from_those_that_began_meanwhile():
    cluster = Cluster()
    older, newer = cluster.fleets.values()
    older.claim(TOKEN, ["a"], 0.0)
    cluster.allocator = QuotaAllocator()
    newer.claim(TOKEN, ["c"], REST_SECONDS)
    older.restore(REST_SECONDS + 1), newer.refresh(REST_SECONDS + REFRESH_SECONDS)
    assert newer.shares("c", REST_SECONDS + REFRESH_SECONDS) == {TOKEN: LimitShare(PARTS - 1, PARTS)}
