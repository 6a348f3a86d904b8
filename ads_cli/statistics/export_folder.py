"""What an export has done, in a folder of the state: the job of each part, and the downloaded results."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import msgspec

from ..config.atomic_files import make_folder, sync_folder
from ..config.file_locks import how_to_unlock, try_lock
from ..errors import STATE_HINT, StateError
from .question import Question

FOLDER = "exports"
LOG = "jobs.jsonl"
State = Literal["made", "failed", "done"]


class Entry(msgspec.Struct):
    """What has become of a part."""

    part: int
    state: State
    job: str = ""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


class ExportFolder:
    """The folder of one question; a second run of it waits for nothing, and ends with StateError."""

    def __init__(self, state_dir: Path, service: str, account: str, question: Question) -> None:
        key = msgspec.json.encode((service, account, question), enc_hook=str)
        self.path = state_dir / FOLDER / blake2b(key, digest_size=8).hexdigest()
        self.jobs: dict[int, str] = {}  # in processing, by part
        self.failures: dict[int, int] = {}  # jobs that failed, by part
        self.done: set[int] = set()

    @contextmanager
    def opened(self, *, resume: bool) -> Iterator[bool]:
        """Lock the folder, and read or empty it; yield whether an export is resumed."""
        try:
            make_folder(self.path.parent)
            lock_path = self.path.with_suffix(".lock")
            lock = try_lock(lock_path)
            if lock is None:
                raise StateError("another run exports the same statistics", hint=how_to_unlock(lock_path))
            try:
                is_resumed = resume and (self.path / LOG).exists()
                if is_resumed:
                    self._read()
                else:
                    shutil.rmtree(self.path, ignore_errors=True)
                    make_folder(self.path)
                yield is_resumed
            finally:
                lock.release()
        except OSError as error:
            raise StateError(
                f"the state of this export cannot be written in {self.path}: {error}", hint=STATE_HINT
            ) from error

    def note(self, entry: Entry) -> None:
        """Note what became of a part, on disk before this returns."""
        log = self.path / LOG
        with log.open("ab") as file:
            file.write(_encode(entry) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._take(entry)

    def store(self, part: int, packed: bytes) -> None:
        """Keep the result of a part, on disk before this returns."""
        path = self.result(part)
        new = path.with_suffix(".new")
        with new.open("wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(self.path)
        self.note(Entry(part, "done"))

    def result(self, part: int) -> Path:
        """Return the file of a result."""
        return self.path / f"{part:06}.json.gz"

    def remove(self) -> None:
        """Remove all that was kept."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _read(self) -> None:
        for line in (self.path / LOG).read_bytes().splitlines(keepends=True):
            try:
                entry = _decode(line)
            except msgspec.DecodeError:  # a line that a full disk or a power failure has cut
                continue
            if entry.state != "done" or self.result(entry.part).exists():
                self._take(entry)
        with (self.path / LOG).open("ab") as file:
            file.write(b"\n")  # after a line that was cut

    def _take(self, entry: Entry) -> None:
        if entry.state == "made":
            self.jobs[entry.part] = entry.job
            return
        self.jobs.pop(entry.part, None)
        if entry.state == "done":
            self.done.add(entry.part)
        else:
            self.failures[entry.part] = self.failures.get(entry.part, 0) + 1
