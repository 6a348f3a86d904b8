"""What one kind of upload adds to the pipeline: its items, its request, and what an answer means."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from ..api.endpoint import Request
from ..client import Client
from ..client.answer import Answer
from ..client.outgoing import Outgoing
from .packed import key_of
from .read import Row

FAILED = "failed"


class Outcome(NamedTuple):
    """What became of one row: a status of the upload, the reason where it failed, and a warning."""

    status: str
    error: str = ""
    warning: str = ""
    key: str = ""  # that the service has given it


class Batch(NamedTuple):
    """The rows of one request, numbered from 0 in the order of the file."""

    number: int
    rows: list[Row]  # empty where rows are told of at the end
    items: Any  # the converted rows, or where they are kept


Batches = Generator[Batch, None, None]


class Ack(msgspec.Struct, array_like=True):
    """What the service said of one batch: how many rows per status, and what of records by number."""

    batch: int
    counts: dict[str, int]
    failed: list[tuple[int, str]] = []
    warned: list[tuple[int, str]] = []
    keys: list[int] = []  # of each row, in four bytes, where they are noted


class Upload(ABC):
    """One kind of upload."""

    noun: ClassVar[str]  # "products": in messages
    required: ClassVar[tuple[str, ...]]  # the columns that a file must have
    known: ClassVar[tuple[str, ...]]  # the columns that a file may have; others earn a warning
    statuses: ClassVar[tuple[str, ...]]  # what can become of a row, FAILED last
    consequence: ClassVar[str] = ""  # what is confirmed before it is sent; takes {rows} and {target}
    target: str  # where the items go

    def __str__(self) -> str:
        """Describe everything beside rows and target that decides which requests are sent."""
        return type(self).__name__

    def extra(self, valid: int) -> dict[str, int]:
        """Count more for the summary."""
        return {}

    @abstractmethod
    def prepare(self, client: Client, batch: Batch) -> Outgoing:
        """Write down the request of a batch."""

    @abstractmethod
    def send(self, client: Client, batch: Batch, *, again: bool) -> Ack:
        """Send a batch until it is answered; `again` where it may have been applied before."""


class RowUpload(Upload):
    """An upload whose rows are converted one by one, and answered one by one."""

    item: ClassVar[type[msgspec.Struct]]
    unique: ClassVar[str]  # the field that may not repeat in a file
    repeated: ClassVar[str]  # why it may not
    size: ClassVar[int]  # items in a request
    notes_keys = False  # whether an acknowledgement tells which keys the service gave

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
        """Send a batch until it is answered, and sum the answer up."""
        answer = client.call(self.request(batch.items))
        outcomes = self.outcomes(batch.items, answer, again=again or answer.attempts > 1)
        ack = Ack(batch.number, {})
        for row, outcome in zip(batch.rows, outcomes, strict=True):
            ack.counts[outcome.status] = ack.counts.get(outcome.status, 0) + 1
            if outcome.status == FAILED:
                ack.failed.append((row.record, outcome.error))
            if outcome.warning:
                ack.warned.append((row.record, outcome.warning))
        if self.notes_keys:
            ack.keys = [key_of(outcome.key) for outcome in outcomes]
        return ack
