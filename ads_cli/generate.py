"""A declared request becomes a command: the only clever file.

Every value arrives as text, and the declaration alone says what it has to be: so all broken rules
are told at once, and no limit is written twice.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperArgument, TyperCommand, TyperOption

from .api.check import InvalidError, Problem, convert
from .api.endpoint import Request
from .api.fields import Field, Kind, fields_of
from .api.time import Time
from .errors import ContentError, UsageError
from .invocation import Invocation
from .options import offering

if TYPE_CHECKING:
    from .client.answer import Answer

NESTED = "JSON|@FILE"
METAVARS = {int: "N", Time: "TIME"}


class RequestCommand(TyperCommand):
    """The command of one declared request."""

    def __init__(self, request: type[Request]) -> None:
        self.request = request
        endpoint = request.endpoint
        self.fields = {field.name: field for field in fields_of(request)}
        # Ids of what the resource lies in come from the common options, the environment or the profile.
        self.common = {name: field.kind.extra("common") for name, field in self.fields.items()}
        self.is_paged = "cursor" in self.fields
        params = [parameter(f, endpoint.own_id) for f in self.fields.values() if not self.common[f.name]]
        params.sort(key=lambda param: (not isinstance(param, TyperArgument), not param.required))
        params += [envelope_option(), *(paging_options() if self.is_paged else [])]
        super().__init__(
            name=endpoint.command.split()[-1],
            help=request.__doc__,
            params=params,
            rich_markup_mode=None,
            epilog="Options of every command: adsctl help options",
        )

    def invoke(self, ctx: Any) -> None:
        """Check what was given, send it, show the answer."""
        call = Invocation.of(ctx)
        given = dict(ctx.params)
        shape = {name: given.pop(name, None) for name in ("envelope", "all", "limit")}
        shape["envelope"] = shape["envelope"] and call.printer.shows_documents
        request = self._request(call, given)
        if self.request.endpoint.consequence and not call.dry_run:
            call.confirm(self.request.endpoint.consequence.format(**given))
        if call.dry_run and self.request.endpoint.mutates:
            show_request(call, request)
        elif self.is_paged:
            show_list(call, request, **shape)
        else:
            answer = call.client.call(request)
            show(call, self.request, answer.body if shape["envelope"] else answer.data)

    def _request(self, call: Invocation, given: dict[str, Any]) -> Request:
        """Make the request; raise UsageError (ContentError where a file is to blame) with every problem."""
        given |= {name: getattr(call, common) for name, common in self.common.items() if common}
        values = {name: value for name, value in given.items() if value is not None}
        from_file = {
            n for n, v in values.items() if isinstance(v, str) and v.startswith("@") and self._nested(n)
        }
        values = {name: read_value(self.fields[name], value) for name, value in values.items()}
        try:
            return convert(self.request, values)
        except InvalidError as error:
            told = [self._told(problem) for problem in error.problems]
            blamed = {problem.path.split("[")[0].split(".")[0] for problem in error.problems}
            kind = ContentError if blamed and blamed <= from_file else UsageError
            raise kind("\n".join(told), hint=f"adsctl {self.request.endpoint.command} --help") from None

    def _nested(self, name: str) -> bool:
        return self.fields[name].kind.is_nested

    def _told(self, problem: Problem) -> str:
        """Name a problem as the person typed it: the option, then the path inside its value."""
        name = problem.path.split("[")[0].split(".")[0]
        field = self.fields.get(name)
        if field is None or name == self.request.endpoint.own_id:
            return f"{name.upper() or self.name}{problem.path[len(name) :]}: {problem.message}"
        rest = problem.path[len(name) :]
        return f"{option_name(field)}{' ' + problem.path if rest else ''}: {problem.message}"


def parameter(field: Field, own_id: str | None) -> Any:
    """Make one field an argument, when it is the id of the resource itself, or an option."""
    if field.name == own_id:
        return TyperArgument(
            param_decls=[field.name], metavar=field.name.upper(), required=True, help=field.help
        )
    kind, name = field.kind, option_name(field)
    if kind.base is bool:
        both = f"{name}/--no-{name[2:]}" if kind.extra("default") is True else name
        return TyperOption(param_decls=[field.name, both], help=field.help, default=None, is_flag=True)
    return TyperOption(
        param_decls=[field.name, name],
        metavar=metavar(kind),
        help=field.help,
        required=field.required,
        autocompletion=offering(kind.offered) if kind.offered else None,
    )


def option_name(field: Field) -> str:
    """Name the option of a field: what is declared for it, else the field's own name."""
    named = field.kind.extra("common") or field.kind.extra("option") or field.name
    return f"--{named.replace('_', '-')}"


