"""Endpoints, the declared requests bound to them, and what those of one resource share."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ClassVar, Literal, TypedDict, TypeVar, Unpack, cast

import msgspec

from .rates import Rate, rate_of_x

Base = Literal["ads", "platform", "sandbox"]
OF_ONE = ("get", "access", "check", "count", "keywords")  # the last words of commands that read one document
ParamsIn = Literal["query", "json", "form", "multipart"]
Action = Literal["create", "update", "delete"]  # what a request does to a record
# What authenticates a request: the app alone, or a user by OAuth 1.0a or 2.0.
Token = Literal["bearer", "user1", "user2"]
Identity = Literal["bearer", "user"]  # of which of them a request is sent
OF_USERS: tuple[Token, ...] = ("user1", "user2")
OF_APP_ALONE: tuple[Token, ...] = ("bearer",)
ACTIONS: Mapping[str, Action] = {"POST": "create", "PUT": "update", "DELETE": "delete"}  # by method


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
    sensitive: bool = False  # the body is masked, in --debug too
    service: str = ""  # the service that has it; "" if every service does
    batch: BatchEndpoint | None = None  # takes many of these requests at once
    wire_names: Mapping[str, str] = {}  # of parameters whose names on the wire no field can have
    reads_only: bool = False  # whatever its method, it changes nothing but tokens: an estimate, a sign-in
    takes_several: bool = False  # its command takes several ids, or finds records by --where
    tokens: tuple[Token, ...] = OF_USERS  # any of which authenticates it
    recreatable: bool = False  # what it deletes is its content alone, and can be created again
    data_key: str = ""  # of `data`, which has the records, where a version of the service puts them there

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
        """Whether the request changes anything of an account."""
        return self.mutates and not self.reads_only

    @property
    def makes_anew(self) -> bool:
        """Whether the request, sent again, makes another record."""
        return self.method == "POST" and not self.retry

    @property
    def noun(self) -> str:
        """What it makes several of: `scheduled posts`, of the command `posts scheduled create`.

        Of a command of one word it is that word.
        """
        if self.batch:
            return self.batch.noun
        words = self.command.split()
        *groups, last = words[:-1] or words
        return last if last.endswith("s") else " ".join((last, *groups))

    @property
    def is_batch(self) -> bool:
        """Whether it takes many records at once, and there is no request for one."""
        return self.batch is not None and self.batch.path == self.path

    @property
    def lists(self) -> bool:
        """Whether its records are a list, of which a part may be asked for."""
        return self.method == "GET" and self.command.split()[-1] not in OF_ONE and bool(self.columns)

    @property
    def record_fields(self) -> frozenset[str]:
        """The declared fields of a record."""
        return frozenset((*self.columns, *self.extra_fields))

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The fields in the path, in order."""
        return _path_fields(self.path)


@cache
def _path_fields(path: str) -> tuple[str, ...]:
    return tuple(part[1:-1] for part in path.split("/") if part.startswith("{"))


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
    id_field: str  # unless stated, that in which the path ends; "" for none
    rate: Rate | None
    x_rate: Rate | None  # of service x, where it is another one
    sensitive: bool
    service: str
    batch: BatchEndpoint | None
    wire_names: Mapping[str, str]
    reads_only: bool
    takes_several: bool
    tokens: tuple[Token, ...]
    recreatable: bool
    data_key: str


