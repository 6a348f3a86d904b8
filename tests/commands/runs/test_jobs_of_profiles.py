"""`jobs list` of several profiles says at 80 columns whose job each is."""

import json

import pytest

from tests.conftest import feed
from tests.output.test_views import on_a_terminal, plain


@pytest.fixture
def pushes(adsctl, service):
    """adsctl, which has pushed a feed with a long name under two profiles."""
    adsctl.file("nordlicht-garden-and-kitchen.csv", feed(2))
    for profile in ("client-nordlicht-shop", "client-kastanie"):
        adsctl("profile", "set", profile, "output=json")
        adsctl("--profile", profile, "products", "push", "nordlicht-garden-and-kitchen.csv")
    return adsctl


def test_the_profile_of_each_job_is_shown_where_there_are_several(pushes):
    shown = plain(on_a_terminal(pushes, "jobs", "list", width=80))
    assert "PROFILE" in shown and "STATE" in shown and "JOB" in shown
    for job in json.loads(pushes("jobs", "list", "-o", "json").stdout):
        (line,) = [line for line in shown.splitlines() if job["job"] in line]
        assert job["profile"] in line and "ended" in line and len(line) <= 80


def test_of_one_profile_it_is_not_repeated(pushes):
    shown = plain(on_a_terminal(pushes, "jobs", "list", "--limit", "1", width=80))
    assert "PROFILE" not in shown and "SENT" in shown
