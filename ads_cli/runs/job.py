"""A job, what identifies it, and what is noted of its batches."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..store.epochs import UploadTarget

if TYPE_CHECKING:
    from ..feeds.rows import Rows


UploadOptions = dict[str, str | int | bool | None]


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything beside the file's bytes and the target that decides which requests are sent."""

    skip_invalid: bool = False
    format: str = ""
    encoding: str = ""
    mapping: dict[str, str] = {}
    conversion: str = ""  # digest of the steps that convert rows
    reading: dict[str, str] = {}  # other options of how the file is read
    selection: str = ""  # digest of the rows that are sent, where not all are
    upload: UploadOptions = {}  # options of this kind of upload


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

    target: UploadTarget
    upload: str  # "push", "create", "update", "send", "sync", "apply", "upload", "delete" or "delete by id"
    content: str  # SHA-256 of the file's bytes, in hex; of people what only a key tells of it
    options: JobOptions

    @property
    def digest(self) -> str:
        """Return 16 hex digits that stand for the key, as in the name of its lock."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]


FAILED = "failed"  # the status of rows that the service rejected


class Acknowledgement(msgspec.Struct, array_like=True):
    """What the service answered to one batch: rows by status, and messages by record number.

    A plan that cuts other batches when it is resumed has each name the rows that it is about.
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
    contents: list[str] = []  # digests of what is created once, as `records`


def answers(acknowledgements: Iterable[Acknowledgement]) -> list[Any]:
    """Return the records that the service made, in the order of the acknowledgements."""
    return [record for ack in acknowledgements for record in ack.answer]


GROUP_VARIABLE = "ADSCTL_JOB_GROUP"  # in the environment of tasks that fill one list together
BEGUN_VARIABLE = "ADSCTL_TASK_HAD_BEGUN"  # in that of tasks that are resumed, and may have sent nothing
EARLIER_VARIABLE = "ADSCTL_EARLIER_JOBS"  # in that of tasks that send once: whose earlier jobs are noted

ENDED, UNFINISHED, SUPERSEDED, DISCARDED = "ended", "unfinished", "superseded", "discarded"


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
    epoch: str = ""  # of the target, begun with the job
    group: str = ""  # of jobs that may change the target at the same time, in any order
    # Of one that is stored: ENDED, UNFINISHED (it can be resumed), SUPERSEDED or DISCARDED.
    state: str = ""

    @property
    def is_once(self) -> bool:
        """Whether it creates something new each time that it is run, so that it must be known."""
        return self.key.upload in ("create", "send")

    @property
    def is_over(self) -> bool:
        """Whether nothing resumes it."""
        return self.state in (ENDED, DISCARDED)

    @property
    def may_have_created(self) -> bool:
        """Whether what it has created would be created again if it were forgotten: it has not ended."""
        return not self.is_over and (self.is_once or self.key.upload == "apply")

    @property
    def may_be_removed(self) -> bool:
        """Whether nothing depends on it any more: not where the same file would be created again."""
        return self.is_over or not (self.may_have_created or self.state == UNFINISHED)

    @property
    def action(self) -> str:
        """Name what is done with the rows: push, create, update, send, sync, apply, upload or delete."""
        upload = self.key.upload
        removes_users = upload == "push" and self.key.options.upload.get("operation_type") == "Delete"
        return "delete" if removes_users or upload.startswith("delete") else upload


def current_folder() -> str:
    """Return the folder that relative paths start from; empty where it was removed, or is not UTF-8."""
    try:
        folder = str(Path.cwd())
        folder.encode()
    except (OSError, UnicodeEncodeError):
        return ""
    return folder
