"""What one kind of upload adds to the pipeline: its items, its request, and what an answer means."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from ..api.endpoint import Request

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response

FAILED = "failed"


class Outcome(NamedTuple):
    """What became of one row: a status of the upload, the reason where it failed, and a warning."""

    status: str
    error: str = ""
    warning: str = ""
    key: str = ""  # that the service has given it


class Batch(NamedTuple):
    """What goes in one request, numbered from 0 in the order of the file."""

    number: int
    items: Any  # ready to be sent
    places: Sequence[tuple[int, int]] = ()  # number of the record and line of each, where these are known


Batches = Generator[Batch, None, None]


class EncodedRows(msgspec.Struct):
    """Rows that are ready to be sent: what names them, their JSON, and where they stand."""

    uniques: list[str] = []
    bodies: list[bytes] = []
    places: list[tuple[int, int]] = []  # number of the record, and line
    rows: int = 0  # that were read, with those that are not to be sent

    def __len__(self) -> int:
        return len(self.uniques)

    def part(self, begin: int, end: int) -> "EncodedRows":
        """Cut some out."""
        return EncodedRows(self.uniques[begin:end], self.bodies[begin:end], self.places[begin:end])

    def extend(self, others: "EncodedRows") -> None:
        """Put others after these."""
        self.uniques += others.uniques
        self.bodies += others.bodies
        self.places += others.places

    def moved(self, records: int) -> None:
        """Number the rows as records of the file, of which so many come before these."""
        self.places = [(number + records, line) for number, line in self.places]


class Acknowledgement(msgspec.Struct, array_like=True):
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
    def place(self) -> Request:
        """Name where items go."""

    @abstractmethod
    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Write down the request of a batch."""

    @abstractmethod
    def send(self, client: "Client", batch: Batch, *, again: bool) -> Acknowledgement:
        """Send a batch until it is answered; `again` where it may have been applied before."""


class RowUpload(Upload):
    """An upload whose rows are converted one by one, and answered one by one."""

    item: ClassVar[type[msgspec.Struct]]
    unique: ClassVar[str]  # the field that may not repeat in a file
    repeated: ClassVar[str]  # why it may not
    size: ClassVar[int]  # items in a request
    field: ClassVar[str]  # of the request, that holds them
    notes_keys = False  # whether an acknowledgement tells which keys the service gave

    @staticmethod
    @abstractmethod
    def encoded(item: Any) -> bytes:
        """Write an item as the request holds it, in JSON."""

    @abstractmethod
    def outcomes(self, uniques: Sequence[str], answer: "Response", *, again: bool) -> list[Outcome]:
        """Tell what became of each item; `again` where the batch may have been applied before."""

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Write down the request of a batch."""
        begin = f'{{"{self.field}":['.encode()
        return client.prepare(self.place(), [begin, b",".join(batch.items.bodies), b"]}"])

    def send(self, client: "Client", batch: Batch, *, again: bool) -> Acknowledgement:
        """Send a batch until it is answered, and sum the answer up."""
        answer = client.exchange(self.prepare(client, batch))
        outcomes = self.outcomes(batch.items.uniques, answer, again=again or answer.attempts > 1)
        ack = Acknowledgement(batch.number, dict(Counter(outcome.status for outcome in outcomes)))
        for (record, _), outcome in zip(batch.places, outcomes, strict=True):
            if outcome.status == FAILED:
                ack.failed.append((record, outcome.error))
            if outcome.warning:
                ack.warned.append((record, outcome.warning))
        if self.notes_keys:
            from ..products.digest_index import key_of

            ack.keys = [key_of(outcome.key) for outcome in outcomes]
        return ack
