"""Uploads of people: to a custom audience, or to a do-not-reach list."""

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec

from ..api.endpoint import Request
from ..api.users import UpdateAudienceUsers, UpdateDoNotReachUsers
from ..client.client import Client
from ..client.prepared_request import PreparedRequest
from ..client.retry import backoff
from ..errors import RefusedError, UnavailableError
from ..uploads.upload import FAILED, Acknowledgement, Batch, Upload
from .operation_params import Heads
from .operations import Operations, body_of, users_of
from .packing import Packing
from .rows import KEYS, KNOWN

ACCEPTED = "accepted"


class UserUpload(Upload):
    """Sends operations until every user is in, or known to be refused."""

    noun = "users"
    required = ()
    known = KNOWN
    statuses = (ACCEPTED, FAILED)
    keys: ClassVar[tuple[str, ...]] = KEYS

    def __init__(self, account: str, target: str, heads: Heads, packing: Packing) -> None:
        self.account = account
        self.target = target
        self.heads = heads
        self.packing = packing

    def __str__(self) -> str:
        """Describe how users are packed, too."""
        packing = (*self.heads.default, self.packing.region, self.packing.most_users)
        return f"{type(self).__name__} {self.account} {packing}"

    def extra(self, valid: int) -> dict[str, int]:
        """Count the users that there were to send."""
        return {"users": valid}

    def prepare(self, client: Client, batch: Batch) -> PreparedRequest:
        """Write down the request of a batch."""
        return client.prepare(self.place(), body_of(batch.items))

    def send(self, client: Client, batch: Batch, *, again: bool) -> Acknowledgement:
        """Send a batch; where it is refused for some operations, send the others, and halve those.

        A batch is all or nothing, so that nothing of a refused one was applied.
        """
        ack = Acknowledgement(batch.number, {ACCEPTED: 0, FAILED: 0})
        waiting: list[list[Operations]] = [batch.items]
        while waiting:
            operations = waiting.pop()
            refused = self._deliver(client, operations)
            if not refused:
                ack.counts[ACCEPTED] += users_of(operations)
                continue
            single = [operation for some in operations for operation in some]
            good = [operation for number, operation in enumerate(single) if number not in refused]
            halves: list[Operations] = []
            for number, reason in refused.items():
                operation = single[number]
                if len(operation.rows) == 1:
                    ack.failed.append((operation.rows[0], reason))
                else:
                    halves += _halves(operation)
            waiting += [some for some in (good, halves) if some]
        ack.counts[FAILED] = len(ack.failed)
        return ack

    def _deliver(self, client: Client, operations: list[Operations]) -> dict[int, str]:
        """Send operations until all their users count: give those refused, by number, with the reasons."""
        prepared = client.prepare(self.place(), body_of(operations))
        count, users, attempt = sum(map(len, operations)), users_of(operations), 0
        while True:
            try:
                answer = client.exchange(prepared)
            except RefusedError as error:
                if refused := refusals(error.body, count):
                    return refused
                raise
            attempt += 1
            if refused := refusals(answer.body, count):
                return refused
            if counts_of(answer.neutral_data) == (users, users):
                return {}
            if attempt >= client.max_attempts:
                success, total = counts_of(answer.neutral_data)
                counts = f"{success:,} of {total:,}"
                raise UnavailableError(f"{users:,} users were sent, and the service counts {counts}")
            client.rate_limiter.wait(backoff(attempt))


class AudienceUpload(UserUpload):
    """Users of a custom audience."""

    def place(self) -> Request:
        """Name the audience."""
        return UpdateAudienceUsers(account_id=self.account, custom_audience_id=self.target)


class DoNotReachUpload(UserUpload):
    """Users who are not to be reached: by e-mail and phone number only."""

    keys = ("email", "phone_number")
    known = (*keys, "operation_type", "expires_at")

    def place(self) -> Request:
        """Name the list."""
        return UpdateDoNotReachUsers(account_id=self.account, do_not_reach_list_id=self.target)


def counts_of(data: Any) -> tuple[int, int]:
    """Add up success_count and total_count, of the request or of each operation."""
    entries = data if isinstance(data, list) else [data]
    found = [entry for entry in entries if isinstance(entry, dict)]
    success, total = (
        sum(entry[name] for entry in found if isinstance(entry.get(name), int))
        for name in ("success_count", "total_count")
    )
    return success, total


def refusals(body: Any, operations: int) -> dict[int, str]:
    """Give the reasons for refusing operations, by number; they come flat, or in a list for each."""
    found: dict[int, list[str]] = {}
    entries = body.get("operation_errors") if isinstance(body, dict) else None
    for position, entry in enumerate(entries if isinstance(entries, list) else []):
        for error in entry if isinstance(entry, list) else [entry]:
            if isinstance(error, dict):
                index = position if isinstance(entry, list) else error.get("index", position)
                if isinstance(index, int) and 0 <= index < operations:
                    reason = str(error.get("message") or error.get("code") or "refused")
                    found.setdefault(index, []).append(reason)
    return {index: "; ".join(dict.fromkeys(reasons)) for index, reasons in sorted(found.items())}


def _halves(operation: Operations) -> Iterator[Operations]:
    """Cut an operation in two."""
    body = msgspec.json.decode(operation.body)
    users, middle = body["params"]["users"], len(operation.rows) // 2
    for part in (slice(middle), slice(middle, None)):
        half = msgspec.json.encode(body | {"params": body["params"] | {"users": users[part]}})
        yield Operations.single(half, operation.rows[part])
