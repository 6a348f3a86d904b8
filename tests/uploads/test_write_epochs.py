"""The write epoch of a place, apart from the commands that begin and end it."""

import shutil

import pytest

from ads_cli.store import close_stores, file_identity
from ads_cli.store.database import FILE
from ads_cli.store.epochs import NO_EPOCH, UploadTarget, WriteEpochs

PLACE = UploadTarget("https://ads.example", "product_catalog", "c1")


@pytest.fixture(autouse=True)
def closed():
    yield
    close_stores()


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


def test_each_epoch_is_another_one_in_a_copy_of_the_file(tmp_path):
    epochs = WriteEpochs(tmp_path / "state")
    begun = epochs.begin(PLACE)
    close_stores()
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    assert WriteEpochs(tmp_path / "copy").current(PLACE) not in (begun, NO_EPOCH)
    (tmp_path / "state" / FILE).unlink()
    shutil.copy2(tmp_path / "copy" / FILE, tmp_path / "state" / FILE)  # where its inode may be the same
    close_stores()
    assert WriteEpochs(tmp_path / "state").current(PLACE) not in (begun, NO_EPOCH)


def test_an_epoch_is_confirmed_until_the_machine_starts_again(tmp_path, monkeypatch):
    epochs = WriteEpochs(tmp_path)
    begun = epochs.begin(PLACE)
    assert epochs.is_confirmed(PLACE)
    for boot in ("another boot", ""):
        (tmp_path / "boot").write_text(boot)
        monkeypatch.setattr(file_identity, "BOOT_ID", tmp_path / "boot")
        assert epochs.current(PLACE) == begun and not epochs.is_confirmed(PLACE)
