"""Activate campaigns and line items."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ...api.campaigns import ActivateCampaign
from ...api.endpoint import Request
from ...api.line_items import ActivateLineItem
from ...api.spending import ACTIVE, STATUS, update_of_activation
from ...console.invocation import Invocation
from ...console.parameters import argument
from ...console.request_input import request_from_input
from ...console.results import show, show_request
from ...errors import AdsctlError
from ..spending import confirm_spending

CampaignIds = Annotated[list[str], argument("ID...", "The ids of the campaigns")]
LineItemIds = Annotated[list[str], argument("ID...", "The ids of the line items")]


def campaigns(ctx: typer.Context, ids: CampaignIds) -> None:
    """Activate campaigns, which may spend from then on.

    Asks first, and names the budget. With a token of OAuth 2.0 this is the route of the service for it, and
    else an update of the status.

    For example: adsctl campaigns activate 8wku2
    """
    _activate(Invocation.of(ctx), ActivateCampaign, ids)


def line_items(ctx: typer.Context, ids: LineItemIds) -> None:
    """Activate line items, which may spend from then on where their campaigns are active.

    Asks first, and names the budget. With a token of OAuth 2.0 this is the route of the service for it, and
    else an update of the status.

    For example: adsctl line-items activate 9d4c1
    """
    _activate(Invocation.of(ctx), ActivateLineItem, ids)


def _activate(call: Invocation, kind: "type[Request]", ids: Sequence[str]) -> None:
    """Ask once about all, activate one after the other, and show what the service has then."""
    update, id_field = update_of_activation(kind), kind.endpoint.id_field
    assert update and id_field

    def requests(of: "type[Request]", **values: str) -> "list[Request]":
        named = ({"account_id": call.account, id_field: id, **values} for id in dict.fromkeys(ids))
        return [request_from_input(of, name, None, service=call.settings.service) for name in named]

    updates = requests(update, **{STATUS: ACTIVE})
    due = requests(kind) if call.settings.uses_grant else updates
    call.writes.approve(map(call.client.prepare, due))
    if not call.dry_run or call.is_plan:
        confirm_spending(call, updates)
    if call.dry_run:
        for request in due:
            show_request(call, request)
        return
    records: dict[str, Any] = {}
    for request in due:
        id = getattr(request, id_field)
        try:
            records[id] = call.client.call(request).data
        except AdsctlError as error:
            if len(due) > 1:
                error.message = f"{id}: {error.message}; activated: {', '.join(records) or 'none'}"
            raise
    campaigns = [*records.values()]
    show(call, due[0], campaigns[0] if len(campaigns) == 1 else campaigns)
