"""The plan of a sync: the removals and additions that make a list in the account equal to its file."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, groupby
from typing import TYPE_CHECKING

import msgspec

from ..parallel import batched
from ..uploads.job import Acknowledgement, JobKey
from ..uploads.journal import Journal
from ..uploads.plan import OnAcknowledged
from ..uploads.upload import FAILED, AttemptLog, Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from .comparison import CREATED, DELETED, UPDATED, ListComparison, ListDifferences, Person, User
from .operations import OPERATION_TYPES, OperationParams, Operations, split_requests
from .packing import Users, fill_operations
from .plan import AudiencePlan, ListPlan, ListReport, ListSettings
from .upload import RecordedUpload

if TYPE_CHECKING:
    from ..client.client import Client
    from .ledger import Ledger

SYNC = "sync"
PACKED_AT_ONCE = 10_000  # people
STATUSES = (CREATED, UPDATED, DELETED, FAILED)


class SyncItems(list[Operations]):
    """The operations of a batch, with what is done with the person of each record."""

    def __init__(self, operations: Iterable[Operations], statuses: dict[int, str]) -> None:
        super().__init__(operations)
        self.statuses = statuses


class ListSyncUpload(RecordedUpload):
    """Sends removals and additions, and counts what became of people."""

    statuses = STATUSES

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch; name no person who was not deleted."""
        ack = super().send(client, batch, attempts)
        rejected, statuses = dict(ack.failed), batch.items.statuses
        counts = Counter(status for record, status in statuses.items() if record not in rejected)
        ack.counts = {name: counts[name] for name in STATUSES} | {FAILED: len(rejected)}
        ack.failed = [(record, reason) for record, reason in ack.failed if statuses[record] != DELETED]
        ack.not_deleted = [
            (NOBODY_NAMED, reason) for record, reason in rejected.items() if statuses[record] == DELETED
        ]
        return ack


NOBODY_NAMED = "somebody who is in no row"


class ListSyncPlan(ListPlan):
    """Add who is new in the file, and delete who is no longer in it. Each run compares again."""

    upload: ListSyncUpload
    depends_on_time = False

    def __init__(
        self,
        plan: AudiencePlan,
        settings: ListSettings,
        ledger: "Ledger",
        *,
        prune: bool,
        expected_epoch: str | None,
    ) -> None:
        super().__init__(plan.rows, settings)
        self.upload = ListSyncUpload(settings.upload)
        self.expected_epoch = expected_epoch  # the write epoch of the list before it was compared
        self.started = plan.started
        self.prune = prune
        self._plan = plan
        self._ledger = ledger
        self._last: ListComparison | None = None  # of the last reading
        self._differences: ListDifferences | None = None
        self._earlier = 0  # people whom earlier runs of the job have sent

    @property
    def report(self) -> ListReport:
        """Return the report of the last validation."""
        return self._plan.report

    @property
    def differences(self) -> ListDifferences:
        """Return what differs; only after it was compared."""
        assert self._differences
        return self._differences

    @property
    def _comparison(self) -> ListComparison:
        """Return the comparison of the last reading; only after there was one."""
        assert self._last
        return self._last

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        self._last = ListComparison(self._ledger)
        return self._plan.validate(on_progress, self._last)

    def compare(self) -> ListDifferences:
        """Compare the validated file with the ledger."""
        self._differences = self._comparison.compare(self.report.valid, prune=self.prune)
        return self._differences

    @property
    def due(self) -> int:
        """Count the people to be sent, and those whom earlier runs have sent."""
        return self.differences.counts.total() + self._earlier

    @property
    def batch_count(self) -> int:
        """Count the requests; before they are packed, by the share of the file that is sent."""
        return self._batch_count or self._estimated_batches

    @property
    def _estimated_batches(self) -> int:
        people = self._differences.counts.total() if self._differences else 0
        return -(-people * self._plan.batch_count // max(self.report.valid, people, 1))

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the requests that only delete, then the one that also adds, then those that only add.

        The service removes somebody by any identifier, so who shares one with them is added again afterwards,
        within a request too (`UserUpload.send`).
        """
        numbers = count(max(journal.acknowledged, default=-1) + 1)
        for ack in journal.acknowledged.values():
            on_acknowledged(Batch(ack.batch, ()), ack)
        self._batch_count = len(journal.acknowledged)
        for _, requests in groupby(self._requests(), _kind):
            yield self._numbered(requests, numbers)

    def _numbered(self, requests: Iterable[SyncItems], numbers: Iterator[int]) -> Batches:
        for items in requests:
            self._batch_count += 1
            yield Batch(next(numbers), items)

    def _requests(self) -> Iterator[SyncItems]:
        statuses: dict[int, str] = {}  # filled as people are packed, and emptied as requests are split
        packed = chain(
            self._pack(self._comparison.deletions(), "delete", statuses),
            self._pack(self._comparison.additions(self._plan.batches()), "update", statuses),
        )
        for request in split_requests(packed):
            records = chain.from_iterable(operations.rows for operations in request)
            yield SyncItems(request, {record: statuses.pop(record) for record in records})

    def _pack(
        self, people: Iterator[Person], operation: str, statuses: dict[int, str]
    ) -> Iterator[Operations]:
        """Pack people into operations, and note what is done with each."""
        params = OperationParams(OPERATION_TYPES[operation])
        for part in batched(people, PACKED_AT_ONCE):
            statuses |= {person.record: person.status for person in part}
            users = Users([_encode(person.user) for person in part], "", "")
            yield fill_operations(params, users, [person.record for person in part], self._settings.packing)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems."""
        return self._plan.checked_rows()

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job, without the differences, since each run compares again."""
        key = self._plan.key(service, skip_invalid=skip_invalid)
        options = msgspec.structs.replace(key.options, upload=key.options.upload | {"prune": self.prune})
        return msgspec.structs.replace(key, upload=SYNC, options=options)

    def begin(self, journal: Journal) -> None:
        """Begin to note in the ledger who is sent."""
        self._earlier = journal.totals.total()
        super().begin(journal)

    def finish(self, journal: Journal) -> str:
        """Store in the ledger who was acknowledged."""
        return self.upload.finish(sent_all=self.differences.sends_all)

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the people who are sent, and those who need not be."""
        differences = self.differences
        return {"users": report.valid, "unchanged": differences.unchanged, "missing": differences.missing}

    def close(self) -> None:
        """Close the files."""
        self._plan.close()


def _encode(user: User) -> str:
    """Return the JSON of a user in ASCII, as `Users.texts` are."""
    text = msgspec.json.encode(user).decode()
    return text if text.isascii() else json.dumps(user, separators=(",", ":"))


def _kind(items: SyncItems) -> tuple[bool, bool]:
    """Tell whether a request deletes, and whether it adds."""
    deletes = [status == DELETED for status in items.statuses.values()]
    return any(deletes), not all(deletes)
