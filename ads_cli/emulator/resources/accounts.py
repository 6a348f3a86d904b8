"""Advertising accounts, the apps in them, and the users whose posts they may promote."""

from ...api.accounts import CreateAccount, DeleteAccount, GetAccount, ListAccounts, ListApps, UpdateAccount
from ..core.handlers import RequestContext, handler
from ..core.paging import list_page
from ..core.request import changes_of
from ..core.responses import Result, not_found
from ..storage import Record, random_base36, utc_now

ACCOUNT, APP, PROMOTABLE_USER = "account", "account_app", "promotable_user"
FULL = "FULL"  # the type of the promotable user who is the advertiser
SORTABLE = ("name", "business_name", "business_id", "timezone", "approval_status", "industry_type")
APP_SORTABLE = ("app_store_identifier", "os_type")
NEW_ACCOUNT = {
    "name": "Sandbox account",
    "business_name": "Sandbox",
    "business_id": None,
    "timezone": "Etc/UTC",
    "industry_type": "OTHER",
    "approval_status": "ACCEPTED",
}


def require_account(context: RequestContext, account: str, *, with_deleted: bool = False) -> Record:
    """Return an account of the user; raise ApiError (404) for other accounts."""
    record = context.store.find(ACCOUNT, account, owner=context.user, with_deleted=with_deleted)
    if record is None:
        raise not_found(ACCOUNT, account)
    return record


def require_record(
    context: RequestContext, account: str, kind: str, identifier: str, *, with_deleted: bool | None = False
) -> Record:
    """Return a record in an account of the user; raise ApiError (404) if there is none."""
    require_account(context, account)
    record = context.store.find(kind, identifier, owner=account, with_deleted=bool(with_deleted))
    if record is None:
        raise not_found(kind, identifier)
    return record


def delete_record(context: RequestContext, account: str, kind: str, identifier: str) -> Result:
    """Mark a record in an account of the user as deleted; raise ApiError (404) if there is none."""
    with context.store.transaction():
        require_record(context, account, kind, identifier)
        return Result(context.store.delete(kind, identifier, owner=account))


def advertiser_of(context: RequestContext, account: str) -> str:
    """Return the user whom an account advertises for; of one that has none yet, the signed-in user."""
    users = context.store.find_all(PROMOTABLE_USER, account)
    full = (user["user_id"] for user in users if user["promotable_user_type"] == FULL)
    return next(full, context.user)


@handler(ListAccounts)
def list_accounts(context: RequestContext, request: ListAccounts) -> Result:
    """List the accounts of the user."""
    return list_page(
        context.store, request, ACCOUNT, owner=context.user, ids=request.account_ids, sortable=SORTABLE
    )


@handler(GetAccount)
def get_account(context: RequestContext, request: GetAccount) -> Result:
    """Return one account."""
    return Result(require_account(context, request.account_id, with_deleted=bool(request.with_deleted)))


@handler(CreateAccount)
def create_account(context: RequestContext, request: CreateAccount) -> Result:
    """Create an account (sandbox)."""
    with context.store.transaction():
        fields = {**NEW_ACCOUNT, "timezone_switch_at": utc_now()}
        account = context.store.add(ACCOUNT, random_base36(), fields, owner=context.user)
        advertiser: Record = {"user_id": context.user, "promotable_user_type": FULL}
        context.store.add(PROMOTABLE_USER, random_base36(), advertiser, owner=account["id"])
        return Result(account)


@handler(UpdateAccount)
def update_account(context: RequestContext, request: UpdateAccount) -> Result:
    """Set the fields that were sent."""
    with context.store.transaction():
        require_account(context, request.account_id)
        fields = changes_of(request)
        return Result(context.store.update(ACCOUNT, request.account_id, fields, owner=context.user))


@handler(DeleteAccount)
def delete_account(context: RequestContext, request: DeleteAccount) -> Result:
    """Mark an account as deleted (sandbox); what is in it can no longer be accessed."""
    with context.store.transaction():
        require_account(context, request.account_id)
        return Result(context.store.delete(ACCOUNT, request.account_id, owner=context.user))


@handler(ListApps)
def list_apps(context: RequestContext, request: ListApps) -> Result:
    """List the apps of an account."""
    require_account(context, request.account_id)
    return list_page(context.store, request, APP, owner=request.account_id, sortable=APP_SORTABLE)
