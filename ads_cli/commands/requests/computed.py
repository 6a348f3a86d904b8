"""Carry out changes whose values a command has computed, such as those of a rule or of an undo."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from ...api.endpoint import Request
from ...api.registry import requests_named
from ...api.spending import ACTIVE, STATUS
from ...console.invocation import Invocation
from ...console.request_input import request_from_input
from ...console.spending import spending_question
from ...errors import AdsctlError, IncompleteError, NotConfirmedError, NotFoundError, RefusedError
from ...output.text import Lines, counted
from .search import RecordSearch
from .several import RecordChanges

Values = Mapping[str, Mapping[str, Any]]  # what is set of each record, by its id


class ChangeResult(NamedTuple):
    """What became of changes: why records were refused, by id, and the error that says so."""

    refused: Mapping[str, str] = {}
    error: AdsctlError | None = None


def question_of(call: Invocation, what: str, changes: Iterable[tuple[type[Request], Values]]) -> str:
    """Return what to ask before changes: what is done, and what may spend more."""
    questions = [what]
    for kind, values in changes:
        place = {"account_id": call.account}
        requests = [
            request_from_input(kind, {**place, str(kind.endpoint.id_field): id, **fields})
            for id, fields in values.items()
        ]
        questions.append(spending_question(call, requests))
    return "; ".join(filter(None, questions))


def carry_out(call: Invocation, kind: type[Request], values: Values, by: str | None = None) -> ChangeResult:
    """Send changes of records of a kind as one run; `by` names in the log what has computed them.

    The guard may refuse all of them, and the service some. It asks nothing: the caller has.
    """
    quiet = call.with_flags({"yes": True})
    search = RecordSearch(quiet, kind, {"account_id": call.account}, [*values], [])
    changes = RecordChanges(
        search,
        [],
        route=_activation(call, kind, values),
        given={id: dict(fields) for id, fields in values.items()},
        shows_result=False,
    )
    before, quiet.parsed.by = quiet.parsed.by, by or quiet.parsed.by
    try:
        changes.run(partial(request_from_input, kind, service=call.settings.service), envelope=False)
    except IncompleteError as error:
        return ChangeResult(changes.refused, error)
    except (NotConfirmedError, NotFoundError, RefusedError) as error:
        return ChangeResult(dict.fromkeys(values, error.message), error)
    finally:
        quiet.parsed.by = before
    return ChangeResult()


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
