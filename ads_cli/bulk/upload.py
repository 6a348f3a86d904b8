"""What one kind of upload adds to the pipeline: its items, its request, and what an answer means."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from ..api.endpoint import Request
from ..client import Client
from ..client.answer import Answer
from ..client.outgoing import Outgoing
from .read import Row

FAILED = "failed"


class Outcome(NamedTuple):
    """What became of one row: a status of the upload, the reason where it failed, and a warning."""

    status: str
    error: str = ""
    warning: str = ""


class Batch(NamedTuple):
    """The rows of one request, numbered from 0 in the order of the file."""

    number: int
    rows: list[Row]
    items: list[msgspec.Struct]


Batches = Generator[Batch, None, None]


class Ack(msgspec.Struct, array_like=True):
    """What the service said of one batch: how many rows per status, and what of records by number."""

    batch: int
    counts: dict[str, int]
    failed: list[tuple[int, str]] = []
    warned: list[tuple[int, str]] = []


class Upload(ABC):
    """One kind of upload."""

    noun: ClassVar[str]  # "products": in messages, and the only key of a document that is a mapping
    item: ClassVar[type[msgspec.Struct]]
    unique: ClassVar[str]  # the field that may not repeat in a file
    repeated: ClassVar[str]  # why it may not
    required: ClassVar[tuple[str, ...]]  # the columns that a file must have
    known: ClassVar[tuple[str, ...]]  # the columns that a file may have; others earn a warning
    size: ClassVar[int]  # items in a request
    statuses: ClassVar[tuple[str, ...]]  # what can become of a row, FAILED last
    consequence: ClassVar[str] = ""  # what is confirmed before it is sent; takes {rows} and {target}
    target: str  # where the items go

    @abstractmethod
    def request(self, items: Sequence[msgspec.Struct]) -> Request:
        """Make the request of a batch."""

    @abstractmethod
    def outcomes(self, items: Sequence[Any], answer: Answer, *, again: bool) -> list[Outcome]:
        """Tell what became of each item; `again` where the batch may have been applied before."""

    def prepare(self, client: Client, batch: Batch) -> Outgoing:
        """Write down the request of a batch."""
        return client.prepare(self.request(batch.items))

    def send(self, client: Client, batch: Batch, *, again: bool) -> Ack:
        """Send a batch until there is an answer, and sum it up."""
        answer = client.call(self.request(batch.items))
        return self.acknowledge(batch, answer, again=again or answer.attempts > 1)

    def acknowledge(self, batch: Batch, answer: Answer, *, again: bool) -> Ack:
        """Sum an answer up."""
        ack = Ack(batch.number, {})
        for row, outcome in zip(batch.rows, self.outcomes(batch.items, answer, again=again), strict=True):
            ack.counts[outcome.status] = ack.counts.get(outcome.status, 0) + 1
            if outcome.status == FAILED:
                ack.failed.append((row.record, outcome.error))
            if outcome.warning:
                ack.warned.append((row.record, outcome.warning))
        return ack
