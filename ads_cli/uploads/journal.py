"""What the service has acknowledged, on disk before it is counted."""

import os
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from ..client.rate_limiter import StoppedError
from ..errors import STATE_HINT, StateError
from .jobs import END, Job, acks, line_of, named, read_journal, tidy, unfinished, why_afresh
from .locks import alone, locked
from .upload import Acknowledgement

COMPANY = 0.005  # seconds that a line waits for others, which the disk then takes with it


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
        self.acked: dict[int, Acknowledgement] = {}
        self.totals: Counter[str] = Counter()
        self._waiting: SimpleQueue[Acknowledgement | threading.Event | None] = SimpleQueue()
        self._open = threading.Lock()
        self._closed = False
        self._torn: Exception | None = None  # what kept a line from being written whole
        self.path = path or folder / f"{job.job}.jsonl"
        if path is None:
            self.job = job
            self._create(self.path)
        else:
            self.job, _ = read_journal(path)
            self._reopen(path)
        self._writer = threading.Thread(target=self._run, daemon=True)
        self._writer.start()

    def append(self, ack: Acknowledgement) -> None:
        """Have an acknowledgement put on disk within moments, and then counted; safe in many threads."""
        with self._open:
            if self._torn:
                raise self._torn  # a line after half a line would be lost with it
            if self._closed:
                raise StoppedError
            self._waiting.put(ack)

    def settle(self) -> None:
        """Wait until everything is on disk; raise StateError where that cannot be."""
        settled = threading.Event()
        self._waiting.put(settled)
        settled.wait()
        if self._torn:
            raise self._torn

    @property
    def behind(self) -> int:
        """Count the acknowledgements that nobody has begun to write."""
        return self._waiting.qsize()

    def _run(self) -> None:
        """Write what comes, until nothing more does; runs in a thread of its own."""
        is_open = True
        while is_open:
            entries = [self._waiting.get()]
            if isinstance(entries[0], Acknowledgement):
                time.sleep(COMPANY)
            with suppress(Empty):
                while True:
                    entries.append(self._waiting.get_nowait())
            if acks := [entry for entry in entries if isinstance(entry, Acknowledgement)]:
                self._note(acks)
            for entry in entries:
                if isinstance(entry, threading.Event):
                    entry.set()
            is_open = None not in entries

    def _note(self, acks: list[Acknowledgement]) -> None:
        try:
            self._write(b"".join(map(line_of, acks)))
        except Exception as error:  # whatever it is, those who append or settle hear of it
            self._torn = error
        else:
            for ack in acks:
                self._count(ack)

    def finish(self) -> None:
        """Note that the job has reached its end."""
        self._write(END)

    def close(self) -> None:
        """Let go of the file and of the lock; what is acknowledged later is neither noted nor counted."""
        with self._open:
            if self._closed:
                return
            self._closed = True
        self._waiting.put(None)
        self._writer.join()
        os.close(self._file)
        self._lock.release()

    def _count(self, ack: Acknowledgement) -> None:
        self.totals.update(ack.counts)

    def _write(self, line: bytes) -> None:
        if self._torn:
            raise self._torn
        try:
            if os.write(self._file, line) != len(line):
                raise OSError("the disk is full")
            os.fdatasync(self._file) if hasattr(os, "fdatasync") else os.fsync(self._file)
        except OSError as error:
            raise _no_journal(self.folder, error) from error

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
