"""Advertising accounts."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request, endpoint
from .types import Id, Ids, Page, WithDeleted

ACCOUNT_COLUMNS = "id name business_name timezone approval_status industry_type deleted"


@endpoint("GET /12/accounts", "accounts list", columns=ACCOUNT_COLUMNS)
class ListAccounts(Page):
    """List the advertising accounts you may work in."""

    account_ids: Ids | None = None
    q: Annotated[str, Meta(description="Only names that begin with this")] | None = None


@endpoint("GET /12/accounts/{account_id}", "accounts get", columns=ACCOUNT_COLUMNS)
class GetAccount(Request):
    """Show one advertising account."""

    account_id: Id
    with_deleted: WithDeleted | None = None
