"""Large comparisons: their memory does not grow, and several processes find what one finds."""

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


def test_a_large_table_is_compared_by_several_processes_as_by_one(differ, monkeypatch):
    differ.adsctl.file("feed.csv", feed(300, item_group_id="").replace("12.50 EUR", "9 EUR", 3))
    differ.catalog(*({"id": f"sku-{number}"} for number in range(1, 290)))
    alone = differ.diff("--prune", file="feed.csv")
    assert [record["id"] for record in alone[:4]] == ["sku-1", "sku-2", "sku-3", "sku-290"]
    assert len(alone) == 14
    monkeypatch.setattr("ads_cli.parallel.process_pool.MIN_FILE_BYTES", 0)
    monkeypatch.setattr("ads_cli.parallel.process_pool._cores", lambda: 2)
    monkeypatch.setattr("ads_cli.validation.validator.BlockRunner.block_bytes", 5_000)
    assert differ.diff("--prune", file="feed.csv") == alone
