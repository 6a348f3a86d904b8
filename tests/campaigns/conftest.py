"""Waits that take no time."""

import pytest

from ads_cli.client.rate_limiter import RateLimiter
from ads_cli.http.retry import CLOCK


class Waits:
    """What runs have waited for, in seconds: their clock is ahead by so much."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    @property
    def total(self) -> float:
        return sum(self.waited)


@pytest.fixture(autouse=True)
def waits(monkeypatch) -> Waits:
    found, time = Waits(), CLOCK.time
    monkeypatch.setattr(CLOCK, "time", lambda: time() + found.total, raising=False)
    monkeypatch.setattr(RateLimiter, "wait", lambda self, delay: found.waited.append(delay))
    return found
