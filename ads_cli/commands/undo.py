"""`changes undo`: the inverse of logged changes, from the values before that the log has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

import typer

from ..api.amounts import amount_names
from ..api.endpoint import Request
from ..api.names import to_neutral
from ..api.records import differing_fields
from ..api.registry import requests_for
from ..api.spending import ACTIVE, PAUSED, STATUS
from ..client.shown_records import shown_record
from ..client.writes import request_of_path
from ..console.change_words import changes_in_words, each_record, record_in_words
from ..console.invocation import Invocation
from ..console.parameters import argument, flag, option
from ..console.request_input import request_from_input
from ..console.shown import Result, shows
from ..errors import AdsctlError, NotConfirmedError, NotFoundError, UsageError
from ..masking import MASK
from ..output.text import Lines, counted, safe
from ..store.changes import ChangedRecord, ChangeLog
from .changes import WHEN, moment_of, short_id

if TYPE_CHECKING:
    from .requests.computed import Values


class UndoneRecord(TypedDict):
    """What is taken back of a record; `state` says why it is left."""

    action: str
    kind: str
    name: str | None
    change: str | None
    state: str
    changes: list[str]  # their ids
    id: str


UNDONE = Result(UndoneRecord)
DUE, DONE = "to undo", "undone"
SAME = "it has these values already"


class Undone(NamedTuple):
    """What undoing does to a record; `why_not` says why it is left as it is."""

    record: ChangedRecord
    changes: list[str]  # the ids of the changes that are undone
    kind: type[Request] | None = None  # the request that undoes them
    values: Mapping[str, Any] = {}  # that it sets
    now: Mapping[str, Any] = {}  # what these fields are
    why_not: str = ""

    @property
    def action(self) -> str:
        """What is done to the record."""
        return self.kind.endpoint.action if self.kind else "none"

    @property
    def values_to_send(self) -> dict[str, Any]:
        """What is set, as options have it: "" empties a field."""
        return {name: "" if value is None else value for name, value in self.values.items()}

    def as_dict(self, done: str) -> UndoneRecord:
        """Return it as programs read it."""
        words = changes_in_words(self.values, self.now, self.record.currency)
        return {
            "action": self.action,
            "kind": self.record.noun,
            "name": self.record.name or None,
            "id": self.record.id,
            "change": words or None,
            "state": f"left: {self.why_not}" if self.why_not else done,
            "changes": self.changes,
        }


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
    paused. An undo is a change too, and can be undone. The exit code is 9 where some records are left, 12
    where all are.

    For example: adsctl changes undo --since 1h --dry-run
    """
    from .requests.computed import carry_out, question_of, raise_refused

    call = Invocation.of(ctx)
    changes = _selected(call, ids or [], run, since)
    call.client.open()
    plan = [*_planned(call, changes, delete=delete)]
    due = [undone for undone in plan if not undone.why_not]
    left = [
        f"{undone.record.noun} {undone.record.name or undone.record.id}: {undone.why_not}"
        for undone in plan
        if undone.why_not
    ]
    if call.dry_run:
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
    runs = [*_runs(due)]
    what = f"Undo {counted(len(changes), 'change')} of {counted(len(due), 'record')}"
    call.confirm(question_of(call, what, runs))
    results = [carry_out(call, kind, values) for kind, values in runs]
    refused = {id: why for result in results for id, why in result.refused.items()}
    shown = [
        undone.as_dict(f"refused: {refused[undone.record.id]}" if undone.record.id in refused else DONE)
        for undone in plan
    ]
    call.printer.show(shown, UNDONE.columns, UNDONE.key)
    raise_refused(results, len(due), [line for line in left if not line.endswith(SAME)])


def _runs(due: Sequence[Undone]) -> "Iterator[tuple[type[Request], Values]]":
    """Yield the changes of records of a kind that one run carries out; what only activates is apart."""
    runs: dict[tuple[type[Request], bool], dict[str, Mapping[str, Any]]] = {}
    for undone in due:
        if undone.kind:
            key = undone.kind, undone.values == {STATUS: ACTIVE}
            runs.setdefault(key, {})[undone.record.id] = undone.values_to_send
    return ((kind, values) for (kind, _), values in runs.items())


