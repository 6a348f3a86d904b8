"""The plan of a sync: the removals and additions that make a list in the account equal to its file."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count, groupby

import msgspec

from ..feeds.rows import Rows
from ..parallel import batched
from ..runs.job import FAILED, Acknowledgement, JobKey
from ..runs.journal import Journal
from ..runs.plan import OnAcknowledged
from ..runs.upload import Batch, Batches
from ..validation.validator import OnProgress
from .comparison import CREATED, DELETED, UPDATED, ListComparison, ListDifferences, Person, User, is_deletion
from .ledger import Ledger
from .operations import OPERATION_TYPES, OperationParams, Operations, split_requests
from .packing import fill_operations
from .plan import ListPlan, ListReport, ListSettings
from .upload import ListUpload

SYNC = "sync"
PACKING_BLOCK = 10_000  # people whose JSON is in memory at once
STATUSES = (CREATED, UPDATED, DELETED, FAILED)
UNNAMED_PERSON = "somebody who is in no row"


class ListSyncPlan(ListPlan):
    """Add who is new in the file, and delete who is no longer in it. Each run compares again."""

    def __init__(
        self,
        rows: Rows,
        settings: ListSettings,
        ledger: Ledger,
        *,
        prune: bool,
        expected_epoch: str | None,
    ) -> None:
        super().__init__(rows, settings)
        self.upload = ListUpload(settings.upload, self.memory, STATUSES, self._count_outcome)
        self.expected_epoch = expected_epoch  # the write epoch of the list before it was compared
        self.prune = prune
        self._ledger = ledger
        self._comparison: ListComparison | None = None  # of the last reading
        self._sent_earlier = 0  # people whom earlier runs of the job have sent
        self._sent_batches = 0

    @property
    def comparison(self) -> ListComparison:
        """Return the comparison of the last reading; only after there was one."""
        assert self._comparison
        return self._comparison

    @property
    def differences(self) -> ListDifferences:
        """Return what differs; only after it was compared."""
        return self.comparison.differences

    def validate(self, on_progress: OnProgress) -> ListReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        self._comparison = ListComparison(self._ledger)
        return self._read(on_progress, self._comparison)

    def compare(self) -> ListDifferences:
        """Compare the validated file with the ledger."""
        differences = self.comparison.compare(self.report.valid, prune=self.prune)
        self.memory.sends_all = differences.sends_all
        return differences

    @property
    def due(self) -> int:
        """Count the people to be sent, and those whom earlier runs have sent."""
        return self.differences.counts.total() + self._sent_earlier

    @property
    def batch_count(self) -> int:
        """Count the requests; before they are packed, by the share of the file that is sent."""
        people = self.differences.counts.total()
        return self._sent_batches or -(-people * self._batch_count // max(self.report.valid, people, 1))

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the requests that only delete, then the one that also adds, then those that only add.

        The service removes somebody by any identifier. Who shares one with them is added again, and that must
        come later. Within a request `UserUpload.send` keeps that order.
        """
        numbers = count(max(journal.acknowledged, default=-1) + 1)
        for ack in journal.acknowledged.values():
            on_acknowledged(Batch(ack.batch, ()), ack)
        self._sent_batches = len(journal.acknowledged)
        for _, requests in groupby(self._requests(), _deletes_and_adds):
            yield self._numbered(requests, numbers)

    def _numbered(self, requests: Iterable[list[Operations]], numbers: Iterator[int]) -> Batches:
        for items in requests:
            self._sent_batches += 1
            yield Batch(next(numbers), items)

    def _requests(self) -> Iterator[list[Operations]]:
        deletions = self._pack(self.comparison.deletions(), "delete")
        additions = self._pack(self.comparison.additions(self.batches()), "update")
        return split_requests(chain(deletions, additions))

    def _pack(self, people: Iterator[Person], operation: str) -> Iterator[Operations]:
        params = OperationParams(OPERATION_TYPES[operation])
        for part in batched(people, PACKING_BLOCK):
            users = [_encode(person.user) for person in part]
            yield fill_operations(params, users, [person.record for person in part], self._settings.packing)

    def _count_outcome(self, batch: Batch, ack: Acknowledgement) -> None:
        """Count in an acknowledgement what became of people; name no person who was not deleted."""
        rejected = dict(ack.failed)
        accepted = (record for record in _records(batch.items) if record not in rejected)
        counts = Counter(map(self.comparison.status, accepted))
        ack.counts = {name: counts[name] for name in STATUSES} | {FAILED: len(rejected)}
        ack.failed = [(record, reason) for record, reason in ack.failed if not is_deletion(record)]
        ack.not_deleted = [
            (UNNAMED_PERSON, reason) for record, reason in rejected.items() if is_deletion(record)
        ]

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job, without the differences, since each run compares again."""
        key = super().key(service, skip_invalid=skip_invalid)
        options = msgspec.structs.replace(key.options, upload=key.options.upload | {"prune": self.prune})
        return msgspec.structs.replace(key, upload=SYNC, options=options)

    def settle(self, journal: Journal) -> None:
        """Find out what earlier runs of the job have sent."""
        self._sent_earlier = journal.totals.total()

    def totals(self) -> dict[str, int]:
        """Count the people of the file, those of them who need not be sent, and those who are in no row."""
        users, differences = self.report.valid, self.differences
        return {"users": users, "unchanged": differences.unchanged, "missing": differences.missing}


def _encode(user: User) -> str:
    """Return the JSON of a user in ASCII, as those that are packed."""
    text = msgspec.json.encode(user).decode()
    return text if text.isascii() else json.dumps(user, separators=(",", ":"))


def _records(items: Iterable[Operations]) -> Iterator[int]:
    return chain.from_iterable(operations.rows for operations in items)


def _deletes_and_adds(items: list[Operations]) -> tuple[bool, bool]:
    """Tell whether a request deletes, and whether it adds."""
    deletes = [*map(is_deletion, _records(items))]
    return any(deletes), not all(deletes)
