"""Line items: changed under the rules of what is stored, and deleted for good."""

from ...api.line_items import DeleteLineItem, UpdateLineItem
from ...api.parts import params_of
from ..core.responses import Result
from ..core.routing import Call, handles
from . import history
from . import line_item_rules as rules
from .accounts import held
from .categories import BUSINESS, SERVICE

LINE_ITEM, CAMPAIGN = "line_item", "campaign"


@handles(UpdateLineItem)
def update_line_item(call: Call, request: UpdateLineItem) -> Result:
    """Change the fields of a line item that are given."""
    account, line_item = request.account_id, request.line_item_id
    with call.store.writing():
        before = held(call, account, LINE_ITEM, line_item)
        fields = params_of(request)
        if fields.get("bid_strategy", before["bid_strategy"]) == "AUTO":
            fields["bid_amount_local_micro"] = None  # AUTO ignores what is given
        rules.check(
            before | fields,
            before=before,
            campaign=held(call, account, CAMPAIGN, before["campaign_id"]),
            businesses=call.store.all(BUSINESS, SERVICE),
        )
        after = call.store.change(LINE_ITEM, line_item, fields, owner=account)
        history.write(call.store, account, call.user, "LINE_ITEM", "UPDATE", after, before)
    return Result(after)


@handles(DeleteLineItem)
def delete_line_item(call: Call, request: DeleteLineItem) -> Result:
    """Delete a line item; one that is deleted already is not found."""
    account, line_item = request.account_id, request.line_item_id
    with call.store.writing():
        before = held(call, account, LINE_ITEM, line_item)
        after = call.store.delete(LINE_ITEM, line_item, owner=account)
        history.write(call.store, account, call.user, "LINE_ITEM", "DELETE", after, before)
    return Result(after)
