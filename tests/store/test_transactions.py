"""Transactions of `state.db`: of a process that is interrupted, and of several at once."""

import os
import shutil
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from ads_cli.errors import Interrupted, StateError
from ads_cli.signals import handled_by
from ads_cli.store import close_stores, store_in
from ads_cli.store.database import BUSY_SECONDS, Store
from tests.stored import connected_by

NOTE = "INSERT INTO notes VALUES ('kind', ?, '', 0)"
KEYS = "SELECT key FROM notes ORDER BY key"


@pytest.fixture
def stores(tmp_path):
    """Make stores of one file, each with a connection of its own, as processes have."""
    made = []

    def make() -> Store:
        made.append(Store(tmp_path))
        with made[-1].writing():  # opened, and has its tables
            pass
        return made[-1]

    yield make
    for store in made:
        store.close()


def interrupt(number, frame):
    raise Interrupted(number)


def test_a_signal_while_a_transaction_waits_to_begin_leaves_none_open(stores):
    """What another thread wrote would become part of it, and be lost with it."""
    signals = []

    class InterruptedOnce(sqlite3.Connection):
        def execute(self, statement, *values):
            result = super().execute(statement, *values)
            if statement == "BEGIN IMMEDIATE" and signals:
                raise signals.pop()
            return result

    with connected_by(InterruptedOnce):
        store = stores()
    signals.append(Interrupted(signal.SIGTERM))
    with pytest.raises(Interrupted), store.writing() as db:
        db.execute(NOTE, ("first",))
    with store.writing() as db:
        db.execute(NOTE, ("second",))
    assert stores().rows(KEYS) == [("second",)]


def test_a_signal_ends_the_wait_for_another_process(stores):
    own, other = stores(), stores()
    with other.writing(), handled_by(interrupt):
        timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGTERM,))
        begun = time.monotonic()
        timer.start()
        with pytest.raises(Interrupted), own.writing():
            pass
    assert time.monotonic() - begun < BUSY_SECONDS / 2


@pytest.mark.parametrize("is_replaced", [False, True])
def test_what_is_removed_or_replaced_is_written_no_more(stores, tmp_path, is_replaced):
    """Else a request would be sent of which nothing is known, once its process was killed."""
    store = stores()
    path = store.path
    if is_replaced:
        Path(shutil.copy(path, tmp_path / "older")).replace(path)
    else:
        path.unlink()
    with pytest.raises(StateError, match="was replaced or removed"), store.writing():
        pass
    with pytest.raises(StateError, match="was replaced or removed"):
        store.rows(KEYS)


def test_what_empties_the_log_neither_waits_for_a_reader_nor_keeps_others_from_writing(stores):
    own, other = stores(), stores()
    with own.writing() as db:
        db.execute(NOTE, ("first",))
    with other.reading() as db:
        db.execute(KEYS).fetchall()
        with own.writing() as writer:
            writer.execute(NOTE, ("second",))
        begun = time.monotonic()
        own.empty_log()
        assert time.monotonic() - begun < BUSY_SECONDS / 2
    assert other.rows(KEYS) == [("first",), ("second",)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_a_forked_process_writes_is_kept_though_its_parent_closes_the_file(tmp_path):
    (parent_reads, child_writes), (child_reads, parent_writes) = os.pipe(), os.pipe()
    store = store_in(tmp_path)
    with store.writing() as db:
        db.execute(NOTE, ("parent",))
    if not (child := os.fork()):
        try:
            for key in ("first", "second"):
                with store_in(tmp_path).writing() as db:
                    db.execute(NOTE, (key,))
                os.write(child_writes, b"1")
                os.read(child_reads, 1)
        finally:
            os._exit(0)
    os.read(parent_reads, 1)
    assert store.rows(KEYS) == [("first",), ("parent",)]
    close_stores()
    os.write(parent_writes, b"11")
    os.waitpid(child, 0)
    assert store_in(tmp_path).rows(KEYS) == [("first",), ("parent",), ("second",)]
    close_stores()
