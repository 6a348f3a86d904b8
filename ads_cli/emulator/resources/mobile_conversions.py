"""Conversions of mobile apps, which an ad is found for or not."""

from hashlib import sha256
from typing import Any

from ...api.mobile_conversions import CreateConversionEvent, GetConversionAttribution, MobileConversion
from ..core.handlers import RequestContext, handler
from ..core.params import value_or_default
from ..core.responses import Result
from ..storage.store import Record
from .serving import LINE_ITEM

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
