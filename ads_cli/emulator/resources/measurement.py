"""Event tags of websites and apps, lists of apps, the provider of app events; conversions."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from ...api import conversions
from ...api import measurement as declared
from ..core.handlers import ACCOUNT, RequestContext, handler
from ..core.request import value_or_default
from ..core.responses import ApiError, Result, invalid_parameter
from ..storage import Record, random_base36, utc_now, without
from .campaigns import LINE_ITEM
from .collection import Collection

MAX_APP_LISTS = 100
PROVIDER = "Nordlicht Analytics"


def _with_fitting_windows(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a tag where views count for longer than clicks."""
    if after["view_through_window"] > after["click_window"]:
        raise invalid_parameter("view_through_window", "is more than click_window")
    return after


def _with_embed_code(context: RequestContext, record: Record) -> Record:
    tag = record["id"]
    code = f'<script src="https://static.example/uwt.js" data-tag="{tag}"></script>'
    return without(record, "created_at", "updated_at") | {"website_tag_id": tag, "embed_code": code}


def _with_apps(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a list of apps as it is stored; raise ApiError beyond the number that an account may have."""
    if len(context.find_all(APP_LISTS.kind)) >= MAX_APP_LISTS:
        raise invalid_parameter("name", f"the account has {MAX_APP_LISTS} app lists already")
    apps = [
        {"app_store_identifier": app, "os_type": "IOS" if app.isdigit() else "ANDROID"}
        for app in after["app_store_identifiers"]
    ]
    return {"id": after["id"], "name": after["name"], "apps": apps}


def _only_provider(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a provider's configuration; raise ApiError where the account has one."""
    if context.find_all(PROVIDERS.kind):
        raise ApiError(400, "INVALID_PARAMETER", "the account has a provider already")
    identifier = after["provider_advertiser_id"]
    return {"provider_name": PROVIDER, **after, "provider_advertiser_identifier": identifier}


WEB_EVENT_TAGS = Collection(
    declared.WEB_TAGS,
    defaults={"status": "UNVERIFIED", "last_tracked_at": None},
    sortable=("name", "type"),
    prepare=_with_fitting_windows,
    shown=_with_embed_code,
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
APP_LISTS = Collection(declared.APP_LISTS, sortable=("name",), prepare=_with_apps)
PROVIDERS = Collection(declared.PROVIDERS, sortable=("provider_name",), prepare=_only_provider)


PARTNER = "42"  # client id of the provider
# What the answer to a conversion repeats of it.
REPEATED = (
    *("app_id", "os_type", "hashed_device_id", "conversion_type", "conversion_time"),
    *("click_window", "view_through_window"),
)


@handler(conversions.CreateConversionEvent)
def _create_conversion_event(context: RequestContext, request: conversions.CreateConversionEvent) -> Result:
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


@handler(conversions.GetConversionAttribution)
def _get_conversion_attribution(
    context: RequestContext, request: conversions.GetConversionAttribution
) -> Result:
    return Result({**_conversion(context, request), "extra_device_ids": request.extra_device_ids})


def _conversion(context: RequestContext, request: conversions.MobileConversion) -> Record:
    repeated = {name: value_or_default(request, name) for name in REPEATED}
    attribution = _attribution(context, request)
    return repeated | {"partner_client_id": PARTNER, "platform_attribution": attribution}


def _attribution(context: RequestContext, request: conversions.MobileConversion) -> dict[str, Any] | None:
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


def _line_items_for(context: RequestContext, app: str) -> Iterator[tuple[str, Record]]:
    """Yield the line items that advertise an app, with their accounts."""
    for (account,) in context.store.connection.execute("SELECT id FROM records WHERE kind = ?", (ACCOUNT,)):
        for line_item in context.store.find_all(LINE_ITEM, account):
            if app in (line_item["ios_app_store_identifier"], line_item["android_app_store_identifier"]):
                yield account, line_item


@handler(conversions.SendConversions)
def _send_conversions(context: RequestContext, request: conversions.SendConversions) -> Result:
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


def _unknown(request: conversions.SendConversions, numbers: list[int]) -> ApiError:
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
