"""Seed data: event tags, app lists, a provider of app events and an A/B test."""

from datetime import UTC, datetime, timedelta

from ...api.statistics import CreateJob
from ...api.validation import convert
from ..resources import ab_tests, measurement
from ..resources.history import Interval
from ..resources.statistics import JOB, new_job
from ..storage import Record, Store
from .accounts import SHOP, USER
from .line_items import CLICKS, FILMS, REACH, SPRING

PURCHASES, VISITS = "o3f71", "o3f72"
INSTALLS = "q8d02"
TRAIL_APPS = "r5b13"
PROVIDER = "s2c44"
SPRING_TEST = "u4e91"
SHOP_APP, ANDROID_APP = "1066718842", "example.nordlicht.shop"

WEB_EVENT_TAGS: tuple[Record, ...] = (
    {
        "id": PURCHASES,
        "name": "Orders",
        "type": "PURCHASE",
        "click_window": 30,
        "view_through_window": 1,
        "status": "TRACKING",
        "retargeting_enabled": False,
        "last_tracked_at": "2026-03-01T07:58:12Z",
    },
    {
        "id": VISITS,
        "name": "Visits to the shop",
        "type": "SITE_VISIT",
        "click_window": 14,
        "view_through_window": 1,
        "status": "UNVERIFIED",
        "retargeting_enabled": True,
        "last_tracked_at": None,
    },
)
APP_EVENT_TAG: Record = {
    "id": INSTALLS,
    "app_store_identifier": SHOP_APP,
    "os_type": "IOS",
    "conversion_type": "INSTALL",
    "provider_app_event_id": "evt-install",
    "provider_app_event_name": "install",
    "last_tracked_at": "2026-02-28T21:40:03Z",
}
APP_LIST: Record = {
    "id": TRAIL_APPS,
    "name": "Trail apps",
    "apps": [
        {"app_store_identifier": "1029384701", "os_type": "IOS"},
        {"app_store_identifier": "example.trails", "os_type": "ANDROID"},
    ],
}
CONFIGURATION: Record = {
    "id": PROVIDER,
    "provider_name": measurement.PROVIDER,
    "provider_advertiser_id": "nordlicht-0417",
    "provider_advertiser_identifier": "nordlicht-0417",
}
BY = {"user_id": USER, "username": "nordlicht"}
GROUP: Record = {"description": None, "size": "50.00"}
AB_TEST: Record = {  # of two campaigns; it begins in the distant future
    "id": SPRING_TEST,
    "name": "Spring or films",
    "description": None,
    "entity_type": "CAMPAIGN",
    "start_time": "2099-03-01T00:00:00Z",
    "end_time": "2099-03-15T00:00:00Z",
    "entities": [{"id": id, "account_id": SHOP} for id in (SPRING, FILMS)],
    "user_groups": [
        {"id": f"{SPRING_TEST}-1", "name": "Spring", "entity_ids": [SPRING], **GROUP},
        {"id": f"{SPRING_TEST}-2", "name": "Films", "entity_ids": [FILMS], **GROUP},
    ],
    "created_by": BY,
    "updated_by": BY,
}


def seed(store: Store) -> None:
    """Add what measures conversions to an account."""
    for tag in WEB_EVENT_TAGS:
        measurement.WEB_EVENT_TAGS.put(store, tag, owner=SHOP)
    measurement.APP_EVENT_TAGS.put(store, APP_EVENT_TAG, owner=SHOP)
    measurement.APP_LISTS.put(store, APP_LIST, owner=SHOP)
    measurement.PROVIDERS.put(store, CONFIGURATION, owner=SHOP)
    ab_tests.AB_TESTS.put(store, AB_TEST, owner=SHOP)


NUMBER = "1638457211049000000"


def seed_job(store: Store) -> None:
    """Add a job about the last week of two line items."""
    now = datetime.now(UTC)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    period = Interval(today - timedelta(days=7), today)
    values = {
        "account_id": SHOP,
        "entity": "LINE_ITEM",
        "entity_ids": [CLICKS, REACH],
        "start_time": period.start.isoformat(),
        "end_time": period.end.isoformat(),
        "granularity": "TOTAL",
        "placement": "ALL_ON_PLATFORM",
        "metric_groups": ["ENGAGEMENT", "BILLING"],
    }
    job = new_job(NUMBER, convert(CreateJob, values), period, now)
    store.add(JOB, NUMBER, job, owner=SHOP)
