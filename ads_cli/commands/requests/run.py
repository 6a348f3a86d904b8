"""The way of one request: read, reduce, judge, ask, complete, send, show."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...api.amounts import CurrencyOf, money_fields, unknown_currency
from ...api.endpoint import Request
from ...api.fields import Field, fields_by_name, marked_fields
from ...api.names import WIRE_NAMES, neutral_name, to_neutral
from ...api.parts import has_batch_options
from ...api.spending import ACTIVE, may_spend_more, status_field
from ...api.types import in_local_words
from ...console.invocation import Invocation
from ...console.request_input import RequestInput, refuse_several
from ...console.results import show, show_list, show_request
from ...errors import UsageError
from ...output.text import Lines, counted
from ...spelling import as_option
from .names import NamesInRequests
from .views import CHARTS, LISTINGS, load

if TYPE_CHECKING:
    from ...client.response import Response
    from ...console.conditions import Narrowing
    from ..media.of_request import MediaOfRequest

ONCE_OPTIONS = ("resume", "uncertain")  # of what is created once
BATCH_OPTIONS = ("format", "failed_out", "force", *ONCE_OPTIONS)  # of several records


class RequestRun:
    """One run of the command of a request; what is not a field of it is taken out of `values`."""

    def __init__(
        self,
        call: Invocation,
        kind: type[Request],
        values: dict[str, Any],
        media: "MediaOfRequest | None" = None,
    ) -> None:
        self.call, self.kind, self.values, self.media = call, kind, values, media
        self.is_all, self.limit = values.pop("all", False), values.pop("limit", None)
        self.envelope = bool(values.pop("envelope", False) and call.printer.shows_documents)
        fields = fields_by_name(kind)
        for name in WIRE_NAMES & values.keys():
            _use_alias(fields[neutral_name(name)], name, values)
        self.show_list = show_list if "cursor" in fields else None
        listing = LISTINGS.get(kind.endpoint.command)
        self.without = ""
        if listing:
            if values.pop(listing.option):
                self.show_list = load(listing.module).show_list
            else:
                self.without = listing.without
        if values.pop("active", None):
            _use_active(kind, values)
        self.narrowing = self._narrowing() if kind.endpoint.lists else None
        self.file: str | None = values.pop("file", None)
        names = BATCH_OPTIONS if has_batch_options(kind) else ONCE_OPTIONS
        self.batch = {name: values.pop(name, None) for name in names}
        currency = None if "currency" in fields else values.pop("currency", None)
        values |= {name: getattr(call, option) for name, option in marked_fields(kind, "common").items()}
        currency_of = _currency_of(call, kind, currency)
        references = media.references if media else None

        def current(id: str) -> Mapping[str, Any]:
            from ..records.current import current_of

            return current_of(call, kind)(id)

        self.names = NamesInRequests(call, kind)
        resolve = self.names.resolve
        self.input = RequestInput(kind, call.settings.service, currency_of, references, current, resolve)

    def _narrowing(self) -> "Narrowing | None":
        """Take out --where and --sort; what they narrow is read whole, in pages as large as may be."""
        where, sort = self.values.pop("where", None), self.values.pop("sort", None)
        if not (where or sort):
            return None
        from ...console.conditions import Conditions, Narrowing, RecordFields

        if (count := fields_by_name(self.kind).get("count")) and self.values.get("count") is None:
            self.values["count"] = str(count.type.limit("le"))
        noun = self.kind.endpoint.command.removesuffix(" list").replace("-", " ")
        return Narrowing(Conditions.parse(RecordFields.of(self.kind, noun), where or ()), sort)

    def run(self) -> None:
        """Send the request, or one for each record that is meant, and show what the service answers."""
        call, endpoint = self.call, self.kind.endpoint
        self.names.resolve_options(self.values)
        if any(field.type.is_time for field in fields_by_name(self.kind).values()):
            from .local_times import with_moments

            with_moments(call, self.kind, self.values)
        is_of_records = self.file and (endpoint.batch or endpoint.makes_anew or endpoint.method == "PUT")
        if endpoint.takes_several and self._ran_for_several():
            return
        if not is_of_records:
            refuse_several(self.batch)
        try:
            request = self._of_records() if is_of_records else self.input.request(self.values, self.file)
        except UsageError as error:
            if "account" in marked_fields(self.kind, "common").values():
                lines = error.message.split("\n")
                error.message = Lines(
                    in_local_words(line) if line.startswith("--") else line for line in lines
                )
            raise
        if request is None:
            return
        if self.input.left_out:
            reduced = self._reduced(request)
            if reduced is None:
                return
            request = reduced
        if endpoint.mutates:  # nothing is prepared, and no client made, where there is no guard
            call.writes.approve(call.client.prepare(single) for single in [request])
        if not call.dry_run or call.is_plan:
            self._confirm(request)
        self._complete(request)
        if call.dry_run:
            show_request(call, request)
        elif self.show_list:
            parts = {"envelope": self.envelope, "all": self.is_all, "limit": self.limit}
            self.show_list(call, request, **parts, narrowing=self.narrowing)
            if self.narrowing and (unknown := self.narrowing.conditions.unknown):
                what = counted(unknown, "record")
                call.messages.note(self.narrowing.conditions.left_out(what))
            if self.without and call.printer.draws:
                call.messages.note(self.without)
        else:
            self._show(request, call.client.call(request))

    def _ran_for_several(self) -> bool:
        """Run the command for several records, or for what --set changes of one; else name the only one."""
        call, kind, values = self.call, self.kind, self.values
        id_field = str(kind.endpoint.id_field)
        ids, where, settings = (values.pop(name, None) or [] for name in (id_field, "where", "set"))
        values[id_field] = ids[0] if ids else None
        if not (ids or where or self.file):
            example = "'name~^Winter'" if "name" in kind.endpoint.record_fields else "line_item_id=9d4c1"
            raise UsageError(
                f"{id_field.upper()}: is required",
                hint=f"name one or several, or find them: --where {example}",
            )
        is_one = len(ids) <= 1 and not where
        if is_one and not settings:
            return False
        if where and ids:
            raise UsageError("--where: stands in place of ids", hint="give ids, or --where")
        if self.file:
            named = "--where" if where else "--set" if settings else "several ids"
            raise UsageError(f"--file: cannot be used with {named}", hint="the file names its records")
        from .search import RecordSearch
        from .settings import parse_settings
        from .several import RecordChanges, show_several

        search = RecordSearch(call, kind, values | {id_field: None}, ids, where)
        if kind.endpoint.method == "GET":
            show_several(search, envelope=self.envelope)
            return True
        refuse_several({name: value for name, value in self.batch.items() if name != "resume"})
        settings = parse_settings(kind, settings, search.values)
        changes = RecordChanges(search, settings, resume=bool(self.batch["resume"]))
        changes.run(self.input.request, envelope=self.envelope)
        return True

    def _of_records(self) -> Request | None:
        """Send the records of the file; return the only one unsent, where it may be repeated."""
        from ..records import BatchOptions, send_records

        batch = BatchOptions(**{name: value for name, value in self.batch.items() if value is not None})
        assert self.file
        return send_records(
            self.call, self.input, self.file, self.values, batch, self.media, envelope=self.envelope
        )

    def _reduced(self, request: Request) -> Request | None:
        """Return a change of only what differs from the service's record; None where nothing does."""
        from ..records.current import only_what_differs, say_left_out, show_current

        say_left_out(self.call, self.input.left_out)
        if request.endpoint.method != "PUT":
            return request
        (reduced,) = only_what_differs(self.call, [request])
        if reduced is None:
            show_current(self.call, request)
        return reduced

    def _confirm(self, request: Request) -> None:
        """Ask before a request that destroys something, or lets something spend, or spend more."""
        if request.endpoint.confirm_prompt or may_spend_more(request):
            from ...console.spending import confirm_requests

            confirm_requests(self.call, [request])

    def _complete(self, request: Request) -> None:
        """Upload the files that are given in place of media keys."""
        if self.media:
            self.media.upload(request)

    def _show(self, request: Request, response: "Response") -> None:
        call, document = self.call, response.body if self.envelope else response.data
        if self.narrowing:
            document = self.narrowing.of_document(document, request.endpoint.data_key)
        chart = CHARTS.get(request.endpoint.command) if call.printer.draws else None
        if not (chart and load(chart).draw(call.printer, request, to_neutral(document))):
            show(call, request, document)


def _currency_of(call: Invocation, kind: type[Request], named: str | None) -> CurrencyOf:
    """Return what finds the currency of a request that has amounts. `named` is what --currency says."""
    if not money_fields(kind):
        return unknown_currency
    from ...console.spending import Currencies

    return Currencies(call, named).of


def _use_alias(field: Field, wire_name: str, values: dict[str, Any]) -> None:
    """Take the value of a hidden option, whose name is the one on the wire, as that of its field."""
    value = values.pop(wire_name)
    if value is not None and values.get(field.name) is not None:
        raise UsageError(f"{as_option(wire_name)}: is the same as {field.option}", hint="give one of them")
    if value is not None:
        values[field.name] = value


def _use_active(request: type[Request], values: dict[str, Any]) -> None:
    """Set the status that --active means."""
    field = status_field(request)
    assert field
    if values.get(field.name) not in (None, ACTIVE):
        raise UsageError(f"--active: cannot be used with {field.option} {values[field.name]}")
    values[field.name] = ACTIVE
