"""Line items: created and changed under rules that depend on their campaign and on other line items."""

from collections.abc import Mapping
from typing import Any

from ...api.line_items import CreateLineItem, DeleteLineItem, GetLineItem, ListLineItems, UpdateLineItem
from ..core.errors import ApiError, invalid_parameter
from ..core.handlers import RequestContext
from ..core.params import value_or_default
from ..storage.store import Record
from . import line_item_rules
from .accounts import require_record
from .categories import BUSINESS, SERVICE
from .collection import Collection
from .placements import require_allowed
from .serving import CAMPAIGN, LINE_ITEM
from .targeting import target_platforms_of_app

MAX_OF_CAMPAIGN = 100
SHARED = ("objective", "product_type")  # by all line items of a campaign
GOALS = {
    "APP_ENGAGEMENTS": "APP_CLICKS",
    "APP_INSTALLS": "APP_INSTALLS",
    "REACH": "MAX_REACH",
    "FOLLOWERS": "FOLLOWERS",
    "ENGAGEMENTS": "ENGAGEMENT",
    "VIDEO_VIEWS": "VIDEO_VIEW",
    "PREROLL_VIEWS": "PREROLL",
    "WEBSITE_CLICKS": "LINK_CLICKS",
}
PAID_BY_ENGAGEMENT = ("ENGAGEMENTS", "FOLLOWERS")
DEFAULTS: Record = {
    "name": None,
    "campaign_id": None,
    "funding_instrument_id": None,
    "objective": None,
    "entity_status": "ACTIVE",
    "bid_strategy": "AUTO",
    "bid_amount_local_micro": None,
    "total_budget_amount_local_micro": None,
    "daily_budget_amount_local_micro": None,
    "goal": None,
    "pay_by": None,
    "audience_expansion": None,
    "frequency_cap": None,
    "duration_in_days": None,
    "start_time": None,
    "end_time": None,
    "advertiser_domain": None,
    "advertiser_user_id": None,
    "categories": None,
    "android_app_store_identifier": None,
    "ios_app_store_identifier": None,
    "placements": None,
    "currency": None,
    "product_type": None,
    "creative_source": "MANUAL",
    "standard_delivery": True,
    "target_cpa_local_micro": None,
    "primary_web_event_tag": None,
    "automatic_tweet_promotion": None,
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Fill in what follows from the campaign; raise ApiError or InvalidError for what it does not allow."""
    account = context.path_params["account_id"]
    campaign = require_record(context, account, CAMPAIGN, after["campaign_id"])
    if before is None:
        after |= {name: campaign[name] for name in ("funding_instrument_id", "currency")}
        after["goal"] = after["goal"] or GOALS[after["objective"]]
        paid_by = "ENGAGEMENT" if after["objective"] in PAID_BY_ENGAGEMENT else "IMPRESSION"
        after["pay_by"] = after["pay_by"] or paid_by
        _require_place(context, account, after)
    if after["bid_strategy"] == "AUTO":
        after["bid_amount_local_micro"] = None  # ignored with AUTO
    businesses = context.store.find_all(BUSINESS, SERVICE)
    line_item_rules.check(after, before=before, campaign=campaign, businesses=businesses)
    return after


def _require_place(context: RequestContext, account: str, new: Record) -> None:
    """Raise ApiError unless the campaign takes one more line item of this kind."""
    siblings = context.store.find_all(LINE_ITEM, account, campaign_id=new["campaign_id"])
    if len(siblings) >= MAX_OF_CAMPAIGN:
        message = f"the campaign {new['campaign_id']} has {MAX_OF_CAMPAIGN} line items, and may not have more"
        raise ApiError(400, "TOO_MANY_LINE_ITEMS", message)
    for name in SHARED:
        if siblings and siblings[0][name] != new[name]:
            reason = f"the line items of campaign {new['campaign_id']} have {siblings[0][name]}"
            raise invalid_parameter(name, f"{reason}, not {new[name]}")
    require_allowed(new["product_type"], new["placements"])


def _shown(context: RequestContext, record: Record) -> Record:
    """Leave the funding out of the answer to a change of one line item."""
    is_change = context.incoming.method != "GET" and "/batch/" not in context.incoming.path
    return {name: value for name, value in record.items() if name != "funding_instrument_id" or not is_change}


def of_campaigns(context: RequestContext, request: ListLineItems) -> Mapping[str, Any]:
    """Hide the line items of deleted campaigns, which are not deleted themselves."""
    if value_or_default(request, "with_deleted"):
        return {}
    deleted = f"SELECT id FROM records WHERE kind = '{CAMPAIGN}' AND owner = ? AND deleted"
    return {f"json_extract(data, '$.campaign_id') NOT IN ({deleted})": request.account_id}


LINE_ITEMS = Collection(
    kind=LINE_ITEM,
    list=ListLineItems,
    get=GetLineItem,
    create=CreateLineItem,
    update=UpdateLineItem,
    delete=DeleteLineItem,
    defaults=DEFAULTS,
    parents={"campaign_id": CAMPAIGN},
    ids="line_item_ids",
    filters={"campaign_ids": "campaign_id", "funding_instrument_ids": "funding_instrument_id"},
    entity="LINE_ITEM",
    prepare=_prepared,
    added=target_platforms_of_app,
    shown=_shown,
    conditions=of_campaigns,
)
