"""Generate a command from a declared request, or from one of each service.

Every option is passed on as text and validated by the declaration alone. So all problems are reported at
once, and no limit is written twice.
"""

from inspect import getdoc
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.amounts import CurrencyOf, money_fields, unknown_currency
from ..api.endpoint import Request
from ..api.fields import Field, fields_by_name, marked_fields
from ..api.names import WIRE_NAMES, neutral_name
from ..api.parts import has_batch_options, media_file_fields
from ..api.registry import is_of_service
from ..api.spending import ACTIVE, may_spend_more, status_field
from ..console.help_texts import EXAMPLE_MARK, ExampleCommand
from ..console.invocation import Invocation
from ..console.parameters import Argument
from ..console.request_input import refuse_several, request_from_input
from ..console.results import show, show_list, show_request
from ..errors import UsageError
from ..spelling import as_option
from .request_parameters import BATCH_OPTIONS, ONCE_OPTIONS, request_parameters

if TYPE_CHECKING:
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..commands.uploads.creation import OneRecord


class RequestCommand(ExampleCommand):
    """The command of a declared request, or of the requests that services declare for it."""

    def __init__(self, *requests: type[Request]) -> None:
        self.requests = requests
        self.request = request = requests[0]  # described by the help
        self.common = {common for request in requests for common in marked_fields(request, "common").values()}
        own: dict[str, Any] = {}  # an option that several requests have is one parameter
        self._names: dict[type[Request], dict[str, str]] = {}  # of the fields of each request, by parameter
        for request_type in requests:
            params = request_parameters(request_type)
            self._names[request_type] = {_key(param): param.name for param in params}
            for param in params:
                if _key(param) not in own and len(requests) > 1 and request_type is not request:
                    param.help = f"{param.help} (service {request_type.endpoint.service} only)"
                existing = own.setdefault(_key(param), param)
                if existing.required and not param.required:
                    existing.required = False
                    existing.help = (
                        f"{existing.help} (may be left out with service {request_type.endpoint.service} only)"
                    )
        self._own = list(own.values())
        endpoint = request.endpoint
        super().__init__(
            name=endpoint.command.split()[-1],
            help=f"{getdoc(request)}{EXAMPLE_MARK}adsctl {endpoint.command} {endpoint.example}",
            params=list(self._own),
        )

    def request_for(self, service: str) -> type[Request]:
        """Return the request that a service understands."""
        return next(request for request in self.requests if is_of_service(request, service))

    def name_for(self, request: type[Request], param: Any) -> str:
        """Return the name that a request has for a parameter; services may name it differently."""
        return self._names[request].get(_key(param), str(param.name))

    def _values(self, request: type[Request], options: dict[str, Any]) -> dict[str, Any]:
        """Name the values of the parameters as a request does; raise UsageError for one that it lacks."""
        names, values = self._names[request], {}
        for param in self._own:
            if (key := _key(param)) in names:
                values[names[key]] = options.get(param.name)
            elif options.get(param.name) not in (None, param.default):
                service = request.endpoint.service
                raise UsageError(f"{key}: the service {service} has no such parameter", hint="--service")
        return values

    def invoke(self, ctx: Any) -> None:
        """Validate the request, send it, show the response."""
        call = Invocation.of(ctx, mutates=self.request.endpoint.mutates)
        kind = self.request_for(call.settings.service)
        RequestRun(call, kind, self._values(kind, ctx.params)).run()


