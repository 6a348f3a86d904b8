"""The clock of tests that wait."""

import pytest

from ads_cli.http.retry import CLOCK
from tests.events.stream import SkippingClock


@pytest.fixture
def clock(monkeypatch) -> SkippingClock:
    skipping = SkippingClock()
    monkeypatch.setattr(CLOCK, "monotonic", skipping.monotonic, raising=False)
    monkeypatch.setattr(CLOCK, "condition", skipping.condition, raising=False)
    return skipping
