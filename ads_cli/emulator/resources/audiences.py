"""Custom audiences, the campaigns that target them, and the accounts that they are shared with.

The service takes hours to match uploaded users. Here the size is there at once, and every user matches.
"""

from typing import Any

import msgspec

from ...api import audiences
from ..core.handlers import ACCOUNT, AccountContext, RequestContext, handler
from ..core.paging import list_page, page_of
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, Store, audience_user_table, random_base36, without
from .accounts import FEATURE
from .campaigns import CAMPAIGN, CRITERION, LINE_ITEM, has_ended
from .collection import Collection

AUDIENCE, PERMISSION = "audience", "tailored_audience_permission"
CAMPAIGNS_PER_PAGE = 50
MIN_TARGETABLE_SIZE = 100
NEW_AUDIENCE = {"description": None, "audience_type": "CRM", "partner_source": "OTHER"}
SORTABLE = ("name", "owner_account_id")
COMBINED = "FLEXIBLE"


def targetability(size: int | None) -> Record:
    """Return whether a list of a size can be targeted, and why not. The size None is not known yet."""
    reasons = ["PROCESSING"] if not size else []
    reasons += ["TOO_SMALL"] if (size or 0) < MIN_TARGETABLE_SIZE else []
    return {"targetable": not reasons, "reasons_not_targetable": reasons}


def described(store: Store, audience: Record) -> Record:
    """Return an audience as the service shows it, with what follows from its users."""
    segments = audience.get("segments")
    users = _combined(store, segments) if segments else audience_user_table.count(store, audience["id"])
    kind = COMBINED if audience["audience_type"] == COMBINED else "CRM"
    types = {"targetable_types": [kind, f"EXCLUDED_{kind}"]}
    return without(audience, "segments") | {"audience_size": users or None, **targetability(users), **types}


def _combined(store: Store, segment: Record) -> int:
    """Estimate the people of a combined audience, as if no person were in two of those that it is made of."""
    sizes = [_combined(store, child) for child in segment["child_segments"]]
    if not sizes:
        return audience_user_table.count(store, segment["custom_audience_id"].lower())
    return sum(sizes) if segment["boolean_operator"] == "OR" else min(sizes)


def granted_level(context: AccountContext, audience: str) -> str | None:
    """Return the level of the permission that the account has for an audience of another one."""
    permissions = context.store.find_all(PERMISSION, audience, granted_account_id=context.account)
    return permissions[0]["permission_level"] if permissions else None


def _require_usable(context: RequestContext, audience: str, *, with_deleted: bool = False) -> Record:
    """Return an audience that the account owns or shares; raise ApiError (404) if there is none."""
    record = context.store.find(AUDIENCE, audience, with_deleted=with_deleted)
    if record is None or _level(context, record) is None:
        raise not_found(AUDIENCE, audience)
    return record


def _require_owned(context: RequestContext, audience: str) -> None:
    """Raise ApiError unless the account owns the audience: 403 if it is only shared with it."""
    if _require_usable(context, audience)["owner_account_id"] != context.account:
        whose = f"is shared with the account {context.account}, which does not own it"
        raise ApiError(403, "FORBIDDEN", f"the audience {audience} {whose}")


def _level(context: RequestContext, audience: Record) -> str | None:
    """Return the level of the permission that the account has for an audience; None without any."""
    is_own = audience["owner_account_id"] == context.account
    return "READ_WRITE" if is_own else granted_level(context, audience["id"])


def _shown(context: RequestContext, audience: Record) -> Record:
    return described(context.store, audience) | {"permission_level": _level(context, audience)}


def _scope(
    context: RequestContext,
    request: audiences.CreateAudience | audiences.UpdateAudience | audiences.DeleteAudience,
) -> str:
    """Return the account, which must own the audience that is changed."""
    if not isinstance(request, audiences.CreateAudience):
        _require_owned(context, request.custom_audience_id)
    return context.account


