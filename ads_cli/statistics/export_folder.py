"""What an export has done: the job of each part in the database, the downloaded results in a folder."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import msgspec

from ..config.atomic_files import make_folder, open_private
from ..config.file_locks import locked_or_refused, state_lock, try_lock
from ..errors import STATE_HINT, ReportedError, StateError, UnavailableError
from ..store import store_in
from ..stored_times import is_believable
from .periods import utc_now
from .query import StatsQuery

FOLDER = "exports"
RESUME_HINT = "--resume continues with the jobs that were made"
OF_USE = timedelta(days=2)  # results of one export; later ones may differ from them
KEPT = timedelta(days=7)  # since it began; the service keeps a result for two days


class ExportFolder:
    """What is kept of one query. A second run of the query ends with StateError at once."""

    def __init__(self, state_dir: Path, service: str, account: str, query: StatsQuery) -> None:
        key = msgspec.json.encode((service, account, query), enc_hook=str)
        self._name = blake2b(key, digest_size=8).hexdigest()
        self._store, self._state_dir = store_in(state_dir), state_dir
        self.path = state_dir / FOLDER / self._name
        self.jobs: dict[int, str] = {}  # in processing, by part
        self.results: set[int] = set()  # the parts whose result is stored
        self.failed: set[str] = set()  # jobs that were of no use
        self.begun: datetime | None = None

    @contextmanager
    def opened(self, *, resume: bool) -> Iterator[bool]:
        """Lock the export, and read or forget what was done; yield whether it is resumed.

        One that began too long ago is not: what was charged then may have fallen since.

        An error that ends the export says how to resume it, where that saves anything.
        """
        refusal = "another run exports the same statistics"
        with locked_or_refused(state_lock(self._state_dir, FOLDER, self._name), refusal):
            is_resumed = resume and self._read()
            if not is_resumed:
                self._begin()
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
        """Say where the results are, if they cannot be read or written."""
        try:
            yield
        except OSError as error:
            raise StateError(
                f"the state of this export cannot be written in {self.path}: {error}", hint=STATE_HINT
            ) from error

    def note_made(self, jobs: Mapping[int, str]) -> None:
        """Note the jobs that parts have now, on disk before this returns."""
        if jobs:
            rows = [(self._name, part, job) for part, job in jobs.items()]
            with self._store.writing() as db:
                db.executemany("REPLACE INTO export_jobs (export, part, job) VALUES (?, ?, ?)", rows)
        self.jobs |= jobs

    def note_failed(self, part: int) -> None:
        """Note that the job of a part was of no use, on disk before this returns."""
        values = self._name, part, self.jobs[part]
        with self._store.writing() as db:
            db.execute("UPDATE export_jobs SET has_failed = 1 WHERE (export, part, job) = (?, ?, ?)", values)
        self.failed.add(self.jobs.pop(part))

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
        """Remove all that was kept, as far as that can be done."""
        with suppress(StateError):
            self._forget(self._name)

    def _forget(self, name: str) -> None:
        """Forget an export."""
        shutil.rmtree(self.path.with_name(name), ignore_errors=True)
        with self._store.writing() as db:
            db.execute("DELETE FROM exports WHERE name = ?", (name,))

    def _begin(self) -> None:
        """Forget what an earlier run has done, and what others left too long ago to be resumed."""
        self._forget(self._name)
        for name, begun in self._store.rows("SELECT name, begun FROM exports"):
            is_old = begun < (utc_now() - KEPT).timestamp() or not is_believable(begun)
            if is_old and (lock := try_lock(state_lock(self._state_dir, FOLDER, name))):
                self._forget(name)
                lock.release()
        with self._state_errors():
            make_folder(self.path)
        self.begun = utc_now()
        with self._store.writing() as db:
            db.execute("INSERT INTO exports VALUES (?, ?)", (self._name, self.begun.timestamp()))

    def _read(self) -> bool:
        """Read what an earlier run has noted; return whether there is one whose results are still of use."""
        for (seconds,) in self._store.rows("SELECT begun FROM exports WHERE name = ?", (self._name,)):
            begun = datetime.fromtimestamp(seconds, UTC)
            if is_believable(begun) and utc_now() - begun < OF_USE:
                self.begun = begun
        if self.begun is None:
            return False
        query = "SELECT part, job, has_failed FROM export_jobs WHERE export = ?"
        for part, job, has_failed in self._store.rows(query, (self._name,)):
            if has_failed:
                self.failed.add(job)
            else:
                self.jobs[part] = job
        with self._state_errors():
            make_folder(self.path)
        return True

    def find_results(self, check: Callable[[int, bytes], object]) -> None:
        """Find the results that were downloaded; `check` raises UnavailableError for one of no use."""
        for part in [*self.jobs]:
            with suppress(OSError, UnavailableError):
                check(part, self._result(part).read_bytes())
                self.results.add(part)
                del self.jobs[part]
