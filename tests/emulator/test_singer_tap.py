"""What a public Singer tap of service x asks for: each of its streams by path and parameters."""

from datetime import datetime, timedelta
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

import pytest

from tests.emulator.seeded import CLICKS

from .client import HOST, Client, authorization
from .test_other_clients import emulator  # noqa: F401

PAGE = {"count": 1000}
CHANGED = {"sort_by": "updated_at-desc", "with_deleted": "true", **PAGE}
IN_ACCOUNT = """
    account_media campaigns cards/image_conversation cards/poll cards/video_conversation custom_audiences
    funding_instruments line_items media_creatives preroll_call_to_actions promotable_users promoted_accounts
    promoted_tweets scheduled_promoted_tweets tracking_tags
"""
AT = "accounts/{account}/"
SEARCH = "targeting_criteria/"
STREAMS = [
    ("accounts", CHANGED | {"account_ids": "{account}"}, ""),
    *((AT + path, CHANGED, "") for path in IN_ACCOUNT.split()),
    (f"{AT}targeting_criteria", {"line_item_ids": CLICKS, "with_deleted": "true", **PAGE}, ""),
    *(
        (f"{AT}tweets", CHANGED | {"tweet_type": kind, "timeline_type": "ALL"}, "sort_by, with_deleted")
        for kind in ("PUBLISHED", "SCHEDULED")
    ),
    ("advertiser_business_categories", {}, ""),
    ("content_categories", PAGE, "count"),
    ("iab_categories", {}, ""),
    *((SEARCH + kind, {}, "") for kind in ["app_store_categories", "devices", "platform_versions"]),
    *((SEARCH + kind, {}, "") for kind in ["platforms", "tv_markets"]),
    *((SEARCH + kind, PAGE, "") for kind in ["conversations", "interests", "languages"]),
    *((SEARCH + kind, PAGE | {"country_code": "DE"}, "") for kind in ["locations", "network_operators"]),
    (f"{SEARCH}tv_shows", {"locale": "en-US", "count": 50}, ""),
    (f"{SEARCH}events", PAGE | {"start_time": "2026-01-01T00:00:00Z", "country_codes": "DE"}, ""),
    (f"{SEARCH}events", PAGE | {"event_types": "HOLIDAY,SPORTS", "country_codes": "DE,FR"}, ""),
]
# Cards of kinds that the reference no longer has: whatever their path, the id of no card.
GONE = "website video_website image_app_download video_app_download image_direct_message video_direct_message"
EVERY = "ENGAGEMENT,BILLING,VIDEO,MEDIA,WEB_CONVERSION,MOBILE_CONVERSION,LIFE_TIME_VALUE_MOBILE_CONVERSION"
PARTS = ("CAMPAIGN", "LINE_ITEM", "PROMOTED_TWEET")
REPORTS = [
    *(("ACCOUNT", "ENGAGEMENT", segment) for segment in (None, "AGE", "GENDER", "PLATFORMS")),
    ("FUNDING_INSTRUMENT", "ENGAGEMENT,BILLING", None),
    *((entity, EVERY, None) for entity in PARTS),
    *((entity, "WEB_CONVERSION", "CONVERSION_TAGS") for entity in PARTS),
]


def asked(client: Client, method: str, path: str, **query: str):
    """Send a request of version 11, as the SDK that the tap uses does."""
    url = f"{HOST}/11/{path}" + (f"?{urlencode(query, quote_via=quote)}" if query else "")
    response = client.transport.request(method, url, headers=authorization(client.keys, method, url))
    assert response.status_code == 200, response.text
    return response


@pytest.mark.parametrize(("path", "query", "unknown"), STREAMS)
def test_a_stream_is_read(local, path, query, unknown):
    at = {"account": local.emulator.account}
    query = {name: str(value).format(**at) for name, value in query.items()}
    response = asked(local, "GET", path.format(**at), **query)
    assert response.json()["data"]
    assert response.headers.get("x-emulator-unknown-parameters", "") == unknown


@pytest.mark.parametrize("kind", GONE.split())
def test_a_kind_of_cards_that_is_gone_is_not_found(local, kind):
    url = f"{HOST}/11/accounts/{local.emulator.account}/cards/{kind}?{urlencode(CHANGED)}"
    response = local.transport.request("GET", url, headers=authorization(local.keys, "GET", url))
    assert (response.status_code, response.json()["errors"][0]["code"]) == (404, "CARD_NOT_FOUND")


@pytest.mark.parametrize(("entity", "groups", "segment"), REPORTS)
def test_a_report_is_made_by_a_job(local, entity, groups, segment):
    account = local.emulator.account
    zone = ZoneInfo(asked(local, "GET", f"accounts/{account}").json()["data"]["timezone"])
    end = datetime.now(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    times = {"start_time": end - timedelta(days=14), "end_time": end}
    period = {name: f"{time:%Y-%m-%dT%H:%M:%S%z}" for name, time in times.items()}
    ids = [account]
    if entity != "ACCOUNT":
        active = asked(local, "GET", f"stats/accounts/{account}/active_entities", entity=entity, **period)
        ids = [record["entity_id"] for record in active.json()["data"]]
    wanted = {"entity": entity, "entity_ids": ",".join(ids), "metric_groups": groups, "granularity": "DAY"}
    wanted |= {"placement": "ALL_ON_TWITTER"} | ({"segmentation_type": segment} if segment else {})
    made = asked(local, "POST", f"stats/jobs/accounts/{account}", **wanted, **period)
    left_out = made.headers.get("x-emulator-unknown-parameters", "")
    assert left_out == ("metric_groups=MEDIA" if "MEDIA" in groups else "")
    job = made.json()["data"]["id_str"]
    listed = asked(local, "GET", f"stats/jobs/accounts/{account}", job_ids=job, count="1000")
    assert [record["id_str"] for record in listed.json()["data"]] == [job]
