"""The write epoch of a place, apart from the commands that begin and end it."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ads_cli.store import Store, close_stores, file_identity, store_in
from ads_cli.store.database import FILE
from ads_cli.store.epochs import NO_EPOCH, UploadTarget, WriteEpochs

PLACE = UploadTarget("https://ads.example", "product_catalog", "c1")


pytestmark = pytest.mark.usefixtures("closed_stores")


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


@pytest.mark.parametrize("change", ["begin", "end"])
def test_each_epoch_is_another_one_in_a_backup_that_was_copied_onto_the_file(tmp_path, change):
    state, other = tmp_path / "state", UploadTarget(*"abc")
    epochs = WriteEpochs(state)
    begun = {epochs.begin(PLACE), epochs.begin(other)}
    close_stores()
    shutil.copytree(state, tmp_path / "backup")
    getattr(WriteEpochs(state), change)(PLACE)
    close_stores()
    inode = (state / FILE).stat().st_ino
    time.sleep(0.02)  # a system's clock for files has a few milliseconds
    shutil.copytree(tmp_path / "backup", state, dirs_exist_ok=True)  # as `cp -r` does
    assert (state / FILE).stat().st_ino == inode
    epochs = WriteEpochs(state)
    assert {epochs.current(PLACE), epochs.current(other)}.isdisjoint({*begun, NO_EPOCH})
    epochs.begin(PLACE)
    assert epochs.current(other) == NO_EPOCH


def test_an_epoch_stays_where_the_next_one_is_not_stored(tmp_path):
    epochs, store = WriteEpochs(tmp_path), store_in(tmp_path)
    begun = epochs.begin(PLACE)
    with pytest.raises(ZeroDivisionError), store.writing():
        epochs.begin(PLACE)
        raise ZeroDivisionError
    assert epochs.current(PLACE) == begun
    assert epochs.begin(PLACE) == epochs.current(PLACE) != begun


def test_an_epoch_is_the_latest_however_many_begin_at_once(tmp_path):
    def differing(number: int) -> int:
        epochs, place = WriteEpochs(tmp_path), UploadTarget("https://ads.example", "c", str(number))
        epochs._store = Store(tmp_path)  # as another process has one
        begun = [(epochs.begin(place), epochs.current(place)) for _ in range(30)]
        epochs._store.close()
        return sum(stamp != current for stamp, current in begun)

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(differing, range(4))] == [0] * 4
    assert len([*(tmp_path / "locks").glob("mark-*")]) == 1


def test_an_epoch_is_confirmed_until_the_machine_starts_again(tmp_path, monkeypatch):
    epochs = WriteEpochs(tmp_path)
    begun = epochs.begin(PLACE)
    assert epochs.is_confirmed(PLACE)
    for boot in ("another boot", ""):
        (tmp_path / "boot").write_text(boot)
        monkeypatch.setattr(file_identity, "BOOT_ID", tmp_path / "boot")
        assert epochs.current(PLACE) == begun and not epochs.is_confirmed(PLACE)
