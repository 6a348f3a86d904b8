"""Waits that take no time, and lists that lie."""

import pytest

from tests.campaigns.files import COUNTRIES
from tests.lists import Waits, lag, lie, waits  # noqa: F401
from tests.service_in_process import service  # noqa: F401


@pytest.fixture(autouse=True)
def no_wait(waits: Waits) -> None:  # noqa: F811
    """Let no run wait."""


@pytest.fixture
def winter(adsctl) -> str:
    (adsctl.home / "markets.csv").write_text("country,budget\nGermany,10\nAustria,12.50\n")
    (adsctl.home / "winter.yaml").write_text(COUNTRIES)
    return "winter.yaml"
