"""The file format of a job's journal: JSON lines.

The first line is the job, then come acknowledgements and attempts of its batches, then the end. Where several
files are sent one by one, each that has ended is noted too. Each entry is stored with its checksum: a bit
flipped on the disk must not name another batch, which would then never be sent.
"""

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..errors import StateError
from .upload import Acknowledgement, Attempt, Planned, SentPart

if TYPE_CHECKING:
    from ..feeds.rows import Rows


class UploadTarget(msgspec.Struct, frozen=True):
    """What a push changes."""

    service: str  # its address, or the world of an emulator
    kind: str  # "product_catalog", "custom_audience", "do_not_reach_list", or what records of a file
    id: str


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything beside the file's bytes and the place that decides which requests are sent."""

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

    place: UploadTarget
    upload: str  # "push", "create", "update", "send", "sync", "delete" or "delete by id"
    content: str  # SHA-256 of the file's bytes, in hex; of people what only a key tells of it
    options: JobOptions

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for the key, as in the name of its lock."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]


END = b'{"end":true}\n'
MARK = b"-\n"  # follows a line that is on the disk for sure, before what it notes is done
GROUP_VARIABLE = "ADSCTL_JOB_GROUP"  # in the environment of tasks that fill one list together
EARLIER_VARIABLE = "ADSCTL_EARLIER_JOBS"  # in that of tasks that send once: a file of the jobs before them
Entry = Acknowledgement | Attempt | SentPart | Planned


class Job(msgspec.Struct, kw_only=True):
    """One push of one file to one place."""

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
    epoch: str = msgspec.field(
        default="", name="generation"
    )  # of the place, begun with the job; empty in journals of earlier versions
    group: str = ""  # of jobs that may change the place at the same time, in any order
    parts: int = 0  # files, where each is validated and sent by itself; then rows and batches are 0

    @property
    def is_once(self) -> bool:
        """Whether it creates something new each time that it is run, so that its journal must be kept."""
        return self.key.upload in ("create", "send")

    @property
    def action(self) -> str:
        """Name what is done with the rows: push, create, update, send, sync, apply or delete."""
        if self.key.upload in ("sync", "create", "update", "send", "apply"):
            return self.key.upload
        operation = self.key.options.upload.get("operation_type")  # of an audience's users
        return "delete" if self.key.upload.startswith("delete") or operation == "Delete" else "push"


class _JobBefore(msgspec.Struct, kw_only=True):
    """A job as earlier versions wrote it: everything that identified it was one text."""

    job: str
    noun: str
    file: str
    digest: str
    target: str  # service, id of the place, and options, separated by spaces
    rows: int
    batches: int
    started: str

    def upgraded(self) -> Job:
        """Return the job as it is known today; it can be listed, and not resumed."""
        service, _, rest = self.target.partition(" ")
        kind = "product_catalog"
        if self.noun == "users":
            kind = "do_not_reach_list" if " DoNotReachUpload " in rest else "custom_audience"
        options = JobOptions(skip_invalid=False, format="", encoding="", mapping={})
        return Job(
            job=self.job,
            key=JobKey(UploadTarget(service, kind, rest.partition(" ")[0]), "", self.digest, options),
            noun=self.noun,
            file=self.file,
            rows=self.rows,
            batches=self.batches,
            started=self.started,
        )


_decode_job_now = msgspec.json.Decoder(Job).decode
_decode_job_before = msgspec.json.Decoder(_JobBefore).decode
_decode_line = msgspec.json.Decoder(tuple[int, msgspec.Raw]).decode
_decode_acknowledgement = msgspec.json.Decoder(Acknowledgement).decode
_decode_attempt = msgspec.json.Decoder(Attempt).decode
_decode_part = msgspec.json.Decoder(SentPart).decode
_decode_planned = msgspec.json.Decoder(Planned).decode


def read_job(path: Path) -> tuple[Job, bool]:
    """Read the job of a journal, and whether it has ended; raise StateError."""
    try:
        with path.open("rb") as file:
            first = file.readline()
            if not first.endswith(b"\n"):
                raise msgspec.DecodeError("its first line is incomplete")
            job = _decode_first(first)
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


def _decode_first(line: bytes) -> Job:
    """Decode the first line, which has no checksum in journals of earlier versions."""
    if line.startswith(b"{"):
        return _decode_job(line)
    checksum, content = _decode_line(line)
    if zlib.crc32(content) != checksum:
        raise msgspec.DecodeError("its first line is damaged")
    return _decode_job(content)


def _decode_job(line: bytes | msgspec.Raw) -> Job:
    try:
        return _decode_job_now(line)
    except msgspec.ValidationError as error:
        try:
            return _decode_job_before(line).upgraded()
        except msgspec.ValidationError:
            raise error from None


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
            if entry := _decode(line) if line.endswith(b"\n") else None:
                yield entry
            elif number > 1 and line != END and len(line) > len(MARK):  # else it is the mark, damaged or not
                damaged = number
                if strict and line.endswith(MARK):  # that of the line, which has lost its end
                    raise unreadable(path, f"line {damaged} is damaged")


def acknowledgements(path: Path) -> Iterator[Acknowledgement]:
    """Read the acknowledgements of a journal; a later one of the same batch replaces an earlier one."""
    return (entry for entry in entries(path) if isinstance(entry, Acknowledgement))


def sent_parts(path: Path) -> list[SentPart]:
    """Read the files that are acknowledged as a whole, up to a note that is damaged."""
    parts: list[SentPart] = []
    for entry in entries(path):
        if isinstance(entry, SentPart) and entry.follows(parts):
            parts.append(entry)
    return parts


def last_acknowledgements(path: Path) -> dict[int, Acknowledgement]:
    """Read the acknowledgement that counts for each batch, by batch number."""
    return {ack.batch: ack for ack in acknowledgements(path)}


def unacknowledged(path: Path) -> list[list[str]]:
    """Return the contents of each batch that may be applied, and is not acknowledged."""
    lost: dict[int, list[str]] = {}
    for entry in entries(path):
        if isinstance(entry, Attempt) and entry.may_be_applied:
            lost[entry.attempted] = entry.keys
        elif isinstance(entry, Attempt):
            lost.pop(entry.attempted, None)
        elif isinstance(entry, Acknowledgement):
            lost.pop(entry.batch, None)
    return [*lost.values()]


def encode(entry: Entry | Job) -> bytes:
    """Return the line of an entry or of the job, with its checksum."""
    content = msgspec.json.encode(entry)
    return msgspec.json.encode((zlib.crc32(content), msgspec.Raw(content))) + b"\n"


def _decode(line: bytes) -> Entry | None:
    try:
        checksum, content = _decode_line(line)
        if zlib.crc32(content) == checksum:
            start = bytes(content)[:7]
            if start == b'{"part"':
                return _decode_part(content)
            if start == b'{"plann':
                return _decode_planned(content)
            is_attempt = start.startswith(b"{")
            return _decode_attempt(content) if is_attempt else _decode_acknowledgement(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # the job, the end, or a damaged line
    return None


def current_folder() -> str:
    """Return the folder that relative paths start from; empty where it was removed, or is not UTF-8."""
    try:
        folder = str(Path.cwd())
        folder.encode()
    except (OSError, UnicodeEncodeError):
        return ""
    return folder
