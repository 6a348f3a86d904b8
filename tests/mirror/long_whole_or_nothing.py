"""A run is there whole or not at all: beside others, killed at any point, and where a table fails."""

import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path

import duckdb
import psycopg
import pytest

from ads_cli.errors import StateError
from ads_cli.mirror.contract import CAMPAIGNS
from ads_cli.mirror.destination import Destination, Scope, Surroundings, open_destination
from ads_cli.mirror.parquet_files import Files
from tests.mirror.test_destinations import DAY, REPORT, report_row, row
from tests.processes.child import fork
from tests.programs import needs

DAYS = [DAY + timedelta(days=number) for number in range(4)]
POINTS = 40  # at which a run is killed, spread over all calls of its functions
NUMBERS = count()
KINDS = ("sqlite", "duckdb", "parquet", pytest.param("postgres", marks=needs("pg_ctlcluster")))


class Database:
    """A database, opened as often as a test likes."""

    def __init__(self, kind: str, address: str, folder: Path) -> None:
        self.kind, self.address, self.folder = kind, address, folder

    def opened(self, wait_seconds: float = 60.0, say: Callable[[str], None] = print) -> Destination:
        surroundings = Surroundings(state_dir=self.folder / "state", wait_seconds=wait_seconds, say=say)
        return open_destination(self.address, surroundings)

    def write(self, account: str, version: int, *, is_merged: bool = False) -> None:
        """Do what a run does: records and days of one account, all of one version."""
        with closing(self.opened()) as destination, destination.locked(account):
            destination.begin()
            destination.ensure_tables([CAMPAIGNS, REPORT])
            campaign = row(
                CAMPAIGNS, id=f"of {account}", updated_at=DAY, name=str(version), account_id=account
            )
            destination.replace(CAMPAIGNS, [campaign])
            rows = [report_row(id, day, version, account) for id in "ab" for day in DAYS]
            destination.replace(REPORT, rows, None if is_merged else Scope(account, DAYS))
            destination.commit()

    def versions(self, account: str) -> set[int]:
        """Return the versions that there are of an account, after what a next run does first."""
        with closing(self.opened()) as destination:
            with destination.locked(account):
                pass
            names = destination.select(CAMPAIGNS, account)
            rows = destination.select(REPORT, account)
        assert len(rows) == (2 * len(DAYS) if names else 0)
        place, name = REPORT.names.index("impressions"), CAMPAIGNS.names.index("name")
        return {int(found[name]) for found in names} | {int(found[place]) for found in rows}


@pytest.fixture(params=KINDS)
def database(request, tmp_path) -> Database:
    addresses = {
        "sqlite": lambda: f"sqlite:{tmp_path / 'ads.db'}",
        "duckdb": lambda: f"duckdb:{tmp_path / 'ads.db'}",
        "parquet": lambda: str(tmp_path / "ads"),
        "postgres": lambda: f"{request.getfixturevalue('postgres').address()}&schema=whole{next(NUMBERS)}",
    }
    return Database(request.param, addresses[request.param](), tmp_path)


def in_process(run: Callable[[], object]) -> int:
    """Run in a process of its own, and return its exit code once it has ended."""
    child = fork(lambda: (run() and 0) or 0)
    os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
    return child.end()


def test_runs_of_several_accounts_at_once_all_arrive(database):
    def several(account: str) -> None:
        for version in range(1, 5):
            database.write(account, version)

    children = [fork(lambda account=account: several(account) or 0) for account in ("a1", "a2", "a3")]
    for child in children:
        os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
    assert [child.end() for child in children] == [0, 0, 0]
    assert [database.versions(account) for account in ("a1", "a2", "a3")] == [{4}, {4}, {4}]


def test_a_second_run_of_an_account_waits_for_the_first(database):
    database.write("a1", 1)
    with closing(database.opened()) as first:
        with first.locked("a1"):
            child = fork(lambda: database.write("a1", 2) or 0)
            with closing(database.opened(0.2)) as third, pytest.raises(StateError) as refused:
                third.locked("a1").__enter__()
            assert "locked by another process" in refused.value.message
            assert refused.value.exit_code == 11
        os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
    assert child.end() == 0 and database.versions("a1") == {2}


def killed_at(number: int, run: Callable[[], object], part: str = "ads_cli") -> int | None:
    """Run in a process that kills itself at one call of a function of a part; None where it ended before."""

    def counted() -> int:
        calls = count()

        def on_call(frame, event, argument) -> None:
            if event in ("call", "return") and part in frame.f_code.co_filename and next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(on_call)
        run()
        sys.setprofile(None)
        return 0

    child = fork(counted)
    os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
    return None if child.end() == 0 else number


def calls_of(run: Callable[[], object], folder: Path, part: str = "ads_cli") -> int:
    """Count the calls of functions of a part, and the returns from them."""

    def counted() -> int:
        calls = [0]

        def on_call(frame, event, argument) -> None:
            calls[0] += event in ("call", "return") and part in frame.f_code.co_filename

        sys.setprofile(on_call)
        run()
        sys.setprofile(None)
        (folder / "calls").write_text(str(calls[0]))
        return 0

    assert in_process(counted) == 0
    return int((folder / "calls").read_text())


