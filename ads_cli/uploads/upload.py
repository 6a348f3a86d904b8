"""Uploads: the requests that batches become, and what their responses mean."""

from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from ..client.response import not_understood
from ..errors import AdsctlError
from .job import Acknowledgement

if TYPE_CHECKING:
    from ..api.endpoint import Request
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response

FAILED = "failed"


class Batch(NamedTuple):
    """The items of one request, numbered from 0 in the order of the file."""

    number: int
    items: Any  # encoded, as the upload needs them
    places: Sequence[tuple[int, int]] = ()  # record number and line of each item, where they are known

    def values(self, record: int) -> dict[str, Any]:
        """Return the fields that are sent of a row whose place is known; none of one that is only a key."""
        index = next(index for index, (number, _) in enumerate(self.places) if number == record)
        sent = msgspec.json.decode(self.items.bodies[index])
        return sent if isinstance(sent, dict) else {}


Batches = Generator[Batch, None, None]


Errors = dict[int, list[dict[str, Any]]]  # by the number of the operation


def operation_errors(body: Any, operations: int) -> Errors:
    """Return the errors of refused operations, by number; they come flat, or in a list for each.

    Raises UnavailableError for an error of an operation that the request does not have.
    """
    errors_by_row: Errors = {}
    entries = body.get("operation_errors") if isinstance(body, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else []):
        for error in entry if isinstance(entry, list) else [entry]:
            if isinstance(error, dict):
                index = position if isinstance(entry, list) else error.get("index", position)
                if type(index) is not int or not 0 <= index < operations:  # True is an int, too
                    raise not_understood(f"it rejects operation {index!r}, counted from 0, of {operations:,}")
                errors_by_row.setdefault(index, []).append(error)
    return dict(sorted(errors_by_row.items()))


def reasons_of(errors: Errors) -> dict[int, str]:
    """Return the reason of each refused operation in a line."""
    return {
        index: "; ".join(
            dict.fromkeys(str(error.get("message") or error.get("code") or "rejected") for error in texts)
        )
        for index, texts in errors.items()
    }


class AttemptLog(Protocol):
    """Knows which batches the service may have applied, though it acknowledged none of them."""

    def may_be_applied(self, batch: int) -> bool:
        """Tell whether an earlier run may have applied a batch."""

    def note_attempt(self, batch: int, keys: list[str]) -> None:
        """Note, on disk before this returns, that a batch may be applied, which deletes `keys`."""

    def withdraw_attempt(self, batch: int) -> None:
        """Note that nothing of a batch was applied."""


class Upload(Protocol):
    """One kind of upload to one target."""

    @property
    def request(self) -> "Request":
        """Return the request without its items."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a row, FAILED last."""

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""

    def digest(self, batch: Batch) -> str:
        """Return the digest of what a batch sends, and of the rows that it comes from."""

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch."""


class RowOutcome(NamedTuple):
    """What became of one row."""

    status: str  # one of the upload's statuses
    error: str = ""  # the reason where it failed
    warning: str = ""
    key: str = ""  # given by the service
    if_repeated: str = ""  # the status where an earlier request may have done the same


# Takes the ids of the rows and the response; raises UnavailableError where it does not understand it.
ReadOutcomes = Callable[[Sequence[str], "Response"], list[RowOutcome]]


@dataclass(frozen=True)
class RowUpload:
    """Uploads encoded rows, each of which has an outcome in the response."""

    request: "Request"  # with an empty list in place of the items
    field: str  # of the request, which holds the items
    statuses: tuple[str, ...]
    read_outcomes: ReadOutcomes
    item_fields: tuple[str, ...] = ()  # by their neutral names
    key_hash: Callable[[str], int] | None = None  # notes the keys of rows in acknowledgements
    notes_attempts: bool = False  # an outcome depends on what an earlier request may have done

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        start = f'{{"{self.field}":['.encode()
        items = client.names.encoded(b",".join(batch.items.bodies), self.item_fields)
        return client.prepare(self.request, [start, items, b"]}"])

    def digest(self, batch: Batch) -> str:
        """Return the digest of the rows and of their record numbers."""
        return digest_of(batch.items.bodies, (record for record, _ in batch.places))

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch and read the outcome of each row."""
        outcomes: list[RowOutcome] = []

        def read(response: "Response") -> None:
            outcomes[:] = self.read_outcomes(batch.items.ids, response)

        prepared = self.prepare(client, batch)
        is_noted = noted(attempts, batch.number, batch.items.ids)
        with is_noted if self.notes_attempts else nullcontext(lambda: None) as on_send:
            response = client.send_untracked(prepared, on_send=on_send, check=read)
        if response.may_be_repeated or attempts.may_be_applied(batch.number):
            outcomes = [
                RowOutcome(row_outcome.if_repeated) if row_outcome.if_repeated else row_outcome
                for row_outcome in outcomes
            ]
        ack = Acknowledgement(batch.number, dict(Counter(outcome.status for outcome in outcomes)))
        for (record, _), outcome in zip(batch.places, outcomes, strict=True):
            if outcome.status == FAILED:
                ack.failed.append((record, outcome.error))
            if outcome.warning:
                ack.warned.append((record, outcome.warning))
        if self.key_hash:
            ack.keys = [self.key_hash(outcome.key) for outcome in outcomes]
        return ack


@contextmanager
def noted(attempts: AttemptLog, batch: int, keys: list[str]) -> Iterator[Callable[[], None]]:
    """Yield what notes an attempt as soon as it is sent; withdraw it where nothing was applied."""
    from ..client.rate_limiter import StoppedError

    try:
        yield lambda: attempts.note_attempt(batch, keys)
    except (AdsctlError, StoppedError) as error:
        if not error.may_be_applied:
            attempts.withdraw_attempt(batch)
        raise


def digest_of(pieces: Iterable[bytes | memoryview], records: Iterable[int]) -> str:
    """Return a digest of the pieces of a body and of record numbers.

    An acknowledgement of an earlier run counts only where this is still the digest of its batch.
    """
    digest = blake2b(array("q", records), digest_size=8)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
