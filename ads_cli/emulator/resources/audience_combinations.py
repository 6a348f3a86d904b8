"""Audiences that are combined from mobile audiences."""

import msgspec

from ...api.audience_combinations import CombineAudience, CombineAudiences, Segment
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from .audiences import AUDIENCE, AUDIENCES, COMBINED
from .collection import in_account

MOBILE = "MOBILE_AUDIENCE"


@handler(CombineAudiences, parse_as=CombineAudience)
def combine_audience(context: RequestContext, request: CombineAudience) -> Result:
    """Create a combined audience, and describe how it is made."""
    account = in_account(context, request)
    if request.audience_type != COMBINED or request.segments is None:
        raise invalid_parameter("audience_type", f"only {COMBINED} audiences are combined")
    _require_mobile(context, account, request.segments)
    segments = msgspec.to_builtins(request.segments)
    record = AUDIENCES.add(
        context, account, {"name": request.name, "audience_type": COMBINED, "segments": segments}
    )
    metadata = {
        "custom_audience_id": record["id"],
        "account_id": account,
        "name": request.name,
        "audience_source": COMBINED,
        "upload_status": "PROCESSING",
        "segments": segments,
    }
    return Result(record | {"metadata": [metadata]})


def _require_mobile(context: RequestContext, account: str, segments: Segment) -> None:
    """Raise ApiError unless every audience of a tree is a mobile one of the account."""
    for leaf in segments.leaves:
        audience = str(leaf.custom_audience_id).lower()
        found = context.store.find(AUDIENCE, audience, owner=account)
        if found is None or found["audience_type"] != MOBILE:
            raise invalid_parameter("segments", f"the account has no mobile audience {audience}")
