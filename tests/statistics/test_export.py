"""`stats export`: jobs, to a file or a database."""

import json
import sqlite3
from contextlib import closing
from datetime import timedelta

import pyarrow.parquet
import pytest

from ads_cli.console import progress
from ads_cli.emulator.resources import statistics as statistics_jobs
from ads_cli.emulator.seed import JOB_NUMBER
from tests.statistics.lying import lie
from tests.statistics.rows import number, rows_in, total
from tests.stored import stored

LINE_ITEM = "9d4c2"
ALL = ("--entity", "LINE_ITEM", "--all")


def exported(stats, *words: str, code: int = 0):
    return stats.adsctl("stats", "export", *words, code=code)


def jobs(stats) -> list[dict]:
    """The jobs that the test has made."""
    listed = json.loads(stats.adsctl("stats", "jobs", "list", "-o", "json").stdout)
    return [job for job in listed if job["id_str"] != JOB_NUMBER]


@pytest.mark.parametrize("granularity", ["TOTAL", "DAY", "HOUR"])
def test_jobs_and_requests_at_once_give_the_same_numbers(stats, granularity):
    chosen = ("--since", "9d", "--until", "4d", *ALL, "--granularity", granularity)
    assert stats.export(*chosen) == stats.get(*chosen)


def test_conversions_of_apps_are_asked_for_alone_and_joined(stats):
    metrics = "impressions,mobile_conversion_installs"
    chosen = ("--since", "24d", "--until", "4d", *ALL, "--metrics", metrics)
    rows = stats.export(*chosen)
    assert rows == stats.get(*chosen)
    assert any(number(row["mobile_conversion_installs_post_view"]) for row in rows)
    assert len(jobs(stats)) == 2


@pytest.mark.parametrize("kind", ["AGE", "GENDER", "PLATFORMS"])
def test_segments_are_the_parts_of_the_whole(stats, kind):
    chosen = ("--since", "9d", "--until", "4d", *ALL, "--metrics", "impressions,clicks")
    parts, whole = stats.export(*chosen, "--segment-by", kind), stats.export(*chosen)
    assert len({row["segment"] for row in parts}) > 1
    for column in ("impressions", "clicks"):
        assert total(parts, column) == total(whole, column) > 0


@pytest.mark.parametrize("name", ["o.csv", "o.csv.gz", "o.tsv", "o.jsonl", "o.parquet"])
def test_a_file_holds_the_rows(stats, name):
    chosen = ("--since", "5d", "--until", "4d", *ALL)
    done = exported(stats, name, *chosen)
    expected = stats.export(*chosen)
    assert f"{len(expected)} rows written to {name}" in done.stderr
    path = stats.adsctl.home / name
    if name == "o.csv":
        assert rows_in(path.read_text()) == expected
    if name == "o.parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
        assert [row["impressions"] or 0 for row in rows] == [number(row["impressions"]) for row in expected]
    if name == "o.jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert [row["entity_id"] for row in rows] == [row["entity_id"] for row in expected]


def test_a_second_run_corrects_a_table_and_doubles_nothing(stats, noon):
    words = ("--since", "3d", *ALL, "--into", "sqlite:ads.db")
    exported(stats, *words)

    def stored() -> list[tuple]:
        with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
            return db.execute(
                "SELECT start, entity_id, billed_charge_local FROM statistics ORDER BY 1, 2"
            ).fetchall()

    first = stored()
    noon.shift(24 * 3600)
    exported(stats, *words, "--metrics", "BILLING,VIDEO")
    second = stored()
    days = {start for start, *_ in second}
    assert len(days) == 4 and len(second) == len(first) * 4 // 3
    before = {row[:2]: row[2] for row in first}
    changed = [row for row in second if row[:2] in before and before[row[:2]] != row[2]]
    assert changed  # charges are estimated for three days


def test_a_job_that_fails_is_made_again_once(stats, service):
    service.fail("POST /12/stats/jobs/* partial times=1")
    chosen = ("--since", "5d", "--until", "4d", *ALL)
    done = exported(stats, *chosen, "-o", "csv")
    assert "failed; it is made again" in done.stderr
    service.fail()
    assert rows_in(done.stdout) == stats.get(*chosen)
    service.fail("POST /12/stats/jobs/* partial")
    done = exported(stats, "--since", "6d", *ALL, code=8)
    assert "as did the one before" in done.stderr and "--resume" in done.stderr


