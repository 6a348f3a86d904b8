"""What tests of diff and sync share."""

import pytest

from tests.products.sync.differ import Differ


@pytest.fixture
def differ(adsctl, service) -> Differ:
    return Differ(adsctl, service)
