"""Line items: updated under rules that depend on stored data, and deleted."""

from ...api.line_items import DeleteLineItem, UpdateLineItem
from ..core.handlers import RequestContext, handler
from ..core.params import changes_of
from ..core.responses import Result
from . import history, line_item_rules
from .accounts import require_record
from .categories import BUSINESS, SERVICE

LINE_ITEM, CAMPAIGN = "line_item", "campaign"


@handler(UpdateLineItem)
def update_line_item(context: RequestContext, request: UpdateLineItem) -> Result:
    """Set the fields that were sent."""
    account, line_item = request.account_id, request.line_item_id
    with context.store.transaction():
        before = require_record(context, account, LINE_ITEM, line_item)
        fields = changes_of(request)
        if fields.get("bid_strategy", before["bid_strategy"]) == "AUTO":
            fields["bid_amount_local_micro"] = None  # ignored with AUTO
        line_item_rules.check(
            before | fields,
            before=before,
            campaign=require_record(context, account, CAMPAIGN, before["campaign_id"]),
            businesses=context.store.find_all(BUSINESS, SERVICE),
        )
        after = context.store.update(LINE_ITEM, line_item, fields, owner=account)
        history.write(context.store, account, context.user, "LINE_ITEM", "UPDATE", after, before)
    return Result(after)


@handler(DeleteLineItem)
def delete_line_item(context: RequestContext, request: DeleteLineItem) -> Result:
    """Mark a line item as deleted; a second delete responds with 404."""
    account, line_item = request.account_id, request.line_item_id
    with context.store.transaction():
        before = require_record(context, account, LINE_ITEM, line_item)
        after = context.store.delete(LINE_ITEM, line_item, owner=account)
        history.write(context.store, account, context.user, "LINE_ITEM", "DELETE", after, before)
    return Result(after)
