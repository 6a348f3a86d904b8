"""Files of records for a command of one request.

A batch request has many of them. Of a record that the service has shown, only what differs is sent.
"""

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from ...api.endpoint import Request
from ...api.parts import has_batch_options
from ...config.atomic_files import read_limited
from ...console.invocation import Invocation
from ...console.request_input import MAX_DOCUMENT_MIB, RequestInput, option_values, refuse_several
from ...console.results import show
from ...console.spending import confirm_requests
from ...errors import AdsctlError, ContentError, UsageError
from ...feeds.reader import open_source, read_rows
from ...feeds.rows import Rows
from ...feeds.source import Source
from ...output.text import Lines, counted, listed
from ...records.plan import BatchPlan, record_plan
from ...records.reader import RecordReader, RequestReader, RequestRows
from ...runs import Uncertain
from ...runs.batch_upload import ids_of
from ...runs.created import created_ids
from ...runs.job import answers
from ...runs.look_up import Look, LookUp, LostRequest, listing_of, look_up
from ...runs.push import Summary
from ..runs.creation import find_earlier
from ..runs.options import SendOptions
from ..runs.reports import error_lines
from ..runs.sending import INVALID_HINT, Sending
from ..runs.validation import require_valid
from .current import only_what_differs, say_left_out, show_only, show_requests

if TYPE_CHECKING:
    from ..media.of_request import MediaOfRequest
    from ..media.references import MediaOfRecords

R = TypeVar("R", bound=Request)

DOCUMENTS = ("yaml", "json")  # formats in which a file may be one record
RULES_OF_TIME = ("within_the_next_year",)  # which a record that was sent in time may break later
UNCERTAIN_HINT = "nothing was created again; --uncertain skip or --uncertain resend decides without looking"
FORMATS_WITH_LISTS = (*DOCUMENTS, "jsonl")  # formats in which a field may be a list


class BatchOptions(SendOptions, frozen=True):
    """How a file of several records is read and sent."""

    concurrency: int = 1  # so that at most one answer is lost, and records are made in their order
    format: str | None = None
    uncertain: Uncertain | None = None

    def of_several(self, kind: type[Request]) -> dict[str, Any]:
        """Return the options that were typed, and that only several records have a use for.

        A creation is resumed even if it is of one record, so `uncertain` is of use to it.
        """
        names = ("failed_out",) if kind.endpoint.makes_anew else ("failed_out", "uncertain")
        return {name: value for name in names if (value := getattr(self, name))}


def send_records(
    call: Invocation,
    request_input: RequestInput[R],
    file: str,
    options: dict[str, Any],
    batch: BatchOptions,
    media: "MediaOfRequest | None" = None,
    *,
    envelope: bool = False,
) -> R | None:
    """Send the records of a file, each completed by options.

    If the file has one record only, and its request may be repeated, return that request unsent.
    """
    kind, request = request_input.kind, None
    source = _opened(kind, file, batch)
    if source.format.name in DOCUMENTS and not _is_of_several(kind, source):
        hint = f"{source.label} is one record: write a list, with '- ' before it"
        refuse_several(batch.of_several(kind), hint=hint)
        request = request_input.request(options, file, _document(source))
        if not kind.endpoint.makes_anew:
            return request
    files = _media_of(media, source, file, options, request)
    rows, reader = _reader(call, request_input, source, options, request, files)
    is_only = request is not None or (not batch.of_several(kind) and len([*islice(rows, 2)]) == 1)
    plan = record_plan(
        rows,
        reader,
        batch.uncertain,
        files.complete if files else lambda request: request,
        look_up=_look_up(call, kind),
        is_only=is_only,
    )
    if is_only and not kind.endpoint.makes_anew:
        require_valid(call, plan.file, skip_invalid=False, failed_out=None, hint=INVALID_HINT)
        request_input.left_out |= reader.not_sent
        only: R = plan.file.items[0]
        return only
    if not is_only and (id_field := kind.endpoint.id_field) in reader.options:
        raise UsageError(f"{str(id_field).upper()}: names one record, and {source.label} has several")
    if batch.resume and kind.endpoint.makes_anew:
        reader.postponed_rules = RULES_OF_TIME

    _send(call, plan, reader, files, batch, envelope=envelope)
    return None


def _opened(kind: type[Request], file: str, batch: BatchOptions) -> Source:
    """Open a file of records, or of one record."""
    format = batch.format or ("yaml" if file == "-" or not has_batch_options(kind) else None)
    source = open_source(file, format, default_format="yaml")
    source.may_name_encoding = False
    return source


def _is_of_several(kind: type[Request], source: Source) -> bool:
    """Tell whether a document is a list of records."""
    return _is_list(source) if has_batch_options(kind) else _has_records(source)


def _media_of(
    media: "MediaOfRequest | None", source: Source, file: str, options: dict[str, Any], request: R | None
) -> "MediaOfRecords | None":
    if media is None:
        return None
    # Where a request is made already, it has taken the options.
    for_components = [] if request else media.references.take_options(options)
    files = media.of_records(for_components, file, is_of_table=source.format.name not in FORMATS_WITH_LISTS)
    if request:
        files.add_for(request)
    return files


