"""Conversions of websites: counted by the web event tags that they name."""

from ...api.conversions import SendConversions
from ..core.errors import ApiError
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage.ids import random_base36
from ..storage.store import utc_now
from .accounts import ACCOUNT
from .measurement import WEB_EVENT_TAGS


@handler(SendConversions)
def send_conversions(context: RequestContext, request: SendConversions) -> Result:
    """Count all conversions, or none where one names an event tag that does not exist."""
    with context.store.transaction():
        tags = {
            tag["id"]: account["id"]
            for account in context.store.find_all(ACCOUNT, context.user)
            for tag in context.store.find_all(WEB_EVENT_TAGS.kind, account["id"])
        }
        events = [conversion.event_id.rpartition("-")[2] for conversion in request.conversions]
        if unknown := [number for number, event in enumerate(events) if event not in tags]:
            raise _unknown(request, unknown)
        for event in dict.fromkeys(events):
            tracked = {"status": "TRACKING", "last_tracked_at": utc_now()}
            context.store.update(WEB_EVENT_TAGS.kind, event, tracked, owner=tags[event])
    return Result({"conversions_processed": len(events), "debug_id": random_base36()})


def _unknown(request: SendConversions, numbers: list[int]) -> ApiError:
    """Return an error that lists every conversion whose event tag does not exist."""
    error = ApiError(404, "NOT_FOUND", "")
    error.errors = [
        {
            "code": "NOT_FOUND",
            "message": f"the web event tag {request.conversions[number].event_id} does not exist",
            "parameter": f"conversions[{number}].event_id",
        }
        for number in numbers
    ]
    return error
