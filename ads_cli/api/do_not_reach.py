"""Do-not-reach lists: people who see no ads of an account."""

from typing import Annotated

from msgspec import Meta

from .endpoint import endpoint
from .types import Id, InAccount, WithDeleted

COLUMNS = "id name list_size deleted targetable reasons_not_targetable"
FIELDS = ("description", "created_at", "updated_at")
LISTS = "/12/accounts/{account_id}/do_not_reach_lists"


@endpoint(
    f"GET {LISTS}",
    "audiences do-not-reach list",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="--with-deleted",
)
class ListDoNotReachLists(InAccount):
    """Show the do-not-reach list of an account, which has at most one."""

    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {LISTS}",
    "audiences do-not-reach create",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="--description 'Who wants no ads' --account 18ce55gze09",
)
class CreateDoNotReachList(InAccount):
    """Create the do-not-reach list of an account, empty and with a name that the service chooses.

    'adsctl audiences do-not-reach push' adds the people.
    """

    description: Annotated[str, Meta(description="What the list is for")] | None = None


@endpoint(
    f"DELETE {LISTS}/{{do_not_reach_list_id}}",
    "audiences do-not-reach delete",
    columns=COLUMNS,
    extra_fields=FIELDS,
    confirm_prompt="Delete the do-not-reach list {do_not_reach_list_id}: ads may reach its people again",
    example="3k1a7",
)
class DeleteDoNotReachList(InAccount, kw_only=True):
    """Delete a do-not-reach list."""

    do_not_reach_list_id: Id
