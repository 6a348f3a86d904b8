"""Endpoints, and the declared requests bound to them."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Literal, TypedDict, TypeVar, Unpack, cast

import msgspec

from .rates import Rate
from .rates import x_rate as resolve_x_rate

Base = Literal["ads", "platform", "sandbox"]
ParamsIn = Literal["query", "json", "form", "multipart"]
Action = Literal["create", "update", "delete"]  # what a request does to a record
ACTIONS: Mapping[str, Action] = {"POST": "create", "PUT": "update", "DELETE": "delete"}  # by method

# The modules that declare the commands of a group, or of a group or a command below it that has modules of
# its own. A command line loads those of its group alone.
GROUP_MODULES = {
    "campaigns": ("campaigns",),
    "funding-instruments": ("funding_instruments",),
    "lookup": ("funding_instruments", "lookup"),
    "accounts": ("accounts", "lookup"),
    "accounts features": ("accounts",),
    "accounts curated-categories": ("lookup",),
    "line-items": ("line_items",),
    "line-items curated-categories": ("line_item_parts",),
    "targeting": ("targeting",),
    "targeting search": ("targeting_search",),
    "promoted": ("promoted",),
    "promoted media": ("promoted",),
    "promoted call-to-actions": ("promoted",),
    "audiences": ("audiences", "audience_insights"),
    "audiences combine": ("audiences",),
    "audiences permissions": ("audiences",),
    "audiences do-not-reach": ("audiences",),
    "audiences push": ("users",),
    "cards": ("cards",),
    "cards poll": ("conversations",),
    "cards image-conversation": ("conversations",),
    "cards video-conversation": ("conversations",),
    "media": ("media", "media_uploads"),
    "media subtitles": ("media_uploads",),
    "posts": ("posts",),
    "posts drafts": ("posts",),
    "posts scheduled": ("posts",),
    "catalog": ("catalog",),
    "catalog sets": ("catalog",),
    "catalog feeds": ("catalog",),
    "products": ("products",),
    "settings": ("settings",),
    "tracking-tags": ("line_item_parts",),
    "recommendations": ("funding_instruments",),
    "conversions": ("conversions",),
    "measurement": ("measurement",),
    "measurement web-event-tags": ("measurement",),
    "measurement conversion-events": ("conversions",),
    "measurement conversion-attribution": ("conversions",),
    "measurement ab-tests": ("ab_tests",),
    "stats": ("statistics",),
    "auth": ("auth",),
    "webhooks": ("auth",),
}
SIGN_IN = "auth "  # begins the commands that sign in and out
MODULES = tuple(dict.fromkeys(module for modules in GROUP_MODULES.values() for module in modules))


class BatchEndpoint(msgspec.Struct, frozen=True):
    """The endpoint that takes many requests to create, update or delete records of a kind at once."""

    path: str  # /12/batch/accounts/{account_id}/campaigns
    size: int  # items of one request, at most

    @property
    def noun(self) -> str:
        """What the items are."""
        return self.path.rpartition("/")[2].replace("_", " ")


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The method and path of a Request, its command, and how its records are shown."""

    method: str  # GET
    path: str  # /12/accounts/{account_id}
    command: str  # "accounts get"
    columns: tuple[str, ...]  # of a table of its records
    extra_fields: tuple[str, ...]  # fields of a record that are not in `columns`
    retry: bool  # the request is idempotent
    id_field: str | None  # the path field that is the id of the resource itself
    rates: Mapping[str, Rate | None]  # by service: the limit that is stated for it
    record_id: str = "id"  # the field of a record that holds its id
    params_in: ParamsIn = "query"  # where the fields go that are not in the path
    base: Base = "ads"  # the address it is sent to
    confirm_prompt: str = ""  # asked before a destructive request; takes its fields, and {rows} of an upload
    example: str = ""  # arguments for the help; valid on a new emulator
    chart: str = ""  # shown on a terminal in place of a table; see console/results.py
    sensitive: bool = False  # the body is masked, in --debug too
    service: str = ""  # the service that has it; "" if every service does
    batch: BatchEndpoint | None = None  # takes many of these requests at once
    wire_names: Mapping[str, str] = {}  # of parameters whose names on the wire no field can have
    reads_only: bool = False  # whatever its method, it changes nothing: an estimate, a job that computes
    takes_several: bool = False  # its command takes several ids, or finds records by --where

    @property
    def route(self) -> str:
        """Name the endpoint, whose requests share a rate limit."""
        return f"{self.method} {self.path}"

    @property
    def mutates(self) -> bool:
        """Whether the request is sent by a method that changes something."""
        return self.method != "GET"

    @property
    def action(self) -> Action:
        """What a request that mutates does to a record."""
        return ACTIONS[self.method]

    @property
    def changes(self) -> bool:
        """Whether the request changes anything of an account; a sign-in changes nothing but tokens."""
        return self.mutates and not self.reads_only and not self.command.startswith(SIGN_IN)

    @property
    def makes_anew(self) -> bool:
        """Whether the request, sent again, makes another record."""
        return self.method == "POST" and not self.retry

    @property
    def noun(self) -> str:
        """What it makes several of: `scheduled posts`, of the command `posts scheduled create`."""
        if self.batch:
            return self.batch.noun
        *groups, last = self.command.split()[:-1]
        return last if last.endswith("s") else " ".join((last, *groups))

    @property
    def is_batch(self) -> bool:
        """Whether it takes many records at once, and there is no request for one."""
        return self.batch is not None and self.batch.path == self.path

    @property
    def record_fields(self) -> frozenset[str]:
        """The declared fields of a record."""
        return frozenset((*self.columns, *self.extra_fields))

    @property
    def path_fields(self) -> list[str]:
        """The fields in the path, in order."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


class Request(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The base of every declared request; a field that is None is not sent."""

    endpoint: ClassVar[Endpoint]


