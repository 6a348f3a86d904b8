"""Pushes from Python: their results, and runs that are stopped and resumed."""

import json
import logging
import signal
import subprocess
import sys
import threading

import pytest

import ads_cli
from tests.conftest import feed
from tests.feeds.locations.conftest import plain_server  # noqa: F401
from tests.library.conftest import program

ROWS = 100


@pytest.fixture
def shop(adsctl, service):
    """A feed, and a service for it."""
    adsctl.file("feed.csv", feed(ROWS))
    return service


def test_a_push_gives_its_job_and_counts_and_tells_of_its_progress(adsctl, shop):
    steps: list[ads_cli.Progress] = []
    with program(adsctl), ads_cli.connect() as ads:
        result = ads.push("products", "feed.csv", progress=steps.append)
        result.raise_for_rejected()
    assert result.is_complete and result.counts["created"] == ROWS and not result.rejected
    assert [job["job"] for job in jobs(adsctl)] == [result.job] and result.summary["requests"] == 4
    pushing = [step for step in steps if step.activity == "Pushing products"]
    assert pushing[-1].done == pushing[-1].total == ROWS


def jobs(adsctl) -> list[dict]:
    return json.loads(adsctl("jobs", "list", "-o", "json").stdout)


def test_rejected_rows_are_in_the_result_with_their_reasons(adsctl, shop):
    shop.fail("PUT * partial times=1")
    with program(adsctl), ads_cli.connect() as ads:
        result = ads.push("products", "feed.csv")
    assert not result.is_complete and len(result.rejected) == result.counts["failed"] > 0
    row = result.rejected[0]
    assert row.values["id"] == f"sku-{row.line - 1}" and row.reason
    with pytest.raises(ads_cli.IncompleteError, match="rejected by the service") as failed:
        result.raise_for_rejected()
    assert failed.value.exit_code == 9
    assert result.rejected[0].reason.split()[0] in result._repr_html_()


def test_a_file_with_invalid_rows_sends_nothing_unless_they_are_left_out(adsctl, shop, caplog):
    adsctl.file("feed.csv", feed(2) + feed(2, price="cheap").partition("\n")[2].replace("sku-", "other-"))
    with program(adsctl), ads_cli.connect() as ads:
        with pytest.raises(ads_cli.ContentError, match=r"feed.csv:4: price: 'cheap' is not") as failed:
            ads.push("products", "feed.csv")
        assert isinstance(failed.value.result, ads_cli.PushResult)
        assert [(kind.field, kind.lines) for kind in failed.value.result.findings] == [("price", (4, 5))]
        assert shop.puts == []
        with caplog.at_level(logging.WARNING, "ads_cli"):
            result = ads.push("products", "feed.csv", skip_invalid=True)
    assert result.summary["invalid"] == 2 and result.counts["created"] == 2 and not result.is_complete
    (finding,) = result.findings
    assert (finding.field, finding.lines, finding.severity) == ("price", (4, 5), "error")
    assert any("2 of 4 rows invalid and not sent" in record.message for record in caplog.records)


def test_a_sync_creates_changes_and_deletes(adsctl, shop):
    with program(adsctl), ads_cli.connect() as ads:
        ads.push("products", "feed.csv")
        adsctl.file("feed.csv", feed(ROWS - 2, price="13.00 EUR"))
        with pytest.raises(ads_cli.NotConfirmedError):
            ads.sync("products", "feed.csv", prune=True)
        result = ads.sync("products", "feed.csv", prune=True, confirm=True)
        assert result.is_complete and result.summary["deleted"] == 2
        assert ads.call("products diff", "feed.csv").exit_code == 0
        with pytest.raises(ads_cli.UsageError, match="dry_run"):
            ads.sync("products", "feed.csv", dry_run=True)
        assert ads.call("products sync", "feed.csv", dry_run=True) == []


def test_lists_of_people_are_pushed_and_synced(adsctl, service):
    adsctl.file("people.csv", "email\nana@shop.example\nben@shop.example\n")
    with program(adsctl), ads_cli.connect(account="18ce54d4x5t") as ads:
        pushed = ads.push("audiences", "people.csv", audience="1nmth")
        assert pushed.is_complete and pushed.summary["users"] == 2
        assert ads.sync("audiences", "people.csv", audience="1nmth").is_complete
        with pytest.raises(ads_cli.UsageError, match="--audience: is required"):
            ads.push("audiences", "people.csv")  # type: ignore[call-overload]


class MineError(Exception):
    """An error of the program."""


@pytest.mark.parametrize("kind", [MineError, KeyboardInterrupt])
def test_a_push_that_is_stopped_sends_nothing_more_and_is_resumed(adsctl, shop, kind):
    stopped = threading.Event()
    shop.before = lambda put: "sku-1" in shop.puts[put] or stopped.wait(30)

    def stop(progress: ads_cli.Progress) -> None:
        if progress.activity == "Pushing products":
            raise kind

    with program(adsctl), ads_cli.connect() as ads:
        with pytest.raises(kind):
            ads.push("products", "feed.csv", concurrency=2, progress=stop)
        stopped.set()
        shop.settle()
        assert len(shop.puts) in (1, 2, 3)  # one was acknowledged, and two at most were in flight
        result = ads.push("products", "feed.csv", resume=True)
    assert result.is_complete and result.counts["created"] + result.counts["unchanged"] == ROWS
    assert len(jobs(adsctl)) == 1 and len(shop.puts) <= 6
    assert sorted(shop.stored) == sorted(f"sku-{n}" for n in range(1, ROWS + 1))


PROGRAM = """
import ads_cli

with ads_cli.connect() as ads:
    try:
        ads.push("products", "feed.csv", concurrency=1)
    except KeyboardInterrupt:
        print("stopped", ads.call("jobs list")[0]["state"])
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGKILL])
def test_a_program_that_is_interrupted_or_killed_loses_nothing(adsctl, shop, signum):
    arrived, go_on = threading.Event(), threading.Event()

    def hold(put: int) -> None:
        if put == 2:
            arrived.set()
            go_on.wait(30)

    shop.before = hold
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=adsctl.environment,
        cwd=adsctl.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert arrived.wait(60)
    process.send_signal(signum)
    if signum == signal.SIGKILL:
        process.wait(60)
    go_on.set()
    out, err = process.communicate(timeout=60)
    assert err == "" and (process.returncode, out) == (
        (-9, "") if signum == signal.SIGKILL else (0, "stopped unfinished\n")
    )
    shop.settle()
    with program(adsctl), ads_cli.connect() as ads:
        result = ads.push("products", "feed.csv", resume=True)
    assert result.is_complete and result.counts["created"] + result.counts["unchanged"] == ROWS
    assert len(jobs(adsctl)) == 1 and len(shop.stored) == ROWS


def test_a_feed_that_its_server_calls_unchanged_is_complete(adsctl, service, plain_server):  # noqa: F811
    with program(adsctl), ads_cli.connect() as ads:
        assert ads.push("products", plain_server.address(), changed=True).counts["created"] == 60
        again = ads.push("products", plain_server.address(), changed=True)
    assert again.is_complete and again.job is None and again.summary["skipped"] == 60
