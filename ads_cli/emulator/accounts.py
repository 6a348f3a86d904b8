"""Advertising accounts."""

from ..api.accounts import GetAccount, ListAccounts
from .answers import Answer, not_found
from .paging import listed
from .routing import Call, handles

FIELDS = ("name", "business_name", "business_id", "timezone", "approval_status", "industry_type")


@handles(ListAccounts)
def list_accounts(call: Call, request: ListAccounts) -> Answer:
    """List the accounts that the user is associated with."""
    return listed(call.store, request, "account", owner=call.user, ids=request.account_ids, sortable=FIELDS)


@handles(GetAccount)
def get_account(call: Call, request: GetAccount) -> Answer:
    """Show one account of the user."""
    found = call.store.find(
        "account", request.account_id, owner=call.user, with_deleted=bool(request.with_deleted)
    )
    if found is None:
        raise not_found("the account", request.account_id)
    return Answer(found)
