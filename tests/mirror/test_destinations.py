"""What every destination does; a new one is another line of `DESTINATIONS`."""

import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import duckdb
import msgspec
import pytest

from ads_cli.errors import AdsctlError, StateError
from ads_cli.mirror.contract import CAMPAIGNS, REPORTS
from ads_cli.mirror.destination import Destination, Scope, Surroundings, open_destination
from ads_cli.mirror.further import DAYS, listed_tables
from ads_cli.mirror.parquet_files import Files
from ads_cli.mirror.parquet_folder import STAGED, ParquetFolder
from ads_cli.mirror.tables import Table

REPORT = REPORTS[2]
MEDIA = listed_tables()[-1]
DAY, WRITTEN = datetime(2026, 3, 1), datetime(2026, 3, 2, 6, 30)
# Addresses of a new, empty database in a folder.
DESTINATIONS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite:{folder / 'ads.db'}",
    "duckdb": lambda folder: f"duckdb:{folder / 'ads.db'}",
    "parquet": lambda folder: str(folder / "ads"),
}


@pytest.fixture(params=DESTINATIONS)
def address(request, tmp_path) -> str:
    return DESTINATIONS[request.param](tmp_path)


@pytest.fixture
def open_it(address, tmp_path) -> Callable[[], Destination]:
    surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=1.0)
    return lambda: open_destination(address, surroundings)


@contextmanager
def writing(destination: Destination, *tables: Table):
    """Commit what a test writes."""
    with closing(destination):
        destination.begin()
        destination.ensure_tables(tables)
        yield destination
        destination.commit()


def row(table: Table, **values) -> tuple:
    """Return a row; of what is not given, None, and 0 where that is a metric."""
    filler = 0 if table.kind == "report" else None
    types = {column.name: column.type for column in table.columns}
    return tuple(values.get(name, filler if types[name] == "bigint" else None) for name in table.names)


def report_row(id: str, day: datetime, impressions: int, account: str = "a1") -> tuple:
    values = {"account_id": account, "campaign_id": id, "date": day, "placement": "ALL_ON_PLATFORM"}
    return row(REPORT, **values, _fivetran_synced=WRITTEN, currency="EUR", impressions=impressions)


def stored(open_it, table: Table, *names: str, owner: str | None = None) -> list[tuple]:
    with closing(open_it()) as destination:
        places = [table.names.index(name) for name in names]
        return sorted(tuple(values[i] for i in places) for values in destination.select(table, owner))


def test_a_row_is_read_as_it_was_written(open_it):
    whole = row(
        CAMPAIGNS,
        id="8wku2",
        account_id="a1",
        updated_at=DAY,
        name="Größe 'XL' \"\\ \t🌷\n",
        servable=True,
        deleted=False,
        frequency_cap=3,
        daily_budget_amount_local_micro=2**62,
        daily_budget_amount_local=Decimal("12.50"),
        _fivetran_synced=WRITTEN,
    )
    with writing(open_it(), CAMPAIGNS) as destination:
        assert destination.replace(CAMPAIGNS, [whole]) == 1
    (read,) = closed(open_it, lambda destination: destination.select(CAMPAIGNS))
    assert tuple(read) == whole


def closed(open_it, action):
    with closing(open_it()) as destination:
        return action(destination)


def test_nothing_is_there_before_it_is_written(open_it):
    assert closed(open_it, lambda destination: destination.select(DAYS)) == []
    assert closed(open_it, lambda destination: dict(destination.day_counts(REPORT, "a1"))) == {}


def test_a_version_of_the_same_time_replaces_the_other_and_a_later_one_is_added(open_it):
    for name, updated_at in (("old", DAY), ("new", DAY), ("later", DAY + timedelta(days=1))):
        version = row(CAMPAIGNS, id="1", account_id="a1", updated_at=updated_at, name=name)
        with writing(open_it(), CAMPAIGNS) as destination:
            destination.replace(CAMPAIGNS, iter([version]))
    assert stored(open_it, CAMPAIGNS, "name") == [("later",), ("new",)]


def test_the_days_of_a_scope_are_replaced_for_its_account_alone(open_it):
    next_day = DAY + timedelta(days=1)
    with writing(open_it(), REPORT) as destination:
        rows = [report_row("1", DAY, 5), report_row("2", DAY, 7), report_row("1", next_day, 9)]
        destination.replace(REPORT, rows, Scope("a1", [DAY, next_day]))
        destination.replace(REPORT, [report_row("9", DAY, 1, "a2")], Scope("a2", [DAY]))
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("2", DAY, 8)], Scope("a1", [DAY]))
    assert stored(open_it, REPORT, "account_id", "campaign_id", "impressions") == [
        ("a1", "1", 9),
        ("a1", "2", 8),
        ("a2", "9", 1),
    ]
    assert closed(open_it, lambda it: dict(it.day_counts(REPORT, "a1"))) == {DAY: 1, next_day: 1}
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [], Scope("a1", [DAY]))
    assert closed(open_it, lambda it: dict(it.day_counts(REPORT, "a1"))) == {next_day: 1}