def _reader(
    call: Invocation,
    request_input: RequestInput[R],
    source: Source,
    options: dict[str, Any],
    request: R | None,
    files: "MediaOfRecords | None",
) -> tuple[Rows, RecordReader]:
    """Return the rows of a file, or the only row of a document that is a request, and what reads them."""
    kind, names = request_input.kind, call.settings.names
    values, amounts = option_values(kind, options)
    if request:
        of_request = RequestReader(kind, names, values, [request])
        of_request.not_sent = dict.fromkeys(request_input.left_out)
        return RequestRows(source, 1), of_request
    reader = RecordReader(
        kind,
        names,
        values,
        amounts,
        request_input.currency_of,
        files,
        request_input.current_of,
        request_input.resolve,
    )
    return read_rows(source, roots=(), known=reader.known), reader


def _look_up(call: Invocation, kind: type[Request]) -> LookUp | None:
    """Return what finds the records that a lost answer has created, where a list tells."""
    if not kind.endpoint.makes_anew or (listing := listing_of(kind, call.settings.service)) is None:
        return None

    def look(lost: Sequence[LostRequest]) -> Sequence[Look]:
        known_ids = created_ids(call.settings.state_dir)
        try:
            looks = look_up(call.client, kind, listing, lost, known_ids, call.messages.say)
        except AdsctlError as error:
            hints = filter(None, (*error.hint.split("; "), *UNCERTAIN_HINT.split("; ")))
            error.hint = "; ".join(dict.fromkeys(hints))
            raise
        if ids := ids_of(record for result in looks for record in result.found):
            words = counted(len(ids), "record was", "records were")
            call.messages.say(f"{words} created by a request whose answer was lost: {listed(ids, 5)}")
        return looks

    return look


def _send(
    call: Invocation,
    plan: BatchPlan,
    reader: RecordReader,
    files: "MediaOfRecords | None",
    batch: BatchOptions,
    *,
    envelope: bool,
) -> None:
    """Send records, and show what the service answers."""
    is_only, label = plan.upload.is_only, plan.file.rows.source.label
    sending = Sending(call, plan, batch, "Sending", is_one_change=False)

    def select() -> None:
        if files:
            files.check()
        if reader.not_sent:
            say_left_out(call, reader.not_sent)
            _leave_out_equal(call, plan, reader)

    sending.read(select)
    call.writes.approve(plan.requests(call.client))
    if not sending.confirmed(lambda: _confirm(sending, plan)):
        show_requests(call, plan)
        return
    if plan.ended:
        sending.show_ended(plan.ended)
        return
    with sending.begun() as journal:
        if (report := plan.overdue).invalid:  # its time has passed since it was begun
            message = Lines([*error_lines(plan.file.rows, report), report.summary])
            raise ContentError(message, hint=f"{INVALID_HINT} and run it again with --resume")
        if files:
            files.upload(plan.pending_items, journal, is_only=is_only)
            for item in plan.pending_items:
                completed = call.client.prepare(files.complete(item))
                call.writes.guard.note_completed(call.client.prepare(item), completed)
        result = sending.send(journal)
        if is_only and result.error and not journal.has_sent:
            journal.remove()  # nothing was created, and the file may be sent as if it never was
            raise result.error

        def show_records(summary: Summary) -> None:
            if is_only:
                if not show_only(call, plan, journal, envelope=envelope) and journal.totals.total():
                    call.messages.say(f"{label}: not sent again, since it may exist")
                return
            show(call, plan.upload.request, answers(journal.acknowledgements()))
            counts = ", ".join(f"{count:,} {status}" for status, count in summary.counts.items() if count)
            call.messages.say(f"{label}: {plan.due:,} {plan.noun}: {counts or 'none sent'}")

        sending.end(result, show=show_records)


def _confirm(sending: Sending, plan: BatchPlan) -> None:
    """Ask before records are deleted, or may spend more; refuse what an earlier run has created."""
    find_earlier(sending, plan)
    if not plan.ended:
        confirm_requests(
            sending.call, plan.file.items, "" if plan.upload.is_only else f"{plan.due:,} {plan.noun}"
        )


def _leave_out_equal(call: Invocation, plan: BatchPlan, reader: RecordReader) -> None:
    """Of records of the service send only what differs."""
    if reader.kind.endpoint.method == "PUT":
        count = len(plan.file.items)
        plan.file.replace_items(only_what_differs(call, plan.file.items))
        if same := count - len(plan.file.items):
            call.messages.say(f"{counted(same, 'record')} unchanged")


def _is_list(source: Source) -> bool:
    """Tell whether a YAML or JSON document is a list, and not one record."""
    import yaml

    from ...config.strict_yaml import first_value

    try:
        return isinstance(first_value(source.stream()), yaml.SequenceStartEvent)
    except yaml.YAMLError:
        return True  # its reader names the line


def _document(source: Source) -> bytes:
    """Return a document; raise ContentError where it is larger than one may be."""
    return read_limited(source.stream(), MAX_DOCUMENT_MIB, source.label)


def _has_records(source: Source) -> bool:
    """Tell whether a document is a list of records; else the reader of one record reports mistakes."""
    from ...config.strict_yaml import load

    try:
        document = load(_document(source), source.label)
    except ContentError:
        return False
    return isinstance(document, list) and bool(document) and isinstance(document[0], dict)
