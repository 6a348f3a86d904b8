"""The curated categories that line items are shown with."""

from ...api.line_items import (
    AddChosenCategory,
    DeleteChosenCategory,
    GetChosenCategory,
    ListChosenCategories,
    UpdateChosenCategory,
)
from ...api.parts import params_of
from ..core import ids
from ..core.paging import listed
from ..core.responses import ApiError, Result
from ..core.routing import Call, handles
from ..core.store import Record
from .accounts import held, known
from .categories import CURATED, SERVICE
from .line_items import LINE_ITEM

CHOSEN = "line_item_curated_category"
CHOSEN_FIELDS = ("line_item_id", "curated_category_id")


@handles(ListChosenCategories)
def list_chosen_categories(call: Call, request: ListChosenCategories) -> Result:
    """List the curated categories of the account's line items."""
    known(call, request.account_id)
    return listed(call.store, request, CHOSEN, owner=request.account_id, sortable=CHOSEN_FIELDS)


@handles(GetChosenCategory)
def get_chosen_category(call: Call, request: GetChosenCategory) -> Result:
    """Show a curated category of a line item."""
    wanted, deleted = request.line_item_curated_category_id, bool(request.with_deleted)
    return Result(held(call, request.account_id, CHOSEN, wanted, with_deleted=deleted))


@handles(AddChosenCategory)
def add_chosen_category(call: Call, request: AddChosenCategory) -> Result:
    """Show a line item of the account with a curated category."""
    with call.store.writing():
        known(call, request.account_id)
        fields = _sound(call, request)
        return Result(call.store.add(CHOSEN, ids.word(), fields, owner=request.account_id))


@handles(UpdateChosenCategory)
def update_chosen_category(call: Call, request: UpdateChosenCategory) -> Result:
    """Change the curated category or the line item."""
    account, wanted = request.account_id, request.line_item_curated_category_id
    with call.store.writing():
        held(call, account, CHOSEN, wanted)
        return Result(call.store.change(CHOSEN, wanted, _sound(call, request), owner=account))


@handles(DeleteChosenCategory)
def delete_chosen_category(call: Call, request: DeleteChosenCategory) -> Result:
    """Take a curated category from its line item."""
    account, wanted = request.account_id, request.line_item_curated_category_id
    with call.store.writing():
        held(call, account, CHOSEN, wanted)
        return Result(call.store.delete(CHOSEN, wanted, owner=account))


def _sound(call: Call, request: AddChosenCategory | UpdateChosenCategory) -> Record:
    """Give the fields to store; refuse ids that are of nothing."""
    fields = params_of(request)
    owners = {"line_item_id": (LINE_ITEM, request.account_id), "curated_category_id": (CURATED, SERVICE)}
    for name, identifier in fields.items():
        kind, owner = owners[name]
        if call.store.find(kind, identifier, owner=owner) is None:
            message = f"{name}: the {kind.replace('_', ' ')} {identifier} does not exist"
            raise ApiError(400, "INVALID_PARAMETER", message, parameter=name)
    return fields
