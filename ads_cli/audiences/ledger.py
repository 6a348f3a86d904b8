"""The ledger of a list: whom the service has acknowledged, since it cannot tell who is in an audience.

A run notes whom it is about to send, on disk before it sends, and then what was acknowledged. What it has
noted is merged into the ledger when the run ends, or when the ledger is opened next. So the ledger has
everybody who may be on the list.

It is trusted only in the write epoch that it was written in, in the file and in the boot that began it.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from ..config.file_locks import is_locked
from ..errors import StateError
from ..runs.jobs import job_lock
from ..runs.journal import NOT_ALONE
from ..runs.plan import this_second
from ..store import store_in
from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from ..stored_times import utc_text
from .ledger_merge import REMOVES_LATER, doubt_before_removals, find_outcomes, settle_outcomes
from .operations import OPERATION_TYPES, Operations, operations_of
from .sealing import KINDS, Sealer, load_key

REMEMBERED_MONTHS = 12  # the service forgets people after 13
PERSON_BYTES = 8  # of a digest
OTHER_KEY = "the ledger was written under another key than that of this state folder"


class Trust(Enum):
    """Whether a ledger tells who is on the list."""

    MISSING = "missing"  # nothing was ever stored
    FULL = "full"
    CHANGED = "changed"  # outdated: copied, restored, or something else may have changed the list
    LOST = "lost"  # of another key: nothing of it can be used


class OpenLedger(NamedTuple):
    """A ledger as it was when it was opened."""

    id: int | None  # of the list in the database
    trust: Trust
    reason: str = ""  # why it is not trusted
    epoch: str = NO_EPOCH  # write epoch of the list
    # Whether the service may keep people together of whom this ledger does not know that they share an
    # identifier.
    links_unknown: bool = False
    changed: str = ""  # time of the last acknowledged change, in UTC
    is_empty: bool = True
    merges: int | None = None  # how often it was written


class Counts(NamedTuple):
    """Whom a ledger has."""

    people: int
    identifiers: int
    uncertain: int  # identifiers


class Run(NamedTuple):
    """A run whose notes are not merged yet."""

    id: int
    lock: str  # of its job, held as long as it runs
    key: str  # id of the key
    previous: str  # write epoch of the list before the job; empty where that is not known
    epoch: str  # of the job


class Ledger:
    """The ledger of one list."""

    def __init__(self, state_dir: Path, target: UploadTarget) -> None:
        self.target, self.state_dir = target, state_dir
        self.store = store_in(state_dir)
        self._epochs = WriteEpochs(state_dir)

    @cached_property
    def sealer(self) -> Sealer:
        """Return what seals identifiers; the key of the state folder is made if there is none."""
        return Sealer(load_key(self.state_dir))

    def open(self) -> OpenLedger:
        """Merge what runs that have ended have noted; return the ledger and whether it is trusted."""
        lost = self.merge()
        opened = self._read()
        return opened._replace(trust=Trust.LOST, reason=lost) if lost else opened

    def begin(self, lock: str, previous: str, epoch: str) -> "LedgerRun":
        """Begin a run, on disk before this returns; `lock` is that of its job."""
        key = self.sealer.key_id
        with self.store.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO lists (service, kind, target, key) VALUES (?, ?, ?, ?)",
                (*self.target, key),
            )
            query = "INSERT INTO list_logs (list, lock, key, previous, epoch) VALUES (?, ?, ?, ?, ?)"
            run = db.execute(query, (self._read().id, lock, key, previous, epoch)).lastrowid
        assert run is not None
        return LedgerRun(self, run)

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        return self._read().id is not None

    def counts(self) -> Counts:
        """Count whom the ledger has."""
        query = (
            "SELECT count(*) - count(person) + count(DISTINCT person), count(*),"
            " count(*) - coalesce(sum(is_certain), 0) FROM people WHERE list = ?"
        )
        return Counts(*self.store.rows(query, (self._read().id,))[0])

    def remove(self) -> None:
        """Forget everybody on the list; raise StateError where a run is sending people."""
        with self.store.writing() as db:
            self.require_idle()
            id = self._read().id
            db.execute("DELETE FROM list_logs WHERE list = ?", (id,))
            db.execute("DELETE FROM people WHERE list = ?", (id,))
            db.execute("DELETE FROM lists WHERE id = ?", (id,))
        self.store.empty_log()

    def require_idle(self) -> None:
        """Raise StateError where a run is sending people."""
        if any(map(self._is_running, self._runs())):
            hint = "run this again once that has ended"
            raise StateError(f"{self.target.id} is being changed", hint=hint)

    def merge(self, own: int | None = None, *, sent_all: bool = False) -> str:
        """Merge what runs have noted, once none but `own` is running. Return why the ledger was lost, or "".

        Of what runs have sent at the same time the order is unknown, so that their notes are merged together.
        `sent_all` says that after its removals the own run has sent everybody who is on the list.
        """
        if not self._runs():
            return ""
        key = self.sealer.key_id  # which is made, if there is none, in a transaction of its own
        while True:
            # Which have ended is asked before their notes are read, since these are all that they have noted.
            with self.store.writing():
                known = self._runs()
                own_lock = next((run.lock for run in known if run.id == own), None)  # earlier runs had it too
                is_alone = not any(run.lock != own_lock and self._is_running(run) for run in known)
            with self.store.reading() as db:  # what takes long keeps no other process from writing
                runs, before = self._runs(), self._read()
                if not (runs and is_alone and {*runs} <= {*known}) or before.id is None:
                    return ""
                follows = _which_follow(before.epoch, runs)
                was_trusted = before.trust in (Trust.FULL, Trust.CHANGED) and before.epoch != NO_EPOCH
                # People stay certain where nothing but these runs has changed the list since they were
                # written.
                stays_certain = before.trust is Trust.MISSING or (was_trusted and all(follows))
                readable = [run.id for run in runs if run.key == key]
                find_outcomes(db, before.id, readable)
                links_known = stays_certain and not before.links_unknown
                is_doubted = not links_known and doubt_before_removals(db, readable)
                has_changed = any(map(self._has_changed, runs))
            # The ledger has the write epoch of the last run, by which it is trusted, if all notes can be
            # read and nothing else has changed the list between these runs. What happened before the first
            # need not be known: whom the ledger had is uncertain then.
            epoch = runs[-1].epoch if len(readable) == len(runs) and all(follows[1:]) else NO_EPOCH
            # Whom the service keeps together is known where both hold, or once a run has sent everybody.
            unknown = not (stays_certain and epoch) or (before.links_unknown and not sent_all)
            changed = utc_text() if has_changed else before.changed
            with self._epochs.renewed() as db:  # a backup may have some of these notes only
                if self._read().merges != before.merges or not {*runs} <= {*self._runs()}:
                    continue  # another process has merged some meanwhile, or forgotten everybody
                if before.trust is Trust.LOST:
                    db.execute("DELETE FROM people WHERE list = ?", (before.id,))
                settle_outcomes(db, before.id, is_known=stays_certain and not is_doubted)
                db.execute(
                    "UPDATE lists SET merges = merges + 1, key = ?, epoch = ?, links_unknown = ?, changed = ?"
                    " WHERE id = ?",
                    (key, epoch, unknown, changed, before.id),
                )
                db.executemany("DELETE FROM list_logs WHERE id = ?", ((run.id,) for run in runs))
            return before.reason if before.trust is Trust.LOST else ""

    def _read(self) -> OpenLedger:
        query = (
            "SELECT id, merges, key, epoch, links_unknown, changed,"
            " NOT EXISTS (SELECT 1 FROM people WHERE list = lists.id)"
            " FROM lists WHERE (service, kind, target) = (?, ?, ?)"
        )
        for id, merges, key, epoch, links_unknown, changed, is_empty in self.store.rows(query, self.target):
            if not merges:
                return OpenLedger(id, Trust.MISSING, merges=merges)
            if key != self.sealer.key_id:
                return OpenLedger(id, Trust.LOST, OTHER_KEY, changed=changed, merges=merges)
            reason = self._doubt(epoch)
            trust = Trust.CHANGED if reason else Trust.FULL
            return OpenLedger(id, trust, reason, epoch, bool(links_unknown), changed, bool(is_empty), merges)
        return OpenLedger(None, Trust.MISSING)

    def _doubt(self, epoch: str) -> str:
        """Say why a ledger of an epoch may not be the latest; empty where it is."""
        current = self._epochs.current(self.target)
        if epoch == current != NO_EPOCH:
            if self._epochs.is_confirmed(self.target):
                return ""
            return "the machine was started again, and the state folder may be that of a restored disk"
        if current and epoch.partition("-")[0] == current.partition("-")[0]:
            return "the state folder was copied, or restored from a backup"
        return "something else may have changed this list, or the state folder was restored from a backup"

    def _runs(self) -> list[Run]:
        """Return the runs whose notes are not merged yet, the first begun first."""
        query = (
            "SELECT r.id, lock, r.key, previous, r.epoch FROM list_logs r JOIN lists l ON l.id = r.list"
            " WHERE (service, kind, target) = (?, ?, ?) ORDER BY r.id"
        )
        return [*map(Run._make, self.store.rows(query, self.target))]

    def _has_changed(self, run: Run) -> bool:
        query = "SELECT 1 FROM list_requests WHERE log = ? AND acknowledged IS NOT NULL LIMIT 1"
        return bool(self.store.rows(query, (run.id,)))

    def _is_running(self, run: Run) -> bool:
        """Tell whether a run goes on; in a transaction, so that no other process takes its lock meanwhile."""
        return is_locked(job_lock(self.state_dir, run.lock))


def _which_follow(epoch: str, runs: Sequence[Run]) -> list[bool]:
    """Tell of each run whether only runs changed the list since the one before it.

    It is so where it began in a write epoch that is known by then. The first follows the ledger, which has
    `epoch`.
    """
    # Runs of one group share an epoch, and the first that is noted may not be the first that began.
    epochs = {epoch} | {run.epoch for run in runs if run.previous == epoch}
    follows = list[bool]()
    for run in runs:
        epochs -= {NO_EPOCH, NOT_ALONE}  # each stands for many epochs, and links nothing
        follows.append(not epochs.isdisjoint((run.previous, run.epoch)))
        epochs.add(run.epoch)
    return follows


class LedgerRun:
    """What a run notes; its methods are called by several threads."""

    def __init__(self, ledger: Ledger, id: int) -> None:
        self._ledger, self._id = ledger, id
        self._requests: dict[int, int] = {}  # the last one of each batch
        self._lock = threading.Lock()

    @property
    def sealer(self) -> Sealer:
        """Return what seals identifiers."""
        return self._ledger.sealer

    def note_sent(self, batch: int, items: Iterable[Operations]) -> None:
        """Note, on disk before this returns, whom a batch is about to send."""
        rows, now = list[tuple[int | bytes | None, ...]](), this_second()
        for operation in chain.from_iterable(map(operations_of, items)):
            is_later = _is_after(operation.params.effective_at, now)
            removes = int(operation.operation_type == OPERATION_TYPES["delete"])
            if removes and is_later:
                removes = REMOVES_LATER
            # Whom it adds later a sync sends again at once.
            until = month_of(now) if is_later else _until(operation.params.expires_at, now)
            rows += ((removes, until, *identifier) for identifier in self._seal(operation.params.users))
        with self._ledger.store.writing() as db:
            request = db.execute("INSERT INTO list_requests (log) VALUES (?)", (self._id,)).lastrowid
            assert request is not None
            query = f"INSERT INTO people_sent VALUES ({request}, ?, ?, ?, ?, ?, ?)"
            db.executemany(query, rows)
        with self._lock:
            self._requests[batch] = request

    def note_acknowledged(self, batch: int, items: Iterable[Operations], rejected: Collection[int]) -> None:
        """Note that a batch was acknowledged, but for the people of rejected rows, who stay as they were."""
        refused, taken = set[bytes](), set[bytes]()
        for operations in items if rejected else ():
            users = chain.from_iterable(operation.params.users for operation in operations_of(operations))
            for row, user in zip(operations.rows, users, strict=True):
                digests = refused if row in rejected else taken
                for name, values in user.items():
                    digests.update(self.sealer.digests(KINDS[name], values))
        with self._lock:
            request = self._requests[batch]
        with self._ledger.store.writing() as db:
            query = "DELETE FROM people_sent WHERE request = ? AND digest = ?"
            db.executemany(query, ((request, digest) for digest in refused - taken))
            # After a request with a greater number than the last one now, which is sent from now on.
            query = "UPDATE list_requests SET acknowledged = (SELECT max(id) FROM list_requests) WHERE id = ?"
            db.execute(query, (request,))

    def end(self, *, sent_all: bool = False) -> str:
        """Merge what was noted, as `Ledger.merge` does. Return why the ledger was lost, or ""."""
        return self._ledger.merge(self._id, sent_all=sent_all)

    def _seal(self, users: Sequence[dict[str, list[str]]]) -> Iterator[tuple[int | None, int, bytes, bytes]]:
        """Yield person, kind, digest and sealed rest of each person's identifiers."""
        values: dict[str, list[str]] = {}
        for user in users:
            for name, own in user.items():
                values.setdefault(name, []).extend(own)
        sealed = {name: iter(self.sealer.seal(KINDS[name], own)) for name, own in values.items()}
        for user in users:
            identifiers = [
                (KINDS[name], *pair) for name, own in user.items() for pair in islice(sealed[name], len(own))
            ]
            # By the first identifier, so that who is sent again is the same person.
            person = person_of(identifiers[0][1]) if len(identifiers) > 1 else None
            yield from ((person, *identifier) for identifier in identifiers)


