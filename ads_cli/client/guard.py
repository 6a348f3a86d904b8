"""The guard of a client: judges every write before it is sent.

A run that is known in advance is judged as a whole before its first request; what was approved then is not
judged again when it is sent.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ..config.guard import Guard, Limit
from .prepared_request import PreparedRequest
from .record_changes import RecordChange
from .spending import StoredRecords
from .spending_judge import SpendingJudge
from .spending_limits import refused
from .writes import Dialect, Operation, Write, write_of

FLEET_COUNT = "ADSCTL_FLEET_COUNT"  # in the environment of the tasks of a fleet


class FleetCount(msgspec.Struct, frozen=True):
    """Where a task of a fleet notes how many records it changes, beside the other tasks of its run."""

    state_dir: str
    fleet: str
    run: str
    attempt: str
    task: str

    @property
    def variable(self) -> str:
        """Return it as the environment has it."""
        return msgspec.json.encode(self).decode()

    def add(self, limit: Limit, count: int) -> int:
        """Return how many records all tasks change that a limit counts together, this one `count` of them.

        If that is allowed, it is noted. A task that is resumed counts as much as it did at most.
        """
        from ..store import store_in

        group = self.fleet, self.run, self.attempt, limit.source
        of_group = "FROM fleet_counts WHERE (fleet, run, attempt, source) = (?, ?, ?, ?)"
        with store_in(Path(self.state_dir)).writing() as db:
            counts = dict(db.execute(f"SELECT task, records {of_group}", group).fetchall())
            counts[self.task] = max(count, counts.get(self.task, 0))
            if (total := sum(counts.values())) <= limit.value:
                values = *group, self.task, counts[self.task]
                db.execute("REPLACE INTO fleet_counts VALUES (?, ?, ?, ?, ?, ?)", values)
        return total


class WriteGuard:
    """Judges the writes of one invocation; thread-safe."""

    def __init__(
        self,
        guard: Callable[[], Guard],
        dialect: Callable[[], Dialect],
        stored: Callable[[str], StoredRecords],
        lock_account: Callable[[str], None],
        fleet_count: FleetCount | None,
    ) -> None:
        self._fleet_count = fleet_count
        self._read, self._dialect = guard, cache(dialect)
        self._spending = SpendingJudge(lambda: self.guard, stored, lock_account)
        self._lock = threading.RLock()
        self._guard: Guard | None = None
        # What was judged, and is asked again when it is sent. All is still judged by its kind.
        self._approved: set[bytes] = set()  # digests of operations: counts and amounts are not judged again
        self._counted: set[str] = set()  # paths of pushes: their rows are not counted again
        self._passed: set[tuple[str, str]] = set()  # methods and addresses of products, not even read again
        self._is_planned = False  # changes of a plan differ when they are sent: no sum is judged again
        self._count = 0  # records that this run changes

    @property
    def guard(self) -> Guard:
        """The limits; raise StateError where they cannot be read."""
        with self._lock:
            if self._guard is None:
                self._guard = self._read()
            return self._guard

    def write_of(self, prepared: PreparedRequest) -> Write:
        """Return what a request changes."""
        counts = bool(self.guard.of("max_changes")) and urlsplit(prepared.url).path not in self._counted
        return write_of(prepared, self._dialect(), counts=counts)

    def approve(self, requests: Iterable[PreparedRequest]) -> None:
        """Judge all writes of a run, before the first; raise GuardError for the first that is refused."""
        if self.guard:
            self._judge([self.write_of(request) for request in requests])

    def approve_plan(self, requests: Iterable[tuple[PreparedRequest, str]]) -> None:
        """Judge the changes of a plan before its first request; a new record is named by the text beside it.

        The requests that are sent then have the ids of new records, and batch several changes. Their sums and
        their number are therefore not judged again.
        """
        if not self.guard:
            return
        writes = []
        for prepared, new_id in requests:
            write = self.write_of(prepared)
            if new_id:
                (created,) = write.operations
                self._spending.planned[new_id] = created
                write = write._replace(operations=[created._replace(new_id=new_id)])
            writes.append(write)
        self._spending.approve_updates(self._judge(writes))
        self._is_planned = True

    def note_created(self, write: Write, records: Sequence[Any]) -> None:
        """Take the records of a response to what a plan sends: what is activated may be one of them."""
        with self._lock:
            for op, record in zip(write.operations, records, strict=False) if self._is_planned else ():
                if op.action == "create" and isinstance(record, dict):
                    self._spending.note_created(write.account, op, record)

    def approve_rows(self, requests: Sequence[PreparedRequest], rows: int) -> None:
        """Judge a push by its requests without rows, and by the number of rows.

        The first request has the rows. The others are sent before or after them.
        """
        if not self.guard:
            return
        without_body = [msgspec.structs.replace(request, body=b"") for request in requests]
        writes = [write_of(request, self._dialect()) for request in without_body]
        self._judge([write._replace(records=0) for write in writes[1:]])
        self._judge([write._replace(records=rows) for write in writes[:1]])
        self._counted |= {urlsplit(request.url).path for request in requests}

    def note_completed(self, planned: PreparedRequest, completed: PreparedRequest) -> None:
        """Approve a request that differs from an approved one only by media keys that were created since."""
        if not self.guard:
            return
        with self._lock:
            if _digests(self.write_of(planned)) <= self._approved:
                self._approved |= _digests(self.write_of(completed))

    def require(self, prepared: PreparedRequest) -> Write | None:
        """Judge a request that is about to be sent; return what it changes, None without a guard."""
        if not self.guard:
            return None
        if (prepared.method, prepared.url) in self._passed:
            return None
        write = self.write_of(prepared)
        is_counted = urlsplit(prepared.url).path in self._counted
        self._judge([write._replace(records=0) if is_counted else write])
        if is_counted and write.subject == "products":  # what is in its body is not judged
            self._passed.add((prepared.method, prepared.url))
        return write

    def _judge(self, writes: Sequence[Write]) -> list[RecordChange]:
        """Judge what was not approved yet, approve it, and return it."""
        with self._lock:
            due: list[RecordChange] = []
            count = 0
            for write in (write for write in writes if not write.endpoint or write.endpoint.changes):
                self._judge_kind(write)
                changes = (
                    RecordChange(write.account, operation, _digest(write, operation))
                    for operation in write.operations
                )
                new = [change for change in changes if change.digest not in self._approved]
                count += (
                    sum(change.operation.records for change in new) if write.operations else write.records
                )
                due += new
            self._judge_count(count)
            self._spending.judge_sent(due) if self._is_planned else self._spending.judge(due)
            self._count += count
            self._approved |= {change.digest for change in due}
            return due

    def _judge_count(self, count: int) -> None:
        """Judge how many records the run changes, with `count` more of them."""
        for limit in self.guard.of("max_changes") if not self._is_planned else ():
            own = self._count + count
            total = self._fleet_count.add(limit, own) if self._fleet_count and count else own
            if total > limit.value:
                of_fleet = f" of a fleet, {own:,} of this task" if total > own else ""
                raise refused(f"{total:,} changes{of_fleet}", limit)

    def _judge_kind(self, write: Write) -> None:
        """Judge what needs no amounts."""
        for limit in self.guard.of("read_only"):
            if limit.value:
                raise refused("every change", limit)
        for limit in self.guard.of("deny"):
            if words := sorted(limit.value & write.words):
                what = f"adsctl {write.endpoint.command}" if write.endpoint else "a raw request"
                raise refused(f"{what} ({', '.join(words)})", limit)
        if write.problem:
            effective = next(limit for limit in self.guard.limits if limit.is_effective)
            raise refused(f"a request that cannot be judged, as {write.problem}", effective)


def _digests(write: Write) -> set[bytes]:
    return {_digest(write, operation) for operation in write.operations}


def _digest(write: Write, op: Operation) -> bytes:
    path = write.endpoint.path if write.endpoint else ""
    encoded = msgspec.json.encode([op.action, path, sorted(op.values.items(), key=str)], enc_hook=str)
    return blake2b(encoded, digest_size=16).digest()
