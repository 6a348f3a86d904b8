"""Carry out a plan: pauses, creations from the top down, changes, activations, deletions from the bottom up.

What the service refuses is noted, and the rest is carried out without it. Nothing is created below a refused
record and nothing above it is activated. What it would replace stays, unless the service refuses both beside
each other. What cannot be paused is not changed, nor is what lies below it. An error that is not about a
record ends the run.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..api.endpoint import Request
from ..api.names import to_neutral
from ..api.parts import batch_request, encode_operation, operation
from ..api.spending import ACTIVE, PAUSED, STATUS
from ..client.response import not_understood
from ..errors import AdsctlError
from ..parallel.ordered_map import map_ordered
from ..runs.batch_upload import OPERATIONS, BatchUpload, Items, SingleCodec
from ..runs.job import Acknowledgement
from ..runs.upload import Batch
from ..spelling import as_stored
from .account import REQUESTS_AT_ONCE, AccountReader, chunks
from .kinds import KINDS, Kind
from .matching import attempt_mark, replacement_mark
from .memory import ApplyMemory, Mark
from .model import Entry, content_of, each_entry
from .plan import CampaignPlan, Change
from .requests import ChangeRequests, entry_of

if TYPE_CHECKING:
    from ..client.client import Client

MAX_CREATED_TOGETHER = 50  # records of one parent, by a request that takes several
Sent = tuple[Change, Request]  # a change, and the request that it is sent by
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
        on_progress: Callable[[int], None],
    ) -> None:
        self._client, self._account, self._plan, self._memory = client, account, plan, memory
        self._requests, self._on_progress = ChangeRequests(account, plan), on_progress
        self._applied: set[Change] = set()  # at least in part: a later request may be refused
        self._lock = Lock()  # of the results of requests that are sent at once
        self._failed: list[tuple[Change, str]] = []
        self._refused_entries: set[Entry] = set()  # or below one: not created, or not as the file has it
        self.result = Applied(ids=self._requests.ids)

    def run(self) -> Applied:
        """Send everything; raise AdsctlError where it cannot go on."""
        plan = self._plan
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
                self._refused_entries.add(entry_of(change))
            else:
                ready.append(change)
        if kind.of_several:
            groups = groupby(sorted(ready, key=self._requests.parent_id), key=self._requests.parent_id)
            several = [some for _, group in groups for some in chunks([*group], MAX_CREATED_TOGETHER)]
            requests = [self._requests.creation(*some) for some in several]
            sent = zip(several, requests, strict=True)
            self._at_once(self._send, [[(change, request) for change in some] for some, request in sent])
        else:
            self._send_all([(change, self._requests.creation(change)) for change in ready])
        if not kind.is_named:
            self._find_refused(kind)

    def _find_refused(self, kind: Kind) -> None:
        """Count a refused creation as done if its record is there: some the service creates by itself."""
        refused = [
            change
            for change, _ in self._failed
            if change.kind is kind
            and change.action == "create"
            and kind.only_for.items() <= self._fields_above(change).items()
        ]
        if not (parents := [*dict.fromkeys(map(self._requests.parent_id, refused))]):
            return
        listed = map(to_neutral, AccountReader(self._client, self._account).below(kind.list, parents))
        there = {
            (record["line_item_id"], content_of(kind, record)): record
            for record in listed
            if record.get("deleted") is not True
        }
        created = {
            change: there[identity]
            for change in refused
            if (identity := (self._requests.parent_id(change), content_of(kind, change.values))) in there
        }
        self._failed = [failure for failure in self._failed if failure[0] not in created]
        self._refused_entries.difference_update(map(entry_of, created))
        if created:
            self._acknowledge(self._memory.next_batch(), created)

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

    def _activate(self, updates: Iterable[Change], creations: Iterable[Change]) -> None:
        """Activate what the file wants active, from the bottom up, once all its parts are there."""
        activations = [change for change in (*updates, *creations) if change.values.get(STATUS) == ACTIVE]
        for kind in reversed(KINDS):
            self._send_updates(
                (activation, {STATUS: ACTIVE})
                for activation in activations
                if activation.kind is kind and not self._is_incomplete(entry_of(activation))
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
            below = each_entry([entry_of(change)])[1:]
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
        of_kind: dict[tuple[Kind, bool], list[Sent]] = {}
        for change, values in changes:
            if values:
                sent = change, self._requests.update(change, values)
                of_kind.setdefault((change.kind, None in values.values()), []).append(sent)
        for (_, removes), updates in of_kind.items():
            self._send_all(updates, singly=removes)

    def _delete(self, changes: Iterable[Change]) -> None:
        """Delete records, from the bottom up, but for those whose replacement is not whole."""
        deletions = [
            (deletion, self._requests.deletion(deletion))
            for deletion in changes
            if not (deletion.replaced_by and self._is_incomplete(deletion.replaced_by))
        ]
        for kind in reversed(KINDS):
            self._send_all([sent for sent in deletions if sent[0].kind is kind])

    def _send_all(self, sent: Sequence[Sent], *, singly: bool = False) -> None:
        """Send changes of a kind, each with its request, or many by one where the service takes that."""
        if sent:
            endpoint = sent[0][1].endpoint
            in_batches = not singly and (len(sent) > 1 or endpoint.action == "create")
            size = endpoint.batch.size if endpoint.batch and in_batches else 0
            self._at_once(partial(self._send, is_batch=size > 0), [*chunks(sent, size or 1)])

    def _send(self, sent: Sequence[Sent], *, is_batch: bool = False) -> None:
        """Send changes by one request; what is refused is noted, and the others are applied.

        A creation is noted before it is sent, since a later run has to look for it where the answer is lost.
        All else is repeated by a later run, with the same effect.
        """
        changes, requests = [change for change, _ in sent], [request for _, request in sent]
        endpoint, number = requests[0].endpoint, self._memory.next_batch()
        bodies, creates = [b"" for _ in sent], endpoint.action == "create"
        request, codec = requests[0], OPERATIONS if is_batch else SingleCodec()
        if is_batch:
            request = batch_request(type(request))(account_id=self._account)
            bodies = [encode_operation(operation(request, self._client.names)) for request in requests]
        upload = BatchUpload(request, endpoint.action, endpoint.noun, codec, counts_gone=True)
        created = changes if creates else ()
        marks = [mark.stored for change in created for mark in self._marks(change)]
        keys = ["" if creates else self._requests.id_of(change) for change in changes]
        lines = [(place, change.entry.line if change.entry else 0) for place, change in enumerate(changes)]
        try:
            batch = Batch(number, Items(bodies, keys, requests, marks), lines)
            ack = upload.send(self._client, batch, self._memory.journal if creates else None)
        except AdsctlError as error:
            raise self._stopped(error) from None
        reasons, answers = dict(ack.failed), iter(ack.answer)
        if reasons and not is_batch and len(changes) > 1:
            for change in changes:  # nothing was applied: find out which of them are refused
                self._send([(change, self._requests.creation(change))])
            return
        applied = [change for place, change in enumerate(changes) if place not in reasons]
        with self._lock:
            for place, reason in reasons.items():
                if entry := changes[place].entry:
                    self._refused_entries.add(entry)
                self._failed.append((changes[place], reason))
            self._acknowledge(number, {change: next(answers, None) for change in applied})

    def _acknowledge(self, batch: int, records: Mapping[Change, Any]) -> None:
        """Note what was made of changes. Each counts once, though it may take several requests."""
        ids: dict[Mark, str] = {}
        counts, answer = Counter[str](), []
        for change, record in records.items():
            if change not in self._applied:
                counts[f"{change.action}d"] += 1
            if change.action == "create" and change not in self._applied:
                id = record.get("id") if isinstance(record, dict) else None
                if not isinstance(id, str):
                    raise self._stopped(not_understood("a record of it has no id"))
                self.result.ids[entry_of(change)] = id
                ids |= dict.fromkeys(self._marks(change), id)
                answer.append({"id": id})
            self._note_name(change, record)
        self._memory.acknowledge(Acknowledgement(batch, dict(counts), answer=answer), ids)
        self._applied |= records.keys()
        self._on_progress(len(self._applied))

    def _note_name(self, change: Change, record: Any) -> None:
        """Note as what the service has stored a name, unless it has left it as it was."""
        sent = change.values.get("name")
        answered = to_neutral(record).get("name") if isinstance(record, dict) else None
        before = change.stored.name if change.stored else None
        id = self.result.ids.get(entry_of(change)) if change.entry else None
        if not (id and isinstance(sent, str) and isinstance(answered, str)) or answered == before:
            return
        if as_stored(sent) != as_stored(answered):
            self._memory.note_name(id, sent, answered)
            self.result.renamed.append((sent, answered))

    def _marks(self, change: Change) -> list[Mark]:
        """Return under what a record is noted: its own mark, and that of what it replaces."""
        entry, parent_id = entry_of(change), self._requests.parent_id(change)
        own = attempt_mark(entry, parent_id)
        return [*([own] if own else ()), *([replacement_mark(entry, parent_id)] if change.replaces else ())]

    def _stopped(self, error: AdsctlError) -> AdsctlError:
        error.hint = "; ".join(filter(None, (error.hint if not error.may_be_applied else "", RESUME_HINT)))
        return error