class RequestRun:
    """One run of the command of a request; what is not a field of it is taken out of `values`."""

    def __init__(self, call: Invocation, kind: type[Request], values: dict[str, Any]) -> None:
        self.call, self.kind, self.values = call, kind, values
        self.is_all, self.limit = values.pop("all", False), values.pop("limit", None)
        self.envelope = bool(values.pop("envelope", False) and call.printer.shows_documents)
        fields = fields_by_name(kind)
        for name in WIRE_NAMES & values.keys():
            _use_alias(fields[neutral_name(name)], name, values)
        self.is_paged = "cursor" in fields
        self.is_unused = values.pop("unused", False)
        if values.pop("active", None):
            _use_active(kind, values)
        self.file: str | None = values.pop("file", None)
        names = BATCH_OPTIONS if has_batch_options(kind) else ONCE_OPTIONS
        self.batch = {name: values.pop(name, None) for name in names}
        currency = None if "currency" in fields else values.pop("currency", None)
        values |= {name: getattr(call, option) for name, option in marked_fields(kind, "common").items()}
        self.currency_of = _currency_of(call, kind, currency)
        self.media = None
        if media_file_fields(kind):
            from ..media.references import MediaReferences

            self.media = MediaReferences(kind)
        self.left_out: list[str] = []  # of a record of the service, since it is read only

    def run(self) -> None:
        """Send the request, or one for each record that is meant, and show what the service answers."""
        call, endpoint = self.call, self.kind.endpoint
        if endpoint.takes_several and self._ran_for_several():
            return
        is_of_records = self.file and (endpoint.batch or endpoint.makes_anew or endpoint.method == "PUT")
        requests = self._of_records() if is_of_records else self._of_input()
        if requests is None:
            return
        request = requests if isinstance(requests, Request) else requests.request
        if self.left_out:
            reduced = self._reduced(request)
            if reduced is None:
                return
            request = reduced
        if endpoint.mutates:  # nothing is prepared, and no client made, where there is no guard
            call.writes.approve(call.client.prepare(single) for single in [request])
        if not isinstance(requests, Request) and not call.dry_run:
            self._create_once(requests)
            return
        if not call.dry_run or call.is_plan:
            self._confirm(request)
        self._upload(request)
        if call.dry_run:
            show_request(call, request)
        elif self.is_unused:
            from ..commands.media.unused import list_unused

            list_unused(call, request, envelope=self.envelope, all=self.is_all, limit=self.limit)
        elif self.is_paged:
            show_list(call, request, envelope=self.envelope, all=self.is_all, limit=self.limit)
        else:
            self._show(request, call.client.call(request))

    def _ran_for_several(self) -> bool:
        """Run the command for several records; where one is named, put its id and --set into the values."""
        call, kind, values = self.call, self.kind, self.values
        id_field = str(kind.endpoint.id_field)
        ids, where, settings = (values.pop(name, None) or () for name in (id_field, "where", "set"))
        values[id_field] = ids[0] if ids else None
        if not (ids or where or self.file):
            example = "'name~^Winter'" if "name" in kind.endpoint.record_fields else "line_item_id=9d4c1"
            raise UsageError(
                f"{id_field.upper()}: is required",
                hint=f"name one or several, or find them: --where {example}",
            )
        if len(ids) <= 1 and not where and not settings:
            return False
        from ..commands.batches.several import Chosen, RecordSearch, SeveralRecords

        chosen = Chosen(ids, where, settings)
        chosen.require_one_way(self.file)
        refuse_several(self.batch)
        records = SeveralRecords(RecordSearch(call, kind, values | {id_field: None}, chosen))
        if chosen.is_one:
            values |= records.settings_of_one()
            return False
        if kind.endpoint.method == "GET":
            records.show(envelope=self.envelope)
            return True
        service, currency_of = call.settings.service, self.currency_of
        records.change(
            lambda options: request_from_input(kind, options, service=service, currency_of=currency_of),
            envelope=self.envelope,
        )
        return True

    def _of_input(self) -> Request:
        refuse_several(self.batch)
        return request_from_input(
            self.kind,
            self.values,
            self.file,
            service=self.call.settings.service,
            currency_of=self.currency_of,
            media=self.media,
            on_record=self.left_out.extend,
        )

    def _of_records(self) -> "Request | OneRecord | None":
        """Return the request of the only record of the file, or send several."""
        from ..commands.batches import BatchOptions, send_records

        batch = BatchOptions(**{name: value for name, value in self.batch.items() if value is not None})
        assert self.file
        return send_records(
            *(self.call, self.kind, self.file, self.values, batch),
            *(self.currency_of, self.media, self.left_out.extend),
        )

    def _reduced(self, request: Request) -> Request | None:
        """Return a change of only what differs from the service's record; None where nothing does."""
        from ..commands.batches import only_what_differs, say_left_out, show_current

        say_left_out(self.call, self.left_out)
        if request.endpoint.method != "PUT":
            return request
        (reduced,) = only_what_differs(self.call, [request])
        if reduced is None:
            show_current(self.call, request)
        return reduced

    def _confirm(self, request: Request) -> None:
        """Ask before a request that destroys something, or lets something spend, or spend more."""
        if prompt := request.endpoint.confirm_prompt:
            self.call.confirm(prompt.format(**msgspec.structs.asdict(request)))
        if may_spend_more(request):
            from ..commands.spending import confirm_spending

            confirm_spending(self.call, [request])

    def _upload(self, request: Request) -> None:
        """Upload the files that are given in place of media keys."""
        if self.media:
            from ..commands.media.references import upload_references

            planned = self.call.client.prepare(request)
            upload_references(self.call, request, self.media)
            self.call.writes.guard.note_completed(planned, self.call.client.prepare(request))

    def _create_once(self, record: "OneRecord") -> None:
        """Create the only record of a file, and show it."""
        from ..commands.uploads.creation import create_once

        def prepare() -> "PreparedRequest":
            self._upload(record.request)
            return self.call.client.prepare(record.request)

        create_once(
            self.call,
            record,
            prepare,
            lambda response: self._show(record.request, response),
            lambda: self._confirm(record.request),
        )

    def _show(self, request: Request, response: "Response") -> None:
        show(self.call, request, response.body if self.envelope else response.data)


def _currency_of(call: Invocation, kind: type[Request], named: str | None) -> CurrencyOf:
    """Return what finds the currency of a request that has amounts. `named` is what --currency says."""
    if not money_fields(kind):
        return unknown_currency
    from ..commands.spending import Currencies

    return Currencies(call, named).of


def _key(param: Any) -> str:
    """Return the same text for the same parameter of two requests: its option, or that it is an argument."""
    return "ID" if isinstance(param, Argument) else max(param.opts, key=len)


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
