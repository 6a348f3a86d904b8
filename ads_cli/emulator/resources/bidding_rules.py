"""Bidding rules: made up, but with the smallest coin of each currency."""

from ...api.bidding_rules import ListBiddingRules
from ...api.money import MICROS_PER_UNIT, decimals_of
from ..core.handlers import RequestContext, handler
from ..core.responses import Result

CURRENCIES = ("EUR", "GBP", "JPY", "KWD", "USD", "VND")
LARGEST_BID_COINS = 100_000


@handler(ListBiddingRules)
def list_bidding_rules(context: RequestContext, request: ListBiddingRules) -> Result:
    """List the rules of one currency or of all."""
    found = [one for one in CURRENCIES if request.currency in (None, one)]
    rules = []
    for currency in found:
        coin = MICROS_PER_UNIT // 10 ** decimals_of(currency)
        rules.append(
            {
                "currency": currency,
                "minimum_cpe_bid_local_micro": coin,
                "maximum_cpe_bid_local_micro": LARGEST_BID_COINS * coin,
                "minimum_denomination": coin,
            }
        )
    return Result(rules, total_count=len(rules))
