"""Curated categories of line items: where their ads are shown."""

from ...api.line_items import (
    AddLineItemCategory,
    DeleteLineItemCategory,
    GetLineItemCategory,
    ListLineItemCategories,
    UpdateLineItemCategory,
)
from ...api.parts import params_of
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext, handler
from ..core.paging import list_page
from ..core.responses import Result
from ..storage import ids
from ..storage.store import Record
from .accounts import delete_record, require_account, require_record
from .categories import CURATED, SERVICE
from .line_items import LINE_ITEM

CHOSEN = "line_item_curated_category"
SORTABLE = ("line_item_id", "curated_category_id")


@handler(ListLineItemCategories)
def list_line_item_categories(context: RequestContext, request: ListLineItemCategories) -> Result:
    """List the curated categories of an account's line items."""
    require_account(context, request.account_id)
    return list_page(context.store, request, CHOSEN, owner=request.account_id, sortable=SORTABLE)


@handler(GetLineItemCategory)
def get_line_item_category(context: RequestContext, request: GetLineItemCategory) -> Result:
    """Return one curated category of a line item."""
    chosen, deleted = request.line_item_curated_category_id, request.with_deleted
    return Result(require_record(context, request.account_id, CHOSEN, chosen, with_deleted=deleted))


@handler(AddLineItemCategory)
def add_line_item_category(context: RequestContext, request: AddLineItemCategory) -> Result:
    """Add a curated category to a line item."""
    with context.store.transaction():
        require_account(context, request.account_id)
        fields = _checked_fields(context, request)
        _require_only_category(context, request.account_id, fields)
        return Result(context.store.add(CHOSEN, ids.random_base36(), fields, owner=request.account_id))


@handler(UpdateLineItemCategory)
def update_line_item_category(context: RequestContext, request: UpdateLineItemCategory) -> Result:
    """Change the curated category or the line item."""
    account, chosen = request.account_id, request.line_item_curated_category_id
    with context.store.transaction():
        require_record(context, account, CHOSEN, chosen)
        fields = _checked_fields(context, request)
        _require_only_category(context, account, fields, chosen)
        return Result(context.store.update(CHOSEN, chosen, fields, owner=account))


@handler(DeleteLineItemCategory)
def delete_line_item_category(context: RequestContext, request: DeleteLineItemCategory) -> Result:
    """Remove a curated category from its line item."""
    return delete_record(context, request.account_id, CHOSEN, request.line_item_curated_category_id)


def _checked_fields(context: RequestContext, request: AddLineItemCategory | UpdateLineItemCategory) -> Record:
    """Return the fields to store; raise ApiError for ids that do not exist."""
    fields = params_of(request)
    owners = {"line_item_id": (LINE_ITEM, request.account_id), "curated_category_id": (CURATED, SERVICE)}
    for name, identifier in fields.items():
        kind, owner = owners[name]
        if context.store.find(kind, identifier, owner=owner) is None:
            raise invalid_parameter(name, f"the {kind.replace('_', ' ')} {identifier} does not exist")
    return fields


def _require_only_category(context: RequestContext, account: str, fields: Record, chosen: str = "") -> None:
    """Raise ApiError where service x would have a second category for a line item."""
    line_item = fields.get("line_item_id")
    if context.service != "x" or line_item is None:
        return
    for other in context.store.find_all(CHOSEN, account):
        if other["line_item_id"] == line_item and other["id"] != chosen:
            reason = f"the line item {line_item} has a curated category, {other['curated_category_id']}"
            raise invalid_parameter("line_item_id", reason)
