"""What is kept of an export between its runs."""

import pytest

from ads_cli.statistics.export_folder import ExportFolder
from tests.statistics.test_rows import question


@pytest.fixture
def folder(tmp_path):
    return lambda: ExportFolder(tmp_path, "https://ads.example", "acc", question("DAY"))


def test_a_job_that_was_of_no_use_is_known_by_the_next_run_and_not_found_again(folder):
    with folder().opened(resume=False):
        pass
    with (begun := folder()).opened(resume=True) as is_resumed:
        assert is_resumed
        begun.note_made({0: "first", 1: "other"})
        begun.note_failed(0)
        begun.note_made({0: "second"})
    with (resumed := folder()).opened(resume=True):
        assert resumed.jobs == begun.jobs == {0: "second", 1: "other"}
        assert resumed.failed == begun.failed == {"first"}
    resumed.remove()
    with folder().opened(resume=True) as is_resumed:
        assert not is_resumed
