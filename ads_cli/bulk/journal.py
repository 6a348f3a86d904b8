"""What the service has acknowledged, on disk before it is counted.

A job is one push of one file to one target. Its journal is a file of JSON lines: the job, then one
acknowledgement a batch, then the end. Batches are cut the same way each time, so a number is enough
to know one again. An acknowledgement stands beside its checksum: a bit that the disk has turned must
not make another batch of it, which would never be sent.
"""

import hashlib
import os
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..client.pace import StoppedError
from ..errors import STATE_HINT, NotFoundError, StateError, UsageError
from .locks import alone, locked
from .upload import Ack

KEPT = 30 * 24 * 3600.0  # seconds
END = b'{"end":true}\n'


class Job(msgspec.Struct, kw_only=True):
    """What a journal begins with."""

    job: str
    noun: str
    file: str
    digest: str  # of the file's bytes
    target: str  # everything else that decides which requests are sent where
    rows: int
    batches: int
    started: str
    resume: str = ""  # the command that goes on with it

    @property
    def key(self) -> str:
        """Name what two runs must not do at the same time."""
        return hashlib.sha256(f"{self.noun}\0{self.digest}\0{self.target}".encode()).hexdigest()[:16]


class _Entry(msgspec.Struct):
    """An acknowledgement on its way to the disk."""

    ack: Ack
    line: bytes
    is_written: bool = False