def metavar(kind: Kind) -> str:
    """Show what an option takes."""
    if kind.choices:
        return f"[{'|'.join(kind.choices)}]"
    if kind.is_nested:
        return NESTED
    if kind.is_comma_list:
        return f"{metavar(kind.item)},..."
    return METAVARS.get(kind.base, "TEXT")


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


def read_value(field: Field, text: Any) -> Any:
    """Read what was typed: JSON or @FILE for nested values, commas for lists; the rest stays text."""
    if not isinstance(text, str):
        return text
    if field.kind.is_nested:
        return read_nested(option_name(field), text)
    if field.kind.is_comma_list:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def read_nested(name: str, text: str) -> Any:
    """Read a nested value: JSON in place, or a JSON or YAML file behind an @; scalars stay text."""
    if not text.startswith("@"):
        try:
            return json.loads(text, parse_int=str, parse_float=str)
        except ValueError as error:
            raise UsageError(f"{name}: {error} in {text[:60]!r}", hint="write JSON, or @FILE") from None
    import yaml

    class TextLoader(yaml.SafeLoader):
        """Takes scalars for text, but for the plain words that mean nothing at all."""

        yaml_implicit_resolvers = {
            first: [(tag, pattern) for tag, pattern in found if tag.endswith(":null")]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    try:
        return yaml.load(Path(text[1:]).read_bytes(), TextLoader)
    except OSError as error:
        raise UsageError(f"{name}: {text[1:]} cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ContentError(f"{text[1:]} is neither JSON nor YAML: {error}") from None


def show(call: Invocation, request: type[Request], document: Any) -> None:
    """Print a document with the columns of its endpoint."""
    endpoint = request.endpoint
    call.printer.show(document, endpoint.columns, endpoint.key, endpoint.others)


def show_list(call: Invocation, request: Request, *, envelope: bool, all: bool, limit: str | None) -> None:
    """Print a list: a page of it, all of it, or so many records."""
    most = _limit(limit)
    endpoint, printer = request.endpoint, call.printer
    pages = Pages(call.client.pages(request), None if all or most else 1)
    records = islice((record for page in pages for record in page.data or []), most)
    if printer.streams and not envelope:
        printer.show_records(records, endpoint.columns, endpoint.key, endpoint.others)
    else:
        merged = list(records)
        whole = {**pages.first, "data": merged, "next_cursor": pages.cursor}
        show(call, type(request), whole if envelope else merged)
    if pages.cursor:
        call.messages.say("there are more: --all shows them, --limit N some of them")


class Pages:
    """Pages as they are read, and what was seen of them: the first body and the last cursor."""

    def __init__(self, answers: "Iterator[Answer]", most: int | None) -> None:
        self._answers = islice(answers, most)
        self.first: dict[str, Any] = {}
        self.cursor: str | None = None

    def __iter__(self) -> "Iterator[Answer]":
        for answer in self._answers:
            self.first = self.first or dict(answer.body)
            self.cursor = answer.next_cursor
            yield answer


def _limit(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"--limit: {text!r} is not a whole number of 1 or more")
    return int(text)


def show_request(call: Invocation, request: Request) -> None:
    """Print the request that would be sent, secrets masked, and send nothing."""
    from .api.endpoint import wire
    from .client.outgoing import place

    endpoint = request.endpoint
    outgoing = place(endpoint, wire(request), call.settings.address(endpoint.base))
    shown: dict[str, Any] = {
        "method": outgoing.method,
        "url": outgoing.url,
        "headers": {"Authorization": "OAuth ***"},
    }
    if outgoing.body:
        shown["headers"]["Content-Type"] = outgoing.content_type
        shown["body"] = json.loads(outgoing.body)
    if call.printer.format in ("table", "tsv", "csv"):
        print(f"{outgoing.method} {outgoing.url}")
        if outgoing.body:
            print(json.dumps(shown["body"], ensure_ascii=False, indent=2))
    else:
        call.printer.show(shown, tuple(shown), "url")
