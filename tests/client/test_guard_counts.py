"""Claims about the guard: `max_changes` counts records, however many of them a request makes."""

import json

import pytest

from ads_cli.api.fields import fields_of, marked_fields
from ads_cli.api.registry import requests_for
from ads_cli.client.guard import FLEET_COUNT, FleetCount
from ads_cli.client.writes import is_upload
from tests.emulator.seeded import CARD, REACH, SHOP
from tests.guarded import guarded_by

POSTS = ",".join(f"17904150000000000{number}" for number in range(10, 14))
RAW = ("api", "POST", f"/12/accounts/{SHOP}/promoted_posts")
# Lists of one record: what it has, and not what is made.
OF_ONE_RECORD = {
    "accounts features add": {"feature_keys"},
    "accounts features remove": {"feature_keys"},
    "line-items create": {"categories", "placements"},
    "line-items update": {"categories"},
    "cards create": {"components", "slides"},
    "cards update": {"components", "slides"},
    "catalog sets create": {"filters", "product_keys"},
    "catalog sets update": {"product_keys"},
    "measurement ab-tests create": {"user_groups"},
    "measurement ab-tests update": {"user_groups"},
    "measurement app-lists create": {"app_store_identifiers"},
    "media upload": {"additional_owners"},
    "posts create": {"media_keys"},
    "posts drafts create": {"media_keys"},
    "posts drafts update": {"media_keys"},
    "posts scheduled create": {"media_keys"},
    "posts scheduled update": {"media_keys"},
    "settings user update": {"subscribe_email_types"},
}


@pytest.mark.parametrize("service", ["generic", "x"])
def test_every_list_of_a_change_is_of_records_or_of_one(service):
    for kind in requests_for(service):
        if not kind.endpoint.changes or is_upload(kind.endpoint):
            continue  # the rows of an upload are counted
        lists = {field.name for field in fields_of(kind) if field.type.base is list}
        of_records = marked_fields(kind, "records").keys()
        assert lists - of_records == OF_ONE_RECORD.get(kind.endpoint.command, set()) & lists, kind
        assert lists <= of_records | OF_ONE_RECORD.get(kind.endpoint.command, set()), kind


WAYS = {
    "options": (("promoted", "posts", "create", "--line-item", REACH, "--posts", POSTS), None),
    "query": ((*RAW[:2], f"{RAW[2]}?line_item_id={REACH}&post_ids={POSTS}"), None),
    "encoded query": (
        (*RAW[:2], f"{RAW[2]}?line_item_id={REACH}&post_ids={POSTS.replace(',', '%2C')}"),
        None,
    ),
    "form": ((*RAW, "-f", f"line_item_id={REACH}", "-f", f"post_ids={POSTS}"), None),
    "JSON": ((*RAW, "--input", "-"), json.dumps({"line_item_id": REACH, "post_ids": POSTS.split(",")})),
}


@pytest.fixture
def guarded(adsctl):
    """Return what runs a command of the profile local under a guard."""
    return guarded_by(adsctl)


@pytest.mark.parametrize("way", WAYS)
def test_one_request_makes_as_many_changes_as_records(guarded, way):
    words, input = WAYS[way]
    assert "4 changes: max_changes is 3" in guarded("max_changes: 3", *words, input=input)


def test_as_many_records_as_are_allowed_are_made(guarded):
    words, _ = WAYS["options"]
    assert len(json.loads(guarded("max_changes: 4", *words, code=0))) == 4


def test_the_tasks_of_a_fleet_count_together_and_a_resumed_one_once(guarded, adsctl):
    def run(task: str, day: str, code: int = 0) -> str:
        count = FleetCount(str(adsctl.home / "state"), "shops", "first", "", task)
        adsctl.env[FLEET_COUNT] = count.variable
        new = [{"name": f"{task} {day} {number}", "funding_instrument_id": CARD} for number in range(4)]
        file = adsctl.file(f"{task}{day}.json", json.dumps(new))
        return guarded("max_changes: 8", "campaigns", "create", "-f", file, code=code)

    run("a", "Mon")
    run("b", "Mon")
    assert "12 changes of a fleet, 4 of this task: max_changes is 8" in run("c", "Mon", code=12)
    run("a", "Tue")  # which is resumed


def test_each_post_of_a_plan_counts(guarded, adsctl):
    ads = [{"post": post} for post in POSTS.split(",")]
    plan = {"campaigns": [{"id": "8wku3", "line_items": [{"id": REACH, "ads": ads}]}]}
    file = adsctl.file("plan.json", json.dumps(plan))
    assert "changes: max_changes is 2" in guarded("max_changes: 2", "campaigns", "apply", file)


@pytest.mark.parametrize("body", [True, False])
def test_each_product_that_a_raw_request_deletes_counts(guarded, body):
    path, keys = "/12/product_catalogs/abc1/products", [f"k{number}" for number in range(4)]
    words = (path, "--input", "-") if body else (f"{path}?product_keys={','.join(keys)}",)
    input = json.dumps({"product_keys": keys}) if body else None
    assert "4 changes: max_changes is 3" in guarded("max_changes: 3", "api", "DELETE", *words, input=input)
