"""Line items, under rules that depend on their campaign and other line items; their categories and tags."""

from collections.abc import Mapping
from typing import Any

from ...api import categories, line_items
from ...api.conditions import requires
from ...api.line_items import SHARED_IN_CAMPAIGN
from ...api.validation import convert, rule
from ..core.handlers import RequestContext
from ..core.paging import of_live
from ..core.responses import ApiError, invalid_parameter
from ..storage import SERVICE, Record, empty
from .campaigns import CAMPAIGN, LINE_ITEM
from .collection import Collection, accept_activation
from .lookup import BUSINESS, CURATED, require_allowed_placements
from .targeting import CATEGORY, require_fitting_targeting, target_platforms_of_app

WITH_TARGET = ("REACH", "WEBSITE_CLICKS")  # objectives that allow bid_strategy TARGET
MAX_BUSINESS_CATEGORIES = 2


@requires("duration_in_days", "frequency_cap")
@line_items.goal_fits_objective
class LineItem(line_items.LineItemDetails, kw_only=True):
    """A line item as it would be stored, with the data that its rules need.

    The rules of the request apply to the stored fields too: a new daily budget is compared with the
    stored total budget.
    """

    goal: str | None
    pay_by: str | None
    standard_delivery: bool | None
    start_time: str | None
    end_time: str | None
    objective: str
    placements: list[str]
    before: dict[str, Any] | None
    campaign: dict[str, Any]
    businesses: list[dict[str, Any]]

    @rule("bid_strategy")
    def bid_strategy_fits_objective(self) -> str | None:
        """Allow a change to MAX and TARGET only for some objectives."""
        if self.before is None or self.bid_strategy == self.before["bid_strategy"]:
            return None
        if self.bid_strategy == "MAX" and self.objective not in line_items.MAX_BID_OBJECTIVES:
            return f"MAX is not allowed for objective {self.objective}"
        if self.bid_strategy == "TARGET" and self.objective not in WITH_TARGET:
            return f"TARGET is allowed for objectives {' and '.join(WITH_TARGET)}, not for {self.objective}"
        return None

    pays_by = line_items.target_pays_by_click

    @rule("end_time")
    def ends_after_start(self) -> str | None:
        """Require an end after the start."""
        if self.start_time is None or self.end_time is None or self.end_time > self.start_time:
            return None
        return f"is not after start_time, {self.start_time}"

    @rule("total_budget_amount_local_micro")
    def total_budget_fits_campaign(self) -> str | None:
        """Limit the total budget to that of the campaign."""
        return self._within_campaign(self.total_budget_amount_local_micro, "total")

    @rule("bid_amount_local_micro")
    def bid_fits_campaign(self) -> str | None:
        """Limit the bid to the budgets of the campaign."""
        bid = self.bid_amount_local_micro
        return self._within_campaign(bid, "daily") or self._within_campaign(bid, "total")

    def _within_campaign(self, amount: int | None, period: str) -> str | None:
        limit = self.campaign[f"{period}_budget_amount_local_micro"]
        if amount is None or limit is None or amount <= limit:
            return None
        return f"{amount} is more than the {period} budget of campaign {self.campaign['id']}, {limit}"

    @rule("standard_delivery")
    def delivery_fits_campaign(self) -> str | None:
        """Leave the pace to the campaign where it optimizes budgets."""
        optimization = self.campaign["budget_optimization"]
        if self.standard_delivery is not False or optimization == "LINE_ITEM":
            return None
        return self._only_by_line_item(optimization)

    @rule("pay_by")
    def only_app_installs_change_pay_by(self) -> str | None:
        """Allow a change of pay_by only for APP_INSTALLS."""
        if self.before is None or self.pay_by == self.before["pay_by"] or self.objective == "APP_INSTALLS":
            return None
        return f"can be changed for objective APP_INSTALLS, not for {self.objective}"

    @rule("daily_budget_amount_local_micro")
    def daily_budget_fits_campaign(self) -> str | None:
        """Allow a daily budget only if the campaign optimizes budgets by line item."""
        optimization = self.campaign["budget_optimization"]
        if self.daily_budget_amount_local_micro is None or optimization == "LINE_ITEM":
            return None
        return self._only_by_line_item(optimization)

    def _only_by_line_item(self, optimization: str) -> str:
        return (
            "is allowed in campaigns with budget_optimization LINE_ITEM; "
            f"{self.campaign['id']} has {optimization}"
        )

    @rule("frequency_cap")
    def frequency_cap_fits_objective(self) -> str | None:
        """Allow frequency caps only for some objectives."""
        if self.frequency_cap is None or self.objective in line_items.CAPPED_OBJECTIVES:
            return None
        return (
            f"is allowed for objectives {', '.join(line_items.CAPPED_OBJECTIVES)}, not for {self.objective}"
        )

    @rule("advertiser_domain")
    def publisher_network_needs_domain(self) -> str | None:
        """Require the advertiser's domain for the publisher network."""
        return None if self.advertiser_domain else self._required_by_publisher_network()

    @rule("categories")
    def publisher_network_and_prerolls_need_categories(self) -> str | None:
        """Require categories for the publisher network and for PREROLL_VIEWS."""
        if self.categories:
            return None
        if self.objective == "PREROLL_VIEWS":
            return "is required for objective PREROLL_VIEWS"
        return self._required_by_publisher_network()

    def _required_by_publisher_network(self) -> str | None:
        is_on_network = "PUBLISHER_NETWORK" in self.placements
        return "is required for placement PUBLISHER_NETWORK" if is_on_network else None

    @rule("categories")
    def preroll_categories_are_of_few_businesses(self) -> str | None:
        """Require for PREROLL_VIEWS the codes of one or two business categories."""
        if self.objective != "PREROLL_VIEWS" or not self.categories:
            return None
        business_of = {
            code: business["id"] for business in self.businesses for code in business["iab_categories"]
        }
        if unknown := [code for code in self.categories if code not in business_of]:
            return f"{', '.join(unknown)}: no business category has this code"
        count = len({business_of[code] for code in self.categories})
        if count <= MAX_BUSINESS_CATEGORIES:
            return None
        return f"has codes of {count} business categories, at most {MAX_BUSINESS_CATEGORIES} are allowed"

    @rule("ios_app_store_identifier")
    def app_objectives_need_app(self) -> str | None:
        """Require an app store identifier for objectives that advertise an app."""
        has_app = self.ios_app_store_identifier or self.android_app_store_identifier
        if self.objective not in line_items.APP_OBJECTIVES or has_app:
            return None
        return f"is required for objective {self.objective}, unless android_app_store_identifier is given"


