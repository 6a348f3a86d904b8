"""Campaigns and what pays for them, and whether they can serve: derived whenever they are read."""

from ...api import campaigns, funding_instruments
from ...api.amounts import MICROS_PER_UNIT, decimals_of
from ...api.funding_instruments import GetRecommendation, ListBiddingRules, ListRecommendations
from ...api.problems import InvalidError, Problem
from ...api.targeting import KEYWORDS
from ..core.handlers import RequestContext, handler
from ..core.responses import ApiError, Result, invalid_parameter
from ..storage import Record, empty, utc_now, without
from .collection import Collection, accept_activation

CAMPAIGN, LINE_ITEM, FUNDING = "campaign", "line_item", "funding_instrument"
CRITERION = "targeting_criterion"
# The status of a campaign by the first of its reasons, and where it has none.
STATUSES = {
    "PAUSED_BY_ADVERTISER": "PAUSED",
    "FUNDING_PROBLEM": "FUNDING_PROBLEM",
    "EXPIRED": "EXPIRED",
    "INCOMPLETE": "UNKNOWN",
}
DAY, TOTAL = BUDGETS = ("daily_budget_amount_local_micro", "total_budget_amount_local_micro")


def with_funding_state(record: Record) -> Record:
    """Add to a funding instrument whether it can pay, and why not."""
    reasons = []
    if record["deleted"]:
        reasons.append("DELETED")
    if record["end_time"] is not None and record["end_time"] <= utc_now():
        reasons.append("EXPIRED")
    return record | {"able_to_fund": not reasons, "reasons_not_able_to_fund": reasons}


def _with_state(context: RequestContext, record: Record) -> Record:
    """Add to a campaign its effective status, whether it can serve, and why not."""
    line_items = context.find_all(LINE_ITEM, campaign_id=record["id"])
    reasons = _reasons(context, record, line_items)
    has_started = any((line_item["start_time"] or "") <= utc_now() for line_item in _active(line_items))
    running = "RUNNING" if has_started else "ACTIVE"
    return record | {
        "effective_status": next((STATUSES[reason] for reason in STATUSES if reason in reasons), running),
        "servable": not reasons,
        "reasons_not_servable": reasons,
    }


def _reasons(context: RequestContext, campaign: Record, line_items: list[Record]) -> list[str]:
    """Tell why a campaign cannot serve, in the order of STATUSES."""
    active = _active(line_items)
    complete = [line_item for line_item in active if _can_serve(context, line_item)]
    funding = context.find(FUNDING, campaign["funding_instrument_id"], with_deleted=True)
    has_budget = any(campaign[name] is not None for name in BUDGETS) or any(
        line_item[name] is not None for line_item in complete for name in BUDGETS
    )
    reasons = {
        "PAUSED_BY_ADVERTISER": campaign["entity_status"] == "PAUSED",
        "FUNDING_PROBLEM": funding is None or not with_funding_state(funding)["able_to_fund"],
        "EXPIRED": bool(line_items) and all(map(has_ended, active or line_items)),
        "INCOMPLETE": campaign["entity_status"] == "DRAFT" or not (complete and has_budget),
    }
    return [reason for reason in STATUSES if reasons[reason]]


def _active(line_items: list[Record]) -> list[Record]:
    return [line_item for line_item in line_items if line_item["entity_status"] == "ACTIVE"]


def _can_serve(context: RequestContext, line_item: Record) -> bool:
    """Whether a line item has what its placements need: a search needs keywords."""
    if "PLATFORM_SEARCH" not in line_item["placements"]:
        return True
    criteria = context.find_all(CRITERION, line_item_id=line_item["id"], operator_type="EQ")
    return any(criterion["targeting_type"] in KEYWORDS for criterion in criteria)


def has_ended(line_item: Record) -> bool:
    """Whether the end of a line item has passed."""
    return line_item["end_time"] is not None and line_item["end_time"] <= utc_now()


