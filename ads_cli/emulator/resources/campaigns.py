"""Campaigns, with a status that is derived from their line items and from what pays for them."""

from ...api.campaigns import CreateCampaign, DeleteCampaign, GetCampaign, ListCampaigns, UpdateCampaign
from ...api.problems import InvalidError, Problem
from ..core.errors import ApiError, invalid_parameter
from ..core.handlers import RequestContext
from ..storage.store import Record
from .collection import Collection
from .serving import CAMPAIGN, FUNDING, with_campaign_state, with_funding_state

MAX_ACTIVE = 200  # campaigns of an account; paused ones count too
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
        if len(context.store.find_all(CAMPAIGN, account)) >= MAX_ACTIVE:
            message = f"the account has {MAX_ACTIVE} active campaigns, and may not have more"
            raise ApiError(400, "TOO_MANY_CAMPAIGNS", message)
    day, total = after[DAY], after[TOTAL]
    if day is not None and total is not None and day > total:
        raise InvalidError([Problem(DAY, f"{day} is more than {TOTAL}, {total}")])
    return after


CAMPAIGNS = Collection(
    kind=CAMPAIGN,
    list=ListCampaigns,
    get=GetCampaign,
    create=CreateCampaign,
    update=UpdateCampaign,
    delete=DeleteCampaign,
    defaults=DEFAULTS,
    parents={"funding_instrument_id": FUNDING},
    ids="campaign_ids",
    filters={"funding_instrument_ids": "funding_instrument_id"},
    entity="CAMPAIGN",
    prepare=_prepared,
    shown=lambda context, record: with_campaign_state(
        context.store, record, context.path_params["account_id"]
    ),
)
