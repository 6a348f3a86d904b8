"""Generate a command from a declared request, or from one of each service.

Every option is passed on as text and validated by the declaration alone: all problems are reported at once,
and no limit is written twice.
"""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import msgspec
from typer import Exit
from typer.core import TyperArgument, TyperOption

from ..api.endpoint import Request, document_of, is_of_service
from ..api.fields import Field, FieldType, fields_of
from ..api.names import WIRE_NAMES, X, neutral_name
from ..api.spending import ACTIVE, is_active, status_field
from ..api.time import DayOrTime, Time
from ..console.help_texts import EXAMPLE_MARK, ExampleCommand
from ..console.invocation import Invocation
from ..console.options import NESTED_METAVAR, completes_from
from ..console.request_input import amount_name, request_from_input
from ..console.results import show, show_list, show_request
from ..errors import UsageError
from ..spelling import as_option
from .batch_options import BATCH_OPTIONS, batch_options, file_help

METAVARS = {int: "N", Time: "TIME", DayOrTime: "TIME"}
MAX_METAVAR_WIDTH = 60  # a longer list of choices moves to the help text


class RequestCommand(ExampleCommand):
    """The command of a declared request, or of the requests that services declare for it."""

    def __init__(self, *requests: type[Request]) -> None:
        self.requests = requests
        self.request = request = requests[0]  # described by the help
        self.common = {common for request in requests for common in common_fields(request).values()}
        own: dict[str, Any] = {}  # an option that several requests have is one parameter
        for each in requests:
            for param in request_parameters(each):
                if _key(param) not in own and len(requests) > 1 and each is not request:
                    param.help = f"{param.help} (service {each.endpoint.service} only)"
                own.setdefault(_key(param), param)
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

    def _values(self, request: type[Request], given: dict[str, Any]) -> dict[str, Any]:
        """Name the values of the parameters as a request does; raise UsageError for those it has not."""
        names = {_key(param): param.name for param in request_parameters(request)}
        values = {}
        for param in self._own:
            if (key := _key(param)) in names:
                values[names[key]] = given.get(param.name)
            elif given.get(param.name) not in (None, param.default):
                service = request.endpoint.service
                raise UsageError(f"{key}: the service {service} has no such parameter", hint="--service")
        return values

    def invoke(self, ctx: Any) -> None:
        """Validate the request, send it, show the response."""
        call = Invocation.of(ctx, mutates=self.request.endpoint.mutates)
        request_type = self.request_for(call.settings.service)
        endpoint, common = request_type.endpoint, common_fields(request_type)
        fields = {field.name: field for field in fields_of(request_type)}
        values = self._values(request_type, ctx.params)
        shape = {name: values.pop(name, None) for name in ("envelope", "all", "limit")}
        shape["envelope"] = shape["envelope"] and call.printer.shows_documents
        for name in WIRE_NAMES & values.keys():
            _use_alias(fields[neutral_name(name)], name, values)
        if values.pop("active", None):
            _use_active(request_type, values)
        file = values.pop("file", None)
        batch = {name: values.pop(name, None) for name in BATCH_OPTIONS} if endpoint.batch else {}
        values |= {name: getattr(call, option) for name, option in common.items()}
        if file and batch:
            request = _of_records(call, request_type, file, values, batch)
            if request is None:
                return
        else:
            _require_file(batch)
            request = request_from_input(request_type, values, file, service=call.settings.service)
        if not call.dry_run:
            _confirm(call, request)
        if call.dry_run:
            show_request(call, request)
        elif "cursor" in fields:
            show_list(call, request, **shape)
        else:
            response = call.client.call(request)
            show(call, request, response.body if shape["envelope"] else response.data)


def _of_records(
    call: Invocation, kind: type[Request], file: str, values: dict[str, Any], batch: dict[str, Any]
) -> Request | None:
    """Return the request of the only record of a file, or send several."""
    from ..commands.batch import BatchOptions, send_records

    given = {name: value for name, value in batch.items() if value is not None}
    return send_records(call, kind, file, values, BatchOptions(**given))


def _require_file(batch: dict[str, Any]) -> None:
    """Raise UsageError for an option of several records without a file of them."""
    for name, value in batch.items():
        if value:
            raise UsageError(f"{as_option(name)}: is for a file of several records", hint="add --file FILE")


def _confirm(call: Invocation, request: Request) -> None:
    """Ask before a request that destroys something, or lets something spend."""
    if prompt := request.endpoint.confirm_prompt:
        call.confirm(prompt.format(**msgspec.structs.asdict(request)))
    if is_active(request):
        from ..commands.spending import confirm_spending

        confirm_spending(call, [request])


def common_fields(request: type[Request]) -> dict[str, str]:
    """Name the fields that a common option sets (--account, --catalog), and the options."""
    options = {field.name: field.type.extra("common") for field in fields_of(request)}
    return {name: option for name, option in options.items() if option}


def request_parameters(request: type[Request]) -> list[Any]:
    """Make the parameters of a request, without the common options."""
    common = common_fields(request)
    own = [field for field in fields_of(request) if field.name not in common]
    endpoint = request.endpoint
    params = [
        param
        for field in own
        for param in field_parameters(field, endpoint.id_field, is_required=endpoint.batch is None)
    ]
    params.sort(key=lambda param: (not isinstance(param, TyperArgument), not param.required))
    if any(field.type.is_nested for field in own):
        params += document_options(request)
    elif request.endpoint.batch:
        params.append(file_option(request))
    if request.endpoint.batch:
        params += batch_options(creates=request.endpoint.method == "POST")
    is_paged = any(field.name == "cursor" for field in own)
    return [*params, envelope_option(), *(paging_options() if is_paged else [])]


