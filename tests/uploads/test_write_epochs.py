"""The write epoch of a place, apart from the commands that begin and end it."""

from ads_cli.uploads.job_file import UploadTarget
from ads_cli.uploads.write_epochs import NO_EPOCH, WriteEpochs

PLACE = UploadTarget("https://ads.example", "product_catalog", "c1")


def test_a_epoch_that_begins_during_a_direct_write_ends_with_it(tmp_path):
    epochs = WriteEpochs(tmp_path)
    with epochs.changing(PLACE):
        begun = epochs.begin(PLACE)
        assert epochs.current(PLACE) == begun
    assert epochs.current(PLACE) == NO_EPOCH


def test_each_epoch_is_another_one(tmp_path):
    epochs = WriteEpochs(tmp_path)
    assert len({epochs.begin(PLACE) for _ in range(5)}) == 5


def test_jobs_of_a_group_share_a_epoch_until_anything_else_changes_the_place(tmp_path):
    epochs = WriteEpochs(tmp_path)
    first = epochs.begin(PLACE, "run-1 push")
    assert epochs.begin(PLACE, "run-1 push") == first
    assert epochs.begin(PLACE, "run-1 delete") != first
    assert epochs.begin(PLACE, "run-1 push") != first
    assert epochs.begin(PLACE) != epochs.begin(PLACE)
