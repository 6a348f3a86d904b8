"""Send batches, which the service applies whole or not at all."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..client.response import Response, not_understood
from ..errors import AdsctlError, NotFoundError, RefusedError, UnavailableError
from ..output.text import counted, listed, singular
from . import Uncertain
from .job import FAILED, Acknowledgement
from .lost import how_to_decide, how_to_look_up
from .upload import Batch, Errors, digest_of, operation_errors, reasons_of

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from .journal import Journal

DONE = {"create": "created", "update": "updated", "delete": "deleted", "send": "sent"}  # by action
ONCE = ("create", "send")  # what has another effect where it is repeated
UNCERTAIN = "uncertain"  # records of a request whose answer was lost


class Items(NamedTuple):
    """Records as JSON, and what a journal knows each by: its id, or the digest of one that is created."""

    bodies: Sequence[bytes]
    keys: list[str]
    records: Sequence[Any] = ()  # what the bodies are made of
    marks: Sequence[str] = ()  # by which a run notes all of them, in place of their keys

    def __len__(self) -> int:
        return len(self.bodies)


class BatchCodec(NamedTuple):
    """What a request for many items and its response look like."""

    start: bytes  # of the body, before the items
    end: bytes
    errors_in: Callable[[Any, int], Errors]  # those of items in a body, by number
    records_in: Callable[[Response, int], list[Any]]  # made of the items; raises UnavailableError

    def prepare(
        self, client: "Client", request: Request, items: Items, numbers: Sequence[int]
    ) -> "PreparedRequest":
        """Build the request of some items."""
        bodies = b",".join(items.bodies[number] for number in numbers)
        return client.prepare(request, [self.start, bodies, self.end])

    def errors_of(self, error: AdsctlError, count: int) -> Errors:
        """Return the errors of items that the service refuses, by number."""
        return self.errors_in(error.body, count)


class SingleCodec(NamedTuple):
    """A plain request, which is refused whole."""

    complete: Callable[[Any], Any] = lambda record: record  # puts in what is known only now

    def prepare(
        self, client: "Client", request: Request, items: Items, numbers: Sequence[int]
    ) -> "PreparedRequest":
        """Build the request of the first item."""
        return client.prepare(self.complete(items.records[numbers[0]]))

    def errors_of(self, error: AdsctlError, count: int) -> Errors:
        """Return the refusal as that of each item."""
        if not isinstance(error, RefusedError | NotFoundError):
            return {}
        code = "NOT_FOUND" if isinstance(error, NotFoundError) else ""
        return {number: [{"code": code, "message": error.message}] for number in range(count)}

    def errors_in(self, body: Any, count: int) -> Errors:
        """Return nothing: a success has no errors."""
        return {}

    def records_in(self, response: Response, count: int) -> list[Any]:
        """Return one record for each item."""
        return records_in(response, count)


class UsedIds:
    """The ids of the records that a run has created: no two records have one id."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._lock = threading.Lock()

    def add(self, records: Iterable[Any]) -> None:
        """Take the ids of records that were created earlier."""
        with self._lock:
            self._ids.update(ids_of(records))

    def require_new(self, records: Iterable[Any]) -> None:
        """Add the ids of an answer; raise UnavailableError where one is known."""
        with self._lock:
            ids = ids_of(records)
            known = [id for id, count in Counter(ids).items() if count > 1 or id in self._ids]
            if known:
                raise not_understood(f"it names records that were created before: {listed(known, 3)}")
            self._ids.update(ids)


def ids_of(records: Iterable[Any]) -> list[str]:
    """Return the ids of records that have one."""
    return [str(record["id"]) for record in records if isinstance(record, dict) and record.get("id")]


class Answer(NamedTuple):
    """What became of items: all were applied, or nothing was, since some are rejected."""

    records: list[Any] = []  # made of the items
    rejected: dict[int, str] = {}  # reasons by number
    gone: frozenset[int] = frozenset()  # numbers of what was to be deleted and does not exist


