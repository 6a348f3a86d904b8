"""`--into sqlite:FILE`: a table in which nothing is doubled and nothing is lost."""

import sqlite3
from contextlib import closing
from datetime import datetime

import pytest

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


def test_segments_of_two_kinds_do_not_replace_each_other(stats):
    period = ("--since", "5d", "--until", "4d")
    for kind in ("GENDER", "AGE", "GENDER"):
        export(stats, *period, "--segment-by", kind)
    export(stats, *period)
    found = dict(stored(stats, "SELECT segment_by, sum(impressions) FROM statistics GROUP BY 1"))
    assert [*found] == ["", "AGE", "GENDER"] and len({*found.values()}) == 1
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
