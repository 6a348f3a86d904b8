"""What every destination does, in an object store."""

from itertools import count

import pytest

from tests.mirror.test_destinations import *  # noqa: F403 - the tests, which take these fixtures

NUMBERS = count()


@pytest.fixture
def address(s3, monkeypatch) -> str:
    """The address of a new, empty folder."""
    for variable, value in s3.environment.items():
        monkeypatch.setenv(variable, value)
    return f"s3://warehouse/new{next(NUMBERS)}"
