"""Categories of the service itself, the same for all accounts."""

from ...api.accounts import GetCuratedCategory, ListBusinessCategories, ListCuratedCategories
from ..core.responses import Result, not_found
from ..core.routing import Call, handles
from ..core.store import Record
from .accounts import known

SERVICE = ""  # the owner of what belongs to no user and no account
BUSINESS, CURATED = "business_category", "curated_category"


def _without(record: Record, *names: str) -> Record:
    return {name: value for name, value in record.items() if name not in names}


@handles(ListBusinessCategories)
def list_business_categories(call: Call, request: ListBusinessCategories) -> Result:
    """List the business categories that line items can name."""
    found = call.store.all(BUSINESS, SERVICE)
    return Result([_without(record, "created_at", "updated_at", "deleted") for record in found])


@handles(ListCuratedCategories)
def list_curated_categories(call: Call, request: ListCuratedCategories) -> Result:
    """List every curated category with its countries.

    The specification does not name the parameter that chooses countries, so none is taken.
    """
    known(call, request.account_id)
    found = [_without(record, "deleted") for record in call.store.all(CURATED, SERVICE)]
    return Result(found, next_cursor=None, total_count=len(found))


@handles(GetCuratedCategory)
def get_curated_category(call: Call, request: GetCuratedCategory) -> Result:
    """Show one curated category."""
    known(call, request.account_id)
    found = call.store.find(CURATED, request.curated_category_id, owner=SERVICE)
    if found is None:
        raise not_found("the curated category", request.curated_category_id)
    return Result(_without(found, "deleted"))
