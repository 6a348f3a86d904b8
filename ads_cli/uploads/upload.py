"""Uploads: the requests that batches become, and what their responses mean."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..api.endpoint import Request
from .batch import FAILED, Acknowledgement, Batch

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response


class Upload(Protocol):
    """One kind of upload to one place."""

    @property
    def request(self) -> Request:
        """Return the request without its items."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a row, FAILED last."""

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""

    def send(self, client: "Client", batch: Batch, *, resumed: bool) -> Acknowledgement:
        """Send a batch; `resumed` where an earlier run may have sent it."""


class Outcome(NamedTuple):
    """What became of one row."""

    status: str  # one of the upload's statuses
    error: str = ""  # the reason where it failed
    warning: str = ""
    key: str = ""  # given by the service


# Takes the ids of the rows, the response, and whether an earlier try may have been applied.
ReadOutcomes = Callable[[Sequence[str], "Response", bool], list[Outcome]]


@dataclass(frozen=True)
class RowUpload:
    """Uploads encoded rows, each of which has an outcome in the response."""

    request: Request  # with an empty list in place of the items
    field: str  # of the request, which holds the items
    statuses: tuple[str, ...]
    read_outcomes: ReadOutcomes
    key_hash: Callable[[str], int] | None = None  # notes the keys of rows in acknowledgements

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        start = f'{{"{self.field}":['.encode()
        return client.prepare(self.request, [start, b",".join(batch.items.bodies), b"]}"])

    def send(self, client: "Client", batch: Batch, *, resumed: bool) -> Acknowledgement:
        """Send a batch and read the outcome of each row."""
        response = client.exchange(self.prepare(client, batch), notify=False)
        outcomes = self.read_outcomes(batch.items.ids, response, resumed or response.attempts > 1)
        ack = Acknowledgement(batch.number, dict(Counter(outcome.status for outcome in outcomes)))
        for (record, _), outcome in zip(batch.places, outcomes, strict=True):
            if outcome.status == FAILED:
                ack.failed.append((record, outcome.error))
            if outcome.warning:
                ack.warned.append((record, outcome.warning))
        if self.key_hash:
            ack.keys = [self.key_hash(outcome.key) for outcome in outcomes]
        return ack
