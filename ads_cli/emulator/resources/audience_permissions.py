"""Permissions of other accounts to use an audience.

Version 5 of the service calls the audiences tailored, version 12 custom.
"""

from ...api.audiences import (
    GrantCustomPermission,
    GrantPermission,
    ListCustomPermissions,
    ListPermissions,
    RevokeCustomPermission,
    RevokePermission,
)
from ...api.endpoint import Request
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, random_base36
from .account_access import FEATURE
from .accounts import ACCOUNT, require_account
from .audiences import PERMISSION, require_owned

AUDIENCE_FIELD = "tailored_audience_id"
SHARE_OUTSIDE = "SHARE_AUDIENCE_OUTSIDE_BUSINESS"


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
    require_owned(context, request.account_id, audience)
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
        require_owned(context, request.account_id, audience)
        _require_grantable(context, request.account_id, granted)
        for permission in store.find_all(PERMISSION, audience):
            if permission["granted_account_id"] == granted:
                changed = store.update(PERMISSION, permission["id"], fields, owner=audience)
                return Result(_shown(request, changed))
        return Result(_shown(request, store.add(PERMISSION, random_base36(), fields, owner=audience)))


@handler(RevokeCustomPermission)
@handler(RevokePermission)
def revoke_permission(context: RequestContext, request: RevokePermission | RevokeCustomPermission) -> Result:
    """Stop sharing an audience with an account."""
    audience, permission = _audience(request), getattr(request, request.endpoint.id_field or "")
    with context.store.transaction():
        require_owned(context, request.account_id, audience)
        if context.store.find(PERMISSION, permission, owner=audience) is None:
            raise not_found("permission", permission)
        return Result(_shown(request, context.store.delete(PERMISSION, permission, owner=audience)))


def _require_grantable(context: RequestContext, account: str, granted: str) -> None:
    """Raise ApiError unless an account may share audiences with another one."""
    store = context.store
    found = store.find(ACCOUNT, granted)
    if found is None:
        raise invalid_parameter("granted_account_id", f"the account {granted} does not exist")
    is_outside = found["business_id"] != require_account(context, account)["business_id"]
    if is_outside and store.find(FEATURE, SHARE_OUTSIDE, owner=account) is None:
        message = f"the account {granted} is of another business, which needs the feature {SHARE_OUTSIDE}"
        raise ApiError(400, "FEATURE_NOT_AVAILABLE", message, parameter="granted_account_id")
