"""What the service has of the records that requests change: only what differs from it is sent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.records import CurrentOf, differing_fields, only
from ...client.shown_records import shown_record
from ...client.spending import SOURCES
from ...console.invocation import Invocation
from ...console.results import show, show_prepared, show_prepared_requests
from ...records.plan import BatchPlan
from ...runs.job import answers
from ...runs.journal import Journal

Record = Mapping[str, Any]


def say_left_out(call: Invocation, left_out: Iterable[str]) -> None:
    """Say with -v what of a record was not sent."""
    call.messages.detail(f"not sent, since it is read only: {', '.join(sorted(left_out))}")


def show_only(call: Invocation, plan: BatchPlan, journal: Journal, *, envelope: bool) -> bool:
    """Show the only record as the service has answered it, or as an earlier run or a list has it, if any."""
    if not (records := answers(journal.acknowledgements())):
        return False
    document = {"data": records[0]} if envelope else records[0]
    for response in plan.upload.responses:
        document = response.body if envelope else response.data
    show(call, plan.file.items[0], document)
    return True


def show_requests(call: Invocation, plan: BatchPlan) -> None:
    """Print the requests of a dry run."""
    requests = plan.requests(call.client)
    if plan.upload.is_only:
        show_prepared(call, next(requests))
    else:
        show_prepared_requests(call, requests)


def is_read(call: Invocation) -> bool:
    """Tell whether records may be read: a dry run asks nobody."""
    return not call.dry_run or call.settings.is_local


def current_of(call: Invocation, kind: type[Request]) -> CurrentOf:
    """Return what reads what the service has of a record that a change names; nothing in a dry run."""
    field = str(kind.endpoint.id_field)
    return lambda id: call.stored.named(field, id) if field in SOURCES and is_read(call) else {}


def only_what_differs(call: Invocation, requests: Sequence[Request]) -> list[Request | None]:
    """Return changes with the fields alone that differ from what the service has; None where none does.

    In a dry run nothing is asked, and they stay as they are.
    """
    if not is_read(call):
        return [*requests]
    differing: list[Request | None] = []
    for request, record in zip(requests, _current(call, requests), strict=True):
        fields = differing_fields(request, record)
        differing.append(only(request, fields) if fields else None)
    return differing


def show_current(call: Invocation, request: Request) -> None:
    """Show the record that a change leaves as it is."""
    call.messages.say("nothing to change: the service has it so")
    show(call, request, _shown_record(call, request))


def _current(call: Invocation, requests: Sequence[Request]) -> Iterator[Record]:
    """Yield what the service has of the records that requests change."""
    field = str(requests[0].endpoint.id_field) if requests else ""
    ids = [str(getattr(request, field)) for request in requests]
    if field in SOURCES and len(ids) > 1:
        records = call.stored.read(field, ids)
        yield from (records[id] for id in ids)
    elif field in SOURCES:
        yield from (call.stored.named(field, id) for id in ids)
    else:
        yield from (to_neutral(_shown_record(call, request)) for request in requests)


def _shown_record(call: Invocation, request: Request) -> Any:
    """Return the record that a change names, as the service sends it."""
    values = {name: getattr(request, name) for name in request.endpoint.path_fields}
    return shown_record(call.client, call.settings.service, type(request), values)