def _checked(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a name that another audience has, and for a change of a combined audience."""
    if before and before["audience_type"] == COMBINED:
        reason = f"the audience {before['id']} is combined from others, and cannot be changed"
        raise invalid_parameter("custom_audience_id", reason)
    for other in context.find_all(AUDIENCE, name=after["name"]):
        if before is None or other["id"] != before["id"]:
            raise invalid_parameter("name", f"the audience {other['id']} has this name")
    return after | {"owner_account_id": context.account}


AUDIENCES = Collection(
    audiences.AUDIENCES,
    defaults=NEW_AUDIENCE,
    sortable=SORTABLE,
    scope=_scope,
    prepare=_checked,
    shown=_shown,
)


@handler(audiences.ListAudiences)
def _list_audiences(context: RequestContext, request: audiences.ListAudiences) -> Result:
    """List the audiences of an account, or those that others share with it."""
    owner: str | None
    owner, ids = context.account, request.custom_audience_ids
    if request.permission_scope == "SHARED":
        permissions = context.store.find_all(PERMISSION, None, granted_account_id=context.account)
        shared = [permission["tailored_audience_id"] for permission in permissions]
        owner, ids = None, [audience for audience in shared if ids is None or audience in ids]
    page = list_page(
        context.store, request, AUDIENCE, owner=owner, ids=ids, sortable=(*NEW_AUDIENCE, *SORTABLE)
    )
    return page._replace(data=[_shown(context, audience) for audience in page.data])


@handler(audiences.GetAudience)
def _get_audience(context: RequestContext, request: audiences.GetAudience) -> Result:
    """Return one audience, which may be one that another account shares."""
    with_deleted = bool(request.with_deleted)
    record = _require_usable(context, request.custom_audience_id, with_deleted=with_deleted)
    return Result(_shown(context, record))


@handler(audiences.ListTargeted)
def _list_targeted(context: RequestContext, request: audiences.ListTargeted) -> Result:
    """List the campaigns whose line items target an audience; a page has a fixed number of campaigns."""
    _require_usable(context, request.custom_audience_id, with_deleted=True)
    only_active = request.with_active is not False
    campaigns = _targeting_campaigns(context, request.custom_audience_id, only_active=only_active)
    list_name = f"targeted {request.custom_audience_id}"
    return page_of(campaigns, list_name, request.cursor, CAMPAIGNS_PER_PAGE)


def _targeting_campaigns(context: RequestContext, audience: str, *, only_active: bool) -> list[Record]:
    """Group the line items that target an audience by campaign."""
    campaigns: dict[str, Record] = {}
    wanted = {"targeting_type": "CUSTOM_AUDIENCE", "targeting_value": audience}
    for criterion in context.find_all(CRITERION, **wanted):
        line_item = context.find(LINE_ITEM, criterion["line_item_id"])
        campaign = line_item and context.find(CAMPAIGN, line_item["campaign_id"])
        if not (line_item and campaign):
            continue
        is_active = campaign["entity_status"] == line_item["entity_status"] == "ACTIVE"
        servable = is_active and not has_ended(line_item)
        if only_active and not servable:
            continue
        new = {"campaign_id": campaign["id"], "campaign_name": campaign["name"], "line_items": []}
        line_items = campaigns.setdefault(campaign["id"], new)["line_items"]
        line_items.append({"id": line_item["id"], "name": line_item["name"], "servable": servable})
    return list(campaigns.values())


MOBILE = "MOBILE_AUDIENCE"


@handler(audiences.CombineAudiences, parse_as=audiences.CombineAudience)
def _combine_audience(context: RequestContext, request: audiences.CombineAudience) -> Result:
    account = context.account
    if request.audience_type != COMBINED or request.segments is None:
        raise invalid_parameter("audience_type", f"only {COMBINED} audiences are combined")
    _require_mobile(context, request.segments)
    segments = msgspec.to_builtins(request.segments)
    record = AUDIENCES.add(context, {"name": request.name, "audience_type": COMBINED, "segments": segments})
    metadata = {
        "custom_audience_id": record["id"],
        "account_id": account,
        "name": request.name,
        "audience_source": COMBINED,
        "upload_status": "PROCESSING",
        "segments": segments,
    }
    return Result(record | {"metadata": [metadata]})


def _require_mobile(context: RequestContext, segments: audiences.Segment) -> None:
    """Raise ApiError unless every audience of a tree is a mobile one of the account."""
    for leaf in segments.leaves:
        audience = str(leaf.custom_audience_id).lower()
        record = context.find(AUDIENCE, audience)
        if record is None or record["audience_type"] != MOBILE:
            raise invalid_parameter("segments", f"the account has no mobile audience {audience}")


AUDIENCE_FIELD = "tailored_audience_id"
SHARE_OUTSIDE = "SHARE_AUDIENCE_OUTSIDE_BUSINESS"


def _audience_of(context: RequestContext) -> tuple[str, str]:
    """Return the field of the audience in the path, which each service has another name for, and its id."""
    return [*context.path_params.items()][1]


def _owned_audience(context: RequestContext, request: Any) -> str:
    """Return the audience in the path, which the account must own."""
    _, audience = _audience_of(context)
    _require_owned(context, audience)
    return audience


def _shown_permission(context: RequestContext, permission: Record) -> Record:
    """Name the audience of a permission as the path does."""
    field, _ = _audience_of(context)
    return {field if name == AUDIENCE_FIELD else name: value for name, value in permission.items()}


for resource in (audiences.PERMISSIONS, audiences.CUSTOM_PERMISSIONS):
    Collection(
        resource,
        filters={"granted_account_ids": "granted_account_id"},
        sortable=("granted_account_id", "permission_level"),
        scope=_owned_audience,
        shown=_shown_permission,
    )


@handler(audiences.GrantCustomPermission)
@handler(audiences.GrantPermission)
def _grant_permission(
    context: RequestContext, request: audiences.GrantPermission | audiences.GrantCustomPermission
) -> Result:
    """Share an audience with an account, or change the level of its permission."""
    store, granted = context.store, request.granted_account_id
    with store.transaction():
        audience = _owned_audience(context, request)
        _require_grantable(context, granted)
        fields = {
            AUDIENCE_FIELD: audience,
            "granted_account_id": granted,
            "permission_level": request.permission_level,
        }
        if existing := store.find_all(PERMISSION, audience, granted_account_id=granted):
            permission = store.update(PERMISSION, existing[0]["id"], fields, owner=audience)
        else:
            permission = store.add(PERMISSION, random_base36(), fields, owner=audience)
        return Result(_shown_permission(context, permission))


@handler(audiences.RevokeCustomPermission)
@handler(audiences.RevokePermission)
def _revoke_permission(
    context: RequestContext, request: audiences.RevokePermission | audiences.RevokeCustomPermission
) -> Result:
    permission = getattr(request, request.endpoint.id_field or "")
    with context.store.transaction():
        audience = _owned_audience(context, request)
        if context.store.find(PERMISSION, permission, owner=audience) is None:
            raise not_found("permission", permission)
        deleted = context.store.delete(PERMISSION, permission, owner=audience)
        return Result(_shown_permission(context, deleted))


def _require_grantable(context: RequestContext, granted: str) -> None:
    """Raise ApiError unless the account may share audiences with another one."""
    record = context.store.find(ACCOUNT, granted)
    if record is None:
        raise invalid_parameter("granted_account_id", f"the account {granted} does not exist")
    is_outside = record["business_id"] != context.require_account()["business_id"]
    if is_outside and context.find(FEATURE, SHARE_OUTSIDE) is None:
        message = f"the account {granted} is of another business, which needs the feature {SHARE_OUTSIDE}"
        raise ApiError(400, "FEATURE_NOT_AVAILABLE", message, parameter="granted_account_id")
