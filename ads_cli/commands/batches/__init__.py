"""Files of records for a command of one request: several are sent many to a request.

Of records that the service has, what differs from them is sent.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from ...api.amounts import CurrencyOf
from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.parts import has_batch_options
from ...api.records import differing_fields, only
from ...api.registry import is_of_service, requests_named
from ...api.spending import may_spend_more
from ...batches import Uncertain
from ...batches.plan import record_plan
from ...batches.records import RecordReader
from ...client.spending import SOURCES
from ...config.atomic_files import read_limited
from ...console.invocation import Invocation
from ...console.request_input import MAX_DOCUMENT_MIB, option_values, refuse_several, request_from_input
from ...console.results import show, show_prepared_requests
from ...errors import ContentError, NotFoundError, UsageError
from ...feeds.reader import open_source, read_rows
from ...feeds.source import Source
from ...output.text import Lines, counted
from ...uploads.job import answers
from ...uploads.journal import Journal
from ...uploads.push import Summary, build_requests
from ..spending import confirm_spending
from ..uploads.creation import OneRecord, content_of_request, key_of_document
from ..uploads.hooks import OnceHooks
from ..uploads.options import SendOptions
from ..uploads.push import INVALID_HINT, PushCommand
from ..uploads.reports import error_lines
from ..uploads.validation import require_valid

if TYPE_CHECKING:
    from ...media.references import MediaReferences
    from ..media.references import MediaOfRecords

R = TypeVar("R", bound=Request)
Record = Mapping[str, Any]

DOCUMENTS = ("yaml", "json")  # formats in which a file may be one record
RULES_OF_TIME = ("within_the_next_year",)  # which a record that was sent in time may break later
RECORDS = (*DOCUMENTS, "jsonl")  # formats in which a field may be a list


class BatchOptions(SendOptions, frozen=True):
    """How a file of several records is read and sent."""

    concurrency: int = 1  # so that at most one answer is lost, and records are made in their order
    format: str | None = None
    uncertain: Uncertain | None = None

    def of_several(self, kind: type[Request]) -> dict[str, Any]:
        """Return those that were given and one record has no use for: what creates it is resumed too."""
        names = ("failed_out",) if kind.endpoint.makes_anew else ("failed_out", "uncertain")
        return {name: value for name in names if (value := getattr(self, name))}


def send_records(
    call: Invocation,
    kind: type[R],
    file: str,
    options: dict[str, Any],
    batch: BatchOptions,
    currency_of: CurrencyOf,
    media: "MediaReferences | None" = None,
    on_record: Callable[[list[str]], None] = lambda left_out: None,
) -> "R | OneRecord | None":
    """Send the records of a file, each completed by options; return the request of a single one unsent.

    `on_record` receives what was left out of the only one, where that is a record of the service.
    """
    has_options = has_batch_options(kind)
    known_format = batch.format or ("yaml" if file == "-" or not has_options else None)
    source = open_source(file, known_format, default_format="yaml")
    source.may_name_encoding = False
    if source.format.name in DOCUMENTS and not (_is_list if has_options else _has_records)(source):
        hint = f"{source.label} is one record: write a list, with '- ' before it"
        refuse_several(batch.of_several(kind), hint=hint)
        content, service = _document(source), call.settings.service
        request = request_from_input(
            kind,
            options,
            file,
            content=content,
            service=service,
            currency_of=currency_of,
            media=media,
            on_record=on_record,
            current_of=lambda id: current_of(call, kind, id),
        )
        if not kind.endpoint.makes_anew:
            return request
        digest = content_of_request(call, request)
        key = key_of_document(call, request, digest, option_values(kind, options)[0])
        return OneRecord(request, source.location, digest, key, batch.uncertain, batch.resume)
    files = None
    if media is not None:
        from ..media.references import MediaOfRecords

        is_of_table = source.format.name not in RECORDS
        files = MediaOfRecords(call, media, media.take_options(options), file, is_of_table=is_of_table)
    reader = RecordReader(
        kind,
        call.settings.names,
        *option_values(kind, options),
        currency_of,
        files,
        lambda id: current_of(call, kind, id),
    )
    rows = read_rows(source, roots=(), known=reader.known)
    complete = files.complete if files else lambda request: request
    plan = record_plan(rows, reader, batch.uncertain, complete)
    has_one = len([*islice(rows, 2)]) == 1
    if has_one and not batch.of_several(kind):
        require_valid(call, plan, skip_invalid=False, failed_out=None, hint=INVALID_HINT)
        first: R = plan.items[0]
        if reader.reads_records:
            on_record([*reader.not_sent])
        if not kind.endpoint.makes_anew:
            return first
        key = plan.key(call.service, skip_invalid=False)
        digest = content_of_request(call, first)
        return OneRecord(first, source.location, digest, key, batch.uncertain, batch.resume)
    if (id_field := kind.endpoint.id_field) in reader.options:
        raise UsageError(f"{str(id_field).upper()}: names one record, and {source.label} has several")
    if batch.resume and kind.endpoint.makes_anew:
        reader.postponed_rules = RULES_OF_TIME
    hooks = RecordHooks(
        call=call,
        plan=plan,
        activity="Sending",
        kind=kind,
        reader=reader,
        is_resumed=batch.resume,
        files=files,
    )
    PushCommand(hooks, batch).run()
    return None


def say_left_out(call: Invocation, left_out: Iterable[str]) -> None:
    """Say with -v what of a record was not sent."""
    call.messages.detail(f"not sent, since it is read only: {', '.join(sorted(left_out))}")


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


class RecordHooks(OnceHooks, kw_only=True):
    """The hooks of sending records."""

    kind: type[Request]
    reader: RecordReader
    is_one_change: bool = False
    files: "MediaOfRecords | None" = None

    def begin(self, journal: Journal) -> None:
        """Upload the files of what is to be sent; raise ContentError where its time has passed."""
        if (report := self.plan.overdue).invalid:
            message = Lines([*error_lines(self.plan.rows, report), report.summary])
            raise ContentError(message, hint=f"{INVALID_HINT} and run it again with --resume")
        if self.files:
            items, client = self.plan.pending_items, self.call.client
            self.files.upload(items, journal)
            for item in items:
                completed = client.prepare(self.files.complete(item))
                self.call.writes.guard.note_completed(client.prepare(item), completed)

    def validated(self) -> None:
        """Look at the files of media that records name; of records of the service send only what differs."""
        if self.files:
            self.files.check()
        call, plan = self.call, self.plan
        if not self.reader.not_sent:
            return
        say_left_out(call, self.reader.not_sent)
        if self.kind.endpoint.method == "PUT" and self.reader.reads_records:
            count = len(plan.items)
            plan.replace_items(only_what_differs(call, plan.items))
            if same := count - len(plan.items):
                call.messages.say(f"{counted(same, 'record')} unchanged")

    def show_dry_run(self, summary: Summary) -> None:
        """Print the requests that would be sent."""
        show_prepared_requests(self.call, build_requests(self.call.client, self.plan))

    def approve(self) -> None:
        """Let the guard judge all records before the first request."""
        self.call.writes.approve(build_requests(self.call.client, self.plan))

    def confirm(self) -> None:
        """Ask before records are deleted, or may spend more; refuse what an earlier run has created."""
        super().confirm()
        call, plan = self.call, self.plan
        if prompt := self.kind.endpoint.confirm_prompt:
            what, mark, consequence = prompt.partition(";")
            call.confirm(f"{what.split()[0]} {plan.due:,} {plan.noun}{mark}{consequence}")
        if any(map(may_spend_more, plan.items)):
            confirm_spending(call, plan.items)

    def show_result(self, summary: Summary, journal: Journal) -> None:
        """Print the records that the service answered, and say what became of all."""
        show(self.call, self.plan.upload.request, answers(journal.acknowledgements()))
        counts = ", ".join(f"{count:,} {status}" for status, count in summary.counts.items() if count)
        label, total = self.plan.rows.source.label, f"{self.plan.due:,} {self.plan.noun}"
        self.call.messages.say(f"{label}: {total}: {counts or 'none sent'}")


def only_what_differs(call: Invocation, requests: Sequence[Request]) -> list[Request | None]:
    """Return changes with the fields alone that differ from what the service has; None where none does.

    In a dry run nothing is asked, and they stay as they are.
    """
    if call.dry_run and not call.settings.is_local:
        return [*requests]
    differing: list[Request | None] = []
    for request, record in zip(requests, _current(call, requests), strict=True):
        fields = differing_fields(request, record)
        differing.append(only(request, fields) if fields else None)
    return differing


def current_of(call: Invocation, kind: type[Request], id: str) -> Record:
    """Return what the service has of a record that a change names; nothing in a dry run."""
    field = str(kind.endpoint.id_field)
    if field not in SOURCES or (call.dry_run and not call.settings.is_local):
        return {}
    return call.stored.named(field, id)


def show_current(call: Invocation, request: Request) -> None:
    """Show the record that a change leaves as it is."""
    call.messages.say("nothing to change: the service has it so")
    show(call, request, _shown_record(call, request))


def _current(call: Invocation, requests: Sequence[Request]) -> Iterator[Record]:
    """Yield what the service has of the records that requests change."""
    field = str(requests[0].endpoint.id_field) if requests else ""
    ids = [str(getattr(request, field)) for request in requests]
    if field in SOURCES and len(ids) > 1:
        records = call.stored.read(field, ids)
        yield from (records[id] for id in ids)
    elif field in SOURCES:
        yield from (call.stored.named(field, id) for id in ids)
    else:
        yield from (to_neutral(_shown_record(call, request)) for request in requests)


def _shown_record(call: Invocation, request: Request) -> Any:
    """Return the record that a change names, as the service sends it; from its list, where none shows it."""
    endpoint, group = request.endpoint, request.endpoint.command.split()[:-1]
    id = str(getattr(request, str(endpoint.id_field)))
    known = {name: getattr(request, name) for name in endpoint.path_fields}
    try:
        kind = request_of_group(call, group, "get")
    except KeyError:
        kind = request_of_group(call, group, "list")
    shown = kind(**{name: value for name, value in known.items() if name in kind.__struct_fields__})
    for page in call.client.pages(shown):
        records = page.data if isinstance(page.data, list) else [page.data]
        for record in records:
            if isinstance(record, dict) and str(record.get("id")) == id:
                return record
    raise NotFoundError(f"there is no {' '.join(group)} {id}")


def request_of_group(call: Invocation, group: Sequence[str], verb: str) -> Any:
    """Return the request of a command such as `campaigns list`; raise KeyError where there is none."""
    named = requests_named((*group, verb))
    return next(request for request in named if is_of_service(request, call.settings.service))