def person_of(digest: bytes) -> int:
    """Return the number of a person whose first identifier has a digest."""
    return int.from_bytes(digest[:PERSON_BYTES], signed=True)


def month_of(moment: datetime) -> int:
    """Return the month of a time, counted from the year 2000; 0 for one before."""
    utc = moment.astimezone(UTC)
    return max(0, (utc.year - 2000) * 12 + utc.month - 1)


def _is_after(time: str, now: datetime) -> bool:
    return bool(time) and datetime.fromisoformat(time) > now


def _until(expires_at: str, now: datetime) -> int:
    """Return the month from which a sync sends people again."""
    until = month_of(now) + REMEMBERED_MONTHS
    return min(month_of(datetime.fromisoformat(expires_at)), until) if expires_at else until


class StoredLedger(NamedTuple):
    """A ledger in a state folder, of whichever list."""

    target: str  # id of the list
    kind: str
    people: int
    identifiers: int
    uncertain: int  # identifiers
    changed: str  # time of the last acknowledged change
    state: str  # "current", or why it is not relied on
    service: str


def stored_ledgers(state_dir: Path) -> Iterator[StoredLedger]:
    """Yield the ledgers of a state folder, the last changed first."""
    query = "SELECT service, kind, target FROM lists"
    targets = [UploadTarget(*place) for place in store_in(state_dir).rows(query)]
    opened = [(ledger := Ledger(state_dir, target), ledger.open()) for target in targets]
    for ledger, own in sorted(opened, key=lambda pair: pair[1].changed, reverse=True):
        state = {Trust.FULL: "current", Trust.MISSING: "in use"}.get(own.trust, own.reason)
        service, kind, id = ledger.target
        yield StoredLedger(id, kind, *ledger.counts(), own.changed, state, service)
