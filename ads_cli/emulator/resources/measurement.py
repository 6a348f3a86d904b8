"""Event tags of websites and apps, lists of apps, the provider of app events, and A/B tests."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from ...api import ab_tests
from ...api import measurement as declared
from ...api.ab_tests import ListAbTests
from ...api.conversions import (
    CreateConversionEvent,
    GetConversionAttribution,
    MobileConversion,
    SendConversions,
)
from ...api.line_items import APP_OBJECTIVES
from ..core.handlers import ACCOUNT, RequestContext, handler
from ..core.request import value_or_default
from ..core.responses import ApiError, Result, invalid_parameter
from ..storage import Record, random_base36, utc_now
from .campaigns import LINE_ITEM
from .collection import Collection

MAX_APP_LISTS = 100
PROVIDER = "Nordlicht Analytics"


def as_web_tag(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a tag with the code to embed; raise ApiError where views count for longer than clicks."""
    if after["view_through_window"] > after["click_window"]:
        raise invalid_parameter("view_through_window", "is more than click_window")
    return after


def with_embed_code(context: RequestContext, record: Record) -> Record:
    """Return a tag with its id in the code to embed."""
    tag = record["id"]
    code = f'<script src="https://static.example/uwt.js" data-tag="{tag}"></script>'
    found = {**record, "website_tag_id": tag, "embed_code": code}
    return {name: value for name, value in found.items() if name not in ("created_at", "updated_at")}


