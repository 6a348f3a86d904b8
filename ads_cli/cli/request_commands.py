"""A declared request becomes a command: the only clever file.

Every value arrives as text, and the declaration alone says what it has to be: so all broken rules
are told at once, and no limit is written twice.
"""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

from typer import Exit
from typer.core import TyperArgument, TyperOption

from ..api.endpoint import Request, document_of
from ..api.fields import Field, FieldType, fields_of
from ..api.time import Time
from ..console.help_texts import EXAMPLE_MARK, ExampleCommand
from ..console.invocation import Invocation
from ..console.options import NESTED_METAVAR, completes_from
from ..console.request_input import request_of, whole_name
from ..console.results import show, show_list, show_request
from ..spelling import as_option

METAVARS = {int: "N", Time: "TIME"}
WIDEST = 60  # a metavar that is wider says nothing on 80 columns; its values are told in the help


class RequestCommand(ExampleCommand):
    """The command of one declared request."""

    def __init__(self, request: type[Request]) -> None:
        self.request = request
        endpoint = request.endpoint
        self.fields = {field.name: field for field in fields_of(request)}
        # Ids of what the resource lies in come from the common options, the environment or the profile.
        self.common = {name: field.type.extra("common") for name, field in self.fields.items()}
        self.is_paged = "cursor" in self.fields
        own = [field for field in self.fields.values() if not self.common[field.name]]
        params = [param for field in own for param in parameters(field, endpoint.id_field)]
        params.sort(key=lambda param: (not isinstance(param, TyperArgument), not param.required))
        if any(field.type.is_nested for field in own):
            params += document_options(request)
        params += [envelope_option(), *(paging_options() if self.is_paged else [])]
        super().__init__(
            name=endpoint.command.split()[-1],
            help=f"{getdoc(request)}{EXAMPLE_MARK}adsctl {endpoint.command} {endpoint.example}",
            params=params,
        )

    def invoke(self, ctx: Any) -> None:
        """Check what was given, send it, show the answer."""
        endpoint = self.request.endpoint
        call = Invocation.of(ctx, changes=endpoint.mutates)
        given = dict(ctx.params)
        shape = {name: given.pop(name, None) for name in ("envelope", "all", "limit")}
        shape["envelope"] = shape["envelope"] and call.printer.shows_documents
        file = given.pop("file", None)
        given |= {name: getattr(call, common) for name, common in self.common.items() if common}
        request = request_of(self.request, given, file)
        if endpoint.confirm_prompt and not call.dry_run:
            call.confirm(endpoint.confirm_prompt.format(**given))
        if call.dry_run:
            show_request(call, request)
        elif self.is_paged:
            show_list(call, request, **shape)
        else:
            answer = call.client.call(request)
            show(call, request, answer.body if shape["envelope"] else answer.data)


class FieldOption(TyperOption):
    """An option that help shows as required; that it is missing is told with all other problems."""

    def value_is_missing(self, value: Any) -> bool:
        """Leave it to the check, which also knows what a file gives."""
        return False


def parameters(field: Field, own_id: str | None) -> Iterator[Any]:
    """Make one field an argument, when it is the id of the resource itself, or an option.

    Money has a second option, in whole units of the currency.
    """
    kind, name = field.type, field.option
    if field.name == own_id:
        yield TyperArgument(
            param_decls=[field.name], metavar=field.name.upper(), required=True, help=field.help
        )
    elif kind.base is bool:
        both = f"{name}/--no-{name[2:]}" if kind.extra("default") is True else name
        yield TyperOption(param_decls=[field.name, both], help=field.help, default=None, is_flag=True)
    else:
        yield FieldOption(
            param_decls=[field.name, name],
            metavar=metavar(kind),
            help=" ".join(filter(None, (field.help, values(kind)))),
            required=field.required,
            autocompletion=completes_from(kind.offered) if kind.offered else None,
        )
    if kind.extra("money"):
        whole = whole_name(field)
        yield TyperOption(
            param_decls=[whole, as_option(whole)],
            metavar="AMOUNT",
            help=f"The same in whole units, as in 1.50, in place of {name}",
        )


def metavar(kind: FieldType) -> str:
    """Show what an option takes."""
    if kind.choices:
        choices = f"[{'|'.join(kind.choices)}]"
        return choices if len(choices) <= WIDEST else "VALUE"
    if kind.is_nested:
        return NESTED_METAVAR
    if kind.is_comma_list:
        return f"{metavar(kind.item)},..."
    return METAVARS.get(kind.base, "TEXT")


def values(kind: FieldType) -> str:
    """List the values of an enum for which there is no room in the metavar."""
    if kind.is_comma_list:
        return values(kind.item)
    return f"One of {', '.join(kind.choices)}" if metavar(kind) == "VALUE" else ""


def document_options(request: type[Request]) -> Iterator[TyperOption]:
    """Offer to write nested values in a file, and an example to start from."""
    yield TyperOption(
        param_decls=["file", "--file", "-f"],
        metavar="FILE",
        help="Take fields from a YAML or JSON file, or - for standard input; options outrank it",
    )

    def example(ctx: Any, param: Any, value: Any) -> None:
        if value:
            print(document_of(request), end="")
            raise Exit

    yield TyperOption(
        param_decls=["--example"],
        is_flag=True,
        default=None,
        is_eager=True,
        expose_value=False,
        callback=example,
        help="Print such a file to start from",
    )


def envelope_option() -> TyperOption:
    """Offer the whole response."""
    return TyperOption(
        param_decls=["--envelope"],
        is_flag=True,
        default=False,
        help="Show the whole response, not only its data (json, yaml, jsonl)",
    )


def paging_options() -> Iterator[TyperOption]:
    """Offer to follow the pages."""
    yield TyperOption(param_decls=["--all"], is_flag=True, default=False, help="Follow all pages")
    yield TyperOption(param_decls=["--limit"], metavar="N", help="Follow pages until N records")
