"""Memory does not grow with the rows of a feed."""

import os

from tests.conftest import feed

MOST_MEGABYTES = 150


def test_a_push_of_a_hundred_thousand_products_stays_small(adsctl, service):
    adsctl.file("feed.csv", feed(100_000))
    process = adsctl.popen("products", "push", "feed.csv", "-q", "-o", "none")
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, process.stderr.read()
    assert usage.ru_maxrss / 1024 < MOST_MEGABYTES
    assert len(service.stored) == 100_000
