"""The numbers that the emulator makes up."""

from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.api.metrics import METRICS
from ads_cli.emulator.resources.line_item_numbers import LineItemNumbers

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize("objective", ["REACH", "VIDEO_VIEWS", "WEBSITE_CLICKS", "APP_INSTALLS"])
def test_all_that_is_counted_is_a_metric(objective):
    counts = LineItemNumbers("9d4c1", objective, 40_000_000, 3_000_000, 1.0).at(
        NOON, NOON + timedelta(days=4)
    )
    counted = {name.partition(".")[0] for name in counts}
    assert counted and counted <= {metric for metrics in METRICS.values() for metric in metrics}