@pytest.mark.parametrize("fault", ["truncate", "reset", "garbage", "status=503"])
def test_a_download_that_fails_is_repeated(stats, service, fault):
    service.fail(f"GET /stats-results/* {fault} times=1")
    chosen = ("--since", "5d", "--until", "4d", *ALL)
    rows = stats.export(*chosen)
    service.fail()
    assert rows == stats.get(*chosen)


def test_an_export_that_was_stopped_is_resumed_by_the_jobs_it_made(stats, service):
    words = ("o.csv", "--since", "100d", "--until", "4d", *ALL, "--metrics", "impressions")
    service.fail("GET /stats-results/* status=500")
    stopped = exported(stats, *words, "--max-attempts", "1", code=8)
    assert "--resume continues with the jobs that were made" in stopped.stderr
    made = {job["id_str"] for job in jobs(stats)}
    assert len(made) > 1 and not (stats.adsctl.home / "o.csv").exists()
    service.fail()
    done = exported(stats, *words, "--resume")
    assert "resumed: " in done.stderr
    assert {job["id_str"] for job in jobs(stats)} == made
    exported(stats, "again.csv", *words[1:])
    files = [stats.adsctl.home / name for name in ("o.csv", "again.csv")]
    assert files[0].read_text() == files[1].read_text()


def test_a_result_that_has_expired_is_computed_again(stats, service, noon):
    words = ("--since", "2026-06-01", "--until", "2026-06-03", *ALL, "-o", "csv")
    service.fail("GET /stats-results/* status=500")
    exported(stats, *words, "--max-attempts", "1", code=8)
    service.fail()
    noon.shift(3 * 24 * 3600)
    rows = rows_in(exported(stats, *words, "--resume").stdout)
    assert rows == rows_in(stats.adsctl("stats", "get", *words).stdout)


def test_nothing_is_left_behind(stats):
    exported(stats, "--since", "5d", *ALL, "-o", "none")
    assert not [*(stats.adsctl.home / "state" / "exports").iterdir()]
    assert stored(stats.adsctl, "SELECT name FROM exports UNION SELECT export FROM export_jobs") == []


def test_what_nobody_resumed_for_a_week_is_removed(stats, service):
    service.fail("GET /stats-results/* status=500")
    for days in ("5d", "6d"):
        exported(stats, "--since", days, *ALL, "-o", "none", "--max-attempts", "1", code=8)
    service.fail()
    folders = [*(stats.adsctl.home / "state" / "exports").iterdir()]
    earlier = "UPDATE exports SET begun = begun - ? WHERE name = ?"
    for folder, days in zip(folders, (1, 8), strict=True):
        stored(stats.adsctl, earlier, days * 86_400, folder.name)
    exported(stats, "--since", "1d", *ALL, "-o", "none")
    assert [path.exists() for path in folders] == [True, False]
    assert stored(stats.adsctl, "SELECT name FROM exports") == [folders[0].name]


def test_an_export_that_a_clock_ahead_began_is_not_resumed_and_not_kept(stats, service):
    words = ("--since", "5d", *ALL, "-o", "none", "--max-attempts", "1")
    service.fail("GET /stats-results/* status=500")
    exported(stats, *words, code=8)
    service.fail()
    stored(stats.adsctl, "UPDATE exports SET begun = begun + 400 * 86400")
    exported(stats, "--since", "1d", *ALL, "-o", "none")
    assert stored(stats.adsctl, "SELECT name FROM exports UNION SELECT export FROM export_jobs") == []
    assert "nothing to resume" in exported(stats, *words, "--resume").stderr


def test_a_job_can_be_looked_at(stats):
    exported(stats, "--since", "5d", *ALL, "-o", "none")
    (job,) = jobs(stats)
    shown = json.loads(stats.adsctl("stats", "jobs", "get", job["id_str"], "-o", "json").stdout)
    assert shown["id_str"] == job["id_str"] and shown["status"] == "SUCCESS"
    assert "there is no job 17" in stats.adsctl("stats", "jobs", "get", "17", code=5).stderr
    assert "JOB_ID: 'a/b' is not a valid id" in stats.adsctl("stats", "jobs", "get", "a/b", code=2).stderr


