"""Memory does not grow with the rows of a feed."""

import subprocess
import sys

from tests.adsctl import MEASURED
from tests.conftest import feed
from tests.effort import tries

MOST_MEGABYTES = 75
PRODUCTS = tries(7_000, 100_000)
LONG = "A mug, white, for home and camp. " * 140  # together 32 MB


def test_a_push_of_many_products_needs_little_memory(adsctl, service):
    adsctl.file("feed.csv", feed(PRODUCTS, description=LONG))
    command = [sys.executable, "-c", MEASURED, "products", "push", "feed.csv", "-q", "-o", "none"]
    done = subprocess.run(command, env=adsctl.environment, cwd=adsctl.home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stderr) / 1024 < MOST_MEGABYTES
    assert len(service.stored) == PRODUCTS