class Journal:
    """The journal of one job, open for appending; locked against a second run of the same job."""

    def __init__(self, folder: Path, job: Job, *, resume: bool, name: str | None = None) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(folder):
                lock = locked(folder, job.key)
        except OSError as error:
            raise _no_journal(folder, error) from error
        if lock is None:
            raise StateError(
                f"another run is pushing the same {job.file} to the same place",
                hint="wait for its end, or stop it",
            )
        self._lock = lock
        _tidy(folder, job.key)
        earlier = _unfinished(folder, job.key)
        path = _named(folder, name, job) if name else (earlier if resume else None)
        self.left_behind = earlier if not resume and not name else None
        self.resumed = path is not None
        self.afresh = _why_afresh(folder, job) if resume and path is None else ""
        self.acked: dict[int, Ack] = {}
        self.totals: Counter[str] = Counter()
        self._moved = threading.Condition()
        self._waiting: list[_Entry] = []
        self._writing = False  # whether a thread is at the disk
        self._closed = False
        self._torn: StateError | None = None  # what kept a line from being written whole
        self.path = path or folder / f"{job.job}.jsonl"
        if path is None:
            self.job = job
            self._create(self.path)
        else:
            self.job, _ = read_journal(path)
            self._reopen(path)

    def append(self, ack: Ack) -> None:
        """Put an acknowledgement on disk, then count it; safe in many threads.

        What comes while the disk is busy is written at once, by one of the threads that brought it.
        """
        entry = _Entry(ack, _line(ack))
        with self._moved:
            self._waiting.append(entry)
            while self._writing and not entry.is_written:
                self._moved.wait()
            if entry.is_written:
                return
            if self._closed:
                raise StoppedError
            group, self._waiting, self._writing = self._waiting, [], True
        try:
            self._write(b"".join(each.line for each in group))
        finally:
            with self._moved:
                self._writing = False
                if not self._torn:
                    for each in group:
                        each.is_written = True
                        self._count(each.ack)
                self._moved.notify_all()

    def finish(self) -> None:
        """Note that the job has reached its end."""
        self._write(END)

    def close(self) -> None:
        """Let go of the file and of the lock; what is acknowledged later is neither noted nor counted."""
        with self._moved:
            while self._writing:
                self._moved.wait()
            if not self._closed:
                self._closed = True
                os.close(self._file)
                self._lock.release()

    def _count(self, ack: Ack) -> None:
        self.totals.update(ack.counts)

    def _write(self, line: bytes) -> None:
        if self._torn:
            raise self._torn  # a line after half a line would be lost with it
        try:
            if os.write(self._file, line) != len(line):
                raise OSError("the disk is full")
            os.fdatasync(self._file) if hasattr(os, "fdatasync") else os.fsync(self._file)
        except OSError as error:
            self._torn = _no_journal(self.folder, error)
            raise self._torn from error

    def _create(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise _no_journal(self.folder, error) from error
        self._write(msgspec.json.encode(self.job) + b"\n")

    def _reopen(self, path: Path) -> None:
        """Read what was acknowledged, and cut off a line that a kill left half written."""
        for ack in acks(path):
            self.acked[ack.batch] = ack
            self._count(ack)
        whole = path.read_bytes().rfind(b"\n") + 1
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.ftruncate(self._file, whole)
        except OSError as error:
            raise _no_journal(self.folder, error) from error


def read_journal(path: Path) -> tuple[Job, bool]:
    """Read what a journal begins with, and whether its job reached its end."""
    try:
        with path.open("rb") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                raise msgspec.DecodeError("its first line is cut off")
            job = msgspec.json.decode(first, type=Job)
            file.seek(max(0, path.stat().st_size - len(END)))
            return job, file.read() == END
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StateError(f"{path} is not a journal that can be read: {error}", hint="move it away") from error


def journals(folder: Path) -> Iterator[tuple[Path, Job, bool]]:
    """List the journals of a folder, oldest first; what is no journal is passed over."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except FileNotFoundError:
        return  # no job has run yet
    except OSError as error:
        raise StateError(f"{folder} cannot be read: {error.strerror}", hint=STATE_HINT) from error
    for path in paths:
        try:
            yield path, *read_journal(path)
        except StateError:
            continue


def remove(path: Path, job: Job) -> bool:
    """Remove a journal and its lock; where its push is running, leave both and give False."""
    with alone(path.parent):
        lock = locked(path.parent, job.key)
        if lock is None:
            return False
        lock.release()
        path.unlink(missing_ok=True)
        Path(lock.lock_file).unlink(missing_ok=True)
        return True


def acks(path: Path) -> Iterator[Ack]:
    """Read the acknowledgements of a journal."""
    with path.open("rb") as file:
        yield from (ack for line in file if line.endswith(b"\n") and (ack := _ack(line)))


def _line(ack: Ack) -> bytes:
    """Write an acknowledgement down, beside its checksum."""
    content = msgspec.json.encode(ack)
    return msgspec.json.encode((zlib.crc32(content), msgspec.Raw(content))) + b"\n"


def _ack(line: bytes) -> Ack | None:
    try:
        checksum, content = msgspec.json.decode(line, type=tuple[int, msgspec.Raw])
        return msgspec.json.decode(content, type=Ack) if zlib.crc32(content) == checksum else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # the job, the end, or a line that the disk has spoiled: its batch is sent again


def _why_afresh(folder: Path, job: Job) -> str:
    """Say why nothing of a job can be gone on with, from what is known of pushes of the same file name."""
    same = [(earlier, ended) for _, earlier, ended in journals(folder) if earlier.file == job.file]
    if not same:
        return "no push of this file is known"
    earlier, ended = same[-1]
    if ended:
        return "the last push of this file reached its end"
    if earlier.digest != job.digest:
        return "the file has changed since the push that did not end"
    return "the push that did not end went to another place, or had other options"


def _unfinished(folder: Path, key: str) -> Path | None:
    found = [path for path, job, ended in journals(folder) if job.key == key and not ended]
    return found[-1] if found else None


def _tidy(folder: Path, own: str) -> None:
    """Remove the journals of jobs that ended long ago; cron would fill the disk with them."""
    for path, job, ended in journals(folder):
        if ended and time.time() - path.stat().st_mtime > KEPT:
            # The lock of our own job is held by us.
            path.unlink(missing_ok=True) if job.key == own else remove(path, job)


def _named(folder: Path, name: str, job: Job) -> Path:
    path = folder / f"{name}.jsonl"
    if "/" in name or not path.is_file():
        raise NotFoundError(f"--job: there is no job {name!r}", hint="adsctl jobs list shows them")
    known, ended = read_journal(path)
    if ended:
        raise UsageError(f"--job: the job {name} has reached its end; there is nothing to go on with")
    if known.key != job.key:
        raise UsageError(f"--job: the job {name} was made of another file, target or set of options")
    return path


def _no_journal(folder: Path, error: Any) -> StateError:
    reason = getattr(error, "strerror", None) or str(error)
    return StateError(
        f"the journal of this push cannot be written in {folder}: {reason}",
        hint=f"{STATE_HINT}; what was acknowledged so far is noted",
    )
