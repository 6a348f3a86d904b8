"""Memory does not grow with the records of a list, and little with what is checked in a mirror."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.credentials import USER
from ads_cli.emulator.server import running
from tests.adsctl import MEASURED
from tests.conftest import PRODUCT
from tests.effort import tries

MOST_MEGABYTES = 60
ITEMS, MOST_CHECK_MEGABYTES = 10_000, 200
ITEM = "9d4c1"  # of the emulator, which runs
RECORDS = tries(25_000, 100_000)
ACCOUNT = {
    "name": "Nordlicht Shop",
    "business_name": "Nordlicht Handels GmbH",
    "business_id": "72045",
    "timezone": "Europe/Berlin",
    "timezone_switch_at": "2024-02-29T23:00:00Z",
    "industry_type": "RETAIL",
}


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A served emulator with many products and many accounts; gives the variables that lead to it."""
    with closing(Emulator(tmp_path_factory.mktemp("crowded") / "emulator.db")) as emulator:
        emulator.data.add_products(PRODUCT | {"id": f"sku-{n}"} for n in range(RECORDS))
        accounts = (ACCOUNT | {"id": f"many{n}"} for n in range(RECORDS))
        emulator.data.add_records("account", accounts, owner=USER)
        with running(emulator) as address:
            yield variables(emulator, address)


@pytest.mark.parametrize(
    ("noun", "count", "output"),
    [("products", 100, "jsonl"), ("accounts", 1000, "csv"), ("accounts", 1000, "tsv")][: tries(2, 3)],
)
def test_a_list_of_many_records_stays_small(adsctl, crowded, noun, count, output):
    words = (noun, "list", "--all", "--count", str(count), "-q", "-o", output)
    with (adsctl.home / "list").open("wb") as listed:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *words],
            stdout=listed,
            stderr=subprocess.PIPE,
            env=adsctl.environment | crowded,
            cwd=adsctl.home,
        )
    assert done.returncode == 0, done.stderr
    assert (adsctl.home / "list").read_bytes().count(b"\n") >= RECORDS
    assert int(done.stderr) / 1024 < MOST_MEGABYTES


def test_a_mirror_of_many_line_items_is_checked_by_all_rules_in_little_memory(adsctl, crowded):
    def run(*words):
        words = (sys.executable, "-c", MEASURED, *words)
        return subprocess.run(
            words, env=adsctl.environment | crowded, cwd=adsctl.home, capture_output=True, text=True
        )

    done = run("mirror", "run", "--into", "sqlite:ads.db", "--since", "40d", "--yes", "-q")
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(adsctl.home / "ads.db")) as mirror, mirror:
        for table, id in (("line_item_history", "id"), ("line_item_report", "line_item_id")):
            names = [f'"{row[1]}"' for row in mirror.execute(f"PRAGMA table_info({table})")]
            values = ["'many' || n" if name == f'"{id}"' else name for name in names]
            mirror.execute(
                f"WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < {ITEMS})"
                f" INSERT INTO {table} ({', '.join(names)})"
                f" SELECT {', '.join(values)} FROM {table}, many WHERE {id} = ?",
                [ITEM],
            )
        assert mirror.execute("SELECT count(*) FROM line_item_report").fetchone()[0] >= 40 * ITEMS
    done = run("accounts", "check", "--from", "sqlite:ads.db", "-q", "-o", "json")
    assert done.returncode == 10, done.stderr
    assert done.stdout.count('"id": "many') > ITEMS
    assert int(done.stderr.split()[-1]) / 1024 < MOST_CHECK_MEGABYTES
