"""Batches, and what the journal notes of each."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

FAILED = "failed"


class Batch(NamedTuple):
    """The items of one request, numbered from 0 in the order of the file."""

    number: int
    items: Any  # encoded, as the upload needs them
    places: Sequence[tuple[int, int]] = ()  # record number and line of each item, where they are known

    def values(self, record: int) -> dict[str, Any]:
        """Return the fields that are sent of a row; none of one that is only a key."""
        index = next(index for index, (number, _) in enumerate(self.places) if number == record)
        sent = msgspec.json.decode(self.items.bodies[index])
        return sent if isinstance(sent, dict) else {}


Batches = Generator[Batch, None, None]


class Acknowledgement(msgspec.Struct, array_like=True):
    """What the service answered to one batch: rows by status, and messages by record number.

    A plan that cuts other batches when it is resumed has each name the rows that it is about.
    """

    batch: int
    counts: dict[str, int]
    failed: list[tuple[int, str]] = []
    warned: list[tuple[int, str]] = []
    keys: list[int] = []  # CRC-32 of the key of each row, where the upload notes them
    digest: str = ""  # of what was sent
    records: list[int] = []  # numbers of the rows, where the plan needs them
    deleted: list[str] = []  # keys of what was to be deleted and is in no row, where the plan needs them
    not_deleted: list[tuple[str, str]] = []  # names of those that were refused, with the reasons
    answer: list[Any] = []  # the records that the service made of the rows, where the plan needs them


def answers(acknowledgements: Iterable[Acknowledgement]) -> list[Any]:
    """Return the records that the service made, in the order of their batches; the last of a batch counts."""
    latest = {ack.batch: ack for ack in acknowledgements}
    return [record for _, ack in sorted(latest.items()) for record in ack.answer]


class SentPart(msgspec.Struct, kw_only=True):
    """A file of several that is acknowledged as a whole; numbers continue those of the files before."""

    part: str  # the origin of the file
    version: str  # that its location knows it by
    digest: str  # what only a key tells of the SHA-256 of its bytes; in earlier versions that itself
    first_batch: int
    rows_before: int  # of the files before
    rows: int
    left_out: int
    invalid: int
    batches: int
    failed: int  # rows that the service rejected

    def follows(self, parts: "Sequence[SentPart]") -> bool:
        """Tell whether its numbers continue those of other files: not where a note in between is damaged."""
        last = parts[-1] if parts else None
        begins = (last.first_batch + last.batches, last.rows_before + last.rows) if last else (0, 0)
        return (self.first_batch, self.rows_before) == begins


class Attempt(msgspec.Struct):
    """Whether the service may have applied a request of a batch, which it has not acknowledged."""

    attempted: int  # number of the batch
    may_be_applied: bool
    keys: list[str] = []  # of what the request deletes; digests of the records that it creates


class Planned(msgspec.Struct):
    """Digests of records that a run is to create once, whether they were sent or not."""

    planned: list[str]


Errors = dict[int, list[dict[str, Any]]]  # by the number of the operation


def operation_errors(body: Any, operations: int) -> Errors:
    """Return the errors of refused operations, by number; they come flat, or in a list for each."""
    found: Errors = {}
    entries = body.get("operation_errors") if isinstance(body, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else []):
        for error in entry if isinstance(entry, list) else [entry]:
            if isinstance(error, dict):
                index = position if isinstance(entry, list) else error.get("index", position)
                if isinstance(index, int) and 0 <= index < operations:
                    found.setdefault(index, []).append(error)
    return dict(sorted(found.items()))


def reasons_of(errors: Errors) -> dict[int, str]:
    """Return the reason of each refused operation in a line."""
    return {
        index: "; ".join(
            dict.fromkeys(str(error.get("message") or error.get("code") or "rejected") for error in found)
        )
        for index, found in errors.items()
    }
