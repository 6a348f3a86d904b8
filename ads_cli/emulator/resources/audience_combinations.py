"""Audiences that are combined from mobile audiences: all those of a request, or none."""

from typing import Any

import msgspec

from ...api.audience_combinations import MAX_COMBINATIONS, CombineAudiences, CombineOperation, Segment
from ...api.problems import InvalidError
from ...api.validation import convert
from ..core.errors import ApiError, invalid_parameter
from ..core.handlers import RequestContext, raw_handler
from ..core.read_request import error_of
from ..core.responses import HttpResponse
from ..storage.store import Record
from .accounts import require_account
from .audiences import AUDIENCE, AUDIENCES, COMBINED

MOBILE = "MOBILE_AUDIENCE"
Errors = list[dict[str, Any]]


class _RefusedError(Exception):
    """Rolls every operation back; `errors` are those of each."""

    def __init__(self, errors: list[Errors]) -> None:
        super().__init__()
        self.errors = errors


@raw_handler(CombineAudiences)
def combine_audiences(context: RequestContext) -> HttpResponse:
    """Create combined audiences, in the order of the operations."""
    context.user = context.authenticator.authenticate_user(context.incoming, writes=True).user
    account = context.path_params["account_id"]
    require_account(context, account)
    context.consume_rate(CombineAudiences.endpoint)
    items = _items(context)
    try:
        with context.store.transaction():
            created = _create(context, account, items)
    except _RefusedError as refused:
        body = {"errors": [], "operation_errors": refused.errors, "request": items}
        return HttpResponse(msgspec.json.encode(body), 400)
    return HttpResponse(msgspec.json.encode({"request": items, "data": created}))


def _items(context: RequestContext) -> list[Any]:
    try:
        return msgspec.json.decode(context.incoming.body, type=list[Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "BAD_REQUEST", f"the body is not a list of operations: {error}") from None


def _create(context: RequestContext, account: str, items: list[Any]) -> list[Record]:
    """Create an audience for each operation; raise _RefusedError where one of them is wrong."""
    if not 1 <= len(items) <= MAX_COMBINATIONS:
        raise ApiError(400, "INVALID_PARAMETER", f"a batch has 1 to {MAX_COMBINATIONS} operations")
    created: list[Record] = []
    errors: list[Errors] = []
    for item in items:
        errors.append([])
        try:
            created.append(_created(context, account, convert(CombineOperation, item, strict=True)))
        except InvalidError as error:
            errors[-1] = [error_of(problem, context.names) for problem in error.problems]
        except ApiError as error:
            errors[-1] = error.errors
    if any(errors):
        raise _RefusedError(errors)
    return created


def _created(context: RequestContext, account: str, operation: CombineOperation) -> Record:
    """Create a combined audience, and describe how it is made."""
    given = operation.params
    if given.audience_type != COMBINED or given.segments is None:
        raise invalid_parameter("audience_type", f"only {COMBINED} audiences are combined")
    _require_mobile(context, account, given.segments)
    segments = msgspec.to_builtins(given.segments)
    record = AUDIENCES.add(
        context, account, {"name": given.name, "audience_type": COMBINED, "segments": segments}
    )
    metadata = {
        "custom_audience_id": record["id"],
        "account_id": account,
        "name": given.name,
        "audience_source": COMBINED,
        "upload_status": "PROCESSING",
        "segments": segments,
    }
    return record | {"metadata": [metadata]}


def _require_mobile(context: RequestContext, account: str, segments: Segment) -> None:
    """Raise ApiError unless every audience of a tree is a mobile one of the account."""
    for leaf in segments.leaves:
        audience = str(leaf.custom_audience_id).lower()
        found = context.store.find(AUDIENCE, audience, owner=account)
        if found is None or found["audience_type"] != MOBILE:
            raise invalid_parameter("segments", f"the account has no mobile audience {audience}")
