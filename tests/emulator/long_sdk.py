"""The public SDK of the service, unchanged, works with the emulator of service x."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import PRODUCT
from tests.emulator.seeded import FOLLOWERS, PARTNER, REACH
from tests.environments import made_python

SESSIONS = {  # a file, and its steps
    "session": "accounts features media cards conversations polls drafts scheduled targeting promotions users"
    " products",
    "campaigns": "campaign line_item",
    "audiences": "audience permission estimate tags settings",
    "statistics": "at_once by_job",
    "examples": "quick_start batches analytics cards posts people media manual",
}


@pytest.fixture(scope="session")
def sdk_python():
    """The Python of an environment with the SDK and nothing of adsctl."""
    return made_python("sdk")


@pytest.fixture
def is_strict(session):
    """The examples send names that the reference does not have."""
    return session != "examples"


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("service_name", ["x"])
def test_the_public_sdk_works_with_the_emulator(adsctl, service, sdk_python, session):
    database = service.emulator.database
    audiences = json.loads(adsctl("emulator", "audiences", "--database", database, "-o", "json").stdout)
    given = {"AUDIENCE": audiences[0]["id"], "PRODUCT": json.dumps(PRODUCT), "PATH": os.environ["PATH"]}
    given |= {"LINE_ITEM": REACH, "FOLLOWERS": FOLLOWERS, "PARTNER": PARTNER}
    done = subprocess.run(
        [sdk_python, Path(__file__).with_name(f"sdk_{session}.py"), *SESSIONS[session].split()],
        env=given | adsctl.env,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
