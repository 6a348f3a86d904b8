"""What tests of diff and sync share."""

import pytest

from tests.lists import LISTED, waits  # noqa: F401
from tests.products.sync.differ import Differ
from tests.products.sync.syncer import Syncer


@pytest.fixture
def differ(adsctl, service) -> Differ:
    return Differ(adsctl, service)


@pytest.fixture
def syncer(adsctl, service) -> Syncer:
    return Syncer(adsctl, service)


@pytest.fixture
def seldom(monkeypatch, waits) -> None:  # noqa: F811
    """Let the catalog change only once every list shows what was sent before."""
    change = Syncer.catalog

    def later(self: Syncer, *products: dict) -> None:
        waits.waited.append(LISTED)
        change(self, *products)

    monkeypatch.setattr(Syncer, "catalog", later)
