"""Funding instruments: what campaigns are paid with."""

from ...api import funding_instruments
from ...api.amounts import MICROS_PER_UNIT, decimals_of
from ...api.funding_instruments import (
    GetRecommendation,
    ListBiddingRules,
    ListRecommendations,
)
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage import Record, without
from .accounts import require_record
from .collection import Collection, in_account
from .serving import with_funding_state

# The types that say what remains of their limit.
REMAINING_TYPES = ("AGENCY_CREDIT_LINE", "CREDIT_LINE")
DEFAULTS: Record = {
    "type": None,
    "description": None,
    "currency": None,
    "entity_status": "ACTIVE",
    "start_time": None,
    "end_time": None,
    "io_header": None,
    "credit_limit_local_micro": None,
    "credit_remaining_local_micro": None,
    "funded_amount_local_micro": None,
}


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Say what remains of a new credit line: all of it."""
    if after["type"] in REMAINING_TYPES:
        after["credit_remaining_local_micro"] = after["credit_limit_local_micro"]
    return after | {"account_id": context.path_params["account_id"]}


FUNDING_INSTRUMENTS = Collection(
    funding_instruments.FUNDING,
    defaults=DEFAULTS,
    prepare=_prepared,
    shown=lambda context, record: with_funding_state(record),
)


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


RECOMMENDATION = "recommendation"


@handler(ListRecommendations)
def list_recommendations(context: RequestContext, request: ListRecommendations) -> Result:
    """List the recommendations, without their changes."""
    records = context.store.find_all(RECOMMENDATION, in_account(context, request))
    return Result([without(record, "changes", "deleted") for record in records], total_count=len(records))


@handler(GetRecommendation)
def get_recommendation(context: RequestContext, request: GetRecommendation) -> Result:
    """Return one recommendation with its changes."""
    found = require_record(context, request.account_id, RECOMMENDATION, request.recommendation_id)
    return Result(without(found, "deleted"), beside={"data_type": RECOMMENDATION})
