"""Campaigns, with a status that is derived from their line items and from what pays for them."""

from ...api import campaigns
from ...api.problems import InvalidError, Problem
from ..core.handlers import RequestContext
from ..core.responses import ApiError, invalid_parameter
from ..storage import Record, Store
from .collection import Collection, accept_activation
from .serving import CAMPAIGN, FUNDING, with_campaign_state, with_funding_state

MAX_ACTIVE = 200  # campaigns of an account; paused ones count until they end
DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"
DEFAULTS: Record = {
    "name": None,
    "funding_instrument_id": None,
    "entity_status": "ACTIVE",
    "budget_optimization": "LINE_ITEM",
    DAY: None,
    TOTAL: None,
    "standard_delivery": True,
    "frequency_cap": None,
    "duration_in_days": None,
    "purchase_order_number": None,
    "currency": None,
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Take the currency of the funding; raise ApiError for what other records do not allow."""
    account = context.path_params["account_id"]
    if before is None:
        funding = context.store.find(FUNDING, after["funding_instrument_id"], owner=account)
        assert funding is not None  # a parent
        if not with_funding_state(funding)["able_to_fund"]:
            raise invalid_parameter(
                "funding_instrument_id", f"{funding['id']} is not able to fund a campaign"
            )
        after["currency"] = funding["currency"]
        if _count_active(context.store, account) >= MAX_ACTIVE:
            message = f"the account has {MAX_ACTIVE} active campaigns, and may not have more"
            raise ApiError(400, "TOO_MANY_CAMPAIGNS", message)
    day, total = after[DAY], after[TOTAL]
    if day is not None and total is not None and day > total:
        raise InvalidError([Problem(DAY, f"{day} is more than {TOTAL}, {total}")])
    return after


def _count_active(store: Store, account: str) -> int:
    """Count the campaigns that are neither drafts nor ended, as far as a limit needs it."""
    found = [one for one in store.find_all(CAMPAIGN, account) if one["entity_status"] != "DRAFT"]
    if len(found) < MAX_ACTIVE:
        return len(found)
    states = (with_campaign_state(store, one, account) for one in found)
    return sum("EXPIRED" not in one["reasons_not_servable"] for one in states)


CAMPAIGNS = Collection(
    campaigns.CAMPAIGNS,
    defaults=DEFAULTS,
    filters={"funding_instrument_ids": "funding_instrument_id"},
    entity="CAMPAIGN",
    prepare=_prepared,
    shown=lambda context, record: with_campaign_state(
        context.store, record, context.path_params["account_id"]
    ),
)
accept_activation(campaigns.ActivateCampaign, CAMPAIGNS)
