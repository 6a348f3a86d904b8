"""Funding instruments: what campaigns are paid with; the bids of each currency; recommendations."""

from typing import Annotated, Literal

from msgspec import Meta

from .amounts import Budget, currency_exists
from .conditions import later_than
from .endpoint import Request, Resource, endpoint
from .types import Currency, Id, Ids, InAccount, Moment, PageInAccount, get_one, sortable

FundingType = Literal[
    "AGENCY_CREDIT_LINE", "CREDIT_CARD", "CREDIT_LINE", "INSERTION_ORDER", "PARTNER_MANAGED"
]
CurrencyOfFunding = Annotated[Currency, Meta(description="The currency of everything that is paid with it")]


FUNDING = Resource(
    "/12/accounts/{account_id}/funding_instruments",
    "funding_instrument_id",
    group="funding-instruments",
    columns="id type description able_to_fund credit_limit_local_micro credit_remaining_local_micro "
    "funded_amount_local_micro start_time end_time currency entity_status reasons_not_able_to_fund deleted",
    extra_fields="account_id io_header created_at updated_at",
)


@FUNDING.list(example="--sort-by created_at-desc")
class ListFundingInstruments(PageInAccount):
    """List what campaigns of an account can be paid with."""

    funding_instrument_ids: Ids | None = None
    sort_by: Annotated[str, sortable("funded_amount_local_micro", "start_time", "end_time")] | None = None


GetFundingInstrument = get_one(FUNDING, "Show one funding instrument.", example="4a1n0")


@FUNDING.create(
    base="sandbox",
    example="--type INSERTION_ORDER --currency EUR --start-time 2026-03-01T00:00Z --funded-amount 5000",
)
@later_than("end_time", "start_time")
class CreateFundingInstrument(InAccount, kw_only=True):
    """Create a funding instrument in the sandbox."""

    type: FundingType
    currency: CurrencyOfFunding
    start_time: Moment
    end_time: Annotated[Moment, Meta(description="Required for some types")] | None = None
    credit_limit_local_micro: Budget | None = None
    funded_amount_local_micro: Budget | None = None

    currency_of_iso_4217 = currency_exists("currency")


@FUNDING.delete(
    base="sandbox",
    confirm_prompt="Delete the funding instrument {funding_instrument_id} of the sandbox",
    example="4a1n7",
)
class DeleteFundingInstrument(InAccount, kw_only=True):
    """Delete a funding instrument of the sandbox.

    Campaigns that are paid with it serve no longer.
    """

    funding_instrument_id: Id


@endpoint(
    "GET /12/bidding_rules",
    "lookup bidding-rules",
    columns="currency minimum_cpe_bid_local_micro maximum_cpe_bid_local_micro minimum_denomination",
    record_id="currency",
    example="--currency EUR",
)
class ListBiddingRules(Request):
    """List the smallest and the largest bid in each currency.

    They change rarely.
    """

    currency: Annotated[Currency, Meta(description="Only of this currency")] | None = None

    currency_of_iso_4217 = currency_exists("currency")


OF_RECOMMENDATIONS = "account_id created_at updated_at"
RECOMMENDATIONS = Resource(
    "/5/accounts/{account_id}/recommendations",
    "recommendation_id",
    group="recommendations",
    columns="id funding_instrument_id status message",
    extra_fields=OF_RECOMMENDATIONS,
)


@RECOMMENDATIONS.list(example="-o ids")
class ListRecommendations(InAccount):
    """List recommendations, at most one for each funding instrument.

    The service offers them as a beta, to selected accounts only.
    """


@RECOMMENDATIONS.get(extra_fields=f"{OF_RECOMMENDATIONS} changes", example="5rc01 -o yaml")
class GetRecommendation(InAccount, kw_only=True):
    """Show one recommendation with its changes: a tree of creations, updates and deletions."""

    recommendation_id: Id