MAX_OF_CAMPAIGN = 100
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
    **empty("name campaign_id funding_instrument_id objective"),
    "entity_status": "ACTIVE",
    "bid_strategy": "AUTO",
    **empty("bid_amount_local_micro total_budget_amount_local_micro daily_budget_amount_local_micro"),
    **empty("goal pay_by audience_expansion frequency_cap duration_in_days start_time end_time"),
    **empty("advertiser_domain advertiser_user_id categories"),
    **empty("android_app_store_identifier ios_app_store_identifier placements currency product_type"),
    "creative_source": "MANUAL",
    "standard_delivery": True,
    **empty("target_cpa_local_micro primary_web_event_tag automatic_tweet_promotion"),
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Fill in what follows from the campaign; raise ApiError or InvalidError for what it does not allow."""
    campaign = context.require(CAMPAIGN, after["campaign_id"])
    if before is None:
        after |= {name: campaign[name] for name in ("funding_instrument_id", "currency")}
        after["goal"] = after["goal"] or GOALS[after["objective"]]
        paid_by = "ENGAGEMENT" if after["objective"] in PAID_BY_ENGAGEMENT else "IMPRESSION"
        after["pay_by"] = after["pay_by"] or paid_by
        _require_fitting_campaign(context, after)
    if after["bid_strategy"] == "AUTO":
        after["bid_amount_local_micro"] = None  # ignored with AUTO
    needed = {"before": before, "campaign": campaign, "businesses": context.store.find_all(BUSINESS, SERVICE)}
    values = after | needed | {"account_id": context.account}
    convert(LineItem, {name: values.get(name) for name in LineItem.__struct_fields__})
    return after


def _require_fitting_campaign(context: RequestContext, new: Record) -> None:
    """Raise ApiError unless the campaign takes one more line item of this kind."""
    siblings = context.find_all(LINE_ITEM, campaign_id=new["campaign_id"])
    if len(siblings) >= MAX_OF_CAMPAIGN:
        message = f"the campaign {new['campaign_id']} has {MAX_OF_CAMPAIGN} line items, and may not have more"
        raise ApiError(400, "TOO_MANY_LINE_ITEMS", message)
    for name in SHARED_IN_CAMPAIGN:
        if siblings and siblings[0][name] != new[name]:
            reason = f"the line items of campaign {new['campaign_id']} have {siblings[0][name]}"
            raise invalid_parameter(name, f"{reason}, not {new[name]}")
    require_allowed_placements(new["product_type"], new["placements"])


def _shown(context: RequestContext, record: Record) -> Record:
    """Leave the funding out of the answer to a change of one line item."""
    is_change = context.incoming.method != "GET" and "/batch/" not in context.incoming.path
    return {name: value for name, value in record.items() if name != "funding_instrument_id" or not is_change}


def _of_campaigns(context: RequestContext, request: line_items.ListLineItems) -> Mapping[str, Any]:
    """Hide the line items of deleted campaigns, which are not deleted themselves."""
    return {} if request.with_deleted else of_live(CAMPAIGN, request.account_id)


LINE_ITEMS = Collection(
    line_items.LINE_ITEMS,
    defaults=DEFAULTS,
    filters={"campaign_ids": "campaign_id", "funding_instrument_ids": "funding_instrument_id"},
    entity="LINE_ITEM",
    prepare=_prepared,
    added=target_platforms_of_app,
    shown=_shown,
    conditions=_of_campaigns,
)
accept_activation(line_items.ActivateLineItem, LINE_ITEMS)


def _fitting_category(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError where service x refuses a category: a second one, or one that is shown elsewhere."""
    if context.service != "x" or after == before:
        return after
    line_item = after["line_item_id"]
    for other in context.find_all(CATEGORY, line_item_id=line_item):
        if before is None or other["id"] != before["id"]:
            reason = f"the line item {line_item} has a curated category, {other['curated_category_id']}"
            raise invalid_parameter("line_item_id", reason)
    category = context.store.find(CURATED, after["curated_category_id"], owner=SERVICE)
    assert category  # a parent
    require_fitting_targeting(context, line_item, category)
    return after


Collection(
    categories.LINE_ITEM_CATEGORIES,
    sortable=("line_item_id", "curated_category_id"),
    prepare=_fitting_category,
)


TRACKING_TAGS = Collection(
    line_items.TRACKING_TAGS,
    defaults=empty("line_item_id tracking_tag_type tracking_tag_url"),
    filters={"line_item_ids": "line_item_id"},
)
