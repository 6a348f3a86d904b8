"""Send batches, which the service applies whole or not at all."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..errors import AdsctlError, NotFoundError, RefusedError, UnavailableError
from ..output.text import listed
from ..uploads.job_file import Acknowledgement
from ..uploads.upload import (
    FAILED,
    AttemptLog,
    Batch,
    Errors,
    digest_of,
    not_understood,
    noted,
    operation_errors,
    reasons_of,
)
from . import Uncertain

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response

DONE = {"create": "created", "update": "updated", "delete": "deleted", "send": "sent"}  # by action
ONCE = ("create", "send")  # what has another effect where it is repeated
UNCERTAIN = "uncertain"  # records of a request whose answer was lost


class Items(NamedTuple):
    """Records as JSON, and the ids of those that exist already."""

    bodies: Sequence[bytes]
    ids: list[str]
    records: Sequence[Any] = ()  # what the bodies are made of

    def __len__(self) -> int:
        return len(self.bodies)


class BatchCodec(NamedTuple):
    """What a request and its response look like."""

    start: bytes  # of the body, before the items
    end: bytes
    errors_in: Callable[[Any, int], Errors]  # those of items in a body, by number
    records_in: Callable[["Response", int], list[Any]]  # made of the items; raises UnavailableError


class UsedIds:
    """The ids of the records that a run has created: no two records have one id."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._lock = threading.Lock()

    def add(self, records: Iterable[Any]) -> None:
        """Take the ids of records that were created earlier."""
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


@dataclass(frozen=True)
class BatchUpload:
    """Sends records until each is acknowledged, or known to be rejected."""

    request: Request  # names where they go
    action: str  # a key of DONE
    noun: str
    wire: BatchCodec
    uncertain: Uncertain | None = None
    used_ids: UsedIds = field(default_factory=UsedIds)

    @property
    def done(self) -> str:
        """Name what has become of an accepted record."""
        return DONE[self.action]

    def counted(self, count: int) -> str:
        """Return the noun with a number: "1 campaign"."""
        return f"{count:,} {self.noun.removesuffix('s') if count == 1 else self.noun}"

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
        return self._prepare(client, batch.items, range(len(batch.items)))

    def _prepare(self, client: "Client", items: Items, numbers: Sequence[int]) -> "PreparedRequest":
        bodies = b",".join(items.bodies[number] for number in numbers)
        return client.prepare(self.request, [self.wire.start, bodies, self.wire.end])

    def _errors_of(self, error: AdsctlError, count: int) -> Errors:
        """Return the errors of items that the service refuses, by number."""
        return self.wire.errors_in(error.body, count)

    def digest(self, batch: Batch) -> str:
        """Return the digest of the items and of their record numbers."""
        return digest_of(batch.items.bodies, (record for record, _ in batch.places))

    def _check_ids(self, records: list[Any], sent: list[str]) -> None:
        """Raise UnavailableError where an answer is that of another request; `sent` are ids of records."""
        if self.creates:
            self.used_ids.require_new(records)
        elif (named := ids_of(records)) and set(named) != set(sent):
            raise not_understood(
                f"it names other records than those that were {self.done}: {listed(named, 3)}"
            )

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch; where some items are rejected, send the others again.

        Nothing of a rejected request was applied.
        """
        ack = Acknowledgement(batch.number, {self.done: 0, FAILED: 0})
        if self.creates:
            ack.records = [record for record, _ in batch.places]
        pending = list(range(len(batch.items)))
        while pending:
            rejected, records = self._send_some(client, batch, pending, attempts)
            if not rejected:
                ack.answer, ack.counts[self.done] = records, len(pending)
                break
            ack.failed += [(batch.places[pending[index]][0], why) for index, why in rejected.items()]
            pending = [item for index, item in enumerate(pending) if index not in rejected]
        ack.failed.sort()
        ack.counts[FAILED] = len(ack.failed)
        return ack

    def _send_some(
        self, client: "Client", batch: Batch, numbers: list[int], attempts: AttemptLog
    ) -> tuple[dict[int, str], list[Any]]:
        """Send some items of a batch; return why some are rejected, or the records of all."""
        prepared, count = self._prepare(client, batch.items, numbers), len(numbers)

        def check(response: "Response") -> None:
            if not self.wire.errors_in(response.body, count):
                self._check_ids(self.wire.records_in(response, count), [batch.items.ids[n] for n in numbers])
            elif self.creates:  # the others may have been created, whatever the service promises
                raise not_understood("it rejects operations, but means success")

        try:
            with noted(attempts, batch.number, batch.items.ids) as on_send:
                response = client.send_untracked(prepared, on_send=on_send, check=check)
        except AdsctlError as error:
            is_uncertain = isinstance(error, UnavailableError) or (self.creates and error.may_be_applied)
            errors = {} if is_uncertain else self._errors_of(error, count)
            if errors:
                may_be_applied = error.may_be_applied or attempts.may_be_applied(batch.number)
                are_gone = len(errors) == count and all(map(_is_not_found, errors.values()))
                if self.action == "delete" and may_be_applied and are_gone:
                    return {}, []  # an earlier request has deleted all of them
                return reasons_of(errors), []
            if self.creates and error.may_be_applied:
                lines = lines_between(batch.places[0], batch.places[-1])
                error.message = f"{lines}: {self.counted(count)} may be {self.done}: {error.message}"
                error.hint = f"look whether they exist before you resume; {how_to_decide(count)}"
            raise
        errors = self.wire.errors_in(response.body, count)
        return (reasons_of(errors), []) if errors else ({}, self.wire.records_in(response, count))


@dataclass(frozen=True)
class SingleUpload(BatchUpload):
    """Sends each record as a request of its own, once it is complete."""

    complete: Callable[[Any], Any] = lambda record: record  # puts in what is known only now

    def _prepare(self, client: "Client", items: Items, numbers: Sequence[int]) -> "PreparedRequest":
        (number,) = numbers
        return client.prepare(self.complete(items.records[number]))

    def _errors_of(self, error: AdsctlError, count: int) -> Errors:
        return {0: [{"message": error.message}]} if isinstance(error, RefusedError | NotFoundError) else {}


def how_to_decide(count: int) -> str:
    """Return the hint about records that may have been created."""
    they = "they do" if count > 1 else "it does"
    return f"add --uncertain skip where {they}, else --uncertain resend"


def lines_between(first: tuple[int, int], last: tuple[int, int]) -> str:
    """Name the lines from one record to another, by their places."""
    return f"line {first[1]}" if first[1] == last[1] else f"lines {first[1]} to {last[1]}"


def _is_not_found(errors: list[dict[str, Any]]) -> bool:
    return any(str(error.get("code", "")).endswith("NOT_FOUND") for error in errors)


def records_in(response: "Response", count: int) -> list[Any]:
    """Return one record for each operation; raise UnavailableError where the answer has others."""
    records = response.data
    if isinstance(records, dict) and count == 1:
        return [records]
    are_records = isinstance(records, list) and all(isinstance(each, dict) for each in records)
    if not are_records or len(records) != count:
        raise not_understood(f"it has no list of {count:,} records")
    return list(records)


OPERATIONS = BatchCodec(b"[", b"]", operation_errors, records_in)
SINGLE = BatchCodec(b"", b"", lambda body, count: {}, records_in)
