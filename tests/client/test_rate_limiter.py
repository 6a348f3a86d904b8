"""The rate limiter, in virtual time: it uses up every quota, and hardly any request is rejected."""

import json
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.api.rates import Rate
from ads_cli.client.rate_limiter import INITIAL_LIMIT, Quota
from ads_cli.commands.emulator import variables
from ads_cli.emulator.core.handlers import FixedWindow
from ads_cli.emulator.core.responses import ApiError
from ads_cli.emulator.server import running
from ads_cli.errors import RateLimitedError, UnavailableError
from tests.client.virtual_time import Crowd, Service, World
from tests.conftest import feed
from tests.effort import every, tries

LIMIT, SECONDS = tries(100, 600), 900.0
WINDOWS = tries(2, 3)
HANDFUL = 5
MORE_THAN_ENOUGH = 10**9  # requests


@pytest.fixture(autouse=True)
def usual_backoff(monkeypatch):
    """Wait as long as for a real service: it is virtual time."""
    monkeypatch.setattr("ads_cli.http.retry.FIRST_BACKOFF_SECONDS", 0.5)


latencies = st.tuples(st.floats(0.05, 2.0), st.floats(0.05, 2.0)).map(sorted)


def between(latency: tuple[float, float], seed: int = 0):
    """Draw latencies, the same in each run."""
    drawn = random.Random(seed)
    return lambda: drawn.uniform(*latency)


