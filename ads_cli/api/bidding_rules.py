"""Bidding rules: the smallest and the largest bid in a currency."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request, endpoint
from .types import Currency


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
