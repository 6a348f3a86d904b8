"""What an endpoint is, and how a request of it travels."""

from collections.abc import Callable
from importlib import import_module
from typing import ClassVar, Literal, NamedTuple, TypeVar

import msgspec

from .rates import Rate

Base = Literal["ads", "platform", "sandbox"]
ParamsIn = Literal["query", "json", "form"]

# The modules that declare endpoints, in the order in which help shows them.
MODULES = (
    "accounts",
    "line_items",
    "audiences",
    "users",
    "cards",
    "media",
    "posts",
    "catalog",
    "products",
    "auth",
    "webhooks",
)


class Endpoint(NamedTuple):
    """Where a Request goes, what it is called, and how its records are shown."""

    method: str  # GET
    path: str  # /12/accounts/{account_id}
    command: str  # "accounts get"
    columns: tuple[str, ...]  # what a table of the records shows
    extra_fields: tuple[str, ...]  # further fields that a record may have
    record_id: str  # the field that the next command takes as an id
    params_in: ParamsIn  # where the fields go that are not in the path
    base: Base  # which address
    retry: bool  # whether sending it twice does no harm
    confirm_prompt: str  # what a person confirms before it is sent; "" where nothing is destroyed
    example: str  # arguments that work on the emulator's first world, for the help and its test
    view: str  # how a terminal shows the answer, where that is no table; see views.py
    id_field: str | None  # the path field that is the id of the resource itself
    rate: Rate | None  # how often it may be asked
    sensitive: bool  # whether its body is nobody's business, --debug's neither

    @property
    def mutates(self) -> bool:
        """Tell whether the request changes anything."""
        return self.method != "GET"

    @property
    def path_fields(self) -> list[str]:
        """Name the fields that stand in the path, in their order."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


class Request(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of every declared request; None means not given, and is not sent."""

    endpoint: ClassVar[Endpoint]


R = TypeVar("R", bound=type[Request])


def endpoint(
    line: str,
    command: str,
    *,
    columns: str = "id name",
    extra_fields: tuple[str, ...] = (),
    record_id: str = "id",
    params_in: ParamsIn = "query",
    base: Base = "ads",
    retry: bool | None = None,
    confirm_prompt: str = "",
    example: str = "",
    view: str = "",
    id_field: str | None = None,
    rate: Rate | None = None,
    sensitive: bool = False,
) -> Callable[[R], R]:
    """Bind a Request to its HTTP line, written as the specification writes it, and to its command."""
    method, path = line.split()
    declared = Endpoint(
        method=method,
        path=path,
        command=command,
        columns=tuple(columns.split()),
        extra_fields=extra_fields,
        record_id=record_id,
        params_in=params_in,
        base=base,
        retry=method != "POST" if retry is None else retry,
        confirm_prompt=confirm_prompt,
        example=example,
        view=view,
        id_field=path.rpartition("/")[2].strip("{}") if path.endswith("}") else id_field,
        rate=rate,
        sensitive=sensitive,
    )

    def bind(request: R) -> R:
        request.endpoint = declared
        return request

    return bind


def requests_of(module: str) -> list[type[Request]]:
    """List the bound Request classes of one module of `api`, in the order they are written."""
    found = import_module(f"{__package__}.{module}")
    return [
        thing
        for thing in vars(found).values()
        if isinstance(thing, type)
        and issubclass(thing, Request)
        and "endpoint" in vars(thing)
        and thing.__module__ == found.__name__
    ]


def document_of(request: type[Request]) -> str:
    """Give the commented YAML of a request with nested values, for people to start from."""
    from importlib.resources import files

    group = "-".join(request.endpoint.command.split()[:-1])
    return files(__package__).joinpath("examples", f"{group}.yaml").read_text(encoding="utf-8")