def test_a_transaction_that_is_not_committed_leaves_nothing(open_it):
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])
    for end in (Destination.rollback, Destination.close):
        destination = open_it()
        destination.begin()
        destination.ensure_tables([REPORT, CAMPAIGNS])
        destination.replace(REPORT, [report_row("2", DAY, 5)], Scope("a1", [DAY]))
        getattr(destination, end.__name__)()
        destination.close()
    assert stored(open_it, REPORT, "campaign_id") == [("1",)]
    assert closed(open_it, lambda destination: destination.select(CAMPAIGNS)) == []


def test_rows_that_fail_while_they_are_read_leave_nothing(open_it):
    def failing():
        yield report_row("1", DAY, 5)
        raise ValueError("stopped")

    with pytest.raises(ValueError, match="stopped"), writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, failing())
    assert closed(open_it, lambda destination: destination.select(REPORT)) == []


def test_what_was_not_written_again_is_marked_for_its_account_alone(open_it):
    with writing(open_it(), MEDIA) as destination:
        before = WRITTEN - timedelta(days=1)
        rows = [
            row(MEDIA, account_id="a1", media_key="gone", deleted=False, _fivetran_synced=before),
            row(MEDIA, account_id="a1", media_key="there", deleted=False, _fivetran_synced=WRITTEN),
            row(MEDIA, account_id="a2", media_key="other", deleted=False, _fivetran_synced=before),
        ]
        destination.replace(MEDIA, rows)
        destination.mark_deleted(MEDIA, "a1", WRITTEN)
    read = stored(open_it, MEDIA, "media_key", "deleted")
    assert read == [("gone", True), ("other", False), ("there", False)]


def test_columns_that_are_missing_are_added_and_others_stay(open_it):
    few = msgspec.structs.replace(REPORT, columns=REPORT.columns[:9])
    with writing(open_it(), few) as destination:
        destination.replace(few, [report_row("1", DAY, 5)[:9]])
    own = msgspec.structs.replace(REPORT.columns[8], name="of_somebody_else")
    more = msgspec.structs.replace(REPORT, columns=(*REPORT.columns, own))
    with writing(open_it(), more):
        pass
    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("2", DAY, 7)])
    assert stored(open_it, REPORT, "campaign_id", "impressions", "video_views_25") == [
        ("1", 5 if "impressions" in few.names else None, None),
        ("2", 7, 0),
    ]
    assert stored(open_it, more, "of_somebody_else") == [(None,), (None,)]


@pytest.mark.parametrize("changed", ["type", "key"])
def test_a_table_of_that_name_with_other_columns_is_refused_and_stays(open_it, changed):
    def change(column):
        if changed == "type":
            return msgspec.structs.replace(column, type="text") if column.name == "clicks" else column
        return msgspec.structs.replace(column, is_key=column.name == "campaign_id")

    other = msgspec.structs.replace(REPORT, columns=tuple(map(change, REPORT.columns)))
    with writing(open_it(), other):
        pass
    refusal = f"table {REPORT.name} that adsctl did not make"
    with pytest.raises(StateError, match=refusal), writing(open_it(), CAMPAIGNS, REPORT):
        pass
    assert closed(open_it, lambda destination: destination.select(CAMPAIGNS)) == []


def test_one_run_of_an_account_at_a_time(open_it):
    first, second = open_it(), open_it()
    locked = pytest.raises(StateError, match="locked by another process")
    with first.locked("a1"), second.locked("a2"), locked, second.locked("a1"):
        pass
    with second.locked("a1"):
        pass


def test_a_second_writer_waits_and_then_says_who_is_in_the_way(open_it, tmp_path, request):
    kind = getattr(request.node, "callspec", None) and request.node.callspec.params["address"]
    if kind not in ONE_WRITER:  # each waits for what it writes itself
        return
    with writing(open_it(), REPORT):
        pass
    with held_by_another_process(ONE_WRITER[kind], tmp_path / "ads.db"):
        destination = open_it()
        with closing(destination), pytest.raises(StateError) as refused:
            destination.begin()
        assert "another program" in refused.value.hint
    with writing(open_it(), REPORT):
        pass


def write_version(open_it, version: int) -> None:
    """Write records and days of an account, all of one version."""
    destination = open_it()
    with destination.locked("a1"), writing(destination, CAMPAIGNS, REPORT):
        named = row(CAMPAIGNS, id="1", updated_at=DAY, name=str(version), account_id="a1")
        destination.replace(CAMPAIGNS, [named])
        days = [DAY + timedelta(days=number) for number in range(3)]
        destination.replace(REPORT, [report_row("1", day, version) for day in days], Scope("a1", days))


def versions(open_it) -> set[str]:
    """Return the versions that are there, once a next run has begun."""
    with closing(open_it()) as destination, destination.locked("a1"):
        pass
    days = stored(open_it, REPORT, "impressions")
    assert len(days) == 3
    return {str(number) for (number,) in days} | {name for (name,) in stored(open_it, CAMPAIGNS, "name")}


