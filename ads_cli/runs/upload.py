"""Uploads: the requests that batches become, and what their responses mean."""

from array import array
from collections.abc import Generator, Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from ..client.response import not_understood
from .job import Acknowledgement

if TYPE_CHECKING:
    from ..api.endpoint import Request
    from ..client.client import Client
    from .journal import Journal


class Batch(NamedTuple):
    """The items of one request, numbered from 0 in the order of the file."""

    number: int
    items: Any  # encoded, as the upload needs them
    places: Sequence[tuple[int, int]] = ()  # record number and line of each item, where they are known
    upload: "Upload | None" = None  # that sends it, in place of that of the plan

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


class Upload(Protocol):
    """One kind of upload to one target."""

    @property
    def request(self) -> "Request":
        """Return the request without its items."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a row, FAILED last."""

    def digest(self, batch: Batch) -> str:
        """Return the digest of what a batch sends, and of the rows that it comes from."""

    def send(self, client: "Client", batch: Batch, journal: "Journal") -> Acknowledgement:
        """Send a batch."""


def digest_of(pieces: Iterable[bytes | memoryview], records: Iterable[int]) -> str:
    """Return a digest of the pieces of a body and of record numbers.

    An acknowledgement of an earlier run counts only where this is still the digest of its batch.
    """
    digest = blake2b(array("q", records), digest_size=8)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
