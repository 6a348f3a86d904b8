"""Audiences: permissions of other accounts, campaigns that target them, and do-not-reach lists.

Version 5 of the service calls them tailored audiences, version 12 custom audiences.
"""

from ...api.audiences import (
    DeleteDoNotReachList,
    GrantCustomPermission,
    GrantPermission,
    ListCustomPermissions,
    ListPermissions,
    ListTargeted,
    RevokeCustomPermission,
    RevokePermission,
)
from ...api.endpoint import Request
from ..core.errors import ApiError, invalid_parameter, not_found
from ..core.handlers import RequestContext, handler
from ..core.paging import Seq, decode_cursor, encode_cursor, field_in, list_page
from ..core.responses import Result
from ..storage import ids
from ..storage.store import Record
from .accounts import ACCOUNT, delete_record, require_account, require_record
from .serving import CAMPAIGN, LINE_ITEM, has_ended

AUDIENCE, PERMISSION, TARGETING = "audience", "tailored_audience_permission", "targeting_criterion"
AUDIENCE_FIELD = "tailored_audience_id"
DO_NOT_REACH = "do_not_reach_list"
CAMPAIGNS_PER_PAGE = 50


def _require_owned(context: RequestContext, account: str, audience: str) -> None:
    """Raise ApiError unless the account owns the audience: 403 if it is only shared with it."""
    require_account(context, account)
    if context.store.find(AUDIENCE, audience, owner=account):
        return
    permissions = context.store.find_all(PERMISSION, audience)
    if any(permission["granted_account_id"] == account for permission in permissions):
        message = f"the audience {audience} is shared with the account {account}, which does not own it"
        raise ApiError(403, "FORBIDDEN", message)
    raise not_found("the audience", audience)


def _audience(request: Request) -> str:
    """Return the audience in the path, which each service has another name for."""
    audience: str = getattr(request, request.endpoint.path_fields[1])
    return audience


def _shown(request: Request, permission: Record) -> Record:
    """Name the audience of a permission as the service of a request does."""
    return {
        request.endpoint.path_fields[1] if name == AUDIENCE_FIELD else name: value
        for name, value in permission.items()
    }


def _permission_ids(request: ListPermissions | ListCustomPermissions) -> list[str] | None:
    if isinstance(request, ListCustomPermissions):
        return request.custom_audience_permission_ids
    return request.tailored_audience_permission_ids


@handler(ListCustomPermissions)
@handler(ListPermissions)
def list_permissions(context: RequestContext, request: ListPermissions | ListCustomPermissions) -> Result:
    """List the accounts that an audience is shared with."""
    audience = _audience(request)
    _require_owned(context, request.account_id, audience)
    page = list_page(
        context.store,
        request,
        PERMISSION,
        owner=audience,
        ids=_permission_ids(request),
        sortable=("granted_account_id", "permission_level"),
        where=field_in("granted_account_id", request.granted_account_ids),
    )
    return page._replace(data=[_shown(request, permission) for permission in page.data])


@handler(GrantCustomPermission)
@handler(GrantPermission)
def grant_permission(context: RequestContext, request: GrantPermission | GrantCustomPermission) -> Result:
    """Share an audience with an account, or change the level of its permission."""
    audience, granted = _audience(request), request.granted_account_id
    fields = {
        AUDIENCE_FIELD: audience,
        "granted_account_id": granted,
        "permission_level": request.permission_level,
    }
    store = context.store
    with store.transaction():
        _require_owned(context, request.account_id, audience)
        if store.find(ACCOUNT, granted) is None:
            raise invalid_parameter("granted_account_id", f"the account {granted} does not exist")
        for permission in store.find_all(PERMISSION, audience):
            if permission["granted_account_id"] == granted:
                changed = store.update(PERMISSION, permission["id"], fields, owner=audience)
                return Result(_shown(request, changed))
        return Result(_shown(request, store.add(PERMISSION, ids.random_base36(), fields, owner=audience)))


@handler(RevokeCustomPermission)
@handler(RevokePermission)
def revoke_permission(context: RequestContext, request: RevokePermission | RevokeCustomPermission) -> Result:
    """Stop sharing an audience with an account."""
    audience, permission = _audience(request), getattr(request, request.endpoint.id_field or "")
    with context.store.transaction():
        _require_owned(context, request.account_id, audience)
        if context.store.find(PERMISSION, permission, owner=audience) is None:
            raise not_found("the permission", permission)
        return Result(_shown(request, context.store.delete(PERMISSION, permission, owner=audience)))


@handler(ListTargeted)
def list_targeted(context: RequestContext, request: ListTargeted) -> Result:
    """List the campaigns whose line items target an audience; a page has a fixed number of campaigns."""
    account, audience = request.account_id, request.custom_audience_id
    require_record(context, account, AUDIENCE, audience)
    only_active = request.with_active is not False
    campaigns = _targeting_campaigns(context, account, audience, only_active=only_active)
    (start,) = decode_cursor(request.cursor, tuple[Seq]) if request.cursor else (0,)
    end = start + CAMPAIGNS_PER_PAGE
    return Result(campaigns[start:end], next_cursor=encode_cursor(end) if end < len(campaigns) else None)


def _targeting_campaigns(
    context: RequestContext, account: str, audience: str, *, only_active: bool
) -> list[Record]:
    """Group the line items that target an audience by campaign."""
    campaigns: dict[str, Record] = {}
    fields = {"targeting_type": "CUSTOM_AUDIENCE", "targeting_value": audience}
    for targeting in context.store.find_all(TARGETING, account, **fields):
        line_item = context.store.find(LINE_ITEM, targeting["line_item_id"], owner=account)
        if line_item is None:
            continue
        campaign = context.store.find(CAMPAIGN, line_item["campaign_id"], owner=account)
        if campaign is None:
            continue
        servable = all(one["entity_status"] == "ACTIVE" for one in (campaign, line_item))
        servable = servable and not has_ended(line_item)
        if only_active and not servable:
            continue
        new = {"campaign_id": campaign["id"], "campaign_name": campaign["name"], "line_items": []}
        line_items = campaigns.setdefault(campaign["id"], new)["line_items"]
        line_items.append({"id": line_item["id"], "name": line_item["name"], "servable": servable})
    return list(campaigns.values())


@handler(DeleteDoNotReachList)
def delete_do_not_reach_list(context: RequestContext, request: DeleteDoNotReachList) -> Result:
    """Mark a do-not-reach list as deleted."""
    return delete_record(context, request.account_id, DO_NOT_REACH, request.do_not_reach_list_id)
