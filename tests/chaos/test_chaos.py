"""The short form of `make chaos`."""

import pytest

from .run import run


@pytest.mark.parametrize("seed", [2, 9, 12, 17])
def test_whatever_breaks_no_row_is_lost_or_sent_twice_and_nothing_is_told_that_is_not_so(seed):
    result = run(seed)
    assert not result.wrong and (result.lost, result.twice) == (0, 0)
    assert result.met