def used(service: Service, windows: int, route: str = "/a") -> list[int]:
    """Count the successful requests of each of the first windows."""
    numbers = [int(at // service.seconds) for at in service.served.get(route, [])]
    return [numbers.count(window) for window in range(windows)]


def pushed(world: World, service: Service, threads: int, windows: int, **options) -> Crowd:
    """Send until a number of windows are over."""
    crowd = Crowd(world, service, threads, **options)
    world.run(*crowd.works(MORE_THAN_ENOUGH, until=windows * service.seconds - 0.001))
    return crowd


@pytest.mark.parametrize(
    ("threads", "says", "latency"),
    [
        (32, "x-account-rate-limit", (0.05, 0.05)),
        (8, "x-rate-limit", (0.3, 0.3)),
        (8, "x-rate-limit", (2.0, 2.0)),
        (32, "x-account-rate-limit", (0.05, 2.0)),
    ],
)
def test_a_quota_is_used_up_and_none_is_rejected(threads, latency, says):
    world = World()
    service = Service(world, LIMIT, SECONDS, between(latency), says=says)
    crowd = pushed(world, service, threads, windows=WINDOWS)
    assert used(service, WINDOWS) == [LIMIT] * WINDOWS
    assert service.refused == []
    assert {wait.reason for wait in crowd.waits} == {"the service asks to slow down"}
    assert len(crowd.waits) == WINDOWS


@pytest.mark.parametrize("threads", [8, 32])
def test_a_window_is_used_at_full_speed_and_the_next_begins_at_once(threads):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: 0.5)
    pushed(world, service, threads, windows=3)
    for window in range(3):
        times = [at - window * SECONDS for at in service.served["/a"] if at // SECONDS == window]
        assert times[0] <= 0.5 / 2 + 0.1  # a request is half its latency on the way
        assert times[-1] <= LIMIT / threads * 0.5 + 4 * 0.5  # a few round trips for the start and the end


@pytest.mark.parametrize(("threads", "latency"), [(32, (0.05, 0.05)), (8, (1.0, 1.0)), (32, (0.05, 2.0))])
@pytest.mark.parametrize("kind", ["first", "sliding"])
def test_sliding_windows_and_windows_from_the_first_request_are_used_up(kind, threads, latency):
    world = World()
    service = Service(world, LIMIT, SECONDS, between(latency), kind)
    crowd = Crowd(world, service, threads)
    windows = WINDOWS + 1
    world.run(*crowd.works(windows * LIMIT))
    # A window of these kinds begins when the one before is over and the next request comes.
    assert crowd.done == windows * LIMIT
    assert world.now < (windows - 1) * SECONDS + windows * (LIMIT / threads * 2 + 10)
    assert len(service.refused) <= (0 if kind == "first" else HANDFUL)


@given(
    limit=st.integers(1, tries(100, 300)),
    seconds=st.sampled_from([60.0, 900.0]),
    latency=latencies,
    threads=st.integers(1, 32),
    seed=st.integers(0, 1000),
    dated=st.booleans(),
)
@settings(max_examples=tries(8, 40))
def test_any_quota_is_used_up_and_respected_at_any_latency(limit, seconds, latency, threads, seed, dated):
    world = World()
    service = Service(world, limit, seconds, between(latency, seed), dated=dated)
    pushed(world, service, threads, windows=3)
    # Before anything is known a few go, and whoever starts right before the end of a window meets the next.
    assert len(service.refused) <= max(0, min(threads, INITIAL_LIMIT) - limit)
    bearable = min(threads, INITIAL_LIMIT) * (seconds / 2 - 20) / latency[1]  # what slow threads can send
    assert all(count >= min(0.99 * limit, bearable) for count in used(service, 3))


@pytest.mark.parametrize(("threads", "kind"), [(8, "fixed"), (32, "sliding")])
def test_requests_of_another_client_count_against_the_quota(threads, kind):
    world = World()
    service = Service(world, LIMIT, SECONDS, between((0.05, 0.5)), kind)
    crowd = Crowd(world, service, threads)
    drawn = random.Random(7)

    def other() -> None:
        while world.now < 3 * SECONDS:
            world.sleep(drawn.expovariate(1.0))
            service.take("/a")

    end = 4 * SECONDS - 0.001
    world.run(other, *crowd.works(MORE_THAN_ENOUGH, until=end))
    assert all(count >= 0.99 * LIMIT for count in used(service, 3))
    assert len(service.refused) <= HANDFUL * 4


@pytest.mark.parametrize("left", every(2, range(6)))
@pytest.mark.parametrize("says", ["x-rate-limit", ""])
def test_few_requests_are_rejected_if_another_client_used_up_the_quota(left, says):
    world = World()
    service = Service(world, LIMIT, SECONDS, lambda: 0.2, says=says)
    service.served["/a"] = [0.0] * (LIMIT - left)
    random.seed(5)  # a backoff may be so short that a fifth request is refused at the start
    crowd = Crowd(world, service, 32, max_wait=2 * SECONDS, max_attempts=10**6)
    world.run(*crowd.works(MORE_THAN_ENOUGH, until=30.0))
    at_the_start = [at for at in service.refused if at < 0.5]
    assert len(at_the_start) <= (INITIAL_LIMIT if says else INITIAL_LIMIT + left)
    assert says == "" or len(service.refused) <= INITIAL_LIMIT


def test_a_limit_without_headers_loses_no_request():
    world = World()
    service = Service(world, 50, 5.0, between((0.05, 0.3)), says="")
    random.seed(5)
    crowd = Crowd(world, service, 8)
    world.run(*crowd.works(400))
    assert crowd.done == 400
    # In each window those under way are refused, and then one at a time until the next begins.
    assert len(service.refused) <= 8 * (8 + HANDFUL)


def test_routes_do_not_wait_for_each_other():
    world = World()
    service = Service(world, 50, SECONDS, lambda: 0.1)
    crowd = Crowd(world, service, 4)
    world.run(*crowd.works(60, route="/a"), *crowd.works(50, route="/b"))
    assert max(service.served["/b"]) < 10 and max(service.served["/a"]) > SECONDS
    assert service.refused == []


@pytest.mark.parametrize("fast", [-3000.0, 40.0])
def test_a_wrong_clock_does_not_matter_with_a_date_header(fast):
    world = World(fast)
    service = Service(world, LIMIT, SECONDS, between((0.05, 1.0)), dated=True)
    pushed(world, service, 8, windows=3)
    assert used(service, 3) == [LIMIT] * 3 and service.refused == []


@pytest.mark.parametrize(
    ("remaining", "reset"),
    every(4, product(["0", "1", "7", "-1", "x", ""], ["0", "99999999999", "1800000000", "x", ""])),
)
def test_absurd_headers_do_not_block_requests(remaining, reset):
    world = World()

    class Liar(Service):
        def take(self, route):
            status, _ = super().take(route)
            return status, {"x-rate-limit-remaining": remaining, "x-rate-limit-reset": reset}

    service = Liar(world, 10**6, SECONDS, lambda: 0.1)
    crowd = Crowd(world, service, 8)
    world.run(*crowd.works(80))
    assert crowd.done == 80 and world.now <= 80 * 0.2 + 61


def test_a_remaining_count_that_grows_within_its_window_is_ignored():
    world, drawn = World(), random.Random(3)

    class Growing(Service):
        def take(self, route):
            status, headers = super().take(route)
            left = int(headers["x-rate-limit-remaining"])
            return status, headers | {"x-rate-limit-remaining": str(left and left + drawn.randrange(20))}

    service = Growing(world, 150, SECONDS, lambda: 0.1)
    pushed(world, service, 8, windows=3)
    assert used(service, 3) == [150] * 3
    assert len(service.refused) <= 3 * HANDFUL


@pytest.mark.parametrize("says", ["x-rate-limit", ""])
def test_waiting_for_a_stated_window_does_not_count_against_max_wait(says, tmp_path):
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.1, says=says)
    crowd = Crowd(world, service, 4, rate=Rate("ten", 10, SECONDS), folder=tmp_path, max_wait=60.0)
    world.run(*crowd.works(35))
    assert crowd.done == 35 and service.refused == []


@pytest.mark.parametrize("says", ["x-rate-limit", ""])
def test_the_first_request_of_a_window_has_all_of_max_wait(says, tmp_path):
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.1, says=says)
    # The service is overloaded when a window begins, for less than --max-wait.
    service.failing = lambda now: 503 if now > SECONDS / 2 and now % SECONDS < 30 else 0
    options = {"max_wait": 600.0, "max_attempts": 10**6}
    crowd = Crowd(world, service, 4, rate=Rate("ten", 10, SECONDS), folder=tmp_path, **options)
    world.run(*crowd.works(25))
    assert crowd.done == 25


