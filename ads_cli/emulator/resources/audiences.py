"""Audiences: shared with other accounts, targeted by line items; and lists of people not to reach.

What version 5 of the service calls a tailored audience, version 12 calls a custom audience.
"""

from ...api.audiences import (
    DeleteDoNotReachList,
    GrantPermission,
    ListPermissions,
    ListTargeted,
    RevokePermission,
)
from ..core import ids
from ..core.paging import Seq, among, cursor, listed, position
from ..core.responses import ApiError, Result, not_found
from ..core.routing import Call, handles
from ..core.store import Record, now
from .accounts import ACCOUNT, held, known
from .line_items import CAMPAIGN, LINE_ITEM

AUDIENCE, PERMISSION, TARGETING = "audience", "tailored_audience_permission", "targeting_criterion"
DO_NOT_REACH = "do_not_reach_list"
CAMPAIGNS_A_PAGE = 50


def _owned(call: Call, account: str, audience: str) -> None:
    """Refuse an audience that is not the account's own; who it is shared with is told so."""
    known(call, account)
    if call.store.find(AUDIENCE, audience, owner=account):
        return
    if any(shared["granted_account_id"] == account for shared in call.store.all(PERMISSION, audience)):
        raise ApiError(403, "FORBIDDEN", f"the audience {audience} is shared with {account}, not its own")
    raise not_found("the audience", audience)


@handles(ListPermissions)
def list_permissions(call: Call, request: ListPermissions) -> Result:
    """List the accounts that an audience of the account is shared with."""
    audience = request.tailored_audience_id
    _owned(call, request.account_id, audience)
    return listed(
        call.store,
        request,
        PERMISSION,
        owner=audience,
        ids=request.tailored_audience_permission_ids,
        sortable=("granted_account_id", "permission_level"),
        also=among("granted_account_id", request.granted_account_ids),
    )


@handles(GrantPermission)
def grant_permission(call: Call, request: GrantPermission) -> Result:
    """Share an audience; an account that it is shared with already gets the level that is given now."""
    audience, granted = request.tailored_audience_id, request.granted_account_id
    fields = {
        "tailored_audience_id": audience,
        "granted_account_id": granted,
        "permission_level": request.permission_level,
    }
    with call.store.writing():
        _owned(call, request.account_id, audience)
        if call.store.find(ACCOUNT, granted) is None:
            message = f"granted_account_id: the account {granted} does not exist"
            raise ApiError(400, "INVALID_PARAMETER", message, parameter="granted_account_id")
        for held_before in call.store.all(PERMISSION, audience):
            if held_before["granted_account_id"] == granted:
                return Result(call.store.change(PERMISSION, held_before["id"], fields, owner=audience))
        return Result(call.store.add(PERMISSION, ids.word(), fields, owner=audience))


@handles(RevokePermission)
def revoke_permission(call: Call, request: RevokePermission) -> Result:
    """Share an audience with an account no longer."""
    audience, permission = request.tailored_audience_id, request.tailored_audience_permission_id
    with call.store.writing():
        _owned(call, request.account_id, audience)
        if call.store.find(PERMISSION, permission, owner=audience) is None:
            raise not_found("the permission", permission)
        return Result(call.store.delete(PERMISSION, permission, owner=audience))


@handles(ListTargeted)
def list_targeted(call: Call, request: ListTargeted) -> Result:
    """List the campaigns whose line items target an audience, a page of campaigns at a time."""
    account, audience = request.account_id, request.custom_audience_id
    held(call, account, AUDIENCE, audience)
    campaigns = _campaigns(call, account, audience, with_active=request.with_active is not False)
    (start,) = position(request.cursor, tuple[Seq]) if request.cursor else (0,)
    end = start + CAMPAIGNS_A_PAGE
    return Result(campaigns[start:end], next_cursor=cursor(end) if end < len(campaigns) else None)


def _campaigns(call: Call, account: str, audience: str, *, with_active: bool) -> list[Record]:
    """Gather the line items that target an audience under their campaigns."""
    found: dict[str, Record] = {}
    for targeting in call.store.all(TARGETING, account):
        item = call.store.find(LINE_ITEM, targeting["line_item_id"], owner=account)
        if targeting["custom_audience_id"] != audience or item is None:
            continue
        campaign = held(call, account, CAMPAIGN, item["campaign_id"])
        servable = _is_active(campaign) and _is_active(item)
        if with_active and not servable:
            continue
        shown = {"campaign_id": campaign["id"], "campaign_name": campaign["name"], "line_items": []}
        line_items = found.setdefault(campaign["id"], shown)["line_items"]
        line_items.append({"id": item["id"], "name": item["name"], "servable": servable})
    return list(found.values())


def _is_active(thing: Record) -> bool:
    return thing["entity_status"] == "ACTIVE" and (thing["end_time"] is None or thing["end_time"] > now())


@handles(DeleteDoNotReachList)
def delete_do_not_reach_list(call: Call, request: DeleteDoNotReachList) -> Result:
    """Mark a list of people not to reach as deleted."""
    account, wanted = request.account_id, request.do_not_reach_list_id
    with call.store.writing():
        held(call, account, DO_NOT_REACH, wanted)
        return Result(call.store.delete(DO_NOT_REACH, wanted, owner=account))