def with_apps(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a list of apps as it is stored; raise ApiError beyond the number that an account may have."""
    lists = context.store.find_all(APP_LISTS.kind, context.account)
    if len(lists) >= MAX_APP_LISTS:
        raise invalid_parameter("name", f"the account has {MAX_APP_LISTS} app lists already")
    apps = [
        {"app_store_identifier": app, "os_type": "IOS" if app.isdigit() else "ANDROID"}
        for app in after["app_store_identifiers"]
    ]
    return {"id": after["id"], "name": after["name"], "apps": apps}


def only_provider(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a provider's configuration; raise ApiError where the account has one."""
    if context.store.find_all(PROVIDERS.kind, context.account):
        raise ApiError(400, "INVALID_PARAMETER", "the account has a provider already")
    identifier = after["provider_advertiser_id"]
    return {"provider_name": PROVIDER, **after, "provider_advertiser_identifier": identifier}


WEB_EVENT_TAGS = Collection(
    declared.WEB_TAGS,
    defaults={"status": "UNVERIFIED", "last_tracked_at": None},
    sortable=("name", "type"),
    prepare=as_web_tag,
    shown=with_embed_code,
)
APP_EVENT_TAGS = Collection(
    declared.APP_TAGS,
    defaults={
        "deep_link_scheme": None,
        "post_view_attribution_window": 1,
        "post_engagement_attribution_window": 30,
        "retargeting_enabled": True,
        "status": "TRACKING",
        "last_tracked_at": None,
    },
    sortable=("app_store_identifier", "conversion_type"),
)
APP_LISTS = Collection(declared.APP_LISTS, sortable=("name",), prepare=with_apps)
PROVIDERS = Collection(declared.PROVIDERS, sortable=("provider_name",), prepare=only_provider)


PARTNER = "42"  # client id of the provider


@handler(CreateConversionEvent)
def create_conversion_event(context: RequestContext, request: CreateConversionEvent) -> Result:
    """Answer with the ad that led to a conversion."""
    return Result(
        {
            **_conversion(context, request),
            "conversion_value_micro": request.price_micro,
            "limit_ad_tracking": False,
            "event_metadata": None,
            "off_platform_engagement_type": request.off_platform_engagement_type,
            "off_platform_engagement_time": request.off_platform_engagement_time,
            "tpn_attribution": None,
        }
    )


@handler(GetConversionAttribution)
def get_conversion_attribution(context: RequestContext, request: GetConversionAttribution) -> Result:
    """Answer with the ad that a conversion is attributed to."""
    return Result({**_conversion(context, request), "extra_device_ids": request.extra_device_ids})


def _conversion(context: RequestContext, request: MobileConversion) -> Record:
    return {
        "app_id": request.app_id,
        "os_type": request.os_type,
        "hashed_device_id": request.hashed_device_id,
        "conversion_type": request.conversion_type,
        "conversion_time": request.conversion_time,
        "click_window": value_or_default(request, "click_window"),
        "view_through_window": value_or_default(request, "view_through_window"),
        "partner_client_id": PARTNER,
        "platform_attribution": _attribution(context, request),
    }


def _attribution(context: RequestContext, request: MobileConversion) -> dict[str, Any] | None:
    """Attribute half of all devices, always the same ones, to an ad for the app."""
    promoted = next(_line_items_for(context, request.app_id), None)
    if promoted is None or int(sha256(request.hashed_device_id.encode()).hexdigest(), 16) % 2:
        return None
    account, line_item = promoted
    return {
        "country_code": "DE",
        "engagement_time": request.conversion_time,
        "engagement_type": "CLICK",
        "attribution_type": "PROMOTED",
        "promoted_properties": {
            "account_id": account,
            "campaign_id": line_item["campaign_id"],
            "campaign_name": None,
            "line_item_id": line_item["id"],
            "line_item_objective": line_item["objective"],
            "publisher_app_id": request.app_id,
        },
        "post_id": "1770000000000000001",
    }


def _line_items_for(context: RequestContext, app: str) -> Any:
    """Yield the line items that advertise an app, with their accounts."""
    for (account,) in context.store.connection.execute("SELECT id FROM records WHERE kind = 'account'"):
        for line_item in context.store.find_all(LINE_ITEM, account):
            if app in (line_item["ios_app_store_identifier"], line_item["android_app_store_identifier"]):
                yield account, line_item


@handler(SendConversions)
def send_conversions(context: RequestContext, request: SendConversions) -> Result:
    """Count all conversions, or none where one names an event tag that does not exist."""
    with context.store.transaction():
        tags = {
            tag["id"]: account["id"]
            for account in context.store.find_all(ACCOUNT, context.user)
            for tag in context.store.find_all(WEB_EVENT_TAGS.kind, account["id"])
        }
        events = [conversion.event_id.rpartition("-")[2] for conversion in request.conversions]
        if unknown := [number for number, event in enumerate(events) if event not in tags]:
            raise _unknown(request, unknown)
        for event in dict.fromkeys(events):
            tracked = {"status": "TRACKING", "last_tracked_at": utc_now()}
            context.store.update(WEB_EVENT_TAGS.kind, event, tracked, owner=tags[event])
    return Result({"conversions_processed": len(events), "debug_id": random_base36()})


def _unknown(request: SendConversions, numbers: list[int]) -> ApiError:
    """Return an error that lists every conversion whose event tag does not exist."""
    error = ApiError(404, "NOT_FOUND", "")
    error.errors = [
        {
            "code": "NOT_FOUND",
            "message": f"the web event tag {request.conversions[number].event_id} does not exist",
            "parameter": f"conversions[{number}].event_id",
        }
        for number in numbers
    ]
    return error


SHORTEST, SHORTEST_OF_APPS = timedelta(days=1), timedelta(days=5)
GROUP: Record = {"name": None, "description": None}


def as_test(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a test as it is stored; raise ApiError for what the state does not allow."""
    start, end, now = _moment(after["start_time"]), _moment(after["end_time"]), datetime.now(UTC)
    status = _status(before) if before else "SCHEDULED"
    if before and (frozen := _changed(before, after) - _changeable(status)):
        raise invalid_parameter(min(frozen), f"cannot be changed while the test is {status}")
    if status == "SCHEDULED" and start <= now:
        raise invalid_parameter("start_time", "is not in the future")
    if end <= now or end - start < SHORTEST:
        raise invalid_parameter("end_time", "must be in the future, and a day or more after start_time")
    account = context.account
    groups = [_group(group, before) for group in after["user_groups"]]
    ids = [id for group in groups for id in group["entity_ids"]]
    kind = after["entity_type"].lower()
    taken = {id for test in _others(context, account, before) for id in _entity_ids(test)}
    for id in ids:
        if context.store.find(kind, id, owner=account) is None:
            raise invalid_parameter("user_groups", f"the {kind.replace('_', ' ')} {id} does not exist")
        if id in taken or ids.count(id) > 1:
            raise invalid_parameter("user_groups", f"{id} is in a test already")
    _require_fitting(context, account, after, ids)
    by = {"user_id": context.user, "username": "nordlicht"}
    entities = [{"id": id, "account_id": account} for id in ids]
    made = {"created_by": before["created_by"] if before else by, "updated_by": by}
    return {**after, "user_groups": groups, "entities": entities, **made}


def _require_fitting(context: RequestContext, account: str, test: Record, ids: list[str]) -> None:
    """Raise ApiError unless a test is of whole campaigns, and long enough for their objective."""
    find_all = context.store.find_all
    line_items = [one for one in find_all(LINE_ITEM, account) if {one["id"], one["campaign_id"]} & {*ids}]
    if test["entity_type"] == "LINE_ITEM":
        whole = find_all(LINE_ITEM, account, campaign_id=line_items[0]["campaign_id"])
        if {one["id"] for one in whole} != {*ids}:
            raise invalid_parameter("user_groups", "must be all line items of one campaign")
    is_of_apps = any(one["objective"] in APP_OBJECTIVES for one in line_items)
    if is_of_apps and _moment(test["end_time"]) - _moment(test["start_time"]) < SHORTEST_OF_APPS:
        reason = f"must be {SHORTEST_OF_APPS.days} days or more after start_time, for a test of apps"
        raise invalid_parameter("end_time", reason)


def with_status(context: RequestContext, record: Record) -> Record:
    """Return a test with the status that its times mean."""
    return {**record, "status": _status(record)}


def conditions(context: RequestContext, request: ListAbTests) -> Mapping[str, Any]:
    """Return the conditions of a list in SQL."""
    found: dict[str, Any] = {}
    now = utc_now()
    start, end = "json_extract(data, '$.start_time')", "json_extract(data, '$.end_time')"
    if request.status == "SCHEDULED":
        found[f"{start} > ?"] = now
    elif request.status == "LIVE":
        found |= {f"{start} <= ?": now, f"{end} > ?": now}
    elif request.status == "COMPLETED":
        found[f"{end} <= ?"] = now
    if request.live_during:
        found |= {f"{start} < (?)": request.live_during[-1], f"{end} > (?)": request.live_during[0]}
    if request.user_id:
        found["json_extract(data, '$.created_by.user_id') = ?"] = str(request.user_id)
    if request.username:
        found["json_extract(data, '$.created_by.username') = ?"] = request.username
    return found


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _status(test: Record) -> str:
    now = datetime.now(UTC)
    if _moment(test["start_time"]) > now:
        return "SCHEDULED"
    return "LIVE" if _moment(test["end_time"]) > now else "COMPLETED"


def _changeable(status: str) -> set[str]:
    """Name the fields that can be changed in a status."""
    always = {"end_time"} if status != "COMPLETED" else set()
    if status != "SCHEDULED":
        return always
    return {"name", "description", "start_time", "user_groups", *always}


def _changed(before: Record, after: Record) -> set[str]:
    return {name for name, value in after.items() if before.get(name) != value}


def _group(group: Record, before: Record | None) -> Record:
    """Return a user group: one of the test before, changed, or a new one."""
    known = {each["id"]: each for each in before["user_groups"]} if before else {}
    if (id := group.get("id")) and id not in known:
        raise invalid_parameter("user_groups", f"the user group {id} does not exist")
    merged = {**GROUP, **known.get(id or "", {"id": random_base36()}), **group}
    for name in ("entity_ids", "size"):
        if name not in merged:
            raise invalid_parameter("user_groups", f"{name} is required in a new group")
    return merged


def _others(context: RequestContext, account: str, before: Record | None) -> list[Record]:
    tests = context.store.find_all(AB_TESTS.kind, account)
    own = before["id"] if before else None
    return [test for test in tests if test["id"] != own and _status(test) != "COMPLETED"]


def _entity_ids(test: Record) -> list[str]:
    return [id for group in test["user_groups"] for id in group["entity_ids"]]


AB_TESTS = Collection(
    ab_tests.AB_TESTS,
    defaults={"name": None, "description": None},
    sortable=("start_time", "end_time", "entity_type"),
    prepare=as_test,
    shown=with_status,
    conditions=conditions,
)
