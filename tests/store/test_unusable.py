"""A `state.db` that cannot be used stops what changes something, before anything is sent."""

import errno
import os
import resource
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from ads_cli.store import close_stores, database, store_in
from ads_cli.store.database import Store
from ads_cli.store.schema import MIGRATIONS
from tests.conftest import feed
from tests.effort import tries
from tests.media.made import picture
from tests.programs import needs
from tests.stored import connected_by, stored

AT_ONCE = tries(16, 50)
RENAME = ("campaigns", "update", "8wku2", "--name")


@contextmanager
def damaged(path: Path) -> Iterator[None]:
    path.write_bytes(path.read_bytes()[:50] + os.urandom(100))
    yield


@contextmanager
def with_damaged_pages(path: Path) -> Iterator[None]:
    page = 4096
    path.write_bytes(path.read_bytes()[:page] + os.urandom(path.stat().st_size - page))
    yield


@contextmanager
def another_file(path: Path) -> Iterator[None]:
    path.write_text("a shopping list, which is longer than a hundred bytes" * 4)
    yield


@contextmanager
def of_a_later_version(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    yield


@contextmanager
def of_another_build(path: Path) -> Iterator[None]:
    """As a version that was never released has left it: another table, under the same number."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("ALTER TABLE changes RENAME TO logged")
        db.execute("PRAGMA application_id = 1")
    yield


@contextmanager
def of_another_program(path: Path) -> Iterator[None]:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE changes (what)")
    yield


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def a_link(path: Path) -> Iterator[None]:
    path.symlink_to(path.rename(path.parent.with_name("elsewhere.db")))
    yield


@contextmanager
def a_folder(path: Path) -> Iterator[None]:
    path.unlink()
    path.mkdir()
    yield
    path.rmdir()


@contextmanager
def a_pipe(path: Path) -> Iterator[None]:
    path.unlink()
    os.mkfifo(path)
    yield


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """As what root can write to nevertheless is for other users."""
    real = os.open

    def refused(name, flags, *mode, **options):
        if name == path and flags & os.O_RDWR:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(name, flags, *mode, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refused)
        yield


def error_of_sqlite(name: str, message: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorname = name
    return error


class WithoutLocks(sqlite3.Connection):
    """The connection to a file on a file system that has no locks."""

    def execute(self, statement, *values):
        if statement.startswith("BEGIN"):
            raise error_of_sqlite("SQLITE_IOERR_LOCK", "disk I/O error")
        return super().execute(statement, *values)


class WithoutSharedMemory(sqlite3.Connection):
    """The connection to a file on a file system whose files cannot be shared memory."""

    def execute(self, statement, *values):
        if statement.endswith("= WAL"):
            raise error_of_sqlite("SQLITE_IOERR_SHMOPEN", "disk I/O error")
        return super().execute(statement, *values)


def without_locks(path: Path) -> AbstractContextManager[None]:
    return connected_by(WithoutLocks)


UNUSABLE = {
    damaged: "is damaged",
    with_damaged_pages: "is damaged",
    another_file: "is damaged",
    of_a_later_version: "was written by a later version of adsctl",
    of_another_build: "has tables of another program, or of another build",
    of_another_program: "has tables of another program, or of another build",
    locked: "was locked by another process for 0 s",
    a_link: "is a symbolic link",
    a_folder: "Is a directory",
    a_pipe: "is not a file",
    read_only: "Read-only file system",
    without_locks: "disk I/O error",
}


@pytest.mark.parametrize("made_so", UNUSABLE, ids=lambda made_so: made_so.__name__)
def test_one_that_cannot_be_used_stops_a_change_before_it_is_sent(
    adsctl, writes, monkeypatch, made_so: Callable
):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    adsctl.local(*RENAME, "Spring")
    sent, path = len(writes), adsctl.home / "state" / "state.db"
    assert not path.with_name("state.db-wal").exists()  # closed: all is in the file
    with made_so(path):
        said = adsctl.local(*RENAME, "Summer", code=11).stderr
        adsctl.local("campaigns", "list")  # needs nothing of it
    assert str(path) in said and UNUSABLE[made_so] in said and "nothing was sent" in said and "hint: " in said
    assert len(writes) == sent


@pytest.mark.parametrize("words", [("changes", "list"), ("fleet", "status"), ("campaigns", "list")])
def test_what_only_looks_tells_of_a_damaged_one_where_it_needs_it(adsctl, words):
    adsctl.local(*RENAME, "Spring")
    with damaged(adsctl.home / "state" / "state.db"):
        needs_it = words[0] != "campaigns"
        assert ("is damaged" in adsctl.local(*words, code=11 if needs_it else 0).stderr) is needs_it


def test_one_that_another_process_locks_for_a_while_is_waited_for(adsctl, writes):
    adsctl.local(*RENAME, "Spring")
    with closing(sqlite3.connect(adsctl.home / "state" / "state.db", check_same_thread=False)) as db:
        db.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, db.rollback)
        release.start()
        adsctl.local(*RENAME, "Summer")
        release.join()
    assert len(writes) == 2


CHANGES = {
    "feed.csv": ("products", "push", "feed.csv", "--changed"),
    "new.csv": ("campaigns", "create", "-f", "new.csv"),
    "plan.yaml": ("campaigns", "apply", "plan.yaml", "--yes"),
    "people.csv": ("audiences", "sync", "people.csv", "--audience", "1nmth", "--yes"),
    "logo.png": ("media", "upload", "logo.png"),
    "fleet.yaml": ("fleet", "run", "fleet.yaml"),
}
FILES = {
    "feed.csv": feed(2),
    "new.csv": "name,funding_instrument_id\nNorth,4a1n0\n",
    "plan.yaml": "campaigns: [{name: New, funding_instrument_id: 4a1n0, daily_budget: 5}]",
    "people.csv": "email\nana@shop.example\n",
    "logo.png": picture(),
    "fleet.yaml": "tasks: [{name: a, profile: local, run: campaigns activate 8wku4}]",
}


@pytest.mark.parametrize("file", CHANGES)
def test_whatever_changes_something_is_stopped_by_a_damaged_one(adsctl, writes, file):
    adsctl.file(file, FILES[file])
    adsctl.local(*RENAME, "Spring")
    sent = len(writes)
    with damaged(adsctl.home / "state" / "state.db"):
        assert "state.db is damaged" in adsctl.local(*CHANGES[file], code=11).stderr
    assert len(writes) == sent


def test_one_that_others_may_change_is_not_used(adsctl, writes):
    adsctl.local(*RENAME, "Spring")
    (adsctl.home / "state" / "state.db").chmod(0o666)
    assert "can be changed by everybody" in adsctl.local(*RENAME, "Summer", code=11).stderr
    assert len(writes) == 1


@needs("root")
def test_one_of_another_user_is_not_used(adsctl, writes):
    adsctl.local(*RENAME, "Spring")
    os.chown(adsctl.home / "state" / "state.db", 12345, -1)
    assert "state.db belongs to another user" in adsctl.local(*RENAME, "Summer", code=11).stderr
    assert len(writes) == 1


def test_a_state_folder_that_cannot_be_made_stops_a_change_before_it_is_sent(adsctl, writes):
    done = adsctl.local(*RENAME, "Summer", code=11, ADSCTL_STATE_DIR="/proc/adsctl")
    assert "/proc/adsctl" in done.stderr and not writes


def test_without_shared_memory_and_on_a_network_all_is_remembered_without_a_log_beside_it(
    adsctl, monkeypatch
):
    with connected_by(WithoutSharedMemory):
        adsctl.local(*RENAME, "Spring")
    assert stored(adsctl, "PRAGMA journal_mode") == ["delete"]
    adsctl.local(*RENAME, "Summer")
    assert stored(adsctl, "PRAGMA journal_mode") == ["wal"]
    monkeypatch.setattr(database, "NETWORK_FILE_SYSTEMS", ("",))
    adsctl.local(*RENAME, "Autumn")
    assert stored(adsctl, "PRAGMA journal_mode") == ["delete"]
    assert stored(adsctl, "SELECT count(*) FROM changes WHERE outcome = 'ok'") == [3]


@pytest.mark.parametrize("has_file", [False, True])
@pytest.mark.parametrize("most", [1024, 8192])  # bytes of a file
def test_a_full_disk_stops_a_change_before_it_is_sent(remote, httpserver, most, has_file):
    words = remote.command("campaigns", "delete", "c", "-A", "a", "--yes")
    if has_file:
        with store_in(remote.home / "state").writing():  # makes the tables
            pass
        close_stores()
    env = remote.environment | {"PYTHONDONTWRITEBYTECODE": "1"}  # which Python would cut off unseen
    done = subprocess.run(
        words, env=env, cwd=remote.home, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    assert done.returncode == 11 and "nothing was sent" in done.stderr and not httpserver.log


def test_a_read_only_command_makes_no_file(adsctl):
    adsctl("changes", "list")
    adsctl.local("products", "check", adsctl.file("feed.csv", "id,title\n"), code=3)
    assert not (adsctl.home / "state" / "state.db").exists()


def test_of_many_that_make_the_database_at_once_none_is_refused(tmp_path):
    """SQLite refuses one that changes the journal while another does; it does not wait for that."""
    busy = threading.Lock()

    class Refusing(sqlite3.Connection):
        def execute(self, query, *values):
            if "journal_mode" not in query or (tmp_path / "state.db").stat().st_size:
                return super().execute(query, *values)  # the journal of a file that has one stays
            assert busy.acquire(blocking=False), "refused"
            time.sleep(0.01)
            busy.release()
            return super().execute(query, *values)

    def write(number):
        with Store(tmp_path).writing() as db:  # with a connection of its own, as a process has
            db.execute("INSERT INTO notes VALUES (?, '', '', 0)", (number,))

    with connected_by(Refusing), ThreadPoolExecutor(8) as pool:
        [*pool.map(write, range(8))]


def test_the_database_is_migrated_once_by_many_at_a_time(adsctl):
    adsctl.copy_emulator()
    processes = [adsctl.beside("--profile", "local", *RENAME, f"Name {number}") for number in range(AT_ONCE)]
    assert [process.wait() for process in processes] == [0] * AT_ONCE
    assert stored(adsctl, "SELECT count(*) FROM changes WHERE outcome = 'ok'") == [AT_ONCE]
    assert stored(adsctl, "PRAGMA user_version") == [len(MIGRATIONS)]
    # Of those that end at once, none may be the last one, which removes what SQLite has beside a file.
    left = {path.name.partition("-")[0] for path in (adsctl.home / "state").iterdir()}
    assert left == {"caches", "emulator.db", "locks", "state.db"}
