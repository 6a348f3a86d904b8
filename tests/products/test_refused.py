"""Rows that are refused: told by kind, and given back in a file that can be corrected."""

import csv
import json

import pytest
from pytest_httpserver import HTTPServer

from tests.conftest import PRODUCT, feed
from tests.products.test_push import PRODUCTS, counts


def test_rejected_rows_are_written_to_a_file_that_can_be_corrected_and_pushed(adsctl, service):
    adsctl.file("feed.csv", feed(50, colour="blue"))
    service.fail("PUT * partial times=2")
    options = ("--map", "colour=color", "-o", "json")
    done = adsctl("products", "push", "feed.csv", *options, "--failed-out", "failed.csv", code=9)
    summary = json.loads(done.stdout)
    failed = list(csv.DictReader((adsctl.home / "failed.csv").open()))
    assert len(failed) == summary["failed"] > 0 and summary["created"] + summary["failed"] == 50
    assert list(failed[0]) == [*PRODUCT, "colour", "_line", "_error"]
    lines = feed(50, colour="blue").splitlines()
    for row in failed:
        assert row["id"] in lines[int(row["_line"]) - 1] and row["_error"]
    assert (adsctl.home / "failed.csv").stat().st_mode & 0o777 == 0o644
    again = adsctl("products", "push", "failed.csv", *options)
    assert counts(json.loads(again.stdout)) == (len(failed), 0, 0, 0)


@pytest.mark.parametrize("name", ["failed.tsv", "failed.jsonl", "failed.yaml", "failed.csv.gz"])
def test_rejected_rows_can_be_written_in_any_format(adsctl, service, name):
    adsctl.file("feed.jsonl", "\n".join(json.dumps(p | {"title": "\u2028 é \" 'x"}) for p in PRODUCTS))
    service.fail("PUT * partial times=1")
    done = adsctl("products", "push", "feed.jsonl", "--failed-out", name, "-o", "json", code=9)
    failed = json.loads(done.stdout)["failed"]
    again = adsctl("products", "push", name, "-o", "json")
    assert counts(json.loads(again.stdout)) == (failed, 0, 0, 0)


def test_warnings_of_the_service_are_shown_with_the_line(adsctl):
    adsctl.file("feed.csv", feed(9, availability="out of stock", inventory="3"))
    done = adsctl.local("products", "push", "feed.csv", "--concurrency", "1")
    assert "feed.csv:2: inventory: is greater than 0" in done.stderr and "feed.csv:7:" not in done.stderr
    assert "4 more warnings of the service; --verbose shows all" in done.stderr
    adsctl.file("feed.csv", feed(9, availability="out of stock", inventory="4"))
    assert "feed.csv:10:" in adsctl.local("products", "push", "feed.csv", "-v").stderr


def test_a_feed_of_invalid_rows_only_is_written_whole_with_reasons(adsctl):
    adsctl.file("feed.csv", feed(3, price="cheap"))
    words = ("products", "push", "feed.csv", "--skip-invalid", "--failed-out", "failed.csv", "-o", "json")
    done = adsctl.local(*words, "-q", code=9)
    assert counts(json.loads(done.stdout)) == (0, 0, 0, 0)
    error = json.loads(done.stderr)["error"]["message"]
    assert "feed.csv:2: price: 'cheap' is not allowed" in error and "3 invalid rows not sent" in error
    assert [row["_line"] for row in csv.DictReader((adsctl.home / "failed.csv").open())] == ["2", "3", "4"]
    assert adsctl.local(*words, code=9).stderr.count("cheap") == 1
    assert "would send 0 rows in 0 requests" in adsctl.local(*words, "--dry-run").stderr


def test_a_dry_run_writes_the_rows_that_it_skips_and_leaves_other_files(adsctl):
    adsctl.file("feed.csv", feed(3).replace("12.50 EUR", "cheap", 1))
    path = adsctl.home / "failed.csv"
    words = ("products", "push", "feed.csv", "--skip-invalid", "--dry-run", "--failed-out", "failed.csv")
    adsctl.local(*words)
    assert [row["id"] for row in csv.DictReader(path.open())] == ["sku-1"]
    adsctl.file("feed.csv", feed(3))
    adsctl.local(*words)
    assert path.exists()  # it may have rows that the service has rejected


