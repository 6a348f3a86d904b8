"""Memory does not grow with the records of a list."""

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
