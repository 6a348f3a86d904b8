"""`--into sqlite:FILE`: a table in which nothing is doubled and nothing is lost."""

import sqlite3
from contextlib import closing
from datetime import datetime

import pytest

from ads_cli.statistics import answers
from tests.statistics.lying import lie
from tests.statistics.rows import number

ONE = ("--entity", "LINE_ITEM", "--ids", "9d4c2", "--metrics", "impressions")


def stored(stats, query: str) -> list[tuple]:
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
        return db.execute(query).fetchall()


def export(stats, *words: str, code: int = 0):
    return stats.adsctl("stats", "export", "--into", "sqlite:ads.db", *ONE, *words, code=code)


def test_a_day_has_one_row_though_the_clock_was_changed_since(stats, noon):
    noon.move_to(datetime.fromisoformat("2026-10-25T00:30:00Z"))  # half an hour before
    export(stats, "--since", "2026-10-20", "--until", "2026-10-25")
    hours = ("--since", "2026-10-25T01:00", "--until", "2026-10-25T04:00", "--granularity", "HOUR")
    noon.move_to(datetime.fromisoformat("2026-10-27T12:00:00Z"))
    export(stats, "--since", "4d")
    export(stats, *hours)
    export(stats, *hours)
    days = stored(stats, "SELECT start, impressions FROM statistics WHERE start LIKE '%T00:00%' ORDER BY 1")
    assert [start[8:] for start, _ in days] == [
        *("20T00:00:00+02:00", "21T00:00:00+02:00", "22T00:00:00+02:00"),
        *("23T00:00:00+01:00", "24T00:00:00+01:00", "25T00:00:00+01:00", "26T00:00:00+01:00"),
    ]
    expected = stats.get(*ONE, "--since", "4d")
    assert [count for _, count in days[3:]] == [number(row["impressions"]) for row in expected]
    twice = stored(stats, "SELECT start FROM statistics WHERE start LIKE '2026-10-25T02%' ORDER BY 1")
    assert twice == [("2026-10-25T02:00:00+01:00",), ("2026-10-25T02:00:00+02:00",)]


def test_a_total_has_one_row_though_the_clock_was_changed_since(stats, noon):
    period = ("--since", "2026-10-20", "--until", "2026-10-23", "--granularity", "TOTAL")
    noon.move_to(datetime.fromisoformat("2026-10-24T12:00:00Z"))
    export(stats, *period)
    export(stats, "--since", "2026-10-21", *period[2:])
    noon.move_to(datetime.fromisoformat("2026-10-27T12:00:00Z"))
    export(stats, *period)
    assert stored(stats, "SELECT start FROM statistics ORDER BY 1") == [
        ("2026-10-20T00:00:00+01:00",),
        ("2026-10-21T00:00:00+02:00",),
    ]


def test_a_sum_that_sqlite_has_no_integer_for_is_stored_as_nearly_as_it_can(
    stats, service, noon, monkeypatch
):
    """A day that the change of the clock has cut is added up of its hours."""
    most = 10**18 - 1

    def enormous(data):
        for record in data:
            for segment in record["id_data"]:
                segment["metrics"]["impressions"] = [most] * len(segment["metrics"]["impressions"])

    monkeypatch.setattr(answers, "MAX_COUNT", 10**18)  # no sum of counts is as large
    lie(service, monkeypatch, enormous)
    for moment, last in (("2026-10-25T00:30:00Z", "25"), ("2026-10-27T12:00:00Z", "24")):
        noon.move_to(datetime.fromisoformat(moment))
        export(stats, "--since", "2026-10-22", "--until", f"2026-10-{last}")
    numbers = stored(stats, "SELECT typeof(impressions), impressions FROM statistics ORDER BY start")
    assert ("real", float(most * 23)) in numbers and ("integer", most) in numbers


def test_a_table_that_lacks_a_column_is_extended(stats):
    export(stats, "--since", "2d", "--until", "1d")
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
        db.execute("ALTER TABLE statistics DROP COLUMN post_id")
    export(stats, "--since", "2d")
    assert stored(stats, "SELECT count(*), count(impressions), count(post_id) FROM statistics") == [(2, 2, 0)]


