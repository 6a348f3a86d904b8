"""What tests of products share."""

import pytest

from tests.products.shop import Shop


@pytest.fixture
def shop(adsctl, service) -> Shop:
    return Shop(adsctl, service)
