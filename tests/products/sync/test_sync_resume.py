"""products sync --resume: nothing acknowledged is sent again, and nothing that came back is deleted."""

import signal
import threading

import pytest

from tests.conftest import PRODUCT
from tests.effort import tries
from tests.lists import LISTED
from tests.products.stopping import run

from .syncer import ONE_BY_ONE

ROWS = range(60)  # three batches
GONE = range(100, 160)


@pytest.fixture
def full(syncer):
    """A catalog of which all products go, and a feed whose products are all new."""
    syncer.catalog(*syncer.numbered(*GONE))
    syncer.feed(*syncer.numbered(*ROWS))
    return syncer


def assert_done(syncer, summary: dict) -> None:
    syncer.assert_equal(*syncer.numbered(*ROWS))
    assert summary["deleted"] == len(GONE) and summary["failed"] == 0
    assert sum(summary[name] for name in ("created", "updated", "unchanged", "skipped")) == len(ROWS)
    before = len(syncer.service.puts)
    syncer.push()
    assert len(syncer.service.puts) == before


FAULTS = ("status=503 retry-after=0", "reset-after", "garbage", "reset", "truncate")


@pytest.mark.parametrize("fault", FAULTS[: tries(2, 5)])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_sync_that_was_stopped_sends_the_rest_only(full, method, fault):
    def fail_at_the_second(number: int) -> None:
        if number == 1:
            full.service.fail(f"{method} * {fault}")

    name = "before" if method == "PUT" else "before_delete"
    setattr(full.service, name, fail_at_the_second)
    full.prune(*ONE_BY_ONE, code=8)
    acknowledged = full.acknowledged()
    assert len(acknowledged) >= (25 if method == "PUT" else 60 + 25)
    setattr(full.service, name, lambda number: None)
    full.service.fail()
    summary = full.prune(*ONE_BY_ONE, "--resume")
    assert "resuming job" in full.said
    assert not acknowledged & {*full.sent, *full.deleted}
    assert_done(full, summary)


@pytest.mark.parametrize(
    ("method", "number"), [("PUT", 2), ("DELETE", 2), ("PUT", 0), ("DELETE", 0)][: tries(2, 4)]
)
def test_a_killed_sync_sends_no_acknowledged_change_again(full, method, number):
    reached, go_on = threading.Event(), threading.Event()

    def wait(at: int) -> None:
        if at == number:
            reached.set()
            go_on.wait(60)

    name = "before" if method == "PUT" else "before_delete"
    setattr(full.service, name, wait)
    words = ("--prune", "--yes", "--max-delete", "100%", "--concurrency", "1")
    full.acknowledged()  # notes the keys of what is there
    process = full.adsctl.beside("products", "sync", "feed.jsonl", *words)
    assert reached.wait(60)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    go_on.set()
    full.service.settle()
    setattr(full.service, name, lambda at: None)
    acknowledged = full.acknowledged()
    assert len(acknowledged) <= 25 * number + (len(ROWS) if method == "DELETE" else 0)
    summary = full.prune("--resume")
    assert not acknowledged & {*full.sent, *full.deleted}
    assert_done(full, summary)


def test_a_product_that_came_back_is_not_deleted_again(full, waits):
    def fail_at_the_second(number: int) -> None:
        if number == 1:
            full.service.fail("DELETE * status=503 retry-after=0")

    full.service.before_delete = fail_at_the_second
    full.prune(*ONE_BY_ONE, code=8)
    full.service.before_delete = lambda number: None
    full.service.fail()
    deleted = full.deleted[0]
    full.catalog({"id": deleted})
    waits.waited.append(LISTED)
    summary = full.prune("--resume", "-q", code=9)
    assert "1 product changed since this job had sent it" in full.said
    assert deleted in full.held() and deleted not in full.deleted
    assert (summary["deleted"], summary["not_kept"], summary["failed"]) == (len(GONE), 1, 0)


def test_a_product_that_came_back_into_the_feed_is_not_deleted(full):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    full.feed(*full.numbered(*ROWS, 100))
    full.prune("--resume")
    assert "sku-100" in full.held() and "sku-100" not in full.deleted
    assert len(full.deleted) == len(GONE) - 1


