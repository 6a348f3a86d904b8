"""The number of concurrent requests, in virtual time."""

import pytest

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


def test_concurrency_stays_near_the_capacity_of_the_service():
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    service.free_at = [0.0] * 8
    service.failing = lambda now: late.append(service.busy) if now > 10 else 0
    late: list[int] = []
    crowd = Crowd(world, service, 32)
    world.run(*crowd.works(MORE_THAN_ENOUGH, until=20.0))
    assert 8 <= sum(late) / len(late) <= 16 and max(late) < 32
    assert crowd.done >= 0.9 * 20.0 * 8 / 0.1


@pytest.mark.parametrize("threads", [1, 3, 32])
def test_concurrency_reaches_its_maximum_and_never_exceeds_it(threads):
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    world.run(*Crowd(world, service, threads).works(500))
    assert service.most == threads


def test_concurrency_doubles_with_each_round_of_responses():
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    most: dict[int, int] = {}

    def watched(now: float) -> int:
        most[int(now / 0.1)] = service.busy
        return 0

    service.failing = watched
    world.run(*Crowd(world, service, 32).works(200))
    assert [most[number] for number in range(4)] == [4, 8, 16, 32]


def test_concurrency_begins_with_what_the_service_bore_before():
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    most: dict[int, int] = {}
    service.failing = lambda now: most.update({int(now / 0.1): service.busy}) or 0
    crowd = Crowd(world, service, 32)
    crowd.client.rate_limiter.proven = {"/a": 24}
    world.run(*crowd.works(200))
    assert most[0] == 24 and most[1] == 32
    assert crowd.client.rate_limiter.proven_limits() == {"/a": 32}


def test_what_was_too_much_for_the_service_is_not_what_it_bears():
    world = World()
    service = Service(world, 10**6, SECONDS, lambda: 0.1, says="")
    service.failing = lambda now: 503 if 1 < now < 1.2 else 0
    crowd = Crowd(world, service, 32, max_attempts=10**6)
    world.run(*crowd.works(500))
    assert crowd.client.rate_limiter.proven_limits() == {"/a": 0}
