"""The public SDK of the service, unchanged, works with the emulator of service x."""

import json
import os
import subprocess

import pytest

from ads_cli.emulator.seed.campaigns import PARTNER
from ads_cli.emulator.seed.line_items import FOLLOWERS, REACH
from tests.adsctl import ROOT
from tests.conftest import PRODUCT
from tests.environments import made_python

SESSION, CAMPAIGNS, AUDIENCES = "sdk_session.py", "sdk_campaigns.py", "sdk_audiences.py"
STATISTICS = "sdk_statistics.py"
STEPS = (
    "accounts features media cards conversations polls drafts scheduled targeting promotions users products"
)


@pytest.fixture(scope="session")
def sdk_python():
    """The Python of an environment with the SDK and nothing of adsctl."""
    return made_python("sdk")


@pytest.mark.parametrize(
    ("session", "step"),
    [
        *((SESSION, step) for step in STEPS.split()),
        *((CAMPAIGNS, step) for step in ("campaign", "line_item")),
        *((AUDIENCES, step) for step in ("audience", "permission", "estimate", "tags", "settings")),
        *((STATISTICS, step) for step in ("at_once", "by_job")),
    ],
)
@pytest.mark.parametrize("service_name", ["x"])
def test_the_public_sdk_works_with_the_emulator(adsctl, service, sdk_python, session, step):
    database = service.emulator.database
    audiences = json.loads(adsctl("emulator", "audiences", "--database", database, "-o", "json").stdout)
    given = {"AUDIENCE": audiences[0]["id"], "PRODUCT": json.dumps(PRODUCT), "PATH": os.environ["PATH"]}
    given |= {"LINE_ITEM": REACH, "FOLLOWERS": FOLLOWERS, "PARTNER": PARTNER}
    done = subprocess.run(
        [sdk_python, ROOT / "tests" / session, step], env=given | adsctl.env, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
