"""A table of statistics is the sum of what the service says; of what has no sum, there is no table."""

import copy
import csv
import json
import re
import sqlite3
from contextlib import closing

import pyarrow.parquet
import pytest

from tests.report.reading import read
from tests.statistics.lying import lie, lie_in_bytes
from tests.statistics.rows import rows_in, total

CAMPAIGN = ("--since", "5d", "--until", "4d", "--ids", "8wku3")
TAGS = (*CAMPAIGN, "--metrics", "WEB_CONVERSION", "--segment-by", "CONVERSION_TAGS")
AGES = (*CAMPAIGN, "--metrics", "impressions", "--segment-by", "AGE")
SUM, LAST = 10_301, 849


def two_of_one_name(data):
    """Make two segments that share a name, of ids that differ."""
    for record in data:
        first, second = record["id_data"][:2]
        del record["id_data"][2:]
        first["segment"] = {"segment_name": "Buy now", "segment_value": "o1x1k"}
        second["segment"] = {"segment_name": "Buy now", "segment_value": "o1x1l"}
        first["metrics"]["impressions"], second["metrics"]["impressions"] = [SUM - LAST], [LAST]


@pytest.mark.parametrize(
    "words", [(), ("--totals",), ("--group-by", "segment"), ("--group-by", "segment_value")]
)
def test_two_segments_of_one_name_keep_the_numbers_of_both(stats, service, monkeypatch, words):
    lie(service, monkeypatch, two_of_one_name)
    rows = stats.export(*AGES, *words)
    parts = [row for row in rows if row["entity"] != "TOTAL"]
    assert total(parts, "impressions") == SUM
    assert all(total([row], "impressions") == SUM for row in rows if row not in parts)
    if not words:
        assert [row["segment_value"] for row in rows] == ["o1x1k", "o1x1l"]


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.jsonl", "o.parquet", "sqlite:o.db"])
def test_files_and_tables_keep_the_numbers_of_both(stats, service, monkeypatch, name):
    lie(service, monkeypatch, two_of_one_name)
    for _ in range(2):
        words = ("--into", name) if ":" in name else (name, "--force")
        stats.adsctl("stats", "export", *words, *AGES)
    path = stats.adsctl.home / name.removeprefix("sqlite:")
    if name == "o.parquet":
        numbers = [row["impressions"] for row in pyarrow.parquet.read_table(path).to_pylist()]
    elif name == "o.jsonl":
        numbers = [json.loads(line)["impressions"] for line in path.read_text().splitlines()]
    elif ":" in name:
        with closing(sqlite3.connect(path)) as db:
            numbers = [number for (number,) in db.execute("SELECT impressions FROM statistics")]
    else:
        dialect = "excel" if name == "o.csv" else "excel-tab"
        lines = csv.DictReader(path.read_text().splitlines(), dialect=dialect)
        numbers = [int(row["impressions"]) for row in lines]
    assert sorted(numbers) == [LAST, SUM - LAST]


def test_pages_name_both(stats, service, monkeypatch):
    lie(service, monkeypatch, two_of_one_name)
    stats.adsctl("stats", "export", *AGES, "--report", "o.html", "-o", "none")
    text = read(stats.adsctl.home / "o.html").text
    assert "Buy now (o1x1k)" in text and "Buy now (o1x1l)" in text


def repeated_entity(data):
    return [*data, *copy.deepcopy(data)]


def repeated_segment(data):
    data[0]["id_data"] += copy.deepcopy(data[0]["id_data"][:1])


def unasked_segment(data):
    data[0]["id_data"][0]["segment"] = {"segment_name": "Men", "segment_value": "1"}


def nameless_segment(data):
    data[0]["id_data"][0]["segment"] = {}


def two_names(data):
    metrics = data[0]["id_data"][0]["metrics"]
    metrics["reposts"] = metrics["retweets"] = [1]


def number(value):
    def change(data):
        data[0]["id_data"][0]["metrics"]["impressions"] = [value]

    return change