# The types that say what remains of their limit.
REMAINING_TYPES = ("AGENCY_CREDIT_LINE", "CREDIT_LINE")
FUNDING_DEFAULTS: Record = {
    **empty("type description currency"),
    "entity_status": "ACTIVE",
    **empty("start_time end_time io_header"),
    **empty("credit_limit_local_micro credit_remaining_local_micro funded_amount_local_micro"),
}


def _prepared_funding(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Say what remains of a new credit line: all of it."""
    if after["type"] in REMAINING_TYPES:
        after["credit_remaining_local_micro"] = after["credit_limit_local_micro"]
    return after | {"account_id": context.account}


FUNDING_INSTRUMENTS = Collection(
    funding_instruments.FUNDING,
    defaults=FUNDING_DEFAULTS,
    prepare=_prepared_funding,
    shown=lambda context, record: with_funding_state(record),
)


CURRENCIES = ("EUR", "GBP", "JPY", "KWD", "USD", "VND")
LARGEST_BID_COINS = 100_000


@handler(ListBiddingRules)
def _list_bidding_rules(context: RequestContext, request: ListBiddingRules) -> Result:
    rules = [_bidding_rule(currency) for currency in CURRENCIES if request.currency in (None, currency)]
    return Result(rules, total_count=len(rules))


def _bidding_rule(currency: str) -> Record:
    coin = MICROS_PER_UNIT // 10 ** decimals_of(currency)
    return {
        "currency": currency,
        "minimum_cpe_bid_local_micro": coin,
        "maximum_cpe_bid_local_micro": LARGEST_BID_COINS * coin,
        "minimum_denomination": coin,
    }


RECOMMENDATION = "recommendation"


@handler(ListRecommendations)
def _list_recommendations(context: RequestContext, request: ListRecommendations) -> Result:
    records = context.find_all(RECOMMENDATION)
    return Result([without(record, "changes", "deleted") for record in records], total_count=len(records))


@handler(GetRecommendation)
def _get_recommendation(context: RequestContext, request: GetRecommendation) -> Result:
    record = context.require(RECOMMENDATION, request.recommendation_id)
    return Result(without(record, "deleted"), beside={"data_type": RECOMMENDATION})


MAX_ACTIVE = 200  # campaigns of an account; paused ones count until they end
DEFAULTS: Record = {
    **empty("name funding_instrument_id"),
    "entity_status": "ACTIVE",
    "budget_optimization": "LINE_ITEM",
    DAY: None,
    TOTAL: None,
    "standard_delivery": True,
    **empty("frequency_cap duration_in_days purchase_order_number currency"),
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Take the currency of the funding; raise ApiError for what other records do not allow."""
    if before is None:
        funding = context.find(FUNDING, after["funding_instrument_id"])
        assert funding is not None  # a parent
        if not with_funding_state(funding)["able_to_fund"]:
            raise invalid_parameter(
                "funding_instrument_id", f"{funding['id']} is not able to fund a campaign"
            )
        after["currency"] = funding["currency"]
        if _count_active(context) >= MAX_ACTIVE:
            message = f"the account has {MAX_ACTIVE} active campaigns, and may not have more"
            raise ApiError(400, "TOO_MANY_CAMPAIGNS", message)
    day, total = after[DAY], after[TOTAL]
    if day is not None and total is not None and day > total:
        raise InvalidError([Problem(DAY, f"{day} is more than {TOTAL}, {total}")])
    return after


def _count_active(context: RequestContext) -> int:
    """Count the campaigns that are neither drafts nor ended, as far as a limit needs it."""
    records = [campaign for campaign in context.find_all(CAMPAIGN) if campaign["entity_status"] != "DRAFT"]
    if len(records) < MAX_ACTIVE:
        return len(records)
    states = (_with_state(context, record) for record in records)
    return sum("EXPIRED" not in record["reasons_not_servable"] for record in states)


CAMPAIGNS = Collection(
    campaigns.CAMPAIGNS,
    defaults=DEFAULTS,
    filters={"funding_instrument_ids": "funding_instrument_id"},
    entity="CAMPAIGN",
    prepare=_prepared,
    shown=_with_state,
)
accept_activation(campaigns.ActivateCampaign, CAMPAIGNS)
