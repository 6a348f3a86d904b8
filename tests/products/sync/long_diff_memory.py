"""Memory does not grow with the products that are compared, nor with their differences."""

import subprocess
import sys

from tests.adsctl import MEASURED
from tests.conftest import feed

FEW, MANY = 5_000, 10_000
MORE_MEGABYTES = 6  # as Python objects, the differences take three times that


def peak(differ, rows: int) -> float:
    """Compare a feed with a catalog of which every product is another one; return megabytes."""
    differ.adsctl.file("feed.csv", feed(rows).replace("sku-", "new-"))
    command = [sys.executable, "-c", MEASURED, "products", "diff", "feed.csv", "--prune", "-q", "-o", "jsonl"]
    done = subprocess.run(
        command, env=differ.adsctl.environment, cwd=differ.adsctl.home, capture_output=True, text=True
    )
    assert done.returncode == 10, done.stderr
    assert done.stdout.count('"create"') == done.stdout.count('"delete"') == rows
    return int(done.stderr) / 1024


def test_many_differences_take_no_more_memory_than_few(differ):
    differ.catalog(*({"id": f"sku-{number}"} for number in range(FEW)))
    few = peak(differ, FEW)
    differ.catalog(*({"id": f"sku-{number}"} for number in range(FEW, MANY)))
    assert peak(differ, MANY) - few < MORE_MEGABYTES
