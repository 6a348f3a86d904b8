"""Uploads of users: to a custom audience, or to a do-not-reach list."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.endpoint import Request
from ..api.users import UpdateAudienceUsers, UpdateDoNotReachUsers
from ..client.response import Response
from ..errors import RefusedError, UnavailableError
from ..people_masking import PeopleMask, people_in
from ..runs.job import FAILED, Acknowledgement
from ..runs.journal import Journal
from ..runs.upload import Batch, digest_of, operation_errors, reasons_of
from .identifiers import IDENTIFIERS
from .ledger import Ledger, LedgerRun
from .operations import Operations, body_pieces, count_users, operations_of, split_requests

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest

ACCEPTED = "accepted"


@dataclass(frozen=True)
class UserUpload:
    """Sends operations until every user is accepted, or known to be rejected."""

    request: Request  # names the list that the users go to
    kind: str  # of that list
    target: str  # its id
    identifiers: tuple[str, ...] = IDENTIFIERS  # that the endpoint takes
    is_exclusion: bool = False  # of people who must not be reached

    def prepare(self, client: "Client", sent: list[Operations]) -> "PreparedRequest":
        """Build the request of operations."""
        encoded = client.names.encoded
        return client.prepare(self.request, [encoded(piece, self.identifiers) for piece in body_pieces(sent)])

    def digest(self, batch: Batch) -> str:
        """Return the digest of the operations and of the record numbers of their users."""
        records = (record for operations in batch.items for record in operations.rows)
        return digest_of(body_pieces(batch.items), records)

    def send(self, client: "Client", batch: Batch) -> Acknowledgement:
        """Send a batch. If some operations are rejected, send the others, and halves of those rejected."""
        ack = Acknowledgement(batch.number, {ACCEPTED: 0, FAILED: 0})
        pending: list[list[Operations]] = [batch.items]  # the next one at the end
        while pending:
            sent = pending.pop()
            # The service applies a request as a whole, so nothing of a rejected one was applied.
            rejected = self._send_request(client, sent)
            if not rejected:
                ack.counts[ACCEPTED] += count_users(sent)
                continue
            others, halves, in_order = list[Operations](), list[Operations](), list[Operations]()
            for number, operation in enumerate(chain.from_iterable(sent)):
                if number not in rejected:
                    others.append(operation)
                    in_order.append(operation)
                elif len(operation.rows) == 1:
                    ack.failed.append((operation.rows[0], rejected[number]))
                else:
                    both = [*_halve(operation)]
                    halves += both
                    in_order += both
            # Where a request both removes and adds, operations keep their order: a removal may take somebody
            # along who is added after it.
            is_mixed = len({operation.operation_type for own in sent for operation in operations_of(own)}) > 1
            groups = [in_order] if is_mixed else [others, halves]
            pending += reversed([request for group in groups for request in split_requests(group)])
        ack.counts[FAILED] = len(ack.failed)
        return ack

    def _send_request(self, client: "Client", sent: list[Operations]) -> dict[int, str]:
        """Send operations until all users are counted; return the rejected ones with the reasons."""
        operation_count, users = sum(map(len, sent)), count_users(sent)

        def rejected(body: Any) -> dict[int, str]:
            reasons = reasons_of(operation_errors(body, operation_count))
            people = people_in(msgspec.json.decode(b"".join(body_pieces(sent)))) if reasons else ()
            mask = PeopleMask(people)
            return {number: mask(reason) for number, reason in reasons.items()}

        def check(response: Response) -> None:
            success, total = user_counts(response.data)
            are_all_counted = success == total == users
            if are_all_counted == bool(rejected(response.body)):  # either all count, or some are rejected
                counts = f"{success:,} of {total:,}"
                raise UnavailableError(f"{users:,} users were sent, and the service counts {counts}")

        try:
            response = client.send_untracked(self.prepare(client, sent), check=check)
        except RefusedError as error:
            if reasons := rejected(error.body):
                return reasons
            raise
        return rejected(response.body)


def audience_upload(account: str, audience: str) -> UserUpload:
    """Return the upload to a custom audience."""
    request = UpdateAudienceUsers(account_id=account, custom_audience_id=audience)
    return UserUpload(request, "custom_audience", audience)


def do_not_reach_upload(account: str, list_id: str) -> UserUpload:
    """Return the upload to a do-not-reach list, which takes e-mail addresses and phone numbers only."""
    request = UpdateDoNotReachUsers(account_id=account, do_not_reach_list_id=list_id)
    return UserUpload(request, "do_not_reach_list", list_id, ("email", "phone_number"), is_exclusion=True)


def user_counts(data: Any) -> tuple[int, int]:
    """Add up success_count and total_count, of the request or of each operation."""
    entries = data if isinstance(data, list) else [data]
    objects = [entry for entry in entries if isinstance(entry, dict)]
    success, total = (
        sum(entry[name] for entry in objects if type(entry.get(name)) is int)
        for name in ("success_count", "total_count")
    )
    return success, total


def _halve(operation: Operations) -> Iterator[Operations]:
    """Split the users of an operation between two."""
    body = msgspec.json.decode(operation.body)
    users, middle = body["params"]["users"], len(operation.rows) // 2
    for part in (slice(middle), slice(middle, None)):
        half = msgspec.json.encode(body | {"params": body["params"] | {"users": users[part]}})
        yield Operations.single(half, operation.rows[part])


class ListMemory:
    """The ledger of a list, kept true while a run changes it."""

    def __init__(self) -> None:
        self.sends_all = False  # everybody who is on the list after the run
        self._run: LedgerRun | None = None

    @property
    def run(self) -> LedgerRun:
        """Return what the run notes; only after it has begun."""
        assert self._run
        return self._run

    def begin(self, journal: Journal) -> None:
        """Begin a run."""
        job = journal.job
        ledger = Ledger(journal.state_dir, job.key.target)
        self._run = ledger.begin(job.key.digest, journal.previous_epoch, job.epoch)

    def finish(self, journal: Journal) -> str:
        """Merge what was noted into the ledger. Return a warning if the ledger was lost, or ""."""
        lost = self.run.end(sent_all=self.sends_all)
        return f"{lost}: whom this list had before is not known any more" if lost else ""


Outcome = Callable[[Batch, Acknowledgement], None]  # says in an acknowledgement what became of people


class ListUpload:
    """Sends the people of a list; its memory has whom before, and who was acknowledged after it."""

    def __init__(
        self,
        users: UserUpload,
        memory: ListMemory,
        statuses: tuple[str, ...] = (ACCEPTED, FAILED),
        outcome: Outcome = lambda batch, ack: None,
    ) -> None:
        self.users, self.memory = users, memory
        self.statuses = statuses  # what can become of a user
        self.request = users.request
        self._outcome = outcome

    def digest(self, batch: Batch) -> str:
        """Return a digest of what a batch sends, under the key of the ledger: it may be one person."""
        return self.memory.run.sealer.sealed(self.users.digest(batch))

    def send(self, client: "Client", batch: Batch, journal: Journal) -> Acknowledgement:
        """Send a batch; the ledger has it before and after."""
        run = self.memory.run
        run.note_sent(batch.number, batch.items)
        ack = self.users.send(client, batch)
        run.note_acknowledged(batch.number, batch.items, {record for record, _ in ack.failed})
        self._outcome(batch, ack)
        return ack