def test_the_total_of_no_rows_has_every_column(stats):
    nothing = ("--entity", "PROMOTED_ACCOUNT", "--active", "--since", "2020-01-01", "--until", "2020-01-02")
    exported(stats, "o.csv", *nothing, "--totals")
    header, total_line = (stats.adsctl.home / "o.csv").read_text().splitlines()
    assert total_line.startswith("TOTAL,") and total_line.count(",") == header.count(",")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("o.txt",), "o.txt: the name ends in none of"),
        (("o.csv", "--into", "sqlite:x.db"), "--into cannot be used with FILE"),
        (("--segment-by", "METROS"), "--country: is required when --segment-by is METROS"),
        (("--segment-by", "CONVERSION_TAGS"), "CONVERSION_TAGS is for the metrics of WEB_CONVERSION only"),
        *(
            (("--segment-by", by, "--metrics", metrics, *more), f"WEB_CONVERSION has no segments by {by}")
            for by, *more in (("AGE",), ("GENDER",), ("METROS", "--country", "96683cc9126741d1"))
            for metrics in ("WEB_CONVERSION", "clicks,conversion_purchases")
        ),
        (
            ("--segment-by", "CONVERSION_TAGS", "--metrics", "conversion_purchases"),
            "conversion_purchases has no segments by CONVERSION_TAGS, only by PLATFORMS",
        ),
        (
            ("--segment-by", "PLATFORMS", "--metrics", "LIFE_TIME_VALUE_MOBILE_CONVERSION"),
            "there are no segments of LIFE_TIME_VALUE_MOBILE_CONVERSION",
        ),
    ],
)
def test_what_cannot_be_exported_is_refused(stats, words, message):
    done = exported(stats, *words, "--since", "5d", *ALL, code=2)
    assert message in done.stderr


@pytest.mark.parametrize(
    ("by", "metrics"),
    [
        ("PLATFORMS", "WEB_CONVERSION"),
        ("CONVERSION_TAGS", "WEB_CONVERSION"),
        ("AGE", "MOBILE_CONVERSION"),
    ],
)
def test_conversions_have_the_segments_of_their_kind(stats, by, metrics):
    words = ("--since", "5d", "--until", "4d", *ALL, "--metrics", metrics, "--segment-by", by)
    assert len({row["segment_value"] for row in stats.export(*words)}) > 1


@pytest.mark.parametrize("command", ["get", "export"])
def test_an_entity_is_offered_where_it_is_taken(stats, command):
    offered = "MEDIA_CREATIVE" in " ".join(stats.adsctl("stats", command, "--help").stdout.split())
    words = ("stats", command, "--since", "5d", "--all", "-o", "none", "--entity")
    assert offered == (stats.adsctl(*words, "MEDIA_CREATIVE", code=None).returncode == 0)
    assert offered == ("MEDIA_CREATIVE" in stats.adsctl(*words, "AD", code=2).stderr)


def test_a_run_that_waits_counts_its_jobs(stats, monkeypatch):
    monkeypatch.setattr(progress, "LINE_INTERVAL_SECONDS", 0.1)
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(seconds=0.3))
    done = exported(stats, "o.csv", "--since", "5d", *ALL)
    assert "Waiting for jobs: 0 of 1 job\n" in done.stderr


@pytest.mark.parametrize("status", [403, 404])
def test_a_result_that_is_gone_is_computed_again_once(stats, service, status):
    words = ("--since", "5d", *ALL, "-o", "none")
    service.fail(f"GET /stats-results/* status={status} times=1")
    assert "lost its result; it is made again" in exported(stats, *words).stderr
    service.fail(f"GET /stats-results/* status={status}")
    done = exported(stats, *words, code=8)
    assert "lost its result, as did the one before" in done.stderr and "token" not in done.stderr
    service.fail()
    exported(stats, *words, "--resume")


def test_a_job_whose_answer_is_lost_is_found_again(stats, service):
    service.fail("POST /12/stats/jobs/* truncate times=1")
    words = ("--since", "5d", *ALL, "-o", "none")
    done = exported(stats, *words, code=8)
    assert "hint: --resume continues" in done.stderr
    assert "1 job found again" in exported(stats, *words, "--resume").stderr
    assert len(jobs(stats)) == 1


def test_jobs_that_are_too_many_at_once_wait_their_turn(stats, monkeypatch):
    metrics = ("--metrics", "clicks,mobile_conversion_installs")  # two jobs for each window
    words = ("--since", "2026-03-01", "--until", "2026-06-01", "--ids", "8wku3", *metrics)
    expected = stats.export(*words)
    monkeypatch.setattr(statistics_jobs, "MAX_JOBS", 2)
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(seconds=0.2))
    assert stats.export(*words) == expected
    assert len(jobs(stats)) == 4 + 4