def _selected(
    call: Invocation, ids: Sequence[str], run: str | None, since: str | None
) -> list[dict[str, Any]]:
    """Return the changes that are meant, oldest first; raise UsageError, NotFoundError."""
    if [bool(ids), run is not None, since is not None].count(True) != 1:
        raise UsageError(
            "name changes by their ids, by --run or by --since", hint="adsctl changes list shows them"
        )
    first = moment_of(call, since, "--since")
    log = [
        change for change in ChangeLog(call.settings.state_dir).changes() if change["account"] == call.account
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
    if not chosen:
        raise NotFoundError("no change matches", hint="adsctl changes list shows what was changed")
    return [change for change in chosen if change["outcome"] in ("ok", "unknown")]


def _planned(call: Invocation, changes: Sequence[Mapping[str, Any]], *, delete: bool) -> Iterator[Undone]:
    """Yield what undoing does to each record that changes are about."""
    named = ChangeLog(call.settings.state_dir).records()
    updates: dict[tuple[type[Request], str], list[tuple[str, ChangedRecord, Any, Any]]] = {}
    created: set[str] = set()  # what is done to them later is undone with them
    for change in changes:
        kinds = _kinds_of(call, change)
        records = named[change["id"]]
        if not records:
            noun = str(change["path"]).rpartition("/")[2].replace("_", " ")
            yield Undone(ChangedRecord(action="", noun=noun), [change["id"]], why_not="it cannot be undone")
            continue
        for record, fields, before in each_record(records, change["fields"], change["before"]):
            if record.action == "update" and record.id in created:
                continue
            created |= {record.id} if record.action == "create" and record.id else set()
            if record.action == "update" and (kind := kinds.get("update")):
                updates.setdefault((kind, record.id), []).append((change["id"], record, fields, before))
            else:
                yield _of_creation(kinds, record, change["id"], delete=delete)
    for (kind, _), own in updates.items():
        try:
            yield _of_update(call, kind, own)
        except UsageError as error:  # a value that the service shows, and takes from nobody
            yield Undone(own[-1][1], [id for id, *_ in own], kind, why_not=error.message)


def _kinds_of(call: Invocation, change: Mapping[str, Any]) -> dict[str, type[Request]]:
    """Return the requests that update and delete what a change is about, by action."""
    kind = request_of_path(change["method"], change["path"], call.writes.dialect)
    if kind is None:
        return {}
    group = kind.endpoint.command.split()[:-1]
    siblings = (
        other for other in requests_for(call.settings.service) if other.endpoint.command.split()[:-1] == group
    )
    verbs = {"update": "update", "delete": "delete"}
    return {
        action: other
        for other in siblings
        for action in verbs
        if other.endpoint.command.split()[-1] == verbs[action]
    }


def _of_creation(
    kinds: Mapping[str, type[Request]], record: ChangedRecord, change: str, *, delete: bool
) -> Undone:
    """Return how what was created is taken back: paused, or deleted where that is wanted."""
    update, removal = kinds.get("update"), kinds.get("delete")
    if record.action != "create":
        return Undone(record, [change], why_not="a deletion cannot be undone")
    if not record.id:
        return Undone(record, [change], why_not="its id is not known")
    if delete and removal:
        return Undone(record, [change], removal)
    if update and STATUS in update.__struct_fields__ and not delete:
        return Undone(record, [change], update, {STATUS: PAUSED})
    hint = "it can only be deleted: add --delete" if removal else "it cannot be taken back"
    return Undone(record, [change], why_not=hint)


def _of_update(
    call: Invocation, kind: type[Request], changes: Sequence[tuple[str, ChangedRecord, Any, Any]]
) -> Undone:
    """Return how updates of a record are taken back: to the values before the first of them."""
    ids, record = [id for id, *_ in changes], changes[-1][1]
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for _, _, fields, was in changes:
        after |= fields
        if was is None or not fields.keys() <= was.keys():
            return Undone(record, ids, kind, why_not="what it was before is not known")
        before = {**was, **before}
    if MASK in str([*before.values(), *after.values()]):  # also of a part of a text
        return Undone(record, ids, kind, why_not="the log does not keep such values")
    place = {"account_id": call.account, str(kind.endpoint.id_field): record.id}
    try:
        shown = to_neutral(shown_record(call.client, call.settings.service, kind, place))
    except (AdsctlError, KeyError) as error:
        return Undone(record, ids, kind, why_not=getattr(error, "message", "") or "it cannot be read")
    now = {name: shown.get(name) for name in before}
    if not _differing(kind, place, before, shown):
        return Undone(record, ids, kind, before, now, SAME)
    if other := _differing(kind, place, after, shown):
        return Undone(record, ids, kind, before, now, f"{', '.join(other)} was changed since")
    undone = Undone(record, ids, kind, before, now)
    try:
        request_from_input(kind, {**place, **undone.values_to_send})
    except UsageError as error:
        empty = [amount_names(name)[0] for name, value in undone.values_to_send.items() if value == ""]
        words = f"{', '.join(empty)} had no value before, and cannot be emptied" if empty else error.message
        return undone._replace(why_not=words)
    return undone


def _differing(
    kind: type[Request], place: Mapping[str, str], values: Mapping[str, Any], shown: Mapping[str, Any]
) -> list[str]:
    """Name the fields of which a record has another value."""
    emptied = [
        name
        for name, value in values.items()
        if value in (None, "") and shown.get(name) not in (None, "", [])
    ]
    given = {name: value for name, value in values.items() if value not in (None, "")}
    if not given:  # a request that changes nothing is none
        return emptied
    return [*emptied, *differing_fields(request_from_input(kind, {**place, **given}), shown)]