@contextmanager
def failing_at(method: str, number: int, error: int):
    """Let the call of a method of files that has this number fail, counted from 1; yield the calls."""
    calls, whole = count(1), getattr(Files, method)
    seen: list[int] = []

    def limited(*words):
        call = next(calls)  # several threads may be here
        seen.append(call)
        if call == number:
            raise OSError(error, os.strerror(error))
        return whole(*words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Files, method, limited)
        yield seen


LIST = 1  # the first file that is moved: from then on the run is committed


def test_files_that_cannot_take_their_places_do_so_in_the_next_run(open_it):
    if not isinstance(open_it(), ParquetFolder):
        return
    write_version(open_it, 0)
    for number in count(LIST):
        with failing_at("move", number, errno.EIO) as seen, suppress(AdsctlError):
            write_version(open_it, number)
        if max(seen) < number:
            break
        files = open_it()._files
        assert any(name.endswith(".json") for name in files.list(STAGED)) == (number > LIST)
        if number > LIST:  # a part of it would pass for the whole
            with pytest.raises(StateError, match="not yet put all its files"):
                open_it().select(REPORT)
        assert versions(open_it) == {str(number) if number > LIST else "0"}
        assert files.list(STAGED) == []
    assert number > 4 and versions(open_it) == {str(number)}


def test_a_disk_that_is_full_at_any_file_leaves_all_as_it_was(open_it):
    if not isinstance(open_it(), ParquetFolder):
        return
    write_version(open_it, 0)
    for number in count(1):
        with failing_at("written", number, errno.ENOSPC) as seen, suppress(AdsctlError):
            write_version(open_it, number)
        if max(seen) < number:
            break
        assert open_it()._files.list(STAGED) == []
        assert versions(open_it) == {"0"}
    assert number > 4 and versions(open_it) == {str(number)}


# What holds a file for itself in another process, by destination.
ONE_WRITER = {
    "sqlite": "import sqlite3; db = sqlite3.connect({0!r}); db.execute('BEGIN IMMEDIATE')",
    "duckdb": "import duckdb; db = duckdb.connect({0!r})",
}


@contextmanager
def held_by_another_process(program: str, path: Path):
    program = f"{program.format(str(path))}; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline()
        yield
        process.communicate(b"\n")


def test_who_reads_a_file_of_sqlite_waits_until_another_run_has_written(tmp_path, monkeypatch):
    surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=60.0)
    path = tmp_path / "ads.db"
    with writing(open_destination(f"sqlite:{path}", surroundings), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")  # as a run whose changes no longer fit into memory
        refusals = count()

        def monotonic() -> float:
            if next(refusals) == 3:
                other.execute("COMMIT")
            return 0.0

        monkeypatch.setattr("ads_cli.mirror.sqlite.time", SimpleNamespace(monotonic=monotonic))
        with closing(open_destination(f"sqlite:{path}", surroundings)) as destination:
            assert len(destination.select(REPORT)) == 1
    assert next(refusals) > 3


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_file_that_is_no_database_is_refused(tmp_path, kind):
    path = tmp_path / "ads.db"
    path.write_text("id,name\n" * 200)
    surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=1.0)
    destination = open_destination(f"{kind}:{path}", surroundings)
    with pytest.raises(StateError) as refused, writing(destination, REPORT):
        pass
    assert "or a new one" in refused.value.hint
    assert path.read_text() == "id,name\n" * 200


@pytest.mark.parametrize(("kind", "library"), [("sqlite", sqlite3), ("duckdb", duckdb)])
def test_a_view_of_that_name_is_refused_and_stays(tmp_path, kind, library):
    with closing(library.connect(str(tmp_path / "ads.db"))) as db:
        db.execute(f"CREATE VIEW {REPORT.name} AS SELECT 1 AS id")
    surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=1.0)
    destination = open_destination(f"{kind}:{tmp_path / 'ads.db'}", surroundings)
    with pytest.raises(StateError, match=REPORT.name), writing(destination, REPORT):
        pass


def test_a_temporary_folder_that_is_full_is_named_and_leaves_all_as_it_was(tmp_path, monkeypatch):
    def full(**options) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def open_it() -> Destination:
        surroundings = Surroundings(state_dir=tmp_path / "state", wait_seconds=1.0)
        return open_destination(str(tmp_path / "ads"), surroundings)

    with writing(open_it(), REPORT) as destination:
        destination.replace(REPORT, [report_row("1", DAY, 5)])
    with monkeypatch.context() as patch:
        patch.setattr("ads_cli.mirror.parquet_files.TemporaryDirectory", full)
        with pytest.raises(StateError) as refused:
            open_it()
    assert "temporary folder" in refused.value.message and "No space left" in refused.value.message
    assert "TMPDIR" in refused.value.hint
    assert stored(open_it, REPORT, "impressions") == [(5,)]
