"""Carry out changes whose values a command has computed, such as those of a rule or of an undo."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.registry import requests_named
from ...api.spending import ACTIVE, STATUS
from ...client.shown_records import shown_record
from ...console.invocation import Invocation
from ...console.request_input import request_from_input
from ...console.spending import spending_question
from ...errors import AdsctlError, IncompleteError, NotConfirmedError, NotFoundError, RefusedError
from ...output.text import Lines, counted
from .search import RecordSearch
from .several import CHANGED_SINCE, RecordChanges, changed_since

if TYPE_CHECKING:
    from ...client.prepared_request import PreparedRequest

Values = Mapping[str, Mapping[str, Any]]  # what is set of each record, by its id


class ComputedChanges(NamedTuple):
    """Changes of records of a kind."""

    kind: type[Request]
    values: Values
    expected: Values  # of which they were computed: a record that has others by now is left
    place: Mapping[str, str]  # of the path, such as the account


class ChangeResult(NamedTuple):
    """What became of changes: why records were refused or left, by id, and the error that says so."""

    refused: Mapping[str, str] = {}
    error: AdsctlError | None = None


def _requests(changes: ComputedChanges, service: str) -> dict[str, Request]:
    """Return the request that changes each record, by its id; raise UsageError."""
    kind, id_field = changes.kind, changes.kind.endpoint.id_field
    return {
        id: request_from_input(
            kind, {**changes.place, **({id_field: id} if id_field else {}), **fields}, service=service
        )
        for id, fields in changes.values.items()
    }


def question_of(call: Invocation, what: str, runs: Iterable[ComputedChanges]) -> str:
    """Return what to ask before changes: what is done, and what may spend more."""
    requests = (_requests(changes, call.settings.service).values() for changes in runs)
    return "; ".join(filter(None, [what, *(spending_question(call, [*some]) for some in requests)]))


def prepared(call: Invocation, changes: ComputedChanges) -> "Iterator[PreparedRequest]":
    """Build the requests of changes, for the guard."""
    return map(call.client.prepare, _requests(changes, call.settings.service).values())


def carry_out(call: Invocation, changes: ComputedChanges, by: str | None = None) -> ChangeResult:
    """Send changes of records of a kind as one run; `by` names in the log what has computed them.

    The guard may refuse all of them, and the service some. It asks nothing: the caller has.
    """
    kind, values = changes.kind, changes.values
    before, call.parsed.by = call.parsed.by, by or call.parsed.by
    try:
        if kind.endpoint.batch or kind.endpoint.takes_several:
            return _carry_out_together(call, changes)
        return _carry_out_singly(call, changes)
    except (NotConfirmedError, NotFoundError, RefusedError) as error:
        if call.parsed.is_guard_check:
            raise
        return ChangeResult(dict.fromkeys(values, error.message), error)
    finally:
        call.parsed.by = before


def _carry_out_together(call: Invocation, changes: ComputedChanges) -> ChangeResult:
    kind, values = changes.kind, changes.values
    several = RecordChanges(
        RecordSearch(call.with_flags({"yes": True}), kind, changes.place, [*values], []),
        [],
        route=_activation(call, kind, values),
        given={id: dict(fields) for id, fields in values.items()},
        expected=changes.expected,
        shows_result=False,
    )
    try:
        several.run(partial(request_from_input, kind, service=call.settings.service), envelope=False)
    except IncompleteError as error:
        return ChangeResult(several.refused, error)
    return ChangeResult()


def _carry_out_singly(call: Invocation, changes: ComputedChanges) -> ChangeResult:
    """Send a plain request for each record, of a kind that no command changes several of."""
    service, refused = call.settings.service, dict[str, str]()
    requests = _requests(changes, service)
    call.writes.approve(prepared(call, changes))
    for id, request in requests.items():
        path = {name: getattr(request, name) for name in request.endpoint.path_fields}
        try:
            if expected := changes.expected.get(id):
                now = to_neutral(shown_record(call.client, service, changes.kind, path))
                if why := changed_since(expected, now):
                    refused[id] = why
                    continue
            call.client.call(request)
        except (NotFoundError, RefusedError) as error:
            refused[id] = error.message
    return ChangeResult(refused, IncompleteError(Lines(refused.values())) if refused else None)


def _activation(call: Invocation, kind: type[Request], values: Values) -> type[Request] | None:
    """Return the request that activates records, where a grant needs it and nothing else is set."""
    if not call.settings.uses_grant or any(fields != {STATUS: ACTIVE} for fields in values.values()):
        return None
    *group, _ = kind.endpoint.command.split()
    with suppress(KeyError):
        return requests_named((*group, "activate"))[0]
    return None


def raise_refused(results: Sequence[ChangeResult], due: int, others: Sequence[str] = ()) -> None:
    """Raise IncompleteError where some of the records that were due were refused, or `others` were left.

    Raise the error of the guard where it has refused all of them.
    """
    errors = [result.error for result in results if result.error]
    guarded = [error for error in errors if isinstance(error, NotConfirmedError)]
    if guarded and len(guarded) == len(results):
        raise guarded[0]
    refused = {id: why for result in results for id, why in result.refused.items()}
    lines = [*others, *(f"{id}: {why}" for id, why in refused.items())]
    if lines or errors:
        done = due - len(refused)
        rest = f"{counted(done, 'record')} {'was' if done == 1 else 'were'} changed" if done else ""
        raise IncompleteError(Lines(lines or [error.message for error in errors]), hint=rest)


def state_of_left(why: str) -> str:
    """Say what has become of a record that was due and is not changed."""
    return f"{'left' if why.startswith(CHANGED_SINCE) else 'refused'}: {why}"
