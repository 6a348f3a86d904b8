"""The ledger of a list: whom the service has acknowledged, since it cannot tell who is in an audience.

A list of a service has one file (see `ledger_file`), which is replaced atomically. Each job has a log beside
it. A job notes there whom it is about to send, on disk before it sends, and then what was acknowledged. The
log is merged into the ledger when the job ends, or when the ledger is opened next. So the ledger has
everybody who may be on the list.

It is trusted only in the write epoch that it was written in, on the disk and in the boot that began it.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..config.atomic_files import sync_folder
from ..config.file_locks import is_locked, made_and_locked
from ..errors import STATE_HINT, StateError, UsageError
from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from ..uploads.jobs import lock_path
from ..uploads.journal import NOT_ALONE
from ..uploads.plan import this_second
from .ledger_file import (
    LedgerContent,
    LedgerIndex,
    LedgerInfo,
    LedgerLostError,
    read_ledger,
    write_ledger,
)
from .ledger_log import Log, LogFile, LogHeader, read_log
from .ledger_lookup import LedgerLookup, LedgerView
from .ledger_merge import merge_logs
from .ledger_records import FOLDER, Sealer, load_key, month_of


class Trust(Enum):
    """Whether a ledger tells who is on the list."""

    MISSING = "missing"  # nothing was ever stored
    FULL = "full"
    CHANGED = "changed"  # outdated: copied, restored, or something else may have changed the list
    LOST = "lost"  # damaged, or of another key: nothing of it can be used


class OpenLedger(NamedTuple):
    """A ledger as it was when it was opened."""

    info: LedgerInfo
    entries: LedgerIndex
    texts: dict[bytes, bytes]  # sealed texts by digest
    trust: Trust
    reason: str = ""  # why it is not trusted

    def value(self, sealer: Sealer, kind: int, digest: bytes, rest: bytes) -> str:
        """Return the identifier of a record."""
        return sealer.open(kind, digest, self.texts.get(digest, rest))


class Ledger:
    """The ledger of one list."""

    def __init__(self, state_dir: Path, target: UploadTarget) -> None:
        self.target = target
        self.state_dir = state_dir
        self._folder = state_dir / FOLDER
        self._path = self._folder / sha256(msgspec.json.encode(target)).hexdigest()[:16]
        self._epochs = WriteEpochs(state_dir)
        self.sealer = Sealer(load_key(state_dir))

    def open(self) -> OpenLedger:
        """Merge the logs of jobs that have ended, and return the ledger and whether it is trusted."""
        with made_and_locked(self._folder):
            lost = self._merge()
            opened = self._open()
            return opened._replace(trust=Trust.LOST, reason=lost) if lost else opened

    def lookup(self, opened: OpenLedger) -> LedgerLookup:
        """Return what looks people up in an open ledger; other processes find it by its view."""
        index, month, is_trusted = opened.entries, month_of(this_second()), opened.trust is Trust.FULL
        name = str(self._path), index.stamp, self.sealer.key, len(index), index.width
        return LedgerView(*name, month, is_trusted).lookup_in(index, self.sealer)

    def log(self, job: str, lock: str, previous: str, epoch: str) -> LogFile:
        """Begin the log of a run of a job, on disk before this returns; `lock` is that of the job."""
        header = LogHeader(
            service=self.target.service,
            kind=self.target.kind,
            target=self.target.id,
            key=self.sealer.key_id,
            lock=lock,
            previous=previous,
            epoch=epoch,
        )
        with made_and_locked(self._folder):
            last = max((int(path.name.split(".")[1]) for path in self._logs()), default=0)
            path = self._path.with_name(f"{self._path.name}.{last + 1:09}.{job}.log")
            return LogFile.create(path, header, self.sealer)

    def close_log(self, log: LogFile, *, sent_all: bool = False) -> str:
        """Merge the log of a job that is ending. Return why the ledger was lost, or "".

        `sent_all` says that after its removals the job has sent everybody who is on the list.
        """
        log.close()
        with made_and_locked(self._folder):
            return self._merge(own=log.path, sent_all=sent_all)

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        return self._path.exists() or bool(self._logs())

    def remove(self) -> None:
        """Forget everybody on the list."""
        with made_and_locked(self._folder):
            for path in (self._path, *self._logs()):
                path.unlink(missing_ok=True)
            sync_folder(self._folder)

    def is_in_use(self) -> bool:
        """Tell whether a running job writes a log."""
        return any(self._is_running(log.header) for path in self._logs() if (log := read_log(path)))

    def _logs(self) -> list[Path]:
        """List the logs of this list, the oldest first."""
        return sorted(self._folder.glob(f"{self._path.name}.*.log"))

    def _open(self) -> OpenLedger:
        opened = self._read()
        if opened.trust is Trust.FULL and (reason := self._doubt(opened.info)):
            return opened._replace(trust=Trust.CHANGED, reason=reason)
        return opened

    def _doubt(self, info: LedgerInfo) -> str:
        """Say why a ledger that can be read may not be the latest; empty where it is."""
        epoch = self._epochs.current(self.target)
        if info.epoch == epoch and epoch:
            if self._epochs.is_confirmed(self.target):
                return ""
            return "the machine was started again, and the state folder may be that of a restored disk"
        if epoch and info.epoch.partition("-")[0] == epoch.partition("-")[0]:
            return "the state folder was copied, or restored from a backup"
        return "something else may have changed this list, or the state folder was restored from a backup"

    def _read(self) -> OpenLedger:
        """Read the file, and trust it where that succeeds, whatever the write epoch."""
        empty = LedgerInfo(
            service=self.target.service,
            kind=self.target.kind,
            target=self.target.id,
            key=self.sealer.key_id,
        )
        nothing = LedgerContent(empty, LedgerIndex(), {})
        try:
            content = read_ledger(self._path)
        except FileNotFoundError:
            return OpenLedger(*nothing, Trust.MISSING)
        except OSError as error:
            reason = f"{self._path} cannot be read: {error.strerror}"
            return OpenLedger(*nothing, Trust.LOST, reason)
        except LedgerLostError as error:
            return OpenLedger(*nothing, Trust.LOST, str(error))
        if content.info.upload_target != self.target:
            reason = f"{self._path} belongs to another list or service"
        elif content.info.key != self.sealer.key_id:
            reason = f"{self._path} was written under another key than that of this state folder"
        else:
            return OpenLedger(*content, Trust.FULL)
        return OpenLedger(*nothing, Trust.LOST, reason)

    def _merge(self, own: Path | None = None, *, sent_all: bool = False) -> str:
        """Merge the logs of jobs that have ended, and `own`, into the file. The folder is locked.

        Return why the ledger was lost, or "".
        """
        logs = {path: read_log(path) for path in self._logs()}
        damaged = [path for path, log in logs.items() if not log]
        readable = [log for log in logs.values() if log]
        ended = [log for log in readable if log.path == own or not self._is_running(log.header)]
        if not (ended or damaged):
            return ""
        before = self._read()
        follows = _which_follow(before.info.epoch, ended, readable)
        was_trusted = before.trust is Trust.FULL and before.info.epoch != NO_EPOCH
        # Records stay certain where nothing but these jobs has changed the list since they were written.
        stays_certain = before.trust is Trust.MISSING or (was_trusted and all(follows))
        own_key = [log for log in ended if log.header.key == self.sealer.key_id]
        merged = merge_logs(before.entries, before.texts, own_key, self._folder, is_known=stays_certain)
        # A log is on disk before anything is sent: whom a lost part names may be on the list.
        is_complete = not damaged and own_key == ended and merged.is_whole
        # The ledger has the write epoch of the last job, by which it is trusted, if the logs name everybody
        # whom these jobs may have sent. Besides, nothing else may have changed the list between them. What
        # happened before the first job need not be known: whom the ledger had is uncertain then.
        epoch = ended[-1].header.epoch if is_complete and all(follows[1:]) else NO_EPOCH
        # Whom the service keeps together is known where both hold, or once a job has sent everybody.
        unknown = not (stays_certain and epoch) or (before.info.links_unknown and not sent_all)
        changed = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}" if merged.changes else before.info.changed
        info = msgspec.structs.replace(
            before.info,
            key=self.sealer.key_id,
            epoch=epoch,
            tagged=merged.tagged,
            links_unknown=unknown,
            changed=changed,
        )
        try:
            write_ledger(self._path, info, merged.records, merged.texts)
        except UsageError as error:
            raise StateError(error.message, hint=STATE_HINT) from error
        # After a crash before the last is removed, those left are merged again. Of several jobs in a row, the
        # first does not follow the epoch of the last then. Older records become uncertain, which is safe.
        for path in [*(log.path for log in ended), *damaged]:
            path.unlink(missing_ok=True)
        return before.reason  # of the ledger that was replaced

    def _is_running(self, header: LogHeader) -> bool:
        jobs = self.state_dir / "jobs"
        return jobs.is_dir() and is_locked(lock_path(jobs, header.lock))


def _which_follow(epoch: str, ended: Sequence[Log], readable: Iterable[Log]) -> list[bool]:
    """Tell of each log whether only jobs with a log changed the list since the log before it.

    It is so where its job began in a write epoch that is known by then. The first follows the ledger, which
    has `epoch`. `readable` has the logs of running jobs too.
    """
    # Jobs of one group share an epoch, and the first that ends may not be the first that began.
    epochs = {epoch} | {log.header.epoch for log in readable if log.header.previous == epoch}
    follows = list[bool]()
    for log in ended:
        epochs -= {NO_EPOCH, NOT_ALONE}  # each stands for many epochs, and links nothing
        follows.append(not epochs.isdisjoint((log.header.previous, log.header.epoch)))
        epochs.add(log.header.epoch)
    return follows


class StoredLedger(NamedTuple):
    """A ledger in a state folder, of whichever list."""

    info: LedgerInfo
    state: str  # "current", or why it is not relied on

    def as_row(self) -> tuple[str | int, ...]:
        """Return target, kind, counts, the time of the last change, state and service."""
        info = self.info
        counts = info.people, info.identifiers, info.uncertain
        return info.target, info.kind, *counts, info.changed, self.state, info.service


def stored_ledgers(state_dir: Path) -> Iterator[StoredLedger]:
    """Yield the ledgers of a state folder, the last changed first, with the logs that belong to them."""
    folder = state_dir / FOLDER
    targets: dict[str, UploadTarget | None] = {}  # by the name that ledger and logs begin with
    for path in sorted(folder.glob("[0-9a-f]*")):
        name = path.name.partition(".")[0]
        if not targets.get(name):
            target = _target_of(path)
            if target or path.exists():  # a run that ends meanwhile removes its log
                targets[name] = target
    stored = [
        _open_stored(state_dir, target)
        if target
        else StoredLedger(LedgerInfo(service="", kind="", target=name), f"{folder / name} is damaged")
        for name, target in targets.items()
    ]
    yield from sorted(stored, key=lambda ledger: ledger.info.changed, reverse=True)


def _open_stored(state_dir: Path, target: UploadTarget) -> StoredLedger:
    opened = Ledger(state_dir, target).open()
    state = {Trust.FULL: "current", Trust.MISSING: "in use"}.get(opened.trust, opened.reason)
    return StoredLedger(opened.info, state)


def _target_of(path: Path) -> UploadTarget | None:
    """Return the list that a ledger or a log is of; None where that cannot be read."""
    if path.suffix == ".log":
        log = read_log(path)
        return UploadTarget(log.header.service, log.header.kind, log.header.target) if log else None
    try:
        return read_ledger(path).info.upload_target
    except (OSError, LedgerLostError):
        return None