def test_a_refused_request_waits_as_long_as_the_service_says_and_then_has_all_of_max_wait():
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.5)
    service.served["/a"] = [0.0] * 10  # another client has used the window up
    service.failing = lambda now: 503 if SECONDS <= now < SECONDS + 30 else 0
    crowd = Crowd(world, service, 4, max_wait=SECONDS, max_attempts=100)
    world.run(*crowd.works(15))
    assert crowd.done == 15


def test_a_wait_beyond_max_wait_that_a_refusal_states_ends_the_run():
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.1)
    crowd = Crowd(world, service, 4, max_wait=60.0)
    service.take = lambda route: (429, {"retry-after": "900"})
    with pytest.raises(RateLimitedError) as raised:
        world.run(*crowd.works(11))
    assert "the service asks to wait 900 s, and --max-wait allows 60 s" in raised.value.message
    assert world.now < 5


def test_a_longer_pause_outlasts_a_shorter_one_that_is_asked_for_later():
    quota = Quota()
    quota.pause(10.0, is_stated=True)
    quota.pause(5.0, is_stated=True)
    assert quota.delay(0, False, 0.0) == 10.0


def test_a_late_response_of_the_last_window_says_nothing_of_this_one():
    quota = Quota()
    for remaining, reset in ((5, 1000), (1, 900)):
        headers = {"x-rate-limit-remaining": str(remaining), "x-rate-limit-reset": str(reset)}
        quota.update(headers, sent_at=1.0, now=2.0, unix_now=899.0)
    assert quota.remaining == 5


def test_stopping_ends_every_wait():
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.1)
    crowd = Crowd(world, service, 8)

    def stopper() -> None:
        world.sleep(10.0)
        crowd.client.rate_limiter.stop()

    world.run(stopper, *crowd.works(100))
    assert world.now == 10.0 and crowd.done == 10


def test_all_threads_give_up_on_an_unavailable_service():
    world = World()
    service = Service(world, 10, SECONDS, lambda: 0.1)
    service.failing = lambda now: 503
    with pytest.raises(UnavailableError):
        world.run(*Crowd(world, service, 8).works(100))


def test_a_push_through_several_windows_has_no_batch_rejected(adsctl, service):
    window, statuses = FixedWindow(4, 1), []

    def limited(environ, start_response):
        """Respond as the emulator does, but limit the batches of products in a window."""
        if environ["REQUEST_METHOD"] != "PUT":
            return service(environ, start_response)
        try:
            headers = window.consume("anybody")
        except ApiError as refusal:
            statuses.append(refusal.status)
            return refusal.to_response({}).send(start_response)

        def start(status, body, error=None):
            statuses.append(int(status.split()[0]))
            return start_response(status, [*body, *headers])

        return service(environ, start)

    adsctl.file("feed.csv", feed(300))
    with running(limited) as address:
        adsctl.env |= variables(service.emulator, address)
        done = adsctl("products", "push", "feed.csv", "--concurrency", "8", "-o", "json")
    summary = json.loads(done.stdout)
    assert (summary["created"], summary["retries"]) == (300, 0)
    assert statuses == [200] * 12