OWN_TABLE = "CREATE TABLE customers (email TEXT)"
OLD_KEY = "account, entity, entity_id, start, end, placement, segment_by, segment"
OLD_TABLE = f"CREATE TABLE statistics ({OLD_KEY.replace(',', ' TEXT,')} TEXT, PRIMARY KEY ({OLD_KEY}))"


@pytest.mark.parametrize("made", [OWN_TABLE, OLD_TABLE, None], ids=["other", "old", "none"])
@pytest.mark.parametrize("why", ["failure", "dry run"])
def test_a_file_stays_as_it_is_where_nothing_is_stored(stats, service, made, why):
    path = stats.adsctl.home / "ads.db"
    if made:
        with closing(sqlite3.connect(path)) as db:
            db.execute(made)
    before = path.read_bytes() if made else b""
    words = ("stats", "get", "--into", "sqlite:ads.db", *ONE, "--since", "2d")
    if why == "failure":
        service.fail("GET /12/stats/* status=422")
        stats.adsctl(*words, code=6)
    else:
        message = stats.adsctl(*words, "--dry-run").stderr
        assert "dry run: would store 2 rows in the table statistics of ads.db" in message
    assert (path.read_bytes() if path.exists() else b"") == before
    service.fail()
    stats.adsctl(*words)
    assert len(stored(stats, "SELECT * FROM statistics")) == 2


def test_segments_of_two_kinds_do_not_replace_each_other(stats):
    period = ("--since", "5d", "--until", "4d")
    for kind in ("GENDER", "AGE", "GENDER"):
        export(stats, *period, "--segment-by", kind)
    export(stats, *period)
    sums = dict(stored(stats, "SELECT segment_by, sum(impressions) FROM statistics GROUP BY 1"))
    assert [*sums] == ["", "AGE", "GENDER"] and len({*sums.values()}) == 1
    done = export(stats, *period, "--platform", "1", code=2)
    assert "--platform cannot be used with --into" in done.stderr


def test_a_table_that_is_not_of_statistics_is_left_as_it_is(stats):
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
        db.execute("CREATE TABLE statistics (entity TEXT, price REAL)")
    done = export(stats, "--since", "1d", code=11)
    assert "ads.db has a table statistics that adsctl did not make" in done.stderr
    assert stored(stats, "SELECT name FROM pragma_table_info('statistics')") == [("entity",), ("price",)]


@pytest.mark.parametrize("content", ["text, no database, " * 100, None])
def test_what_is_no_database_or_has_no_folder_is_refused(stats, content):
    name = "no/ads.db" if content is None else stats.adsctl.file("ads.db", content).name
    done = stats.adsctl("stats", "get", *ONE, "--since", "1d", "--into", f"sqlite:{name}", code=None)
    assert done.returncode == (2 if content is None else 11)
    assert "the folder no does not exist" in done.stderr or "file is not a database" in done.stderr


