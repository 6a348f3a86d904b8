"""What tests of products share."""

import pytest

from tests.products.shop import Shop


@pytest.fixture
def shop(inside, service) -> Shop:
    return Shop(inside, service)