# `get` and `export`, for output and for a table, read their answers by the same function.
ANSWERED = (("get", "-o", "csv"), ("export", "--into", "sqlite:o.db"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (repeated_entity, "the answer has the statistics of 8wku3 twice"),
        (repeated_segment, "the answer has the statistics of 8wku3 without a segment twice"),
        (unasked_segment, "the statistics of 8wku3 have segments that were not asked for"),
        (nameless_segment, "the statistics of 8wku3 have a segment without a value"),
        (two_names, "the answer has a metric by two of its names"),
        (number(float("nan")), "is not JSON|cannot be read: NaN is not a number of JSON"),
        (number(float("inf")), "is not JSON|cannot be read: Infinity is not a number of JSON"),
        (number(float("-inf")), "is not JSON|cannot be read: -Infinity is not a number of JSON"),
        (number(10**30), "impressions has a number that is too large"),
        (number(1e300), "impressions has a number that is too large"),
        (number(10**12), "impressions has 1000000000000 in place of a count"),
        (number(-1), "impressions has -1 in place of a count"),
        (number(0.5), "impressions has 0.5 in place of a count"),
        (number(True), "impressions has bool in place of a number"),
    ],
)
def test_an_answer_that_has_no_sum_is_unreadable(stats, service, monkeypatch, change, message):
    lie(service, monkeypatch, change)
    asked = (*CAMPAIGN, "--metrics", "impressions,reposts", "--max-attempts", "1")
    for command, *target in ANSWERED:
        done = stats.adsctl("stats", command, *asked, *target, code=8)
        assert re.search(message, done.stderr) and not done.stdout.count("8wku3")
    if (path := stats.adsctl.home / "o.db").exists():
        with closing(sqlite3.connect(path)) as db:
            assert not db.execute("SELECT name FROM sqlite_master").fetchall()


NEGATIVE = ([-1, 2, 3, 4, 5], "billed_charge_local is negative")
FRACTION = ([1.5, 2, 3, 4, 5], "billed_charge_local has parts of a micro-unit")
JUMP = ([1, 2, 10**9, 4, 5], "billed_charge_local has a number that is more than 1,000 times all others")


@pytest.mark.parametrize(
    ("command", "target", "numbers", "doubt"),
    [
        ("get", ("-o", "csv"), *NEGATIVE),
        ("get", ("-o", "csv"), *FRACTION),
        ("get", ("-o", "csv"), *JUMP),
        ("get", ("--into", "sqlite:o.db"), *FRACTION),
        ("export", ("o.csv",), *NEGATIVE),
        ("export", ("--report", "o.html"), *JUMP),
    ],
)
def test_an_amount_that_is_hard_to_believe_is_said(
    stats, service, monkeypatch, command, target, numbers, doubt
):
    def change(data):
        data[0]["id_data"][0]["metrics"]["billed_charge_local_micro"] = numbers

    lie(service, monkeypatch, change)
    words = ("--ids", "8wku3", "--since", "2026-06-08", "--until", "2026-06-13")
    done = stats.adsctl("stats", command, *words, "--metrics", "clicks,billed_charge_local", *target)
    assert f"warning: numbers of the service that are hard to believe: {doubt}" in done.stderr


@pytest.mark.parametrize("metric", ["clicks", "conversion_purchases"])
def test_a_count_that_jumps_is_said(stats, service, monkeypatch, metric):
    def change(data):
        counts = [1, 2, 10**7, 4, 5]
        data[0]["id_data"][0]["metrics"][metric] = counts if metric == "clicks" else {"assisted": counts}

    lie(service, monkeypatch, change)
    words = ("--ids", "8wku3", "--since", "2026-06-08", "--until", "2026-06-13")
    said = stats.adsctl("stats", "get", *words, "--metrics", metric).stderr
    assert "has a number that is more than 1,000 times all others of its series" in said


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("stats get", "1e400"),
        ("stats export", "-1e400"),
        ("stats export", "NaN"),
        ("api GET /12/stats/accounts/18ce54d4x5t", "-1e400"),
        ("api GET /12/stats/accounts/18ce54d4x5t", "Infinity"),
    ],
)
def test_a_number_that_is_not_one_of_json_is_unreadable(stats, service, monkeypatch, command, text):
    def change(body: bytes) -> bytes:
        return re.sub(rb'("impressions": ?\[)\d+', rb"\g<1>" + text.encode(), body)

    lie_in_bytes(service, monkeypatch, change)
    words = (*CAMPAIGN, "--metrics", "impressions")
    if "api" in command:
        words = ("-f", "entity=CAMPAIGN", "-f", "entity_ids=8wku3", "-f", "placement=ALL_ON_PLATFORM")
        words += ("-f", "start_time=2026-06-12", "-f", "end_time=2026-06-13")
        words += ("-f", "granularity=TOTAL", "-f", "metric_groups=ENGAGEMENT")
    done = stats.adsctl(*command.split(), *words, "--max-attempts", "1", "-o", "json", code=8)
    assert not done.stdout


