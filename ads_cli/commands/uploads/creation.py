"""Create the only record of a file once: with a journal, as the records of longer files."""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.endpoint import Request
from ...api.parts import encode_operation, operation
from ...batches import Uncertain
from ...batches.creation_runs import (
    CreationRun,
    Once,
    content_of,
    named_file,
    read_run,
    require_first_or_resumed,
    require_no_other_run,
)
from ...batches.plan import rest_of
from ...batches.upload import OPERATIONS, BatchUpload, Items, how_to_decide, records_in
from ...console.invocation import Invocation
from ...console.results import show
from ...errors import AdsctlError
from ...feeds.locations import Location
from ...uploads.job_file import Acknowledgement, JobKey, UploadTarget, current_folder
from ...uploads.upload import Batch, noted
from ...uploads.write_epochs import WriteEpochs
from .journal import document_key, new_job, open_job
from .reports import resume_command

if TYPE_CHECKING:
    from ...client.prepared_request import PreparedRequest
    from ...client.response import Response
    from ...uploads.journal import Journal

PLACE = (1, 1)  # number and line of the record in its file


class OneRecord(NamedTuple):
    """A request that creates the only record of a file."""

    request: Request
    location: Location
    content: str  # what the record is known by
    key: JobKey
    uncertain: Uncertain | None
    resume: bool

    @property
    def noun(self) -> str:
        """Name what is created."""
        return self.request.endpoint.noun


def one_record(
    call: Invocation,
    request: Request,
    location: Location,
    options: dict[str, Any],
    key: JobKey | None,
    given: dict[str, Any],
) -> OneRecord:
    """Describe the creation of the only record of a file; `key` is that of a table."""
    content = content_of(encode_operation(operation(request, call.settings.names)))
    if key is None:
        target = " ".join(str(getattr(request, name)) for name in request.endpoint.path_fields)
        place = UploadTarget(call.service, f"{request.endpoint.noun} of {content}", target)
        upload = {name: str(value) for name, value in sorted(options.items())}
        key = document_key(place, "create", content, upload)
    return OneRecord(request, location, content, key, given.get("uncertain"), bool(given.get("resume")))


def begin_once(call: Invocation, once: Once, noun: str, *, resume: bool) -> tuple[CreationRun | None, str]:
    """Return the run to be resumed, and the write epoch in which there is none; raise StateError.

    Say it where a run with the file has ended: all is created again.
    """
    state_dir = call.settings.state_dir
    expected_epoch = WriteEpochs(state_dir).current(once.key.place)  # a later run is seen
    run, sent = require_first_or_resumed(state_dir / "jobs", once, resume=resume)
    if sent:
        call.messages.warn(
            f"{sent.file} was sent before, at {sent.started} (job {sent.job}): all its {noun} are sent again"
        )
    return run, expected_epoch


def create_once(
    call: Invocation,
    one: OneRecord,
    prepare: "Callable[[], PreparedRequest]",
    show_response: "Callable[[Response], None]",
    confirm: Callable[[], None] = lambda: None,
) -> None:
    """Create a record and show it, unless an earlier run has created it or may have."""
    once = Once(one.key, named_file(one.location), current_folder(), [one.content])
    run, expected_epoch = begin_once(call, once, one.noun, resume=one.resume)
    confirm()
    job = new_job(call, run.job.key if run else one.key, one.noun, one.location.identity, rows=1, batches=1)
    opened = open_job(
        call, job, resume=bool(run), job_id=None, expected_epoch=None if run else expected_epoch
    )
    with closing(opened) as journal:
        upload = BatchUpload(one.request, "create", one.noun, OPERATIONS, one.uncertain)
        rest = rest_of(journal, one.location.label, upload, [one.content], lambda index: PLACE)
        if run is None:
            require_no_other_run(journal, once)
        if rest.pending:
            show_response(_create(call, one, prepare, upload, journal, rest.next_batch))
        else:
            _show_earlier(call, one, read_run(journal.path, journal.job))
        journal.finish()


def _create(
    call: Invocation,
    one: OneRecord,
    prepare: "Callable[[], PreparedRequest]",
    upload: BatchUpload,
    journal: "Journal",
    number: int,
) -> "Response":
    """Send the request; note before that it may be applied, and afterwards what it has made."""
    batch = Batch(number, Items([b"{}"], [one.content]), [PLACE])

    def check(response: "Response") -> None:
        upload.used_ids.require_new(records_in(response, 1))

    try:
        prepared = prepare()
        with noted(journal, batch) as on_send:
            response = call.client.exchange(prepared, on_send=on_send, check=check)
    except AdsctlError as error:
        if error.may_be_applied:
            error.message = f"{one.location.label}: {upload.counted(1)} may be created: {error.message}"
            error.hint = f"look whether it exists before you resume; {how_to_decide(1)}"
            error.hint += f"; resume with: {resume_command(call.command_line)}"
        else:
            journal.flush()
            if not read_run(journal.path, journal.job).sent:
                journal.remove()  # nothing was created, and the file may be sent as if it never was
        raise
    made = records_in(response, 1)
    journal.append(Acknowledgement(number, {upload.done: 1}, records=[1], answer=made))
    journal.flush()
    return response


def _show_earlier(call: Invocation, one: OneRecord, run: CreationRun) -> None:
    """Show what earlier runs have made of the record; say where that is not known."""
    made = next((each.answer for each in run.sent if each.content == one.content), None)
    if made is None:
        call.messages.say(f"{one.location.label}: not sent again, since it may exist")
    else:
        show(call, one.request, made)
