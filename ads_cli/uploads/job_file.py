"""The file format of a job's journal: JSON lines.

The first line is the job, then come acknowledgements and attempts of its batches, then the end. Where several
files are sent one by one, each that has ended is noted too. Nothing is changed: what a later entry says of a
batch counts, and an acknowledgement without counts discards the one before. Each entry is stored with its
checksum: a bit flipped on the disk must not name another batch, which would then never be sent.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ..config.atomic_files import checked_line, read_checked_line
from ..errors import StateError
from ..store.epochs import UploadTarget

if TYPE_CHECKING:
    from ..feeds.rows import Rows


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything beside the file's bytes and the target that decides which requests are sent."""

    skip_invalid: bool
    format: str
    encoding: str
    mapping: dict[str, str]
    conversion: str = ""  # digest of the steps that convert rows
    reading: dict[str, str] = {}  # other options of how the file is read
    selection: str = ""  # digest of the rows that are sent, where not all are
    upload: dict[str, str | int | bool | None] = {}  # options of this kind of upload


def options_of_rows(rows: "Rows", *, skip_invalid: bool) -> JobOptions:
    """Return how rows are read and converted."""
    source = rows.source
    return JobOptions(
        skip_invalid=skip_invalid,
        format=source.format_name,
        encoding=source.encoding,
        mapping=dict(rows.rename),
        conversion=rows.transform.digest,
        reading=source.options.of_content,
    )


class JobKey(msgspec.Struct, frozen=True):
    """The identity of a job."""

    target: UploadTarget = msgspec.field(name="place")
    upload: str  # "push", "create", "update", "send", "sync", "apply", "delete" or "delete by id"
    content: str  # SHA-256 of the file's bytes, in hex; of people what only a key tells of it
    options: JobOptions

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for the key, as in the name of its lock."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]


class Acknowledgement(msgspec.Struct, array_like=True):
    """What the service answered to one batch: rows by status, and messages by record number.

    A plan that cuts other batches when it is resumed has each name the rows that it is about. It is stored as
    a list of its fields: a new one goes to the end, with a default.
    """

    batch: int
    counts: dict[str, int]
    failed: list[tuple[int, str]] = []
    warned: list[tuple[int, str]] = []
    keys: list[int] = []  # CRC-32 of the key of each row, where the upload notes them
    digest: str = ""  # of what was sent
    records: list[int] = []  # numbers of the rows, where the plan needs them
    deleted: list[str] = []  # keys of what was to be deleted and is in no row, where the plan needs them
    not_deleted: list[tuple[str, str]] = []  # names of those that were refused, with the reasons
    answer: list[Any] = []  # the records that the service made of the rows, where the plan needs them

    @property
    def is_discarded(self) -> bool:
        """Whether it only replaces one of an earlier run, which does not count any more."""
        return not (self.counts or self.digest)


def answers(acknowledgements: Iterable[Acknowledgement]) -> list[Any]:
    """Return the records that the service made, in the order of their batches; the last of a batch counts."""
    latest = {ack.batch: ack for ack in acknowledgements}
    return [record for _, ack in sorted(latest.items()) for record in ack.answer]


class Attempt(msgspec.Struct):
    """Whether the service may have applied a request of a batch, which it has not acknowledged."""

    attempted: int  # number of the batch
    may_be_applied: bool
    keys: list[str] = []  # of what the request deletes; digests of the records that it creates


class Planned(msgspec.Struct):
    """Digests of records that a run is to create once, whether they were sent or not."""

    planned: list[str]


END = b'{"end":true}\n'
MARK = b"-\n"  # follows a line that is on the disk for sure, before what it notes is done
GROUP_VARIABLE = "ADSCTL_JOB_GROUP"  # in the environment of tasks that fill one list together
BEGUN_VARIABLE = "ADSCTL_TASK_HAD_BEGUN"  # in that of tasks that are resumed, and may have sent nothing
EARLIER_VARIABLE = "ADSCTL_EARLIER_JOBS"  # in that of tasks that send once: a file of the jobs before them
Entry = Acknowledgement | Attempt | Planned


class Job(msgspec.Struct, kw_only=True):
    """One push of one file to one target."""

    job: str  # its id
    key: JobKey
    noun: str  # of its rows
    file: str
    rows: int
    batches: int
    started: str  # the time that its rows are validated against, in UTC
    resume: str = ""  # the command that resumes it
    profile: str = ""  # that it was started with
    folder: str = ""  # in which the command was run
    epoch: str = msgspec.field(default="", name="generation")  # of the target, begun with the job
    group: str = ""  # of jobs that may change the target at the same time, in any order

    @property
    def is_once(self) -> bool:
        """Whether it creates something new each time that it is run, so that its journal must be kept."""
        return self.key.upload in ("create", "send")

    @property
    def action(self) -> str:
        """Name what is done with the rows: push, create, update, send, sync, apply or delete."""
        upload = self.key.upload
        removes_users = upload == "push" and self.key.options.upload.get("operation_type") == "Delete"
        return "delete" if removes_users or upload.startswith("delete") else upload


