"""Bidding rules: the smallest and the largest bid in a currency."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request, endpoint
from .money import currency_problem
from .types import Currency
from .validation import rule


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

    @rule("currency")
    def currency_of_iso_4217(self) -> str | None:
        """Require a currency of ISO 4217."""
        return currency_problem(self.currency)