@dataclass(frozen=True)
class BatchUpload:
    """Sends records until each is acknowledged, or known to be rejected.

    A request is applied whole or not at all. What is sent once (`creates`) is not sent again where it may
    have been applied; else a request is repeated, since that has the same effect.
    """

    request: Request  # names where they go
    action: str  # a key of DONE
    noun: str
    codec: BatchCodec | SingleCodec
    uncertain: Uncertain | None = None
    used_ids: UsedIds = field(default_factory=UsedIds)
    counts_gone: bool = False  # whether what was to be deleted and does not exist counts as deleted
    is_only: bool = False  # whether there is one item alone: that it is refused is raised, and not counted
    is_listed: bool = False  # whether a list tells what a lost answer has created
    responses: list[Response] = field(default_factory=list)  # about the only item
    # Says, right before records are sent, why some are left out: reasons by their numbers.
    left_out: Callable[[Sequence[Any]], Mapping[int, str]] = lambda records: {}

    @property
    def done(self) -> str:
        """Name what has become of an accepted record."""
        return DONE[self.action]

    def counted(self, count: int) -> str:
        """Return the noun with a number: "1 campaign"."""
        return counted(count, singular(self.noun), self.noun)

    def how_to_decide(self, count: int) -> str:
        """Return the hint about records that may have been sent, and that no list tells of for certain."""
        return how_to_decide(count, is_shown=self.action == "create")

    @property
    def creates(self) -> bool:
        """Whether sending a record again would have another effect."""
        return self.action in ONCE

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a record."""
        return (self.done, UNCERTAIN, FAILED) if self.creates else (self.done, FAILED)

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        return self.codec.prepare(client, self.request, batch.items, range(len(batch.items)))

    def digest(self, batch: Batch) -> str:
        """Return the digest of the items and of their record numbers."""
        return digest_of(batch.items.bodies, (record for record, _ in batch.places))

    def send(self, client: "Client", batch: Batch, journal: "Journal | None" = None) -> Acknowledgement:
        """Send a batch; where some items are rejected, send the others again.

        Nothing of a rejected request was applied. Without a `journal`, the run is never resumed.
        """
        ack = Acknowledgement(batch.number, {self.done: 0, FAILED: 0})
        if self.creates:
            ack.records, ack.contents = [record for record, _ in batch.places], batch.items.keys
        left_out = self.left_out(batch.items.records)
        ack.failed = [(batch.places[number][0], why) for number, why in left_out.items()]
        pending = [number for number in range(len(batch.items)) if number not in left_out]
        while pending:
            answer = self._send_some(client, batch, pending, journal)
            if not (answer.rejected or answer.gone):
                ack.answer = answer.records
                ack.counts[self.done] += len(pending)
                break
            ack.counts[self.done] += len(answer.gone)
            ack.failed += [(batch.places[pending[index]][0], why) for index, why in answer.rejected.items()]
            pending = [
                item
                for index, item in enumerate(pending)
                if index not in answer.rejected and index not in answer.gone
            ]
        ack.failed.sort()
        ack.counts[FAILED] = len(ack.failed)
        return ack

    def _send_some(
        self, client: "Client", batch: Batch, numbers: list[int], journal: "Journal | None"
    ) -> Answer:
        """Send some items of a batch until it is known what became of them, or raise."""
        keys = [batch.items.keys[number] for number in numbers]
        prepared = self.codec.prepare(client, self.request, batch.items, numbers)

        def check(response: Response) -> None:
            self._require_own(self._read(response, len(keys)), keys)

        try:
            is_noted = journal.attempt(batch.number, [*batch.items.marks] or keys) if journal else None
            with is_noted or nullcontext(lambda: None) as on_send:
                response = client.send_untracked(prepared, on_send=on_send, check=check)
        except AdsctlError as error:
            if errors := self._rejections(error, len(keys)):
                is_resumed = journal is not None and batch.number in journal.attempts
                may_be_applied = error.may_be_applied or is_resumed
                gone = frozenset[int]()
                if self.action == "delete":
                    gone = frozenset(number for number, reasons in errors.items() if _is_not_found(reasons))
                if may_be_applied and len(gone) == len(keys):
                    # An earlier request has deleted all of them.
                    return Answer([{"id": key, "deleted": True} for key in keys])
                if not self.counts_gone:
                    return Answer(rejected=reasons_of(errors))
                rejected = {number: reasons for number, reasons in errors.items() if number not in gone}
                return Answer(rejected=reasons_of(rejected), gone=gone)
            if self.creates and error.may_be_applied:
                lines, count = lines_between(batch.places[0], batch.places[-1]), len(keys)
                error.message = f"{lines}: {self.counted(count)} may be {self.done}: {error.message}"
                error.hint = how_to_look_up(count) if self.is_listed else self.how_to_decide(count)
            raise
        if self.is_only:
            self.responses.append(response)
        return self._read(response, len(keys))

    def _read(self, response: Response, count: int) -> Answer:
        """Return what a success means; raise UnavailableError where that is not understood."""
        if errors := self.codec.errors_in(response.body, count):
            return Answer(rejected=reasons_of(errors))
        return Answer(self.codec.records_in(response, count))

    def _require_own(self, answer: Answer, keys: list[str]) -> None:
        """Raise UnavailableError for an answer that may be another request's; note the ids of new records."""
        if not answer.rejected and self.creates:
            self.used_ids.require_new(answer.records)
        elif self.creates:  # the others may have been created, whatever the service promises
            raise not_understood("it rejects operations, but means success")
        elif (named := ids_of(answer.records)) and set(named) != set(keys):
            raise not_understood(
                f"it names other records than those that were {self.done}: {listed(named, 3)}"
            )

    def _rejections(self, error: AdsctlError, count: int) -> Errors:
        """Return the errors of items, where it is certain that nothing was applied; none otherwise."""
        if self.is_only or isinstance(error, UnavailableError) or (self.creates and error.may_be_applied):
            return {}
        return self.codec.errors_of(error, count)


def lines_between(first: tuple[int, int], last: tuple[int, int]) -> str:
    """Name the lines from one record to another, by their places."""
    return f"line {first[1]}" if first[1] == last[1] else f"lines {first[1]} to {last[1]}"


def _is_not_found(errors: list[dict[str, Any]]) -> bool:
    return any(str(error.get("code", "")).endswith("NOT_FOUND") for error in errors)


def records_in(response: Response, count: int) -> list[Any]:
    """Return one record for each operation; raise UnavailableError where the answer has others."""
    records = response.data
    if isinstance(records, dict) and count == 1:
        return [records]
    are_records = isinstance(records, list) and all(isinstance(record, dict) for record in records)
    if not are_records or len(records) != count:
        raise not_understood(f"it has no list of {count:,} records")
    return list(records)


OPERATIONS = BatchCodec(b"[", b"]", operation_errors, records_in)