def test_a_run_that_is_killed_at_any_point_is_there_whole_or_not_at_all(database, tmp_path):
    database.write("a1", 1)
    database.write("a2", 1)
    calls = calls_of(partial(database.write, "a1", 1), tmp_path)
    seen = set[int]()
    for version, number in enumerate([*range(0, calls, max(1, calls // POINTS)), calls - 1], 2):
        before = database.versions("a1")
        killed_at(number, lambda version=version: database.write("a1", version))
        after = database.versions("a1")
        assert after in (before, {version}), number
        seen |= after
    assert len(seen) > 1  # some were killed before they were committed, and some after
    database.write("a1", 1000)
    assert (database.versions("a1"), database.versions("a2")) == ({1000}, {1})
    left = [*(tmp_path / "ads").rglob("_adsctl/*")]
    assert not left


@pytest.mark.parametrize("database", ["parquet"], indirect=True)
def test_a_run_that_is_killed_before_its_first_file_leaves_no_folder(database):
    database.write("a1", 1)
    (database.folder / "ads/_adsctl/a1.killed/campaign_history").mkdir(parents=True)
    database.write("a1", 2)
    assert not [*(database.folder / "ads").rglob("_adsctl/*")]
    assert database.versions("a1") == {2}


@pytest.mark.parametrize("database", ["parquet"], indirect=True)
def test_a_run_that_is_killed_while_files_take_their_places_is_completed(database):
    database.write("a1", 0)
    for number in count(1):
        left = count(1)

        def move(files, name, target, number=number, left=left, whole=Files.move):
            if next(left) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            whole(files, name, target)

        def write(version=number, move=move) -> int:
            Files.move = move
            database.write("a1", version)
            return 0

        child = fork(write)
        os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
        if child.end() == 0:
            break
        assert database.versions("a1") == {number if number > 1 else 0}
        assert not [*(database.folder / "ads").rglob("_adsctl/*")]
    assert number > len(DAYS) and database.versions("a1") == {number}


def _of_sqlite(database: Database, statements: Iterable[str]) -> None:
    with closing(sqlite3.connect(database.folder / "ads.db")) as db:
        for statement in statements:
            db.execute(statement)


def _of_duckdb(database: Database, statements: Iterable[str]) -> None:
    with closing(duckdb.connect(str(database.folder / "ads.db"))) as db:
        for statement in statements:
            db.execute(statement)


def _of_postgres(database: Database, statements: Iterable[str]) -> None:
    with closing(psycopg.connect(database.address.partition("&schema")[0], autocommit=True)) as db:
        db.execute(f"SET search_path = {database.address.rpartition('=')[2]}")
        for statement in statements:
            db.execute(statement)


RAISING = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$"
TRIGGER = f"CREATE TRIGGER no BEFORE INSERT ON {REPORT.name}"
# What lets every write into the report fail, and what mends that, by the means that each database has.
BROKEN = {
    "sqlite": (
        _of_sqlite,
        [f"{TRIGGER} BEGIN SELECT RAISE(ABORT, 'not this one'); END"],
        ["DROP TRIGGER no"],
    ),
    "duckdb": (
        _of_duckdb,
        [
            f"ALTER TABLE {REPORT.name} ADD COLUMN own INTEGER DEFAULT 1",
            f"ALTER TABLE {REPORT.name} ALTER own DROP DEFAULT",
            f"ALTER TABLE {REPORT.name} ALTER own SET NOT NULL",
        ],
        [f"ALTER TABLE {REPORT.name} DROP own"],
    ),
    "postgres": (
        _of_postgres,
        [
            f"CREATE FUNCTION no() RETURNS trigger {RAISING}",
            f"{TRIGGER} FOR EACH STATEMENT EXECUTE FUNCTION no()",
        ],
        [f"DROP TRIGGER no ON {REPORT.name}"],
    ),
}


def test_a_table_that_fails_leaves_all_as_it_was(database):
    database.write("a1", 1)
    if database.kind == "parquet":
        place = database.folder / "ads" / REPORT.name / "a1" / f"{DAYS[-1]:%Y-%m-%d}.parquet"
        content = place.read_bytes()
        place.write_bytes(b"PAR1")
        with pytest.raises(StateError):
            database.write("a1", 2, is_merged=True)
        place.write_bytes(content)
    else:
        execute, breaking, mending = BROKEN[database.kind]
        execute(database, breaking)
        with pytest.raises(StateError):
            database.write("a1", 2)
        execute(database, mending)
    assert database.versions("a1") == {1}
    database.write("a1", 3)
    assert database.versions("a1") == {3}


@pytest.mark.parametrize("database", KINDS[:3], indirect=True)
def test_a_disk_that_is_full_leaves_all_as_it_was(database):
    database.write("a1", 1)

    def write() -> int:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            database.write("a1", 2)
        except StateError as error:
            return error.exit_code
        return 0

    child = fork(write)
    os.waitid(os.P_PIDFD, child.descriptor, os.WEXITED | os.WNOWAIT)
    assert child.end() == 11
    assert database.versions("a1") == {1}
    database.write("a1", 3)
    assert database.versions("a1") == {3}
