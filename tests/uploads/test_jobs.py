"""The identity of jobs, and the journals of earlier versions."""

import json

import pytest

from ads_cli.uploads.job_file import JobKey, JobOptions, UploadTarget
from tests.conftest import feed
from tests.products.stopping import stop_at

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


def as_earlier_version(path) -> None:
    """Rewrite the first line of a journal as the version before typed keys wrote it."""
    first, *acknowledgements = path.read_text().splitlines(keepends=True)
    _, job = json.loads(first)
    place, options = job["key"]["place"], job["key"]["options"]
    before = {name: job[name] for name in ("job", "noun", "file", "rows", "batches", "started", "resume")}
    before["digest"] = job["key"]["content"]
    before["target"] = f"{place['service']} {place['id']} False {options['format']} utf-8 {{}} ProductPush"
    path.write_text(json.dumps(before) + "\n" + "".join(acknowledgements))


@pytest.mark.parametrize("how", ["--resume", "--job"])
def test_an_unfinished_job_of_an_earlier_version_is_listed_and_not_resumed(adsctl, service, how):
    adsctl.file("feed.csv", feed(200))
    stop_at(adsctl, service, 3, 15, "--concurrency", "1")
    (path,) = (adsctl.home / "state" / "jobs").glob("*.jsonl")
    as_earlier_version(path)
    (listed,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert (listed["job"], listed["state"], listed["acknowledged"]) == (path.stem, "superseded", 3)
    assert listed["target"] == service.emulator.catalog
    assert "resume" not in json.loads(adsctl("jobs", "show", path.stem, "-o", "json").stdout)
    done = adsctl("products", "push", "feed.csv", how, *[path.stem] * (how == "--job"))
    why = "the unfinished push was started by an earlier version of adsctl"
    assert f"starting from the beginning: {why}" in done.stderr
    assert len(service.stored) == 200


def test_a_catalog_whose_id_has_a_space_is_listed_whole(adsctl, remote):
    adsctl.file("feed.csv", feed(1))
    adsctl("products", "push", "feed.csv", "--catalog", "a b", "--max-attempts", "1", code=None)
    (listed,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert listed["target"] == "a b"
