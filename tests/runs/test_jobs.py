"""The identity of jobs."""

import json
import threading

import pytest

from ads_cli.runs.job import JobKey, JobOptions
from ads_cli.store.epochs import UploadTarget
from tests.conftest import feed

PLACE = UploadTarget("https://ads.example", "product_catalog", "c1")


def key(**changes) -> JobKey:
    options = {"skip_invalid": False, "format": "csv", "encoding": "utf-8", "mapping": {}}
    return JobKey(PLACE, "push", "d" * 64, JobOptions(**options | changes))


def test_equal_keys_share_a_digest_whatever_the_order_of_their_options():
    one = key(mapping={"a": "id", "b": "title"})
    other = key(mapping={"b": "title", "a": "id"})
    assert one == other and one.digest == other.digest


@pytest.mark.parametrize(
    "changed",
    [{"skip_invalid": True}, {"format": "tsv"}, {"mapping": {"a": "id"}}, {"upload": {"region": "DE"}}],
)
def test_another_option_is_another_job(changed):
    assert key(**changed).digest != key().digest


def test_a_sync_does_not_begin_while_a_push_changes_its_catalog(adsctl, service):
    adsctl.file("feed.csv", feed(3))
    adsctl.file("other.csv", feed(4))
    is_sent, may_end = threading.Event(), threading.Event()

    def hold(put: int) -> None:
        is_sent.set()
        assert may_end.wait(60)

    service.before = hold
    push = adsctl.beside("products", "push", "other.csv")
    try:
        assert is_sent.wait(60)
        said = adsctl("products", "sync", "feed.csv", "--yes", code=11).stderr
    finally:
        may_end.set()
        push.communicate(timeout=60)
    assert "is being changed by job" in said and "a push of other.csv" in said
    assert push.returncode == 0 and len(service.puts) == 1
    adsctl("products", "sync", "feed.csv", "--yes")


def test_a_job_that_has_sent_nothing_counts_nothing(adsctl, service):
    adsctl.file("feed.csv", feed(3))
    service.fail("PUT * reset times=1")
    adsctl("products", "push", "feed.csv", "--max-attempts", "1", code=8)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (job["sent"], job["failed"], job["acknowledged"]) == (0, 0, 0)
    shown = json.loads(adsctl("jobs", "show", job["job"], "-o", "json").stdout)
    assert (shown["sent"], shown["failed"]) == (0, 0)