R = TypeVar("R", bound=type[Request])


class EndpointOptions(TypedDict, total=False):
    """What may be stated of an endpoint; see the fields of Endpoint."""

    columns: str  # "id name", unless stated
    extra_fields: str
    record_id: str
    params_in: ParamsIn
    base: Base
    retry: bool  # unless stated, a POST is not idempotent
    confirm_prompt: str
    example: str
    chart: str
    id_field: str  # unless stated, that in which the path ends; "" for none
    rate: Rate | None
    x_rate: Rate | None  # of service x, where it is another one
    sensitive: bool
    service: str
    batch: BatchEndpoint | None
    wire_names: Mapping[str, str]
    reads_only: bool
    takes_several: bool


def endpoint(line: str, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
    """Bind a Request to its method and path, as the specification writes it, and to its command.

    Where a service has another line or other parameters, each `service` has a request of the same command.
    """
    method, path = line.split()
    rate, base = options.pop("rate", None), options.get("base", "ads")
    x_rate = resolve_x_rate(method, path, base, options.pop("x_rate", None) or rate)
    declared = Endpoint(
        method=method,
        path=path,
        command=command,
        columns=tuple(options.pop("columns", "id name").split()),
        extra_fields=tuple(options.pop("extra_fields", "").split()),
        retry=options.pop("retry", method != "POST"),
        id_field=options.pop("id_field", _last_id(path)) or None,
        rates={"generic": rate, "x": x_rate},
        **cast(dict[str, Any], options),  # what is left has the names of fields
    )

    def bind(request: R) -> R:
        request.endpoint = declared
        return request

    return bind


class Resource(msgspec.Struct, frozen=True):
    """What the endpoints of one resource share; a decorator for each of the usual requests.

    `list` and `create` go to its path, `get`, `update` and `delete` to that of one record.
    """

    path: str  # of all records: /12/accounts/{account_id}/campaigns
    id_field: str = ""  # in the path of one record: campaign_id; "" if there is one record only
    columns: str = "id name"
    extra_fields: str = ""
    record_id: str = "id"
    params_in: ParamsIn = "query"  # where the fields of creations and updates go
    base: Base = "ads"
    sensitive: bool = False
    service: str = ""
    rate: Rate | None = None
    x_rate: Rate | None = None
    batch: BatchEndpoint | None = None  # takes many creations, updates and deletions
    takes_several: bool = False  # ids, where one is shown, changed or deleted; --where in place of them
    parents: tuple[str, ...] = ()  # fields that name records of other kinds: line_item_id
    record_kind: str = ""  # where the id is not named after it
    requests: dict[str, list[type[Request]]] = msgspec.field(default_factory=dict)  # by decorator

    @property
    def kind(self) -> str:
        """Name the kind of its records: campaign."""
        return self.record_kind or self.id_field.removesuffix("_id")

    def list(self, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that lists records."""
        return self._noting("list", "GET", command, options)

    def get(self, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that shows one record."""
        stated = EndpointOptions(takes_several=self.takes_several)
        return self._noting("get", f"GET {self._one(options)}", command, stated | options)

    def create(self, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that creates a record."""
        stated = EndpointOptions(params_in=self.params_in, batch=self.batch)
        return self._noting("create", "POST", command, stated | options)

    def update(self, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that changes a record."""
        stated = EndpointOptions(params_in=self.params_in, batch=self.batch, takes_several=self.takes_several)
        return self._noting("update", f"PUT {self._one(options)}", command, stated | options)

    def delete(self, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that deletes a record."""
        stated = EndpointOptions(batch=self.batch, takes_several=self.takes_several)
        return self._noting("delete", f"DELETE {self._one(options)}", command, stated | options)

    def endpoint(self, line: str, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind any other request: a method, and what follows the path of the resource."""
        method, _, rest = line.partition(" ")
        stated = EndpointOptions(
            columns=self.columns,
            extra_fields=self.extra_fields,
            record_id=self.record_id,
            base=self.base,
            rate=self.rate,
            x_rate=self.x_rate,
            sensitive=self.sensitive,
            service=self.service,
        )
        return endpoint(f"{method} {self.path}{rest}", command, **(stated | options))

    def _one(self, options: EndpointOptions) -> str:
        """Return what follows the path for one record; a request may name its id otherwise."""
        id_field = options.get("id_field", self.id_field)
        return f"/{{{id_field}}}" if id_field else ""

    def _noting(self, usual: str, line: str, command: str, options: EndpointOptions) -> Callable[[R], R]:
        """Bind a request, and note it for those that handle the usual requests of a resource."""
        bind = self.endpoint(line, command, **options)

        def note(request: R) -> R:
            self.requests.setdefault(usual, []).append(request)
            return bind(request)

        return note


def modules_of(group: tuple[str, ...]) -> tuple[str, ...]:
    """Name the modules that declare the commands of a group, which may be those of a group above it."""
    while group:
        if modules := GROUP_MODULES.get(" ".join(group)):
            return modules
        group = group[:-1]
    return ()


def _last_id(path: str) -> str | None:
    """Name the path field in which a path ends, which is the id of the resource itself."""
    return path.rpartition("/")[2].strip("{}") if path.endswith("}") else None


def requests_of(module: str) -> list[type[Request]]:
    """List the Request classes of one module of `api`, in declaration order."""
    declaring = import_module(f"{__package__}.{module}")
    return [
        value
        for value in vars(declaring).values()
        if isinstance(value, type)
        and issubclass(value, Request)
        and "endpoint" in vars(value)
        and value.__module__ == declaring.__name__
    ]


def requests_named(words: tuple[str, ...]) -> list[type[Request]]:
    """Return the requests of a command, which are of one module; raise KeyError if there are none."""
    command = " ".join(words)
    for module in modules_of(words[:-1]):
        if found := [request for request in requests_of(module) if request.endpoint.command == command]:
            return found
    raise KeyError(command)


def requests_for(service: str) -> Iterator[type[Request]]:
    """List the requests of all modules that a service understands."""
    for module in MODULES:
        yield from (request for request in requests_of(module) if is_of_service(request, service))


def is_of_service(request: type[Request], service: str) -> bool:
    """Whether a service understands a request."""
    return request.endpoint.service in ("", service)


def document_of(request: type[Request]) -> str:
    """Return the commented YAML example of a request with nested values: its own, or that of its group."""
    from importlib.resources import files

    *group, verb = request.endpoint.command.split()
    names = ("-".join(words) for words in ([*group, verb], group))
    documents = (files(__package__).joinpath("examples", f"{name}.yaml") for name in names)
    return next(found for found in documents if found.is_file()).read_text(encoding="utf-8")
