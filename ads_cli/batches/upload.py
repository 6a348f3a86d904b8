"""Send batches of operations, which the service applies all together or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..api.endpoint import Request
from ..errors import AdsctlError, UnavailableError
from ..uploads.batch import FAILED, Acknowledgement, Batch
from ..uploads.operation_errors import operation_errors, reasons_of
from ..uploads.upload import AttemptLog, digest_of, noted

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response

DONE = {"create": "created", "update": "updated", "delete": "deleted"}  # by what is done to a record
UNCERTAIN = "uncertain"  # records of a request whose answer was lost
Uncertain = Literal["skip", "resend"]  # what is done with them


class Operations(NamedTuple):
    """Operations as JSON, and the ids of the records that they delete."""

    bodies: Sequence[bytes]
    ids: list[str]

    def __len__(self) -> int:
        return len(self.bodies)


@dataclass(frozen=True)
class BatchUpload:
    """Sends operations of one kind until each is acknowledged, or known to be rejected."""

    request: Request  # names where they go
    action: str  # "create", "update" or "delete"
    noun: str
    uncertain: Uncertain | None = None

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a record."""
        may_be_uncertain = (UNCERTAIN,) if self.creates else ()
        return (DONE[self.action], *may_be_uncertain, FAILED)

    @property
    def creates(self) -> bool:
        """Whether sending an operation again would make a second record."""
        return self.action == "create"

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        return self._prepare(client, batch.items.bodies)

    def _prepare(self, client: "Client", bodies: Sequence[bytes]) -> "PreparedRequest":
        return client.prepare(self.request, [b"[", b",".join(bodies), b"]"])

    def digest(self, batch: Batch) -> str:
        """Return the digest of the operations and of their record numbers."""
        return digest_of(batch.items.bodies, (record for record, _ in batch.places))

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch; where some operations are rejected, send the others again.

        Nothing of a rejected request was applied.
        """
        done = DONE[self.action]
        ack = Acknowledgement(batch.number, dict.fromkeys((done, FAILED), 0))
        if self.creates and self.uncertain == "skip" and attempts.may_be_applied(batch.number):
            ack.counts[UNCERTAIN] = len(batch.items)
            return ack
        pending = list(range(len(batch.items)))
        while pending:
            rejected, records = self._send_some(client, batch, pending, attempts)
            if not rejected:
                ack.answer = records
                ack.counts[done] = len(pending)
            ack.failed += [(batch.places[pending[index]][0], why) for index, why in rejected.items()]
            pending = (
                [item for index, item in enumerate(pending) if index not in rejected] if rejected else []
            )
        ack.failed.sort()
        ack.counts[FAILED] = len(ack.failed)
        return ack

    def _send_some(
        self, client: "Client", batch: Batch, numbers: list[int], attempts: AttemptLog
    ) -> tuple[dict[int, str], list[Any]]:
        """Send some operations of a batch; return why some are rejected, or the records of all."""
        prepared = self._prepare(client, [batch.items.bodies[number] for number in numbers])

        def check(response: "Response") -> None:
            if not operation_errors(response.body, len(numbers)):
                self._records(response, len(numbers))

        try:
            with noted(attempts, batch) as on_send:
                response = client.upload(prepared, on_send=on_send, check=check)
        except AdsctlError as error:
            if not isinstance(error, UnavailableError) and (
                errors := operation_errors(error.body, len(numbers))
            ):
                may_be_applied = error.may_be_applied or attempts.may_be_applied(batch.number)
                return self._rejected(errors, numbers, may_be_applied=may_be_applied)
            if self.creates and error.may_be_applied:
                self._describe_uncertain(error, batch, len(numbers))
            raise
        errors = operation_errors(response.body, len(numbers))
        return (reasons_of(errors), []) if errors else ({}, self._records(response, len(numbers)))

    def _records(self, response: "Response", count: int) -> list[Any]:
        """Return one record for each operation; raise UnavailableError where the answer has others."""
        records = response.data
        if isinstance(records, dict) and count == 1:
            records = [records]
        if not isinstance(records, list) or len(records) != count:
            raise UnavailableError(
                f"the response of the service is not understood: it has no list of {count:,} {self.noun}"
            )
        return records

    def _rejected(
        self, errors: dict[int, list[dict[str, Any]]], numbers: list[int], *, may_be_applied: bool
    ) -> tuple[dict[int, str], list[Any]]:
        """Return why operations are rejected; records that an earlier request has deleted are deleted."""
        are_gone = all(_is_not_found(found) for found in errors.values())
        if self.action == "delete" and may_be_applied and are_gone and len(errors) == len(numbers):
            return {}, []
        return reasons_of(errors), []

    def _describe_uncertain(self, error: AdsctlError, batch: Batch, count: int) -> None:
        lines = lines_of(batch)
        error.message = f"{lines}: {count:,} {self.noun} may have been created: {error.message}"
        error.hint = f"look whether they exist before you resume; {how_to_decide(count)}"


def how_to_decide(count: int) -> str:
    """Return the hint about records that may have been created."""
    they = "they exist" if count > 1 else "it exists"
    return f"add --uncertain skip where {they}, else --uncertain resend"


def lines_of(batch: Batch) -> str:
    """Name the lines of a batch."""
    first, last = batch.places[0][1], batch.places[-1][1]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _is_not_found(errors: list[dict[str, Any]]) -> bool:
    return any(str(error.get("code", "")).endswith("NOT_FOUND") for error in errors)
