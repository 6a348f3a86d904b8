"""Pause and activate campaigns and line items."""

from functools import partial
from typing import Annotated, Any

import typer

from ...api.campaigns import ActivateCampaign, UpdateCampaign
from ...api.endpoint import Request
from ...api.line_items import ActivateLineItem, UpdateLineItem
from ...api.spending import ACTIVE, PAUSED, STATUS
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.request_input import request_from_input
from ...console.shown import Result, shows
from ...errors import UsageError

CampaignIds = Annotated[list[str] | None, argument("ID...", "The ids or names of the campaigns")]
LineItemIds = Annotated[list[str] | None, argument("ID...", "The ids or names of the line items")]
WhereOption = Annotated[
    list[str] | None,
    option("CONDITION", "In place of ids: all for which this holds, as in 'name~^Winter'; may be repeated"),
]
CAMPAIGNS, LINE_ITEMS = Result(UpdateCampaign), Result(UpdateLineItem)
Resume = Annotated[bool, flag("Resume the last unfinished run of this command")]


@shows(CAMPAIGNS)
def activate_campaigns(
    ctx: typer.Context, ids: CampaignIds = None, where: WhereOption = None, resume: Resume = False
) -> None:
    """Activate campaigns, which may spend from then on.

    Asks first, and names the budget. Those that are active are left as they are. With a token of OAuth 2.0
    this is the route of the service for it, and else an update of the status.

    For example: adsctl campaigns activate 8wku2
    """
    _set_status(ctx, UpdateCampaign, ACTIVE, ids, where, resume=resume, route=ActivateCampaign)


@shows(CAMPAIGNS)
def pause_campaigns(
    ctx: typer.Context, ids: CampaignIds = None, where: WhereOption = None, resume: Resume = False
) -> None:
    """Pause campaigns, which spend nothing from then on.

    Those that are paused are left as they are.

    For example: adsctl campaigns pause 8wku2
    """
    _set_status(ctx, UpdateCampaign, PAUSED, ids, where, resume=resume)


@shows(LINE_ITEMS)
def activate_line_items(
    ctx: typer.Context, ids: LineItemIds = None, where: WhereOption = None, resume: Resume = False
) -> None:
    """Activate line items, which may spend from then on where their campaigns are active.

    Asks first, and names the budget. Those that are active are left as they are. With a token of OAuth 2.0
    this is the route of the service for it, and else an update of the status.

    For example: adsctl line-items activate 9d4c1
    """
    _set_status(ctx, UpdateLineItem, ACTIVE, ids, where, resume=resume, route=ActivateLineItem)


@shows(LINE_ITEMS)
def pause_line_items(
    ctx: typer.Context, ids: LineItemIds = None, where: WhereOption = None, resume: Resume = False
) -> None:
    """Pause line items, which spend nothing from then on.

    Those that are paused are left as they are.

    For example: adsctl line-items pause --where campaign_id=8wku2
    """
    _set_status(ctx, UpdateLineItem, PAUSED, ids, where, resume=resume)


def _set_status(
    ctx: typer.Context,
    kind: type[Request],
    status: str,
    ids: list[str] | None,
    where: list[str] | None,
    *,
    resume: bool,
    route: type[Request] | None = None,
) -> None:
    """Set the status of the records that have another one."""
    from ..requests.search import RecordSearch
    from ..requests.several import RecordChanges

    if bool(ids) == bool(where):
        raise UsageError("name records by their ids, or find them by --where", hint="--where 'name~^Winter'")
    call = Invocation.of(ctx)
    values: dict[str, Any] = {"account_id": call.account, STATUS: status}
    known_ids = call.records.ids_of(str(kind.endpoint.id_field), ids or [])
    search = RecordSearch(call, kind, values, known_ids, where or [])
    used_route = route if call.settings.uses_grant else None
    changes = RecordChanges(
        search, [], resume=resume, unchanged=f"{status.lower()} already", route=used_route
    )
    make = partial(request_from_input, kind, service=call.settings.service)
    changes.run(make, envelope=False)