def test_an_export_whose_jobs_do_not_end_ends_itself_after_max_wait(stats, monkeypatch):
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(seconds=4))
    monkeypatch.setattr("ads_cli.statistics.export.LONGEST_WAIT_SECONDS", 0.2)
    done = exported(stats, "--since", "5d", *ALL, "-o", "none", "--max-wait", "1s", code=8)
    assert "1 job still in processing, and none has ended within --max-wait" in done.stderr
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta())
    assert "--resume" in done.stderr and exported(stats, "--since", "5d", *ALL, "-o", "none", "--resume")


def test_an_export_takes_longer_than_max_wait_as_long_as_jobs_end(stats, monkeypatch):
    words = ("--since", "2026-03-01", "--until", "2026-06-01", "--ids", "8wku3", "-o", "none")
    words += ("--metrics", "clicks,mobile_conversion_installs")  # four jobs
    monkeypatch.setattr(statistics_jobs, "MAX_JOBS", 2)  # at once
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(seconds=0.2))
    exported(stats, *words, "--max-wait", "0.8s", "--max-attempts", "1")
    assert len(jobs(stats)) == 4


LONG = (
    "--since",
    "2024-01-01",
    "--until",
    "2025-09-01",
    "--entity",
    "LINE_ITEM",
    "--ids",
    LINE_ITEM,
    "-o",
    "none",
)


def test_an_export_shares_the_jobs_in_processing_with_others(stats, monkeypatch):
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(hours=1))
    other = ("--since", "2024-01-01", "--until", "2024-08-01", "--entity", "LINE_ITEM", "--ids", LINE_ITEM)
    exported(stats, *other, "--max-wait", "0s", code=8)
    others = len(jobs(stats))
    monkeypatch.setattr(statistics_jobs, "MAX_JOBS", others + 2)
    monkeypatch.setattr(statistics_jobs, "PROCESSING_TIME", timedelta(seconds=0.2))
    exported(stats, *LONG, "--max-attempts", "1")
    assert len(jobs(stats)) == others + 7
    monkeypatch.setattr(statistics_jobs, "MAX_JOBS", others)
    assert (
        "may not have more" in exported(stats, *LONG, "--max-attempts", "1", code=7).stderr
    )  # none of its own would end


def test_the_jobs_that_were_made_beside_one_that_is_refused_are_noted(stats, service):
    service.fail("POST /12/stats/jobs/* status=400 times=1")
    done = exported(stats, *LONG, code=6)
    assert "--resume continues with the jobs that were made" in done.stderr
    assert len(jobs(stats)) == 6
    assert "found again" not in exported(stats, *LONG, "--resume").stderr
    assert len(jobs(stats)) == 7


def test_an_export_that_was_begun_in_the_future_is_not_resumed(stats, service, noon):
    words = ("--since", "2026-06-01", "--until", "2026-06-03", *ALL, "-o", "none")
    service.fail("GET /stats-results/* status=500")
    noon.shift(14 * 365 * 24 * 3600)
    exported(stats, *words, "--max-attempts", "1", code=8)
    service.fail()
    noon.shift(-14 * 365 * 24 * 3600)
    assert "nothing to resume" in exported(stats, *words, "--resume").stderr


def test_an_export_is_not_resumed_by_numbers_that_have_settled_since(stats, service, noon, monkeypatch):
    words = ("--since", "2026-06-10", "--until", "2026-06-17", *ALL, "-o", "csv")
    words += ("--metrics", "BILLING,MOBILE_CONVERSION")  # by two jobs
    lies = [True]

    def without_apps(data):
        is_billing = any("billed" in name for name in data[0]["id_data"][0]["metrics"])
        return [] if lies[0] and not is_billing else None

    lie(service, monkeypatch, without_apps)
    exported(stats, *words, code=8)
    folders = stats.adsctl.home / "state" / "exports"
    assert len([*folders.rglob("*.json.gz")]) == 1  # what was billed, as estimated by then
    lies[0] = False
    noon.shift(3 * 24 * 3600)
    done = exported(stats, *words, "--resume")
    assert "nothing to resume" in done.stderr
    assert rows_in(done.stdout) == rows_in(stats.adsctl("stats", "get", *words).stdout)
