"""A few runs of `make chaos`."""

import pytest

from .run import run


@pytest.mark.parametrize("seed", [7, 13, 14, 22])
def test_under_faults_no_row_is_lost_or_sent_twice_and_every_report_is_true(seed):
    result = run(seed)
    assert not result.wrong and (result.lost, result.twice) == (0, 0)
    assert result.occurred
