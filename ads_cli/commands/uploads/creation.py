"""Create the only record of a file once: with a journal, as the records of longer files."""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.endpoint import Request
from ...api.parts import encode_operation, operation
from ...batches import Uncertain
from ...batches.creation_runs import (
    Creation,
    CreationRun,
    begin_creation,
    content_of,
    named_file,
    read_run,
)
from ...batches.plan import RestOfRun
from ...batches.upload import OPERATIONS, BatchUpload, how_to_decide, records_in
from ...console.invocation import Invocation
from ...console.results import show
from ...errors import AdsctlError
from ...feeds.locations import Location
from ...store.epochs import UploadTarget
from ...uploads.job import BEGUN_VARIABLE, Acknowledgement, JobKey, current_folder
from ...uploads.upload import noted
from .journal import document_key, new_job, open_job
from .reports import resume_command

if TYPE_CHECKING:
    from ...client.prepared_request import PreparedRequest
    from ...client.response import Response
    from ...uploads.journal import Journal


class OneRecord(NamedTuple):
    """A request that creates the only record of a file."""

    request: Request
    location: Location
    content: str  # a digest, by which the record is known
    key: JobKey
    uncertain: Uncertain | None
    resume: bool

    @property
    def noun(self) -> str:
        """Name what is created, in the plural."""
        return self.request.endpoint.noun


def content_of_request(call: Invocation, request: Request) -> str:
    """Return the digest of the record that a request creates."""
    return content_of(encode_operation(operation(request, call.settings.names)))


def key_of_document(call: Invocation, request: Request, content: str, options: Mapping[str, Any]) -> JobKey:
    """Return the key of the creation of a record, of which a document says a part, and options the rest."""
    ids = " ".join(str(getattr(request, name)) for name in request.endpoint.path_fields)
    target = UploadTarget(call.service, f"{request.endpoint.noun} of {content}", ids)
    return document_key(target, "create", content, {name: str(options[name]) for name in sorted(options)})


def create_once(
    call: Invocation,
    record: OneRecord,
    prepare: "Callable[[], PreparedRequest]",
    show_response: "Callable[[Response], None]",
    confirm: Callable[[], None] = lambda: None,
) -> None:
    """Create a record and show it, unless an earlier run has created it or may have.

    The order is that of the steps in `batches.creation_runs`.
    """
    creation = Creation(record.key, named_file(record.location), current_folder(), [record.content])
    is_task, state_dir = BEGUN_VARIABLE in call.settings.environ, call.settings.state_dir
    start = begin_creation(state_dir, creation, call.messages.warn, resume=record.resume, is_task=is_task)
    confirm()
    key, is_resumed = start.resumes or record.key, start.resumes is not None
    job = new_job(call, key, record.noun, record.location.identity, rows=1, batches=1)
    opened = open_job(call, job, resume=is_resumed, job_id=None, expected_epoch=start.expected_epoch)
    with closing(opened) as journal:
        upload = BatchUpload(record.request, "create", record.noun, OPERATIONS, record.uncertain)
        first_line = (1, 1)  # number and line of the only record
        rest = RestOfRun(journal, record.location.label, upload, creation, lambda index: first_line)
        rest.begin()
        if rest.pending:
            show_response(_create(call, record, prepare, upload, journal, rest.next_batch))
        else:
            _show_earlier(call, record, read_run(journal.state_dir, journal.job))
        journal.finish()


def _create(
    call: Invocation,
    record: OneRecord,
    prepare: "Callable[[], PreparedRequest]",
    upload: BatchUpload,
    journal: "Journal",
    number: int,
) -> "Response":
    """Send the request; note before that it may be applied, and afterwards what it has made."""
    made: list[Any] = []

    def check(response: "Response") -> None:
        """Read what was made; raise UnavailableError where it is not understood: it may be created then."""
        made[:] = records_in(response, 1)
        upload.used_ids.require_new(made)

    try:
        prepared = prepare()
        with noted(journal, number, [record.content]) as on_send:
            response = call.client.exchange(prepared, on_send=on_send, check=check)
    except AdsctlError as error:
        if error.may_be_applied:  # the journal is kept, with the attempt
            error.message = f"{record.location.label}: {upload.counted(1)} may be created: {error.message}"
            error.hint = f"look whether it exists before you resume; {how_to_decide(1)}"
            error.hint += f"; resume with: {resume_command(call.command_line)}"
        else:  # there was no attempt, or it was withdrawn
            journal.flush()
            was_sent_earlier = bool(read_run(journal.state_dir, journal.job).sent)
            if not was_sent_earlier:
                journal.remove()  # nothing was created, and the file may be sent as if it never was
        raise
    journal.append(Acknowledgement(number, {upload.done: 1}, records=[1], answer=made))
    journal.flush()
    return response


def _show_earlier(call: Invocation, record: OneRecord, run: CreationRun) -> None:
    """Show what earlier runs have made of the record; say where that is not known."""
    made = next((sent.answer for sent in run.sent if sent.content == record.content), None)
    if made is None:
        call.messages.say(f"{record.location.label}: not sent again, since it may exist")
    else:
        show(call, record.request, made)
