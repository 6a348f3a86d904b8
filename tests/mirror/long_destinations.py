"""What every destination does, in PostgreSQL."""

from itertools import count

import pytest

from tests.mirror.test_destinations import *  # noqa: F403 - the tests, which take these fixtures
from tests.programs import needs

pytestmark = needs("pg_ctlcluster")
NUMBERS = count()


@pytest.fixture
def address(postgres) -> str:
    """The address of a new, empty schema."""
    return f"{postgres.address()}&schema=new{next(NUMBERS)}"
