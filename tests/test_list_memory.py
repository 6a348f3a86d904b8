"""Memory does not grow with the records of a list."""

import json
import subprocess
import sys
from contextlib import closing

import pytest

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.core import ids
from ads_cli.emulator.seed.world import ACCOUNTS, CATALOG, USER
from ads_cli.emulator.server import running
from tests.conftest import MEASURED, PRODUCT

MOST_MEGABYTES = 80
RECORDS = 100_000
AT = "2026-03-01T08:00:00Z"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A served emulator with many products and many accounts; gives the variables that lead to it."""
    with closing(Emulator(tmp_path_factory.mktemp("crowded") / "emulator.db")) as emulator:
        products = (
            (CATALOG, f"sku-{n}", ids.key(CATALOG, f"sku-{n}"), json.dumps(PRODUCT | {"id": f"sku-{n}"}))
            for n in range(RECORDS)
        )
        data = json.dumps(ACCOUNTS[0])
        accounts = (("account", f"many{n}", USER, AT, AT, data) for n in range(RECORDS))
        with emulator._store.writing() as connection:
            connection.executemany(
                "INSERT INTO products (catalog, id, product_key, data) VALUES (?, ?, ?, ?)", products
            )
            connection.executemany(
                "INSERT INTO records (kind, id, owner, created_at, updated_at, data)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                accounts,
            )
        with running(emulator) as address:
            yield variables(emulator, address)


@pytest.mark.parametrize("output", ["jsonl", "csv", "tsv"])
@pytest.mark.parametrize(("noun", "count"), [("products", 100), ("accounts", 1000)])
def test_a_list_of_a_hundred_thousand_stays_small(adsctl, crowded, noun, count, output):
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
