"""Advertising accounts, and the apps in them."""

from ...api.accounts import CreateAccount, DeleteAccount, GetAccount, ListAccounts, ListApps, UpdateAccount
from ...api.parts import params_of
from ..core import ids
from ..core.paging import listed
from ..core.responses import Result, not_found
from ..core.routing import Call, handles
from ..core.store import Record, now

ACCOUNT, APP = "account", "account_app"
FIELDS = ("name", "business_name", "business_id", "timezone", "approval_status", "industry_type")
APP_FIELDS = ("app_store_identifier", "os_type")
NEW = {
    "name": "Sandbox account",
    "business_name": "Sandbox",
    "business_id": None,
    "timezone": "Etc/UTC",
    "industry_type": "OTHER",
    "approval_status": "ACCEPTED",
}


def known(call: Call, account: str, *, with_deleted: bool = False) -> Record:
    """Give an account of the user; refuse one that does not exist, or that is another user's."""
    found = call.store.find(ACCOUNT, account, owner=call.user, with_deleted=with_deleted)
    if found is None:
        raise not_found("the account", account)
    return found


def held(call: Call, account: str, kind: str, identifier: str, *, with_deleted: bool = False) -> Record:
    """Give what an account of the user holds under an id, or refuse it."""
    known(call, account)
    found = call.store.find(kind, identifier, owner=account, with_deleted=with_deleted)
    if found is None:
        raise not_found(f"the {kind.replace('_', ' ')}", identifier)
    return found


@handles(ListAccounts)
def list_accounts(call: Call, request: ListAccounts) -> Result:
    """List the accounts that the user is associated with."""
    return listed(call.store, request, ACCOUNT, owner=call.user, ids=request.account_ids, sortable=FIELDS)


@handles(GetAccount)
def get_account(call: Call, request: GetAccount) -> Result:
    """Show one account of the user."""
    return Result(known(call, request.account_id, with_deleted=bool(request.with_deleted)))


@handles(CreateAccount)
def create_account(call: Call, request: CreateAccount) -> Result:
    """Create an account, as the sandbox does."""
    with call.store.writing():
        fields = {**NEW, "timezone_switch_at": now()}
        return Result(call.store.add(ACCOUNT, ids.word(), fields, owner=call.user))


@handles(UpdateAccount)
def update_account(call: Call, request: UpdateAccount) -> Result:
    """Change the fields of an account that are given."""
    with call.store.writing():
        known(call, request.account_id)
        fields = params_of(request)
        return Result(call.store.change(ACCOUNT, request.account_id, fields, owner=call.user))


@handles(DeleteAccount)
def delete_account(call: Call, request: DeleteAccount) -> Result:
    """Mark an account as deleted, as the sandbox does; nothing in it is reached any more."""
    with call.store.writing():
        known(call, request.account_id)
        return Result(call.store.delete(ACCOUNT, request.account_id, owner=call.user))


@handles(ListApps)
def list_apps(call: Call, request: ListApps) -> Result:
    """List the apps of an account."""
    known(call, request.account_id)
    return listed(call.store, request, APP, owner=request.account_id, sortable=APP_FIELDS)
