"""What requests change about spending, compared with what the service has."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from ..api.endpoint import Request
from ..api.spending import (
    ACTIVE,
    Raise,
    after_update,
    is_active,
    is_on,
    may_serve,
    may_spend_more,
    named_record,
    parent_of_ad,
    raises,
    status_field,
)
from .stored_records import SOURCES, Record, StoredRecords

CAMPAIGN = "campaign_id"
Key = tuple[str, str]
What = Literal["create", "activate", "resume", "raise", "advertise"]


class SpendingChange(NamedTuple):
    """A request after which more may be spent."""

    request: Request
    what: What
    before: Record  # what it changes, or adds an ad to; nothing of a record that it creates
    campaign: Record  # what `before` belongs to, where it was read
    raises: Sequence[Raise] = ()


def spending_changes(stored: StoredRecords, requests: Iterable[Request]) -> list[SpendingChange]:
    """Find the requests after which more may be spent; read what they change, many records at once.

    What cannot be read counts as what serves, with limits that are lower. Raise NotFoundError where the only
    record does not exist.
    """
    concerned = [request for request in requests if may_spend_more(request)]
    before = _before(stored, concerned)
    changes = (_change(request, before.get(_key(request), {})) for request in concerned)
    found = [change for change in changes if change]
    ids = {change.before[CAMPAIGN] for change in found if _depends_on_campaign(change)}
    campaigns = stored.read(CAMPAIGN, sorted(ids))
    found = [
        each._replace(campaign=campaigns.get(each.before[CAMPAIGN], {}))
        if _depends_on_campaign(each)
        else each
        for each in found
    ]
    return [change for change in found if is_on(change.campaign)]


def _depends_on_campaign(change: SpendingChange) -> bool:
    """Whether a change matters only if the campaign of its record is on; what is activated is told anyway."""
    return change.what not in ("create", "activate") and isinstance(change.before.get(CAMPAIGN), str)


def _before(stored: StoredRecords, requests: Sequence[Request]) -> dict[Key, Record]:
    """Read what requests change, by the key of each request."""
    keys = [key for request in requests if (key := _key(request))[0] in SOURCES]
    if len(keys) == 1:
        return {keys[0]: stored.named(*keys[0])}
    found: dict[Key, Record] = {}
    for field in {field for field, _ in keys}:
        records = stored.read(field, (identifier for each, identifier in keys if each == field))
        found |= {(field, identifier): record for identifier, record in records.items()}
    return found


def _key(request: Request) -> Key:
    """Return the field of the record that a request changes or adds an ad to, and its id."""
    field = named_record(request) or ""
    return field, str(getattr(request, field, ""))


def _change(request: Request, before: Record) -> SpendingChange | None:
    """Return what a request changes about spending, campaigns apart."""
    now, endpoint = datetime.now(UTC), request.endpoint
    if parent_of_ad(type(request)):
        return SpendingChange(request, "advertise", before, {}) if may_serve(before, now) else None
    if endpoint.method == "POST":
        return SpendingChange(request, "create", {}, {})
    status = status_field(type(request))
    if is_active(request) and status and before.get(status.name) != ACTIVE:
        return SpendingChange(request, "activate", before, {})
    if not may_serve(after_update(request, before), now):
        return None
    if not may_serve(before, now):
        return SpendingChange(request, "resume", before, {})
    raised = raises(request, before)
    return SpendingChange(request, "raise", before, {}, raised) if raised else None
