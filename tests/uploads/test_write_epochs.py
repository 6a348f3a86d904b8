"""The write epoch of a place, apart from the commands that begin and end it."""

import pytest

from ads_cli.uploads import write_epochs
from ads_cli.store.epochs import UploadTarget
from ads_cli.store.epochs import NO_EPOCH, WriteEpochs

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


@pytest.fixture
def notes(tmp_path, monkeypatch):
    """Give a test its own folder of notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    monkeypatch.setattr(write_epochs, "SHARED_MEMORY", folder)
    monkeypatch.setattr(write_epochs.tempfile, "gettempdir", lambda: str(folder))
    return folder


def test_an_ended_epoch_confirms_nothing_though_its_file_is_restored(tmp_path, notes, monkeypatch):
    monkeypatch.setattr(write_epochs, "_changed_at", lambda path: 1)
    epochs = WriteEpochs(tmp_path)
    epochs.begin(PLACE)
    assert epochs.is_confirmed(PLACE)
    (path,) = (tmp_path / "generations").iterdir()
    content = path.read_bytes()
    for _ in range(2):
        epochs.end(PLACE)
        assert epochs.current(PLACE) == NO_EPOCH and not epochs.is_confirmed(PLACE)
    path.write_bytes(content)
    assert epochs.current(PLACE) != NO_EPOCH and not epochs.is_confirmed(PLACE)
    epochs.begin(PLACE)
    assert epochs.is_confirmed(PLACE)


def test_an_epoch_ends_where_nothing_can_be_noted(tmp_path, notes):
    epochs = WriteEpochs(tmp_path)
    epochs.begin(PLACE)
    for folder in notes.iterdir():
        folder.chmod(0o500)
    epochs.end(PLACE)
    epochs.end(PLACE)
    assert epochs.current(PLACE) == NO_EPOCH and not epochs.is_confirmed(PLACE)
