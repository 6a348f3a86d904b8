"""The identity of jobs."""

import json

import pytest

from ads_cli.store.epochs import UploadTarget
from ads_cli.uploads.job import JobKey, JobOptions
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


def test_a_catalog_whose_id_has_a_space_is_listed_whole(adsctl, remote):
    adsctl.file("feed.csv", feed(1))
    adsctl("products", "push", "feed.csv", "--catalog", "a b", "--max-attempts", "1", code=None)
    (listed,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert listed["target"] == "a b"
