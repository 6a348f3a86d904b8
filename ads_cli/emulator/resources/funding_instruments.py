"""Funding instruments: what campaigns are paid with."""

from ...api.funding_instruments import (
    CreateFundingInstrument,
    DeleteFundingInstrument,
    GetFundingInstrument,
    ListFundingInstruments,
)
from ..core.handlers import RequestContext
from ..storage.store import Record
from .collection import Collection
from .serving import FUNDING, with_funding_state

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
    kind=FUNDING,
    list=ListFundingInstruments,
    get=GetFundingInstrument,
    create=CreateFundingInstrument,
    delete=DeleteFundingInstrument,
    defaults=DEFAULTS,
    ids="funding_instrument_ids",
    prepare=_prepared,
    shown=lambda context, record: with_funding_state(record),
)