def endpoint(line: str, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
    """Bind a Request to its method and path, as the specification writes it, and to its command.

    Where a service has another line or other parameters, each `service` has a request of the same command.
    """
    method, path = line.split()
    rate = options.pop("rate", None)
    x_rate = options.pop("x_rate", None) or rate
    declared = Endpoint(
        method=method,
        path=path,
        command=command,
        columns=tuple(options.pop("columns", "id name").split()),
        extra_fields=tuple(options.pop("extra_fields", "").split()),
        retry=options.pop("retry", method != "POST"),
        id_field=options.pop("id_field", _last_id(path)) or None,
        # Every service of `names.SERVICES` has a key here, and an option of its own where its limits differ.
        rates={"generic": rate, "x": rate_of_x(method, path, options.get("base", "ads"), x_rate)},
        **cast(dict[str, Any], options),  # what is left has the names of fields
    )

    def bind(request: R) -> R:
        request.endpoint = declared
        return request

    return bind


# The fields of a Resource that every endpoint of it gets; what only some get, their decorators pass on. A new
# field belongs here or there.
SHARED = ("columns", "extra_fields", "record_id", "base", "rate", "x_rate", "sensitive", "service")


class Resource(msgspec.Struct, frozen=True):
    """What the endpoints of one resource share; a decorator for each of the usual requests.

    `list` and `create` go to its path, `get`, `update` and `delete` to that of one record.
    """

    path: str  # of all records: /12/accounts/{account_id}/campaigns
    id_field: str = ""  # in the path of one record: campaign_id; "" if there is one record only
    group: str = ""  # of its commands, whose last words are those of the decorators unless stated
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
    example: str = ""  # an id, for the help of what shows and deletes one
    deleted_for_good: bool = False  # which is said before
    requests: dict[str, list[type[Request]]] = msgspec.field(default_factory=dict)  # by decorator

    @property
    def kind(self) -> str:
        """Name the kind of its records: campaign."""
        return self.record_kind or self.id_field.removesuffix("_id")

    def list(self, command: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that lists records."""
        return self._noting("list", "GET", command, options)

    def get(self, command: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that shows one record."""
        stated = EndpointOptions(takes_several=self.takes_several, example=self.example)
        return self._noting("get", f"GET {self._record_path(options)}", command, stated | options)

    def create(self, command: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that creates a record."""
        stated = EndpointOptions(params_in=self.params_in, batch=self.batch)
        return self._noting("create", "POST", command, stated | options)

    def update(self, command: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that changes a record."""
        stated = EndpointOptions(params_in=self.params_in, batch=self.batch, takes_several=self.takes_several)
        return self._noting("update", f"PUT {self._record_path(options)}", command, stated | options)

    def delete(self, command: str = "", **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind the request that deletes a record, once it is confirmed."""
        id_field = options.get("id_field", self.id_field)
        stated = EndpointOptions(
            batch=self.batch,
            takes_several=self.takes_several,
            example=self.example,
            confirm_prompt=f"Delete the {self.kind.replace('_', ' ')} {{{id_field}}}"
            f"{'; this cannot be undone' if self.deleted_for_good else ''}",
        )
        return self._noting("delete", f"DELETE {self._record_path(options)}", command, stated | options)

    def endpoint(self, line: str, command: str, **options: Unpack[EndpointOptions]) -> Callable[[R], R]:
        """Bind any other request: a method, and what follows the path of the resource."""
        method, _, rest = line.partition(" ")
        shared = {name: getattr(self, name) for name in SHARED}
        return endpoint(f"{method} {self.path}{rest}", command, **cast(EndpointOptions, shared | options))

    def _record_path(self, options: EndpointOptions) -> str:
        """Return what follows the path for one record; a request may name its id otherwise."""
        id_field = options.get("id_field", self.id_field)
        return f"/{{{id_field}}}" if id_field else ""

    def _noting(self, usual: str, line: str, command: str, options: EndpointOptions) -> Callable[[R], R]:
        """Bind a request, and note it for those that handle the usual requests of a resource."""
        bind = self.endpoint(line, command or f"{self.group} {usual}", **options)

        def note(request: R) -> R:
            self.requests.setdefault(usual, []).append(request)
            return bind(request)

        return note


def _last_id(path: str) -> str | None:
    """Name the path field in which a path ends, which is the id of the resource itself."""
    return path.rpartition("/")[2].strip("{}") if path.endswith("}") else None
