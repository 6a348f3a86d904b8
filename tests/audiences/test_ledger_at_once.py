"""The ledger of a list where its database is locked, full or damaged, or several processes merge it."""

import resource
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest

from ads_cli.audiences import ledger
from ads_cli.audiences.upload import ListMemory
from ads_cli.errors import UnavailableError
from ads_cli.store import database, store_in
from tests.audiences.lists import List, people
from tests.stored import stored


@pytest.fixture
def customers(adsctl) -> List:
    return List(adsctl)


def test_a_full_disk_ends_a_push_before_anybody_is_sent_of_whom_nothing_is_known(remote, httpserver):
    remote.file("people.csv", "email\n" + "".join(f"u{number}@x.de\n" for number in range(30_000)))
    words = remote.command("audiences", "push", "people.csv", "--audience", "aud", "-A", "acc")
    most = 1_000_000  # bytes of a file, which the notes need more than
    env = remote.environment | {"PYTHONDONTWRITEBYTECODE": "1"}  # which Python would cut off unseen
    done = subprocess.run(
        words, env=env, cwd=remote.home, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    assert done.returncode == 11 and "state.db cannot be used" in done.stderr, done.stderr
    assert not [request for request, _ in httpserver.log if request.method == "POST"]


def test_a_locked_database_ends_a_sync_before_anybody_is_sent(customers, monkeypatch):
    customers.sync(people(1, 2))
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(customers.adsctl.home / "state" / "state.db")) as db:
        db.execute("BEGIN IMMEDIATE")
        customers.sync(people(2, 3), code=11)
    assert "locked by another process" in customers.said and customers.equals(people(1, 2))
    assert customers.sync(people(2, 3))["deleted"] == 1


def test_a_damaged_page_of_people_ends_a_sync_before_anybody_is_sent(customers):
    everybody = people(*range(300))
    customers.sync(everybody)
    (known,) = stored(customers.adsctl, "SELECT digest FROM people LIMIT 1")
    (size,) = stored(customers.adsctl, "PRAGMA page_size")
    path = customers.adsctl.home / "state" / "state.db"
    content = path.read_bytes()
    page = content.rindex(known) // size * size
    path.write_bytes(content[:page] + bytes([255]) * size + content[page + size :])
    customers.sync(everybody[1:], code=11)
    assert "is damaged" in customers.said and customers.equals(everybody)


def test_many_processes_merge_the_notes_of_a_killed_run_once(customers, monkeypatch):
    customers.sync(people(1, 2, 3))

    def die(*args: object, **options: object) -> None:
        raise UnavailableError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(ListMemory, "finish", die)
        customers.sync(people(2, 3, 4), code=8)
    assert stored(customers.adsctl, "SELECT count(*) FROM people_sent") == [2]
    words = ("--profile", "local", "audiences", "remembered")
    processes = [customers.adsctl.beside(*words) for _ in range(6)]
    assert [process.wait() for process in processes] == [0] * 6
    assert stored(customers.adsctl, "SELECT merges FROM lists") == [2]
    assert stored(customers.adsctl, "SELECT count(*) FROM people_sent") == [0]
    summary = customers.sync(people(2, 3, 4))
    assert (summary["unchanged"], summary["requests"]) == (3, 0)


def test_what_a_run_notes_before_it_is_killed_counts_where_another_process_merges_meanwhile(
    customers, monkeypatch
):
    customers.sync(people(1, 2, 3))
    with monkeypatch.context() as patch:
        patch.setattr(ListMemory, "finish", lambda *args, **options: 1 / 0)
        customers.sync(people(2, 3, 4), code=1)
    noted = stored(customers.adsctl, "SELECT acknowledged, id FROM list_requests")
    stored(customers.adsctl, "UPDATE list_requests SET acknowledged = NULL")
    note = "UPDATE list_requests SET acknowledged = ? WHERE id = ?"

    def is_locked(path):
        """Note what is acknowledged, and be killed, while the other process asks."""
        store = store_in(customers.adsctl.home / "state")
        with closing(sqlite3.connect(store.path, timeout=0)) as other, suppress(sqlite3.OperationalError):
            with other:
                other.executemany(note, noted)
            return False
        with store.writing() as db:  # the other process asks in a transaction, so that it was before that
            db.executemany(note, noted)
        return False

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "is_locked", is_locked)
        patch.setattr(Path, "exists", lambda path: True)
        customers.adsctl.local("audiences", "remembered")
    summary = customers.sync(people(2, 3, 4))
    assert (summary["unchanged"], summary["requests"]) == (3, 0)


def test_who_is_forgotten_while_notes_are_read_does_not_come_back(customers, monkeypatch):
    customers.sync(people(1, 2, 3))
    with monkeypatch.context() as patch:
        patch.setattr(ListMemory, "finish", lambda *args, **options: 1 / 0)
        customers.sync(people(2, 3, 4), code=1)
    find = ledger.find_outcomes

    def find_while_another_forgets(db, *args):
        find(db, *args)
        words = ("--profile", "local", "audiences", "forget", "--audience", customers.audience, "-y")
        assert customers.adsctl.beside(*words).wait() == 0

    monkeypatch.setattr(ledger, "find_outcomes", find_while_another_forgets)
    customers.adsctl.local("audiences", "remembered")
    assert stored(customers.adsctl, "SELECT * FROM people UNION ALL SELECT * FROM people_sent") == []


def test_a_merge_begins_again_where_another_process_has_merged_meanwhile(customers, monkeypatch):
    customers.sync(people(1, 2, 3))
    find, calls = ledger.find_outcomes, []

    def find_while_another_merges(db, *args):
        find(db, *args)
        calls.append(args)
        if len(calls) == 1:
            with closing(sqlite3.connect(customers.adsctl.home / "state" / "state.db")) as other, other:
                other.execute("UPDATE lists SET merges = merges + 1")

    monkeypatch.setattr(ledger, "find_outcomes", find_while_another_merges)
    customers.sync(people(2, 3, 4))
    assert len(calls) == 2
    assert customers.sync(people(2, 3, 4))["requests"] == 0 and customers.equals(people(2, 3, 4))