def _key(param: Any) -> str:
    """Return the same text for the same parameter of two requests: its option, or that it is an argument."""
    return "ID" if isinstance(param, TyperArgument) else max(param.opts, key=len)


def _use_alias(field: Field, wire_name: str, values: dict[str, Any]) -> None:
    """Take the value of a hidden option, whose name is the one on the wire, as that of its field."""
    value = values.pop(wire_name)
    if value is not None and values.get(field.name) is not None:
        raise UsageError(f"{as_option(wire_name)}: is the same as {field.option}", hint="give one of them")
    if value is not None:
        values[field.name] = value


def _use_active(request: type[Request], values: dict[str, Any]) -> None:
    """Set the status that --active stands for."""
    field = status_field(request)
    assert field
    if values.get(field.name) not in (None, ACTIVE):
        raise UsageError(f"--active: cannot be used with {field.option} {values[field.name]}")
    values[field.name] = ACTIVE


class AliasOption(TyperOption):
    """A hidden option that is named as its field is on the wire."""

    is_alias = True


class FieldOption(TyperOption):
    """A required option whose absence is reported by validation, together with all other problems."""

    def value_is_missing(self, value: Any) -> bool:
        """Accept a missing value: it may be in a file."""
        return False


def field_parameters(field: Field, id_field: str | None, *, is_required: bool = True) -> Iterator[Any]:
    """Make the argument of the resource's own id, or the option of any other field.

    The id need not be an argument where it `is_required` in a file only. A field of money has a second option, in whole units of the currency.
    """
    field_type, name = field.type, field.option
    if field.name == id_field:
        yield TyperArgument(
            param_decls=[field.name], metavar=field.name.upper(), required=is_required, help=field.help
        )
    elif field_type.base is bool:
        both = f"{name}/--no-{name[2:]}"
        yield TyperOption(param_decls=[field.name, both], help=field.help, default=None, is_flag=True)
    else:
        yield FieldOption(
            param_decls=[field.name, name, *aliases_of(field)],
            metavar=metavar(field_type),
            help=" ".join(filter(None, (field.help, choices_help(field_type)))),
            required=field.required,
            autocompletion=completes_from(field_type.offered) if field_type.offered else None,
        )
    wire_name = X.name(field.name)
    if wire_name != field.name and field.name != id_field:
        yield AliasOption(param_decls=[wire_name, as_option(wire_name)], hidden=True)
    if field_type.extra("spends"):
        yield TyperOption(
            param_decls=["active", "--active"],
            is_flag=True,
            default=None,
            help=f"The same as {name} ACTIVE; it asks first, since it may spend from then on",
        )
    if field_type.extra("money"):
        amount = amount_name(field)
        yield TyperOption(
            param_decls=[amount, as_option(amount)],
            metavar="AMOUNT",
            help=f"The same in whole units, as in 1.50; replaces {name}",
        )


def aliases_of(field: Field) -> list[str]:
    """List the further, shorter names of an option."""
    alias = field.type.extra("alias")
    return [as_option(alias)] if alias else []


def metavar(field_type: FieldType) -> str:
    """Return the metavar of an option."""
    if field_type.choices:
        choices = f"[{'|'.join(field_type.choices)}]"
        return choices if len(choices) <= MAX_METAVAR_WIDTH else "VALUE"
    if field_type.is_nested:
        return NESTED_METAVAR
    if field_type.is_comma_list:
        return f"{metavar(field_type.item)},..."
    return METAVARS.get(field_type.base, "TEXT")


def choices_help(field_type: FieldType) -> str:
    """List the choices that are too many for the metavar."""
    if field_type.is_comma_list:
        return choices_help(field_type.item)
    return f"One of {', '.join(field_type.choices)}" if metavar(field_type) == "VALUE" else ""


def file_option(request: type[Request]) -> TyperOption:
    """Make --file, which reads the fields of one record, or of several where there is a batch line."""
    batch = request.endpoint.batch
    several = file_help(batch) if batch else ""
    return TyperOption(
        param_decls=["file", "--file", "-f"],
        metavar="FILE",
        help=f"Read fields from a YAML or JSON file, or - for standard input; {several}options outrank it",
    )


def document_options(request: type[Request]) -> Iterator[TyperOption]:
    """Make --file, which reads fields from a document, and --example, which prints such a document."""
    yield file_option(request)

    def print_example(ctx: Any, param: Any, value: Any) -> None:
        if value:
            print(document_of(request), end="")
            raise Exit

    yield TyperOption(
        param_decls=["--example"],
        is_flag=True,
        default=None,
        is_eager=True,
        expose_value=False,
        callback=print_example,
        help="Print an example of such a file",
    )


def envelope_option() -> TyperOption:
    """Make --envelope, which shows the whole response."""
    return TyperOption(
        param_decls=["--envelope"],
        is_flag=True,
        default=False,
        help="Show the whole response, not only its data (json, yaml, jsonl)",
    )


def paging_options() -> Iterator[TyperOption]:
    """Make --all and --limit, which follow the pages."""
    yield TyperOption(param_decls=["--all"], is_flag=True, default=False, help="Follow all pages")
    yield TyperOption(param_decls=["--limit"], metavar="N", help="Follow pages until N records")
