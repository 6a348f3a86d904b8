"""The limits of a token, divided over the workers of a cluster."""

import shutil
import time
from collections.abc import Iterator

import pytest

from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.server import running
from tests.adsctl import ROOT

from .shops import NAMES, Company, Shops

SHOPS = NAMES[2:5]
BATCHES = 12  # of each shop
RATE = Rate("products", 24, 3.0, kept="without headers")
# What the workers and their tasks read at their start: a window of seconds, in place of a quarter of an hour.
SITE = f"""
from ads_cli.api.products import PutProducts
from ads_cli.api.rates import Rate
PutProducts.endpoint.rates["x"] = {RATE!r}
"""


@pytest.fixture(scope="module")
def company(tmp_path_factory, seeded_database) -> Iterator[Company]:
    folder = tmp_path_factory.mktemp("company")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(SITE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PutProducts.endpoint.rates, "x", RATE)
        emulator = Emulator(shutil.copyfile(seeded_database, folder / "service.db"), service="x")
        emulator.prepared()
        with running(shops := Shops(emulator)) as address:
            company = Company(folder, shops, address, {"PYTHONPATH": f"{folder}/site:{ROOT}"})
            for name in ("w1", "w2", "w3"):
                company.hire(name, "--no-nanny")
            company.wait_for_workers()
            yield company
            company.end()
        emulator.close()


def test_workers_that_share_a_token_use_its_limit_and_never_overrun_it(company):
    fleet = company.feeds(SHOPS, BATCHES * 25)
    begun = time.monotonic()
    records = company.run(fleet)
    assert {each["worker"] for each in records} == {"w1", "w2", "w3"}
    assert len(company.shops.puts) == len(SHOPS) * BATCHES > RATE.requests
    assert company.shops.statuses["429"] == 0
    assert time.monotonic() - begun > RATE.seconds  # one window does not hold them
    assert [each["summary"]["retries"] for each in records] == [0, 0, 0]
    shares = [path.read_text() for path in company.folder.glob("w*/state/fleet/allowance/*/share-token-*")]
    parts = [share.split("/") for share in shares]
    assert sum(int(held) for held, _ in parts) == int(parts[0][1])  # all of it, and no more
