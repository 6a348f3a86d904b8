"""The jobs of pushes, as their journals tell them: what ran, what has not ended, and what was acknowledged.

A job is one push of one file to one target. Its journal is a file of JSON lines: the job, then one
acknowledgement a batch, then the end. Batches are cut the same way each time, so a number is enough
to know one again. An acknowledgement stands beside its checksum: a bit that the disk has turned must
not make another batch of it, which would never be sent.
"""

import hashlib
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..errors import STATE_HINT, NotFoundError, StateError, UsageError
from .locks import alone, locked
from .upload import Acknowledgement

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
    def place(self) -> tuple[str, str, str]:
        """Name what is changed: the service, and the catalog or the audience there."""
        return self.noun, self.service, self.where

    @property
    def service(self) -> str:
        """Name the service."""
        return self.target.partition(" ")[0]

    @property
    def where(self) -> str:
        """Name the catalog or the audience."""
        return self.target.partition(" ")[2].partition(" ")[0]

    @property
    def key(self) -> str:
        """Name what two runs must not do at the same time."""
        return hashlib.sha256(f"{self.noun}\0{self.digest}\0{self.target}".encode()).hexdigest()[:16]


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


def acks(path: Path) -> Iterator[Acknowledgement]:
    """Read the acknowledgements of a journal."""
    with path.open("rb") as file:
        yield from (ack for line in file if line.endswith(b"\n") and (ack := _ack(line)))


def line_of(ack: Acknowledgement) -> bytes:
    """Write an acknowledgement down, beside its checksum."""
    content = msgspec.json.encode(ack)
    return msgspec.json.encode((zlib.crc32(content), msgspec.Raw(content))) + b"\n"


def _ack(line: bytes) -> Acknowledgement | None:
    try:
        checksum, content = msgspec.json.decode(line, type=tuple[int, msgspec.Raw])
        return msgspec.json.decode(content, type=Acknowledgement) if zlib.crc32(content) == checksum else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None  # the job, the end, or a line that the disk has spoiled: its batch is sent again


def why_afresh(folder: Path, job: Job) -> str:
    """Say why nothing of a job can be gone on with, from what is known of pushes of the same file name."""
    known = list(journals(folder))
    if left := [earlier for _, earlier, ended in known if earlier.key == job.key and not ended]:
        return (
            "something else was sent there since the push that did not end; "
            f"--job {left[-1].job} goes on with it all the same"
        )
    same = [(earlier, ended) for _, earlier, ended in known if earlier.file == job.file]
    if not same:
        return "no push of this file is known"
    earlier, ended = same[-1]
    if ended:
        return "the last push of this file reached its end"
    if earlier.digest != job.digest:
        return "the file has changed since the push that did not end"
    return "the push that did not end went to another place, or had other options"


def unfinished(folder: Path, job: Job) -> Path | None:
    """Find the journal of the last such job that did not reach its end.

    Where something was sent to the same place since, what it had acknowledged may not stand there any more.
    """
    found = None
    for path, earlier, ended in journals(folder):
        if earlier.place == job.place:
            if earlier.key == job.key and not ended:
                found = path
            elif next(acks(path), None):
                found = None
    return found


def tidy(folder: Path, own: str) -> None:
    """Remove the journals of jobs that ended long ago; cron would fill the disk with them."""
    for path, job, ended in journals(folder):
        if ended and time.time() - path.stat().st_mtime > KEPT:
            # The lock of our own job is held by us.
            path.unlink(missing_ok=True) if job.key == own else remove(path, job)


def named(folder: Path, name: str, job: Job) -> Path:
    """Find the journal of a job to go on with; raise where it is another's, has ended or is not there."""
    path = folder / f"{name}.jsonl"
    if "/" in name or not path.is_file():
        raise NotFoundError(f"--job: there is no job {name!r}", hint="adsctl jobs list shows them")
    known, ended = read_journal(path)
    if ended:
        raise UsageError(f"--job: the job {name} has reached its end; there is nothing to go on with")
    if known.key != job.key:
        raise UsageError(f"--job: the job {name} was made of another file, target or set of options")
    return path
