"""What the service has acknowledged, on disk before it is counted."""

import os
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from ..client.pace import StoppedError
from ..errors import STATE_HINT, StateError
from .jobs import END, Job, acks, line_of, named, read_journal, tidy, unfinished, why_afresh
from .locks import alone, locked
from .upload import Ack


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
        tidy(folder, job.key)
        earlier = unfinished(folder, job)
        path = named(folder, name, job) if name else (earlier if resume else None)
        self.left_behind = earlier if not resume and not name else None
        self.resumed = path is not None
        self.afresh = why_afresh(folder, job) if resume and path is None else ""
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
        entry = _Entry(ack, line_of(ack))
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


def _no_journal(folder: Path, error: Any) -> StateError:
    reason = getattr(error, "strerror", None) or str(error)
    return StateError(
        f"the journal of this push cannot be written in {folder}: {reason}",
        hint=f"{STATE_HINT}; what was acknowledged so far is noted",
    )
