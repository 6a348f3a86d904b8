"""The number of concurrent requests, in virtual time."""

import pytest

from ads_cli.client.rate_limiter import INITIAL_LIMIT, ConcurrencyLimit
from tests.client.virtual_time import SILENCE, Crowd, Service, World
from tests.effort import every

SECONDS = 900.0
MORE_THAN_ENOUGH = 10**9  # requests


@pytest.mark.parametrize("failure", every(2, [SILENCE, 503]))
def test_concurrency_decreases_on_overload_and_recovers(failure):
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.25 if world.now < 20 else 1.0, says="")
    most = {}

    def failing(now: float) -> int:
        phase = min(int(now // 10), 2)
        if now % 10 > 5:  # once it has come to rest
            most[phase] = max(most.get(phase, 0), service.busy)
        return failure if phase == 1 else 0

    service.failing = failing
    crowd = Crowd(world, service, 32, max_attempts=10**6)
    world.run(*crowd.works(MORE_THAN_ENOUGH, until=90.0))  # the longest backoff is over by then
    assert most[0] == 32 and most[2] == 32
    assert most[1] <= 3


@pytest.mark.parametrize("threads", [1, 3, 32])
def test_concurrency_reaches_its_maximum_and_never_exceeds_it(threads):
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    world.run(*Crowd(world, service, threads).works(500))
    assert service.most == threads


def test_concurrency_is_cut_by_a_quarter_once_a_round_and_grows_by_one():
    limit = ConcurrencyLimit(4)
    begun = limit.round
    limit.record_overload(begun)
    limit.record_overload(begun)  # of the same round
    assert limit.limit == 3
    for _ in range(3):
        limit.record_response()
    assert limit.limit == 4
    for _ in range(100):
        limit.record_response()
    assert limit.limit == 4


def test_concurrency_doubles_with_each_round_of_responses_until_the_first_overload():
    limit, limits = ConcurrencyLimit(32), []
    for _ in range(INITIAL_LIMIT + 2 * INITIAL_LIMIT):
        limit.record_response()
        limits.append(limit.limit)
    assert sorted({*limits}) == [4, 8, 16]
