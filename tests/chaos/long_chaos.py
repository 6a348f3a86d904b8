"""A few runs of `make chaos`."""

import pytest

from .media import run as run_media
from .run import run


@pytest.mark.parametrize("seed", [7, 17, 2, 24])  # one of each kind
def test_under_faults_no_row_is_lost_or_sent_twice_and_every_report_is_true(seed, seeded_database):
    result = run(seed, seeded_database)
    assert not result.wrong and (result.lost, result.twice) == (0, 0)
    assert result.occurred


@pytest.mark.parametrize("seed", [3, 8])
def test_under_faults_no_video_is_uploaded_again_after_its_end(seed):
    result = run_media(seed)
    assert not result.wrong and result.occurred
