"""Scheduled feeds: kept as the service keeps them."""

import pytest

from .client import errors
from .wire_names import service_name  # noqa: F401 - every test runs under both

FEED = {
    "feed_url": "https://shop.example/feed.csv",
    "feed_format": "CSV",
    "frequency": "DAILY",
    "start_time": "03:10",
    "time_zone": "Europe/Berlin",
}


@pytest.fixture
def feeds(local):
    return f"/12/product_catalogs/{local.emulator.catalog}/scheduled_feeds"


@pytest.mark.parametrize(
    ("service_name", "deleted", "digits"), [("generic", {"deleted"}, 20), ("x", set(), 24)]
)
def test_a_scheduled_feed_is_created_and_listed(local, feeds, deleted, digits):
    created = local.send("POST", feeds, **FEED).json()["data"]
    own = {"id", "product_catalog_id", "repeat", "created_at", "updated_at"} | deleted
    assert created.keys() == FEED.keys() | own and created["repeat"] is None
    assert created.items() >= FEED.items() and len(created["created_at"]) == digits
    response = local.get(feeds).json()
    assert response["data"] == [created] and response["next_cursor"] is None


def test_a_second_scheduled_feed_is_refused(local, feeds):
    first = local.send("POST", feeds, **FEED).json()["data"]
    response = local.send("POST", feeds, **FEED)
    assert response.status_code == 400 and first["id"] in response.json()["errors"][0]["message"]


def test_a_scheduled_feed_is_changed(local, feeds):
    feed = local.send("POST", feeds, **FEED | {"frequency": "WEEKLY", "repeat": "MONDAY"}).json()["data"]
    later = local.send("PUT", f"{feeds}/{feed['id']}", start_time="04:10").json()["data"]
    assert (later["start_time"], later["repeat"]) == ("04:10", "MONDAY")
    daily = local.send("PUT", f"{feeds}/{feed['id']}", frequency="DAILY").json()["data"]
    assert (daily["frequency"], daily["repeat"]) == ("DAILY", None)
    hourly = local.send("PUT", f"{feeds}/{feed['id']}", frequency="HOURLY", repeat="6").json()["data"]
    assert (hourly["frequency"], hourly["repeat"]) == ("HOURLY", "6")


@pytest.mark.parametrize("of_catalog", [False, True])
def test_what_is_deleted_is_gone(local, feeds, of_catalog):
    feed = local.send("POST", feeds, **FEED).json()["data"]
    if of_catalog:
        catalog = local.emulator.catalog
        local.send("DELETE", f"/12/product_catalogs/{catalog}")
        assert local.get(feeds).status_code == 404
        kept = "SELECT kind FROM records WHERE owner = ? AND kind <> 'product_catalog'"
        assert local.emulator.store.value(kept, catalog) is None
        return
    deleted = local.send("DELETE", f"{feeds}/{feed['id']}").json()["data"]
    assert deleted["id"] == feed["id"] and local.get(feeds).json()["data"] == []
    for method in ("PUT", "DELETE"):
        assert local.send(method, f"{feeds}/{feed['id']}").status_code == 404


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"frequency": "HOURLY"}, "repeat"),
        ({"frequency": "HOURLY", "repeat": "MONDAY"}, "repeat"),
        ({"frequency": "WEEKLY"}, "repeat"),
        ({"frequency": "WEEKLY", "repeat": "6"}, "repeat"),
        ({"repeat": "6"}, "repeat"),
        ({"frequency": "HOURLY", "repeat": "5"}, "repeat"),
        ({"feed_format": "JSON"}, "feed_format"),
        ({"start_time": "3:10"}, "start_time"),
        ({"start_time": "24:00"}, "start_time"),
        ({"time_zone": "Europe/"}, "time_zone"),
        ({"feed_url": "ftp://shop.example/feed.csv"}, "feed_url"),
    ],
)
def test_an_invalid_schedule_is_refused(local, feeds, changed, field):
    response = local.send("POST", feeds, **FEED | changed)
    assert response.status_code == 400 and [parameter for _, parameter in errors(response)] == [field]
    assert local.get(feeds).json()["data"] == []


@pytest.mark.parametrize("repeat", ["1", "2", "3", "4", "6", "8", "12"])
def test_the_hours_between_imports(local, feeds, repeat):
    response = local.send("POST", feeds, **FEED | {"frequency": "HOURLY", "repeat": repeat})
    assert response.json()["data"]["repeat"] == repeat