_decode_job = msgspec.json.Decoder(Job).decode
# How the JSON of an entry begins tells its type.
_DECODERS = (
    (b'{"attempted"', msgspec.json.Decoder(Attempt).decode),
    (b'{"planned"', msgspec.json.Decoder(Planned).decode),
    (b"[", msgspec.json.Decoder(Acknowledgement).decode),
)


def read_job(path: Path) -> tuple[Job, bool]:
    """Read the job of a journal, and whether it has ended; raise StateError."""
    try:
        with path.open("rb") as file:
            if (content := read_checked_line(file.readline())) is None:
                raise msgspec.DecodeError("its first line is damaged or incomplete")
            job = _decode_job(content)
            file.seek(max(0, path.stat().st_size - len(END)))
            return job, file.read() == END
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unreadable(path, str(error)) from error


def unreadable(path: Path, why: str) -> StateError:
    """Return the error for a journal that a disk has damaged."""
    return StateError(
        f"{path} is not a readable journal: {why}",
        hint=f"adsctl jobs show {path.stem} says what is left; adsctl jobs discard {path.stem} gives it up",
    )


def entries(path: Path, *, strict: bool = False) -> Iterator[Entry]:
    """Read the entries of a journal; damaged lines are left out, so their batches are sent again.

    What may be sent only once needs every line: where it is `strict`, StateError is raised. A last line may
    be damaged, since what it notes had not happened yet: a power failure came before it was on the disk.
    """
    damaged = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if strict and damaged:
                raise unreadable(path, f"line {damaged} is damaged")
            if entry := _decode(line):
                yield entry
            elif number > 1 and line != END and len(line) > len(MARK):  # else it is the mark, damaged or not
                damaged = number
                if strict and line.endswith(MARK):  # that of the line, which has lost its end
                    raise unreadable(path, f"line {damaged} is damaged")


def acknowledgements(path: Path) -> Iterator[Acknowledgement]:
    """Read the acknowledgements of a journal one by one; the last one of a batch counts."""
    return (entry for entry in entries(path) if isinstance(entry, Acknowledgement))


@dataclass
class JournalContent:
    """What the entries of a journal say together: of each batch, the last one of a kind counts."""

    attempts: dict[int, Attempt] = field(default_factory=dict)  # a withdrawn one keeps its keys
    planned: set[str] = field(default_factory=set)  # digests of records
    _answers: dict[int, Acknowledgement] = field(default_factory=dict)  # discarded ones too

    def add(self, entry: Entry) -> None:
        """Take the next entry."""
        if isinstance(entry, Acknowledgement):
            self._answers[entry.batch] = entry
        elif isinstance(entry, Planned):
            self.planned.update(entry.planned)
        elif entry.may_be_applied:
            self.attempts[entry.attempted] = entry
        elif withdrawn := self.attempts.get(entry.attempted):
            self.attempts[entry.attempted] = replace(withdrawn, may_be_applied=False)

    @property
    def acknowledged(self) -> dict[int, Acknowledgement]:
        """The acknowledgements that count, by batch number."""
        return {number: ack for number, ack in self._answers.items() if not ack.is_discarded}

    @property
    def uncertain(self) -> dict[int, Attempt]:
        """The attempts that may be applied, by batch number, whether they were acknowledged since or not."""
        return {number: attempt for number, attempt in self.attempts.items() if attempt.may_be_applied}

    @property
    def unanswered(self) -> list[list[str]]:
        """The keys or digests of each batch that may be applied, and was never acknowledged."""
        return [attempt.keys for number, attempt in self.uncertain.items() if number not in self._answers]


def read_journal(path: Path, *, strict: bool = False) -> JournalContent:
    """Read all entries of a journal; see `entries`."""
    content = JournalContent()
    for entry in entries(path, strict=strict):
        content.add(entry)
    return content


def encode(entry: Entry | Job) -> bytes:
    """Return the line of an entry or of the job, with its checksum."""
    return checked_line(msgspec.json.encode(entry))


def _decode(line: bytes) -> Entry | None:
    """Return the entry of a line; None for the job, the end, and a damaged line."""
    content = read_checked_line(line) or b""
    for start, decode in _DECODERS:
        if content.startswith(start):
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                return decode(content)
    return None


def current_folder() -> str:
    """Return the folder that relative paths start from; empty where it was removed, or is not UTF-8."""
    try:
        folder = str(Path.cwd())
        folder.encode()
    except (OSError, UnicodeEncodeError):
        return ""
    return folder