def test_a_database_that_is_locked_says_so(stats, monkeypatch):
    monkeypatch.setattr("ads_cli.statistics.sqlite_table.BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert "database is locked" in export(stats, "--since", "1d", code=11).stderr
    export(stats, "--since", "1d", "--resume")
    assert len(stored(stats, "SELECT * FROM statistics")) == 1


def test_a_segment_that_left_the_corrected_answer_goes(stats, service, monkeypatch):
    period = ("--since", "5d", "--until", "3d", "--segment-by", "AGE")
    export(stats, *period, "--metrics", "impressions,billed_charge_local")
    export(stats, *period[:-1], "GENDER")
    export(stats, "--since", "7d", "--until", "5d", *period[4:])
    before = stored(stats, "SELECT start, segment_value FROM statistics WHERE segment_by = 'AGE'")
    assert len(before) == 4 * 4

    def left(data):
        for record in data:
            del record["id_data"][0]

    lie(service, monkeypatch, left)
    export(stats, *period)
    query = "SELECT segment_value, count(impressions), count(billed_charge_local) FROM statistics "
    sums = stored(stats, query + "WHERE segment_by = 'AGE' AND start >= '2026-06-12' GROUP BY 1 ORDER BY 1")
    assert sums == [  # of the one that left there is what was not asked again
        ("AGE_13_TO_24", 0, 2),
        *((age, 2, 2) for age in ("AGE_25_TO_34", "AGE_35_TO_49", "AGE_OVER_50")),
    ]
    export(stats, *period, "--metrics", "BILLING")
    counts = "SELECT segment_by, count(*), count(impressions) FROM statistics GROUP BY 1 ORDER BY 1"
    assert stored(stats, counts) == [("AGE", 3 * 2 + 4 * 2, 3 * 2 + 4 * 2), ("GENDER", 6, 6)]


def test_metros_of_two_countries_do_not_remove_each_other(stats):
    period = ("--since", "5d", "--until", "4d", "--segment-by", "METROS", "--country")
    for country in ("96683cc9126741d1", "06ef846bfc783874", "96683cc9126741d1"):
        export(stats, *period, country)
    counts = stored(stats, "SELECT country, count(*) FROM statistics GROUP BY 1 ORDER BY 1")
    assert counts == [("06ef846bfc783874", 3), ("96683cc9126741d1", 3)]


@pytest.mark.parametrize("granularity", ["TOTAL", "DAY", "HOUR"])
def test_times_of_each_kind_are_stored_beside_each_other(stats, granularity):
    period = ("--since", "5d", "--until", "3d")
    for step in ("TOTAL", "DAY", "HOUR", granularity):
        export(stats, *period, "--granularity", step)
    kept = stored(
        stats, "SELECT granularity, count(*), sum(impressions) FROM statistics GROUP BY 1 ORDER BY 2"
    )
    assert [row[:2] for row in kept] == [("TOTAL", 1), ("DAY", 2), ("HOUR", 48)]
    assert len({row[2] for row in kept}) == 1


def test_a_table_of_an_earlier_version_is_kept_and_goes_on(stats):
    """It told segments apart by name, and times not by their kind."""
    key = ("account", "entity", "entity_id", "start", "end", "placement", "segment_by", "segment")
    account = stats.adsctl("accounts", "list", "-o", "ids").stdout.split()[0]
    days = [(f"2026-06-{day}T00:00:00+02:00", f"2026-06-{day + 1}T00:00:00+02:00") for day in (12, 13, 15)]
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db, db:
        names = ", ".join(f'"{name}" TEXT NOT NULL' for name in key)
        quoted = ", ".join(f'"{name}"' for name in key)
        db.execute(
            f"CREATE TABLE statistics ({names}, name TEXT, campaign TEXT, currency TEXT, clicks NUMERIC, "
            f"impressions NUMERIC, PRIMARY KEY ({quoted}))"
        )
        db.execute("CREATE VIEW own AS SELECT sum(impressions) FROM statistics")
        for start, end in days:
            row = (
                account,
                "LINE_ITEM",
                "9d4c2",
                start,
                end,
                "ALL_ON_PLATFORM",
                "AGE",
                "age over 50",
                7,
                1000,
            )
            db.execute(
                f"INSERT INTO statistics ({quoted}, clicks, impressions) VALUES ({', '.join('?' * 10)})", row
            )
    export(stats, "--since", "2026-06-13", "--until", "2026-06-17", "--segment-by", "AGE")
    query = "SELECT substr(start, 9, 2), count(*), sum(clicks), min(granularity) FROM statistics GROUP BY 1"
    assert stored(stats, query) == [
        ("12", 1, 7, "DAY"),
        ("13", 5, 7, "DAY"),
        ("14", 4, None, "DAY"),
        ("15", 5, 7, "DAY"),
        ("16", 4, None, "DAY"),
    ]
    again = stats.export(*ONE, "--since", "2026-06-13", "--segment-by", "AGE")
    assert stored(stats, "SELECT * FROM own") == [(1000 + sum(number(row["impressions"]) for row in again),)]
