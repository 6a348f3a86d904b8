"""`changes undo`: the inverse of logged changes, from the values before that the log has."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...api.endpoint import Request
from ...api.spending import ACTIVE, STATUS
from ...config.file_locks import locked, state_lock
from ...console.change_words import record_in_words
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.shown import shows
from ...errors import NotConfirmedError, NotFoundError, UsageError
from ...output.text import Lines, counted, safe
from ...store.changes import UNKNOWN, ChangeLog
from ..changes import WHEN, moment_of, short_id
from .undone import DONE, DUE, GONE, SAME, THERE, UNDONE, Undone

if TYPE_CHECKING:
    from ..requests.computed import ComputedChanges

RunKey = tuple[type[Request], tuple[tuple[str, str], ...], bool]


@shows(UNDONE)
def undo(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None, argument("ID...", "The ids of changes, as 'changes list' shows them")
    ] = None,
    run: Annotated[str | None, option("ID", "All changes of this run (jobs list)")] = None,
    since: Annotated[str | None, option("WHEN", f"All changes from then on: {WHEN}")] = None,
    delete: Annotated[bool, flag("Delete what was created; by default it is paused")] = False,
) -> None:
    """Take changes back: records get the values that they had before.

    It shows a plan first, and asks. What something else has changed since is left, and said, as is what
    cannot be undone: deletions, posts, uploads of people and products, conversions. What was created is
    paused. Targeting criteria that were deleted are created again, and those that were added are deleted. An
    undo is a change too, and can be undone. The exit code is 9 where some records are left, 12 where all are.

    For example: adsctl changes undo --since 1h --dry-run
    """
    from ..requests.computed import carry_out, prepared, question_of, raise_refused, state_of_left
    from .plan import planned
    from .targeting import take_back

    call = Invocation.of(ctx)
    changes = _selected(call, ids or [], run, since)
    call.client.open()
    if not call.dry_run:  # a second undo waits, and finds nothing left to do
        path = state_lock(call.settings.state_dir, "undo", call.service, call.account)
        call.parsed.locks.enter_context(locked(path))
    plan = [*planned(call, changes, delete=delete)]
    due = [undone for undone in plan if not undone.why_not]
    left = [
        f"{undone.record.noun} {undone.record.name or undone.record.id}: {undone.why_not}"
        for undone in plan
        if undone.why_not
    ]
    criteria = [undone for undone in due if undone.criterion]
    if call.dry_run:
        take_back(call, criteria)
        for own in _runs(due):
            call.writes.approve(prepared(call, own))
        call.printer.show([undone.as_dict(DUE) for undone in plan], UNDONE.columns, UNDONE.key)
        return
    for undone in plan:
        record = undone.as_dict(DUE)
        name = record_in_words(record["kind"], record["name"] or "", record["id"])
        call.messages.say(safe(f"{name}: {record['change'] or record['action']}, {record['state']}"))
    if not due:
        raise NotConfirmedError(
            Lines(left) or "there is nothing to undo", hint="adsctl changes list shows what was changed"
        )
    what = f"Undo {counted(len(changes), 'change')} of {counted(len(due), 'record')}"
    call.confirm(question_of(call, what, _runs(due)))
    results = [take_back(call, criteria)] if criteria else []
    # What is not targeted as it was does not serve again.
    untargeted = {
        undone.criterion.line_item_id: f"its targeting was not taken back: {why}"
        for undone in criteria
        if undone.criterion and (why := results[0].refused.get(undone.record.id))
    }
    held = {
        undone.record.id: untargeted[undone.record.id]
        for undone in due
        if undone.activates and undone.is_line_item and undone.record.id in untargeted
    }
    results += [
        carry_out(call, own) for own in _runs([undone for undone in due if undone.record.id not in held])
    ]
    refused = {id: why for result in results for id, why in result.refused.items()} | held
    states = {id: state_of_left(why) for id, why in refused.items()}
    shown = [undone.as_dict(states.get(undone.record.id, DONE)) for undone in plan]
    call.printer.show(shown, UNDONE.columns, UNDONE.key)
    others = [line for line in left if not line.endswith((SAME, GONE, THERE))]
    raise_refused(results, len(due) - len(held), [*others, *(f"{id}: {why}" for id, why in held.items())])


def _runs(due: Sequence[Undone]) -> "Iterator[ComputedChanges]":
    """Yield the changes of records of a kind that one run carries out; what activates comes last."""
    from ..requests.computed import ComputedChanges

    records_due = [undone for undone in due if undone.kind and not undone.criterion]
    # What was created last is deleted first: whatever it lies in would be deleted with it.
    deletions = [undone for undone in reversed(records_due) if undone.action == "delete"]
    runs: list[tuple[RunKey, Sequence[Undone]]] = [(key, [*own]) for key, own in groupby(deletions, _run_key)]
    updates: dict[RunKey, list[Undone]] = {}
    for undone in sorted(records_due, key=lambda undone: undone.activates):
        if undone.action != "delete":
            updates.setdefault(_run_key(undone), []).append(undone)
    for (kind, place, _), records in [*runs, *updates.items()]:
        values = {undone.record.id: undone.values_to_send for undone in records}
        expected = {undone.record.id: undone.now for undone in records}
        yield ComputedChanges(kind, values, expected, dict(place))


def _run_key(undone: Undone) -> RunKey:
    assert undone.kind
    # Whatever only activates is apart, since some services have a request of its own for it.
    return undone.kind, tuple(sorted(undone.place.items())), undone.values == {STATUS: ACTIVE}


def _selected(
    call: Invocation, ids: Sequence[str], run: str | None, since: str | None
) -> list[dict[str, Any]]:
    """Return the changes that are meant, oldest first; raise UsageError, NotFoundError."""
    if [bool(ids), run is not None, since is not None].count(True) != 1:
        raise UsageError(
            "name changes by their ids, by --run or by --since", hint="adsctl changes list shows them"
        )
    first = moment_of(call, since, "--since")
    # What lies in a catalog has no account.
    log = [
        change
        for change in ChangeLog(call.settings.state_dir).changes()
        if change["account"] in (None, call.account)
    ]
    known = {name for change in log for name in (change["id"], short_id(change["id"]))}
    if missing := [id for id in ids if id not in known]:
        raise NotFoundError(
            f"there is no change {missing[0]!r} of the account {call.account} in the log",
            hint="adsctl changes list --account shows them",
        )
    chosen = [
        change
        for change in log
        if not {change["id"], short_id(change["id"])}.isdisjoint(ids)
        or (run and change["job"] == run)
        or (first and change["time"] >= first)
    ]
    elsewhere = [change for change in chosen if change["service"] != call.service]
    chosen = [change for change in chosen if change["service"] == call.service]
    if elsewhere and (not chosen or not since):
        raise _of_another_service(call, elsewhere[-1])
    if elsewhere:
        call.messages.note(f"{counted(len(elsewhere), 'change')} of another service: left out")
    if not chosen:
        raise NotFoundError("no change matches", hint="adsctl changes list shows what was changed")
    return [change for change in chosen if change["outcome"] in ("ok", UNKNOWN)]


def _of_another_service(call: Invocation, change: Mapping[str, Any]) -> UsageError:
    """Return the error about a change that was sent to another service than the undo would be."""
    sandbox = " --sandbox" if change["environment"] == "sandbox" else ""
    there = f"{change['service']} ({change['environment']})" if change["service"] else "an unknown service"
    return UsageError(
        f"the change {short_id(change['id'])} was sent to {there}, and this command speaks to {call.service};"
        " nothing was undone",
        hint=f"name what it was sent with, where that still leads there: --profile {change['profile']}"
        f"{sandbox}; adsctl changes show {short_id(change['id'])}",
    )