def test_a_row_that_the_service_did_not_keep_is_counted_and_not_sent_again(full, waits):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    full.catalog({"id": "sku-7", "title": "Cup"})
    waits.waited.append(LISTED)
    summary = full.prune("--resume", code=9)
    assert full.sent == [] and full.held()["sku-7"] == PRODUCT | {"id": "sku-7", "title": "Cup"}
    assert (summary["created"], summary["not_kept"], summary["skipped"]) == (len(ROWS), 1, 0)
    full.prune()
    assert full.sent == ["sku-7"]


def test_what_somebody_else_deleted_meanwhile_is_not_counted(full):
    full.service.fail("DELETE * status=429 retry-after=0")
    full.prune(*ONE_BY_ONE, code=7)
    full.service.fail()
    elsewhere = {"ADSCTL_STATE_DIR": str(full.adsctl.home / "elsewhere")}
    full.adsctl("products", "delete", "--by", "id", "sku-100", "--yes", **elsewhere)
    summary = full.prune("--resume")
    assert (summary["deleted"], summary["failed"]) == (len(GONE) - 1, 0)


def test_rejected_rows_of_the_first_run_are_written_by_the_second(full):
    full.service.fail("PUT * partial times=1", "DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    summary = full.prune("--resume", "--failed-out", "failed.csv", code=9)
    assert summary["failed"] == 13 and "lines 1, 3, 5" in full.said
    assert len((full.adsctl.home / "failed.csv").read_text().splitlines()) == 1 + 13


def test_a_sync_is_not_resumed_after_something_else_was_sent(full):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    full.adsctl("products", "push", "feed.jsonl")
    summary = full.prune("--resume")
    assert "nothing to resume" in full.said and "something else may have been sent" in full.said
    assert (summary["created"], summary["skipped"], summary["deleted"]) == (0, len(ROWS), len(GONE))


def test_an_unfinished_sync_is_offered(full):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    assert "unfinished" in full.adsctl("jobs", "list").stdout
    full.prune(*ONE_BY_ONE, code=8)
    assert "an earlier sync of this file is unfinished, and this one begins again" in full.said
    assert "resume it in place of that with: adsctl products sync" in full.said


def test_a_key_that_is_unknown_counts_as_deleted_where_an_earlier_run_may_have_done_it(full):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    tried = full.deleted[:2]

    def delete_elsewhere(number: int) -> None:
        full.service.before_delete = lambda number: None
        elsewhere = {"ADSCTL_STATE_DIR": str(full.adsctl.home / "elsewhere")}
        assert run(full.adsctl, "products", "delete", "--by", "id", *tried, "--yes", **elsewhere)[0] == 0

    full.service.before_delete = delete_elsewhere
    summary = full.prune("--concurrency", 1, "--resume")
    assert (summary["deleted"], summary["failed"]) == (len(GONE), 0)


def test_a_sync_of_another_version_is_not_resumed(full, monkeypatch):
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, code=8)
    full.service.fail()
    monkeypatch.setattr("ads_cli.products.sync.plan.__version__", "99")
    summary = full.prune("--resume")
    assert "nothing to resume" in full.said and summary["skipped"] == len(ROWS)


def test_a_sync_that_lists_less_is_another_job(full):
    """What an earlier run tried to delete must not be taken for deleted since it is listed no longer."""
    full.service.fail("DELETE * status=503 retry-after=0")
    full.prune(*ONE_BY_ONE, "--verify", code=8)
    full.service.fail()
    full.prune("--resume")
    assert "nothing to resume" in full.said and len(full.deleted) == len(GONE)


def test_deletions_that_were_lost_in_two_runs_all_count(full):
    """The batches of a resumed sync are numbered after those that were tried, whose answers were lost."""
    full.service.fail("DELETE * reset-after")
    full.prune(*ONE_BY_ONE, code=8)
    assert len({*full.deleted}) < len(GONE)
    full.prune(*ONE_BY_ONE, "--resume", code=8)
    full.service.fail()
    assert_done(full, full.prune(*ONE_BY_ONE, "--resume"))
