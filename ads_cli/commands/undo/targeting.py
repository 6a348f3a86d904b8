"""Targeting criteria as they were before logged changes.

A criterion is known by what it says: created again, it has another id. A line item has each once. It gets
back all that it had, or nothing: a part of its targeting alone would reach other people.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.endpoint import BatchEndpoint, Request
from ...api.names import to_neutral
from ...api.parts import batch_request, encode_operation, operation
from ...api.registry import creation_of
from ...api.targeting import CRITERIA, AddCriterion, DeleteCriterion, ListCriteria, exclude_each_other
from ...client.shown_records import shown_record
from ...console.invocation import Invocation
from ...console.request_input import request_from_input
from ...errors import AdsctlError, IncompleteError, NotConfirmedError, NotFoundError, RefusedError
from ...masking import MASK
from ...output.text import Lines
from ...parallel import batched
from ...runs.batch_upload import OPERATIONS
from ...runs.upload import operation_errors, reasons_of
from ...store.changes import ChangedRecord
from ...stored_times import TOLERANCE_SECONDS
from ..requests.computed import ChangeResult
from .undone import GONE, NOT_KEPT, NOT_KNOWN, THERE, Criterion, Undone

if TYPE_CHECKING:
    from ...client.prepared_request import PreparedRequest

IDS_AT_ONCE, PAGE_SIZE = 200, 1000
EQUAL = "EQ"  # the operator of a criterion that states none
AGAIN = "run it again: it looks what was taken back, and does the rest"
BATCH = CRITERIA.batch or BatchEndpoint("", 1)
Record = Mapping[str, Any]


class LoggedCriterion(NamedTuple):
    """A criterion that was created or deleted, as the log has it."""

    change: str  # its id
    record: ChangedRecord
    removal: type[Request]
    content: Mapping[str, Any]  # as far as the log has it
    time: str


def planned(call: Invocation, logged: Sequence[LoggedCriterion]) -> Iterator[Undone]:
    """Yield what becomes of criteria: those that were there before the first change are, and no others."""
    by_content: dict[Criterion, list[LoggedCriterion]] = {}
    for entry in logged:
        try:
            by_content.setdefault(_criterion(call, entry), []).append(entry)
        except _LeftError as left:
            yield Undone(entry.record, [entry.change], why_not=str(left))
    listed: dict[str, dict[Criterion, Record]] = {}
    for line_item in dict.fromkeys(criterion.line_item_id for criterion in by_content):
        try:
            listed[line_item] = _listed(call, [line_item])
        except (NotFoundError, RefusedError) as error:
            for criterion in [own for own in by_content if own.line_item_id == line_item]:
                entries = by_content.pop(criterion)
                yield Undone(entries[-1].record, [entry.change for entry in entries], why_not=error.message)
    for criterion, entries in by_content.items():
        yield _undone(criterion, entries, listed[criterion.line_item_id].get(criterion))


def _undone(criterion: Criterion, entries: Sequence[LoggedCriterion], there: Record | None) -> Undone:
    """Return what becomes of a criterion; `there` is the one of the line item that says the same."""
    first, last = entries[0], entries[-1]
    was_there = first.record.action == "delete"
    undone = Undone(last.record, [entry.change for entry in entries], criterion=criterion)
    if was_there:
        return undone._replace(kind=creation_of(first.removal), why_not=THERE if there else "")
    undone = undone._replace(kind=first.removal)
    if there is None:
        return undone._replace(why_not=GONE)
    created = [entry for entry in entries if entry.record.action == "create"]
    if not any(_may_have_made(entry, there) for entry in created):
        return undone._replace(why_not=f"{there['id']} says the same, and was not added by it")
    return undone


def _may_have_made(entry: LoggedCriterion, there: Record) -> bool:
    """Whether a creation has made a criterion: one without an answer, none that was there before it."""
    if entry.record.id:
        return entry.record.id == str(there["id"])
    sent, made = datetime.fromisoformat(entry.time), str(there.get("created_at") or "")
    return bool(made) and datetime.fromisoformat(made).timestamp() >= sent.timestamp() - TOLERANCE_SECONDS


class _LeftError(Exception):
    """A criterion is left as it is, for the reason that this says."""


def _criterion(call: Invocation, entry: LoggedCriterion) -> Criterion:
    """Return what a criterion said; raise _LeftError where nothing tells."""
    content = entry.content
    if MASK in str([*content.values(), entry.record.id]):
        content = {}
        if entry.record.action == "delete":
            raise _LeftError(NOT_KEPT)
    if not content and entry.record.action == "create" and entry.record.id:
        path = {"account_id": call.account, str(entry.removal.endpoint.id_field): entry.record.id}
        try:
            content = to_neutral(shown_record(call.client, call.settings.service, entry.removal, path))
        except NotFoundError:
            raise _LeftError(GONE) from None
        except AdsctlError as error:
            raise _LeftError(error.message) from None
    try:
        return _of(content)
    except KeyError:
        raise _LeftError(NOT_KNOWN) from None


def _of(record: Record) -> Criterion:
    values = {"operator_type": EQUAL, **{name: value for name, value in record.items() if value}}
    return Criterion(*(str(values[name]) for name in Criterion._fields))


def _listed(call: Invocation, line_items: Sequence[str]) -> dict[Criterion, Record]:
    """Return the criteria of line items, by what they say."""
    found: dict[Criterion, Record] = {}
    for few in batched(line_items, IDS_AT_ONCE):
        request = ListCriteria(account_id=call.account, line_item_ids=few, count=PAGE_SIZE)
        for page in call.client.pages(request):
            found |= {_of(record): record for record in to_neutral(page.records)}
    return found


def take_back(call: Invocation, due: Sequence[Undone]) -> ChangeResult:
    """Create and delete criteria, or let the guard judge that in a dry run.

    Raise AdsctlError where it is not known whether a request was applied.
    """
    by_item: dict[str, list[Undone]] = {}
    for undone in due:
        if undone.criterion:
            by_item.setdefault(undone.criterion.line_item_id, []).append(undone)
    listed = _listed(call, [*by_item])  # again, right before
    requests = {item: [*_requests(call, own, listed)] for item, own in by_item.items()}
    refused: dict[str, str] = {}
    try:
        call.writes.approve(prepared for own in requests.values() for prepared in own)
    except NotConfirmedError as error:
        if call.parsed.is_guard_check:
            raise
        return ChangeResult({undone.record.id: error.message for undone in due}, error)
    if call.dry_run:
        return ChangeResult()
    for item, own in requests.items():
        try:
            for prepared in own:
                _send(call, prepared)
        except (NotFoundError, RefusedError) as error:
            refused |= {undone.record.id: error.message for undone in by_item[item]}
        except AdsctlError as error:
            error.hint = AGAIN
            raise
    return ChangeResult(refused, IncompleteError(Lines(refused.values())) if refused else None)


def _requests(
    call: Invocation, due: Sequence[Undone], listed: Mapping[Criterion, Record]
) -> "Iterator[PreparedRequest]":
    """Yield the requests for the criteria of a line item: one, where it takes all of them."""
    deletions: dict[Criterion, Request] = {}
    creations: dict[Criterion, Request] = {}
    for undone in due:
        criterion = undone.criterion
        assert criterion
        there = listed.get(criterion)
        if undone.action == "create" and not there:
            creations[criterion] = request_from_input(
                AddCriterion, {"account_id": call.account, **criterion._asdict()}
            )
        elif undone.action == "delete" and there:
            deletions[criterion] = DeleteCriterion(
                account_id=call.account, targeting_criterion_id=str(there["id"])
            )
    operations = [*deletions.values(), *creations.values()]
    if len(operations) > BATCH.size:  # no line item is without targeting in between
        first = [deletions.pop(own) for own in [*deletions] if _stands_in_the_way(own, creations)]
        operations = [*first, *creations.values(), *deletions.values()]
    names = call.client.names
    for some in batched(operations, BATCH.size):
        body = b",".join(encode_operation(operation(request, names)) for request in some)
        many = batch_request(AddCriterion)(account_id=call.account)
        yield call.client.prepare(many, [OPERATIONS.start, body, OPERATIONS.end])


def _stands_in_the_way(criterion: Criterion, creations: Iterable[Criterion]) -> bool:
    """Whether a line item cannot have a criterion beside one that is created."""
    return any(exclude_each_other(criterion._asdict(), other._asdict()) for other in creations)


def _send(call: Invocation, prepared: "PreparedRequest") -> None:
    """Send a request; raise RefusedError where a success says that some of it was refused."""
    response = call.client.exchange(prepared)
    if errors := operation_errors(response.body, BATCH.size):
        raise RefusedError("; ".join(dict.fromkeys(reasons_of(errors).values())))
