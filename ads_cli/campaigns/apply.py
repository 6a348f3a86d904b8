"""Carry out a plan: pauses, creations from the top down, changes, activations, deletions from the bottom up.

What the service refuses is noted, and the rest is carried out without it. Nothing is created below a refused
record and nothing above it is activated. What it would replace stays, unless the service refuses both beside
each other. What cannot be paused is not changed, nor is what lies below it. An error that is not about a
record ends the run.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import structs

from ..api.endpoint import Request
from ..api.names import to_neutral
from ..api.parts import batch_request, encode_operation, operation
from ..api.records import with_removed
from ..api.spending import ACTIVE, DRAFT, PAUSED, STATUS
from ..api.validation import convert
from ..batches.upload import OPERATIONS, BatchUpload, Items
from ..client.response import not_understood
from ..errors import AdsctlError, NotFoundError, RefusedError
from ..parallel.ordered_map import map_ordered
from ..spelling import as_stored
from ..uploads.upload import Batch
from .account import REQUESTS_AT_ONCE, AccountReader, chunks
from .matching import attempt_mark, mark_of, replacement_mark
from .memory import ApplyMemory, CreationAttempt, Mark
from .model import KINDS, Entry, Kind, content_of, creation_values, each_entry
from .plan import PLACEHOLDER_ID, ROOT, CampaignPlan, Change

if TYPE_CHECKING:
    from ..client.client import Client

MAX_CREATED_TOGETHER = 50  # records of one parent, by a request that takes several
RESUME_HINT = "the next apply looks what was created, and makes the rest: run it again with --resume"


@dataclass
class Applied:
    """What became of a plan."""

    counts: dict[str, int] = field(default_factory=lambda: {"created": 0, "updated": 0, "deleted": 0})
    failed: list[tuple[str, str]] = field(default_factory=list)  # path and reason
    ids: dict[Entry, str] = field(default_factory=dict)  # of what the file has
    renamed: list[tuple[str, str]] = field(default_factory=list)  # names as sent, and as the service has them


class Apply:
    """Sends the requests of a plan, as many changes in one as the service takes."""

    def __init__(
        self,
        client: "Client",
        account: str,
        plan: CampaignPlan,
        memory: ApplyMemory,
        on_progress: Callable[[int], None] = lambda count: None,
    ) -> None:
        self._client, self._account, self._plan, self._memory = client, account, plan, memory
        self._on_progress = on_progress
        self._applied: set[Change] = set()  # at least in part: a later request may be refused
        self._lock = Lock()  # of the results of requests that are sent at once
        self._failed: list[tuple[Change, str]] = []
        self._refused_entries: set[Entry] = set()  # or below one: not created, or not as the file has it
        self.result = Applied()

    def requests(self) -> Iterator[tuple[Request, str]]:
        """Yield each change as a request of its own, and what stands for the id of a record that is new."""
        ids = self.result.ids = {entry: stored.id for entry, stored in self._plan.matched.items()}
        for number, change in enumerate(self._plan.changes):
            new_id = ""
            if change.action == "create":
                new_id = ids[_entry(change)] = f"{PLACEHOLDER_ID}{number:09}"
                request = self._creation(change)
                if change.values.get(STATUS) == ACTIVE:
                    request = structs.replace(request, **{STATUS: ACTIVE})
            elif change.action == "update":
                request = self._change(change, change.values)
            else:
                request = self._deletion(change)
            yield request, new_id

    def run(self) -> Applied:
        """Send everything; raise AdsctlError where it cannot go on."""
        memory, plan = self._memory, self._plan
        memory.remember(plan.ids)
        memory.settle()
        self.result.ids = {entry: stored.id for entry, stored in plan.matched.items()}
        with_parents = (change for change in plan.changes if change.parent_id != PLACEHOLDER_ID)
        if begun := [*self._replacements(with_parents)]:
            memory.begin_attempt(begun)
        updates, creations, deletions = (
            [change for change in plan.changes if change.action == action]
            for action in ("update", "create", "delete")
        )
        self._pause(updates)
        self._delete(deletion for deletion in deletions if deletion.goes_first)
        for kind in KINDS:
            self._create(kind, [change for change in creations if change.kind is kind])
        self._update(updates)
        self._activate(updates, creations)
        self._delete(deletion for deletion in deletions if not deletion.goes_first)
        refused = {change for change, _ in self._failed}
        for change in self._applied:
            if change.action == "create" or change not in refused:  # what is created may not be activated
                self.result.counts[f"{change.action}d"] += 1
        order = {change: number for number, change in enumerate(plan.changes)}
        self.result.failed = [
            (f"{change.path} ({change.action} {change.kind.noun} {change.key})", reason)
            for change, reason in sorted(self._failed, key=lambda failure: order[failure[0]])
        ]
        return self.result

    def _create(self, kind: Kind, changes: list[Change]) -> None:
        """Create the records of a kind."""
        ready = []
        for change in changes:
            if change.parent in self._refused_entries:
                self._refused_entries.add(_entry(change))
            else:
                ready.append(change)
        if batch := kind.create.endpoint.batch:
            several = [*chunks(ready, batch.size)]
            self._at_once(
                lambda some: self._send_batch("create", some, [*map(self._creation, some)]), several
            )
        elif kind.of_several:
            ((many, _),) = kind.of_several.items()
            groups = groupby(sorted(ready, key=self._parent_id), key=self._parent_id)
            several = [some for _, group in groups for some in chunks([*group], MAX_CREATED_TOGETHER)]
            self._at_once(lambda some: self._send_single(some, self._creation(*some), of=many), several)
        else:
            self._at_once(lambda change: self._send_single([change], self._creation(change)), ready)
        if not kind.is_named:
            self._find_refused(kind)

    def _find_refused(self, kind: Kind) -> None:
        """Count a refused creation as done if its record is there: some the service creates by itself."""
        refused = [
            refused_change
            for refused_change, _ in self._failed
            if refused_change.kind is kind
            and refused_change.action == "create"
            and kind.only_for.items() <= self._fields_above(refused_change).items()
        ]
        parents = [*dict.fromkeys(map(self._parent_id, refused))]
        if not parents:
            return
        listed = map(to_neutral, AccountReader(self._client, self._account).below(kind.list, parents))
        there = {
            (candidate["line_item_id"], content_of(kind, candidate)): candidate
            for candidate in listed
            if candidate.get("deleted") is not True
        }
        ids: dict[Mark, str] = {}
        for change in refused:
            if candidate := there.get((self._parent_id(change), content_of(kind, change.values))):
                self._failed = [
                    refused_change for refused_change in self._failed if refused_change[0] is not change
                ]
                self._refused_entries.discard(_entry(change))
                self._note_result(change, candidate, ids)
                self._note_applied([change])
        self._memory.remember(ids)

    def _fields_above(self, change: Change) -> dict[str, Any]:
        """Return the fields of the record above, as the file has them, or else the account."""
        assert change.parent
        stored = self._plan.matched.get(change.parent)
        return {**(stored.fields if stored else {}), **change.parent.values}

    @staticmethod
    def _at_once(send: Callable[[Any], None], tasks: Sequence[Any]) -> None:
        """Send what does not need each other, several at a time; after a failure, nothing more is begun."""
        errors: list[BaseException] = []

        def send_unless_failed(task: Any) -> None:
            try:
                if not errors:
                    send(task)
            except BaseException as error:
                errors.append(error)

        deque(map_ordered(send_unless_failed, tasks, REQUESTS_AT_ONCE, REQUESTS_AT_ONCE), maxlen=0)
        if errors:
            raise errors[0]

    def _parent_id(self, change: Change) -> str:
        """Return the id of the record above, which exists by now."""
        return self.result.ids[change.parent] if change.parent else ROOT

    def _creation(self, *changes: Change) -> Request:
        """Return the request that creates a record, or several of one parent: what may spend is paused."""
        kind = changes[0].kind
        values = creation_values(kind, [change.values for change in changes], self._parent_id(changes[0]))
        if STATUS in kind.create.__struct_fields__:
            values[STATUS] = DRAFT if values.get(STATUS) == DRAFT else PAUSED
        return convert(kind.create, {"account_id": self._account, **values})

    def _activate(self, updates: Iterable[Change], creations: Iterable[Change]) -> None:
        """Activate what the file wants active, from the bottom up, once all its parts are there."""
        activations = [change for change in (*updates, *creations) if change.values.get(STATUS) == ACTIVE]
        for kind in reversed(KINDS):
            self._send_updates(
                (activation, {STATUS: ACTIVE})
                for activation in activations
                if activation.kind is kind and not self._is_incomplete(_entry(activation))
            )

    def _is_incomplete(self, entry: Entry) -> bool:
        """Whether an entry was refused, or something below it."""
        below = (inner for entries in entry.below.values() for inner in entries)
        return entry in self._refused_entries or any(map(self._is_incomplete, below))

    def _pause(self, updates: Sequence[Change]) -> None:
        """Pause records. One that is not paused may spend: it and what lies below it are not changed."""
        self._send_updates(
            (update, {STATUS: PAUSED}) for update in updates if update.values.get(STATUS) == PAUSED
        )
        planned = {change.entry for change in self._plan.changes}
        for number, (change, reason) in enumerate(self._failed):
            below = each_entry([_entry(change)])[1:]
            self._refused_entries.update(below)
            if len(change.values) > 1 or not planned.isdisjoint(below):
                left_out = "it is not paused, so its other changes and those below it were left out"
                self._failed[number] = change, f"{reason}; {left_out}"

    def _update(self, updates: Iterable[Change]) -> None:
        """Change fields, the status apart."""
        self._send_updates(
            (update, {name: value for name, value in update.values.items() if name != STATUS})
            for update in updates
            if update.entry not in self._refused_entries
        )

    def _send_updates(self, changes: Iterable[tuple[Change, dict[str, Any]]]) -> None:
        """Set values of records. A value is removed by a request of its own, since a batch cannot."""
        of_kind: dict[Kind, list[tuple[Change, dict[str, Any]]]] = {}
        for change, values in changes:
            if values:
                of_kind.setdefault(change.kind, []).append((change, values))
        for updates in of_kind.values():
            plain = [update for update in updates if None not in update[1].values()]
            removing = [update for update in updates if None in update[1].values()]
            self._send_all(
                "update", [change for change, _ in plain], [self._change(*update) for update in plain]
            )
            self._at_once(lambda update: self._call(update[0], self._change(*update)), removing)

    def _change(self, change: Change, values: Mapping[str, Any]) -> Request:
        return update_request(change.kind, self._account, self.result.ids[_entry(change)], values)

    def _deletion(self, change: Change) -> Request:
        kind = change.kind
        return convert(kind.delete, {"account_id": self._account, kind.id_field: change.id})

    def _delete(self, changes: Iterable[Change]) -> None:
        """Delete records, from the bottom up, but for those whose replacement is not whole."""
        deletions = [
            deletion
            for deletion in changes
            if not (deletion.replaced_by and self._is_incomplete(deletion.replaced_by))
        ]
        for kind in reversed(KINDS):
            of_kind = [change for change in deletions if change.kind is kind]
            self._send_all("delete", of_kind, [*map(self._deletion, of_kind)])

    def _send_all(self, action: str, changes: Sequence[Change], requests: Sequence[Request]) -> None:
        """Change or delete records of a kind, many in a request where the service takes that."""
        sent = [*zip(changes, requests, strict=True)]
        batch = requests[0].endpoint.batch if len(requests) > 1 else None
        if batch is None:
            self._at_once(lambda call: self._call(*call), sent)
            return
        for some in chunks(sent, batch.size):
            self._send_batch(action, [change for change, _ in some], [request for _, request in some])

    def _send_batch(self, action: str, changes: Sequence[Change], requests: Sequence[Request]) -> None:
        """Send operations in one request. Those that are refused are noted, and the others applied."""
        declared = type(requests[0])
        endpoint = declared.endpoint
        assert endpoint.batch
        upload = BatchUpload(
            batch_request(declared)(account_id=self._account),
            action,
            endpoint.batch.noun,
            OPERATIONS,
            counts_gone=True,
        )
        bodies = [encode_operation(operation(request, self._client.names)) for request in requests]
        own_id = str(endpoint.id_field)
        ids = [str(getattr(request, own_id, number)) for number, request in enumerate(requests)]
        places = [
            (number, created.entry.line if created.entry else 0) for number, created in enumerate(changes)
        ]
        # What is repeated with the same effect needs no mark.
        attempts = CreationAttempt(self._memory, self._attempt_marks(changes) if action == "create" else [])
        try:
            ack = upload.send(self._client, Batch(0, Items(bodies, ids), places), attempts)
        except AdsctlError as error:
            raise self._stopped(error) from None
        reasons = dict(ack.failed)
        answers = iter(ack.answer)
        ids_of: dict[Mark, str] = {}
        with self._lock:
            for number, change in enumerate(changes):
                if number in reasons:
                    self._refused(change, reasons[number])
                elif action == "create":
                    self._note_result(change, next(answers), ids_of)
                elif action == "update":
                    self._note_name(change, next(answers, None))
            attempts.end(ids_of)
            self._note_applied(change for number, change in enumerate(changes) if number not in reasons)

    def _send_single(self, changes: Sequence[Change], request: Request, of: str = "") -> None:
        """Create by a request of its own."""
        attempts = CreationAttempt(self._memory, self._attempt_marks(changes))
        prepared = self._client.prepare(request)
        try:
            response = self._client.exchange(prepared, on_send=attempts.note_attempt)
        except (RefusedError, NotFoundError) as error:
            attempts.end({})
            if len(changes) > 1:  # nothing was applied: find out which of them are refused
                for change in changes:
                    self._send_single([change], self._creation(change), of)
            else:
                self._refused(changes[0], error.message)
            return
        except AdsctlError as error:
            raise self._stopped(error) from None
        records = response.neutral_data if of else [response.neutral_data]
        if not isinstance(records, list) or len(records) != len(changes):
            raise self._stopped(not_understood(f"it has no list of {len(changes):,} records"))
        ids_of: dict[Mark, str] = {}
        with self._lock:
            for change, record in zip(changes, records, strict=True):
                self._note_result(change, record, ids_of)
            attempts.end(ids_of)
            self._note_applied(changes)

    def _call(self, change: Change, request: Request) -> None:
        """Change or delete by a request of its own."""
        is_deletion = request.endpoint.method == "DELETE"
        try:
            self._note_name(change, self._client.call(request).data)
        except (RefusedError, NotFoundError) as error:
            if not (is_deletion and isinstance(error, NotFoundError)):
                self._refused(change, error.message)
                return
        except AdsctlError as error:
            raise self._stopped(error) from None
        with self._lock:
            self._note_applied([change])

    def _note_result(self, change: Change, record: Any, ids: dict[Mark, str]) -> None:
        id = record.get("id") if isinstance(record, dict) else None
        if not isinstance(id, str):
            raise self._stopped(not_understood("a record of it has no id"))
        self.result.ids[_entry(change)] = id
        ids |= dict.fromkeys(self._marks([change]), id)
        self._note_name(change, record)

    def _note_name(self, change: Change, record: Any) -> None:
        """Note as what the service has stored a name, unless it has left it as it was."""
        sent = change.values.get("name")
        answered = to_neutral(record).get("name") if isinstance(record, dict) else None
        before = change.stored.name if change.stored else None
        id = self.result.ids.get(_entry(change)) if change.entry else None
        if not (id and isinstance(sent, str) and isinstance(answered, str)) or answered == before:
            return
        if as_stored(sent) != as_stored(answered):
            self._memory.note_name(id, sent, answered)
            self.result.renamed.append((sent, answered))

    def _attempt_marks(self, changes: Sequence[Change]) -> list[Mark]:
        marks = (attempt_mark(_entry(change), self._parent_id(change)) for change in changes)
        return [*filter(None, marks), *self._replacements(changes)]

    def _marks(self, changes: Sequence[Change]) -> Iterator[Mark]:
        for change in changes:
            if mark := mark_of(_entry(change), self._parent_id(change)):
                yield mark
        yield from self._replacements(changes)

    def _replacements(self, changes: Iterable[Change]) -> Iterator[Mark]:
        for change in changes:
            if change.replaces:
                yield replacement_mark(_entry(change), self._parent_id(change))

    def _refused(self, change: Change, reason: str) -> None:
        if change.entry:
            self._refused_entries.add(change.entry)
        self._failed.append((change, reason))

    def _stopped(self, error: AdsctlError) -> AdsctlError:
        error.hint = "; ".join(filter(None, (error.hint if not error.may_be_applied else "", RESUME_HINT)))
        return error

    def _note_applied(self, changes: Iterable[Change]) -> None:
        """Count each change once: one that activates a record has a request for that too."""
        if new := {*changes} - self._applied:
            self._applied |= new
            self._on_progress(len(self._applied))


def update_request(kind: Kind, account: str, id: str, values: Mapping[str, Any]) -> Request:
    """Return the request that sets values of a record; None removes one."""
    assert kind.update
    sent = {name: value for name, value in values.items() if value is not None}
    removed = [name for name, value in values.items() if value is None]
    return with_removed(convert(kind.update, {"account_id": account, kind.id_field: id, **sent}), removed)


def _entry(change: Change) -> Entry:
    assert change.entry
    return change.entry