def test_segments_keep_their_own_days_when_their_name_was_changed(stats, service, monkeypatch):
    """The older window has the older name; it is one segment."""
    names = iter(["Old", "New"])

    def renamed(data):
        name = next(names)
        data[0]["id_data"] = data[0]["id_data"][:1]
        data[0]["id_data"][0]["segment"] = {"segment_name": name, "segment_value": "1"}

    lie(service, monkeypatch, renamed)
    days = ("--since", "2026-04-01", "--until", "2026-06-10", "--ids", "8wku3")
    rows = rows_in(
        stats.adsctl(
            *("stats", "export", *days, "--metrics", "impressions", "--segment-by", "AGE", "-o", "csv")
        ).stdout
    )
    assert len(rows) == 70 and len({(row["segment"], row["segment_value"]) for row in rows}) == 1


@pytest.mark.parametrize("page", [b"<html>try again</html>", b'{"data": [{"id": 1}]}'])
def test_a_result_that_was_once_no_result_is_asked_for_again(stats, service, monkeypatch, page):
    words = ("o.csv", *CAMPAIGN, "--metrics", "impressions", "--max-attempts", "1")
    lie_in_bytes(service, monkeypatch, lambda body: page, times=1)
    stats.adsctl("stats", "export", *words, code=8)
    done = stats.adsctl("stats", "export", *words, "--resume")
    assert "resumed: 0 of 1 results" in done.stderr
    expected = stats.get(*CAMPAIGN, "--metrics", "impressions")
    assert rows_in((stats.adsctl.home / "o.csv").read_text()) == expected


def test_a_result_that_was_once_no_result_is_asked_for_again_in_the_same_run(stats, service, monkeypatch):
    words = (*CAMPAIGN, "--metrics", "impressions")
    lie_in_bytes(service, monkeypatch, lambda body: b"<html>try again</html>", times=1)
    assert stats.export(*words) == stats.get(*words)


def test_a_result_kept_as_done_is_read_again_before_it_counts(stats, service):
    """An earlier version kept what was compressed, whatever it was."""
    import gzip

    words = (*CAMPAIGN, "--metrics", "impressions", "-o", "csv")
    service.fail("GET /stats-results/* status=500")
    stats.adsctl("stats", "export", *words, "--max-attempts", "1", code=8)
    service.fail()
    (folder,) = stats.adsctl.home.glob("state/exports/*")
    (folder / "000000.json.gz").write_bytes(gzip.compress(b"<html>"))
    done = stats.adsctl("stats", "export", *words, "--resume")
    assert "resumed: 0 of 1" in done.stderr and rows_in(done.stdout) == stats.get(*words[:-2])


def test_a_job_whose_result_cannot_be_read_is_made_again(stats, service, monkeypatch):
    """Its result would be the same, until it expires."""
    made = []
    respond = service.answer

    def answer(environ, start_response):
        if environ["REQUEST_METHOD"] == "POST":
            made.append(environ["PATH_INFO"])
        return respond(environ, start_response)

    monkeypatch.setattr(service, "answer", answer)
    lie(service, monkeypatch, repeated_entity, times=1)
    words = ("stats", "export", *CAMPAIGN, "--metrics", "impressions", "--max-attempts", "1", "-o", "csv")
    assert "--resume makes the job again" in stats.adsctl(*words, code=8).stderr
    done = stats.adsctl(*words, "--resume")
    assert "found again" not in done.stderr and len(made) == 2
    assert total(rows_in(done.stdout), "impressions") > 0


def test_all_people_beside_their_segments_have_no_sum(stats, service, monkeypatch):
    def with_whole(data):
        id_data = data[0]["id_data"]
        id_data.append({"segment": None, "metrics": id_data[0]["metrics"]})

    lie(service, monkeypatch, with_whole)
    words = (*CAMPAIGN, "--metrics", "impressions", "--segment-by", "AGE", "--totals", "--max-attempts", "1")
    done = stats.adsctl("stats", "export", *words, "-o", "csv", code=8)
    assert "beside" in done.stderr and not done.stdout.count("8wku3")
