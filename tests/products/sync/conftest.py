"""What tests of diff and sync share."""

import pytest

from tests.products.sync.differ import Differ
from tests.products.sync.syncer import Syncer


@pytest.fixture
def differ(adsctl, service) -> Differ:
    return Differ(adsctl, service)


@pytest.fixture
def syncer(adsctl, service) -> Syncer:
    return Syncer(adsctl, service)