def test_without_a_rejected_row_there_is_no_failed_out_file(adsctl):
    adsctl.file("feed.csv", feed(3))
    path = adsctl.file("failed.csv", "id,_line,_error\n")
    adsctl.local("products", "push", "feed.csv", "--failed-out", "failed.csv")
    assert not path.exists()
    shown = adsctl.local("products", "push", "feed.csv", "--failed-out", "/dev/stdout", "-o", "none").stdout
    assert shown.startswith("id,title")


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_reasons_for_rejected_rows_are_grouped_at_the_end(adsctl, service, quiet):
    adsctl.file("feed.csv", feed(50))
    service.fail("PUT * partial")
    done = adsctl("products", "push", "feed.csv", "--concurrency", "1", *quiet, code=9)
    assert "error: feed.csv:2: rejected: " in done.stderr
    assert "26 rows: lines 2, 4, 6, 8, 10, …\n26 rows rejected by the service\n" in done.stderr
    assert "--failed-out FILE" in done.stderr


def test_many_different_reasons_are_cut_to_ten(remote, httpserver: HTTPServer):
    names = [f"sku-{n}" for n in range(1, 21)]
    entries = [
        {"id": name, "status": "ERROR", "errors": [letter * 3]}
        for name, letter in zip(names, "abcdefghijklmnopqrst", strict=True)
    ]
    httpserver.expect_request("/12/product_catalogs/7/products", method="PUT").respond_with_json(
        {"data": {"products_response": entries}}
    )
    remote.file("feed.csv", feed(20))
    said = remote("products", "push", "feed.csv", "--catalog", "7", code=9).stderr
    assert (
        "feed.csv:11: rejected: jjj" in said
        and "kkk" not in said
        and "and 10 mistakes of other kinds" in said
    )


def test_of_records_on_one_line_only_rejected_ones_are_written(adsctl, service):
    adsctl.file("feed.json", json.dumps([PRODUCT | {"id": f"sku-{n}"} for n in range(1, 5)]))
    service.fail("PUT * partial")
    done = adsctl("products", "push", "feed.json", "--failed-out", "failed.csv", "-v", code=9)
    assert "feed.json:1, record 3: rejected: " in done.stderr
    failed = list(csv.DictReader((adsctl.home / "failed.csv").open()))
    assert [(row["id"], row["_line"]) for row in failed] == [
        ("sku-1", "1, record 1"),
        ("sku-3", "1, record 3"),
    ]


def test_failed_out_never_replaces_the_feed_itself(adsctl):
    path = adsctl.file("feed.csv", feed(3))
    adsctl.local("products", "push", "feed.csv", "--failed-out", "./feed.csv", code=2)
    assert path.read_text() == feed(3)


def test_max_errors_stops_a_push(adsctl, service):
    adsctl.file("feed.csv", feed(1000))
    service.fail("PUT * partial")
    words = ("products", "push", "feed.csv", "--max-errors", "5", "--concurrency", "1", "-o", "json")
    done = adsctl(*words, code=9)
    summary = json.loads(done.stdout)
    assert 5 <= summary["failed"] < 100 and "--resume" in done.stderr


def test_a_push_that_stops_early_reports_the_same_numbers_everywhere(adsctl, service):
    adsctl.file("feed.csv", feed(1000))
    service.fail("PUT * partial")
    done = adsctl("products", "push", "feed.csv", "--max-errors", "5", "-o", "json", code=9)
    summary, error = json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])["error"]
    left = 1000 - sum(counts(summary))
    assert f"stopped early, {left} rows not sent: {summary['failed']} rows rejected" in error["message"]
    assert "--max-errors 5 -o json --resume" in error["hint"]
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["state"] == "unfinished" and job["acknowledged"] == summary["requests"]


def test_a_push_whose_last_rows_are_rejected_has_ended(adsctl, service):
    adsctl.file("feed.csv", feed(20))
    service.fail("PUT * partial")
    done = adsctl("products", "push", "feed.csv", "--max-errors", "1", code=9)
    assert "10 rows rejected by the service" in done.stderr and "--resume" not in done.stderr
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout)[0]["state"] == "ended"


def test_a_file_that_changes_before_its_rejected_rows_are_looked_up_is_reported_after_the_summary(
    adsctl, service
):
    adsctl.file("feed.csv", feed(60))
    service.fail("PUT * partial times=1")
    service.before = lambda put: put == 2 and adsctl.file("feed.csv", feed(61))
    words = ("products", "push", "feed.csv", "--concurrency", "1", "--failed-out", "failed.csv", "-o", "json")
    done = adsctl(*words, code=3)
    summary = json.loads(done.stdout)
    assert summary["failed"] > 0 and summary["created"] == 60 - summary["failed"]
    assert "feed.csv changed while it was being read" in done.stderr
    assert not (adsctl.home / "failed.csv").exists()
