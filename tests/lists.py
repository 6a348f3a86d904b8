"""Waits that take no time, and lists that lie."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from ads_cli.client.rate_limiter import RateLimiter
from ads_cli.client.transport import Sender
from ads_cli.http.retry import CLOCK
from ads_cli.runs.lost import LISTED_AFTER_SECONDS

LISTED = LISTED_AFTER_SECONDS + 1  # seconds after which every list shows what was sent


class Waits:
    """What runs have waited for, in seconds: their clock is ahead by so much."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    @property
    def total(self) -> float:
        return sum(self.waited)


@pytest.fixture
def waits(monkeypatch) -> Waits:
    recorded, time = Waits(), CLOCK.time
    monkeypatch.setattr(CLOCK, "time", lambda: time() + recorded.total, raising=False)
    monkeypatch.setattr(RateLimiter, "wait", lambda self, delay: recorded.waited.append(delay))
    return recorded


@pytest.fixture
def lie(monkeypatch) -> Callable:
    """Change the records of the answers to GET requests whose address ends so, or has a query after it."""
    send = Sender.send
    lies: list[tuple[str, Callable[[list[dict]], list[dict]]]] = []

    def lying(self, prepared, *args, **options):
        response = send(self, prepared, *args, **options)
        path = prepared.url.partition("?")[0]
        for end, change in lies:
            data = response.body.get("data") if isinstance(response.body, dict) else None
            if prepared.method == "GET" and path.endswith(end) and data:
                records = change(data if isinstance(data, list) else [data])
                response = replace(response, body={**response.body, "data": records})
                if not isinstance(data, list):
                    response = replace(response, body={**response.body, "data": records[0]})
        return response

    monkeypatch.setattr(Sender, "send", lying)
    return lambda end, change: lies.append((end, change))


@pytest.fixture
def lag(lie, waits):
    """Hide what a list has for so many seconds, by the clock of the runs."""

    def hide(end: str, is_hidden: Callable[[dict], bool], seconds: float = 10.0) -> None:
        until = waits.total + seconds
        lie(
            end,
            lambda records: [record for record in records if waits.total >= until or not is_hidden(record)],
        )

    return hide
