"""What an export has done, in a folder of the state: the job of each part, and the downloaded results."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import msgspec

from ..config.atomic_files import make_folder, open_private
from ..config.file_locks import locked_or_refused, try_lock
from ..errors import STATE_HINT, ReportedError, StateError, UnavailableError
from ..stored_times import is_believable, is_older
from .periods import utc_now
from .query import StatsQuery

FOLDER = "exports"
LOG = "jobs.jsonl"
RESUME_HINT = "--resume continues with the jobs that were made"
OF_USE = timedelta(days=2)  # results of one export; later ones may differ from them
KEPT_SECONDS = 7 * 24 * 3600  # without a note; the service keeps a result for two days
State = Literal["begun", "made", "failed"]


class PartEntry(msgspec.Struct, omit_defaults=True):
    """What has become of a part; the first one says when the export began."""

    part: int
    state: State
    job: str = ""
    at: datetime | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(PartEntry).decode


class ExportFolder:
    """The folder of one query. A second run of the query ends with StateError at once."""

    def __init__(self, state_dir: Path, service: str, account: str, query: StatsQuery) -> None:
        key = msgspec.json.encode((service, account, query), enc_hook=str)
        self.path = state_dir / FOLDER / blake2b(key, digest_size=8).hexdigest()
        self.jobs: dict[int, str] = {}  # in processing, by part
        self.results: set[int] = set()  # the parts whose result is stored
        self.failed: set[str] = set()  # jobs that were of no use
        self.begun: datetime | None = None

    @contextmanager
    def opened(self, *, resume: bool) -> Iterator[bool]:
        """Lock the folder, and read or empty it; yield whether an export is resumed.

        One that began too long ago is not: what was charged then may have fallen since.

        An error that ends the export says how to resume it, where that saves anything.
        """
        with ExitStack() as stack:
            with self._state_errors():
                make_folder(self.path.parent)
                refusal = "another run exports the same statistics"
                stack.enter_context(locked_or_refused(self.path.with_suffix(".lock"), refusal))
                is_resumed = resume and self._read()
                if not is_resumed:
                    shutil.rmtree(self.path, ignore_errors=True)
                    self._remove_old()
                    make_folder(self.path)
                    self.note(PartEntry(0, "begun", at=utc_now()))
            try:
                yield is_resumed
            except ReportedError as error:
                if error.may_be_applied:  # a job that was created will be found again
                    error.hint = RESUME_HINT
                elif (self.jobs or self.results) and "--resume" not in error.hint:
                    error.hint = "; ".join(filter(None, (error.hint, RESUME_HINT)))
                raise

    @contextmanager
    def _state_errors(self) -> Iterator[None]:
        """Say where the state is, if it cannot be read or written."""
        try:
            yield
        except OSError as error:
            raise StateError(
                f"the state of this export cannot be written in {self.path}: {error}", hint=STATE_HINT
            ) from error

    def note(self, *entries: PartEntry) -> None:
        """Note the results of parts, on disk before this returns."""
        with self._state_errors(), open_private(self.path / LOG, "ab") as file:
            file.write(b"".join(_encode(entry) + b"\n" for entry in entries))
            file.flush()
            os.fsync(file.fileno())
        for entry in entries:
            self._take(entry)

    def store(self, part: int, packed: bytes) -> None:
        """Keep the result of a part. A power failure may lose it, since its job still has it."""
        with self._state_errors(), open_private(self._result(part)) as file:
            file.write(packed)
        self.results.add(part)
        self.jobs.pop(part, None)

    def load(self, part: int) -> bytes:
        """Return the result of a part."""
        with self._state_errors():
            return self._result(part).read_bytes()

    def _result(self, part: int) -> Path:
        return self.path / f"{part:06}.json.gz"

    def remove(self) -> None:
        """Remove all that was kept."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _remove_old(self) -> None:
        """Remove what other exports left too long ago to be resumed."""
        for log in self.path.parent.glob(f"*/{LOG}"):
            with suppress(OSError, StateError):
                if not is_older(log, KEPT_SECONDS):
                    continue
                if lock := try_lock(log.parent.with_suffix(".lock")):
                    shutil.rmtree(log.parent, ignore_errors=True)
                    lock.release()

    def _read(self) -> bool:
        """Read what an earlier run has noted; return whether there is one whose results are still of use."""
        if not (self.path / LOG).exists():
            return False
        for line in (self.path / LOG).read_bytes().splitlines(keepends=True):
            with suppress(msgspec.DecodeError):  # a line that a full disk or a power failure has cut
                self._take(_decode(line))
        with open_private(self.path / LOG, "ab") as file:
            file.write(b"\n")  # after a line that was cut
        if self.begun and is_believable(self.begun) and utc_now() - self.begun < OF_USE:
            return True
        self.jobs.clear()
        self.failed.clear()
        return False

    def find_results(self, check: Callable[[int, bytes], object]) -> None:
        """Find the results that were downloaded; `check` raises UnavailableError for one of no use."""
        for part in [*self.jobs]:
            with suppress(OSError, UnavailableError):
                check(part, self._result(part).read_bytes())
                self.results.add(part)
                del self.jobs[part]

    def _take(self, entry: PartEntry) -> None:
        """Change what is known by an entry that is on disk."""
        if entry.state == "begun":
            self.begun = entry.at
        elif entry.state == "made":
            self.jobs[entry.part] = entry.job
        elif job := self.jobs.pop(entry.part, None):
            self.failed.add(job)
