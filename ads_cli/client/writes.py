"""Read from a request what it changes, so that declared and raw requests are judged by the same rules.

A raw request is matched to a declared endpoint. What matches none, or cannot be read, is unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from ..api.endpoint import ACTIONS, Action, Endpoint, Request
from ..api.fields import marked_fields
from ..api.names import Names, to_neutral
from ..api.registry import modules_of, requests_for, requests_of
from ..api.spending import ACTIVE, DRAFT, PAUSED, STATUS, after_change, status_field, update_of_activation
from ..http.response_body import parse_json
from .prepared_request import FORM, JSON, PreparedRequest, overrides

ROW_ACTIONS = frozenset[str](("create", "update"))  # of rows, whose records may be new
# What commands and their requests change, apart from their actions, by words of `deny`; the longest
# beginning counts.
SUBJECTS = {
    "products": "products",
    "catalog": "products",
    "audiences push": "users",
    "audiences sync": "users",
    "audiences do-not-reach push": "users",
    "audiences do-not-reach sync": "users",
    "conversions": "conversions",
    "measurement conversion-events": "conversions",
    "media": "media",
    "posts": "posts",
    "settings": "settings",
    "accounts": "settings",
    "webhooks": "webhooks",
    "events": "webhooks",
}


class Dialect(NamedTuple):
    """How the requests of a service are written."""

    names: Names
    service: str
    prefixes: frozenset[str]  # paths of its addresses


class Operation(NamedTuple):
    """A change of one record."""

    action: Action
    kind: type[Request] | None  # the declared request, with the fields of the record
    values: Mapping[str, Any]  # by neutral names, those of the path included; "" where it empties a field
    new_id: str = ""  # what other changes of a plan name the record by that this one creates

    @property
    def id_field(self) -> str:
        """The field that names the record, such as `campaign_id`; empty where it is new."""
        return (self.kind.endpoint.id_field if self.kind else None) or ""

    @property
    def id(self) -> str:
        """The id of the record; empty where it is new."""
        return str(self.values.get(self.id_field, "") or "")

    @property
    def key(self) -> tuple[str, str]:
        """The field that names the record, and its id."""
        return self.id_field, self.id

    @property
    def status(self) -> str | None:
        """The status that the record gets, or None if it has none or keeps its own."""
        field = status_field(self.kind) if self.kind else None
        if field is None or self.action == "delete":
            return None
        if field.name not in self.values:
            # A service may make new records active where nothing is said.
            return "" if self.action == "create" else None
        return str(self.values[field.name] or "")

    @property
    def activates(self) -> bool:
        """Whether the record may spend at once; what is neither paused nor a draft may."""
        return self.status is not None and self.status not in (PAUSED, DRAFT)

    @property
    def records(self) -> int:
        """How many records it creates or changes: one for each item of a list that is declared so."""
        names = marked_fields(self.kind, "records") if self.kind else ()
        lists = (self.values[name] for name in names if name in self.values)
        items = (part if isinstance(part, list) else str(part).split(",") for part in lists)
        return sum(map(len, items)) or 1

    @property
    def undeclared(self) -> set[str]:
        """The fields that it sets, and the declared request does not have."""
        return {*self.values} - {*self.kind.__struct_fields__} if self.kind else set()

    def applied_to(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return a record as the operation leaves it, without what is in the path."""
        own = self.kind.endpoint.path_fields if self.kind else ()
        values = {name: value for name, value in self.values.items() if name not in own}
        if self.status is not None:
            values[STATUS] = ACTIVE if self.activates else self.status
        return after_change(self.kind, before, values)


class Write(NamedTuple):
    """What one request changes."""

    endpoint: Endpoint | None = None  # None where it matches no declared one
    subject: str = ""  # a value of SUBJECTS, or nothing
    operations: Sequence[Operation] = ()  # not those of products, nor of users
    records: int = 1
    is_raw: bool = False
    actions: frozenset[str] = frozenset()
    account: str = ""
    problem: str = ""  # why it cannot be judged

    @property
    def words(self) -> frozenset[str]:
        """The words of `deny` that refuse it."""
        words = {*self.actions, self.subject, *(["api"] if self.is_raw else [])}
        if any(operation.activates for operation in self.operations):
            words.add("activate")
        return frozenset(filter(None, words))


def write_of(prepared: PreparedRequest, dialect: Dialect, *, counts: bool = True) -> Write:
    """Return what a request changes; without `counts`, products and conversions are not counted."""
    is_raw = prepared.declared is None
    if override := overrides(prepared):
        return Write(is_raw=is_raw, problem=f"{override} may change its method or its path")
    kind, ids = _matched(prepared, dialect)
    if kind is None:
        return Write(is_raw=is_raw, problem="it matches no declared endpoint")
    endpoint, body = kind.endpoint, _body(prepared)
    write = Write(
        endpoint,
        subject_of(endpoint.command),
        is_raw=is_raw,
        actions=frozenset([endpoint.action]),
        account=ids.get("account_id", ""),
    )
    try:
        if is_raw and body and not prepared.content_type.startswith(FORM):
            parse_json(body)  # raises where a key is repeated
        if write.subject == "users":
            count, actions = _users(body or b"[]")
            return write._replace(records=count, actions=actions or (ROW_ACTIONS if is_raw else frozenset()))
        if is_upload(endpoint):
            actions = ROW_ACTIONS if endpoint.method == "PUT" else write.actions
            of_query = to_neutral(dict(parse_qsl(urlsplit(prepared.url).query)))
            count = Operation(endpoint.action, kind, of_query).records
            return write._replace(records=max(count, _items(body) if counts and body else 1), actions=actions)
        operations = [*_operations(prepared, kind, ids)]
    except (ValueError, RecursionError) as error:
        return write._replace(problem=f"its body is not understood: {error}")
    actions = frozenset(operation.action for operation in operations)
    records = max(sum(operation.records for operation in operations), 1)
    return write._replace(operations=operations, records=records, actions=actions)


def is_upload(endpoint: Endpoint) -> bool:
    """Whether a request carries rows of a file: products, users or conversions."""
    return endpoint.path.endswith(("/products", "/users")) or endpoint.command == "conversions send"


@cache
def subject_of(command: str) -> str:
    """Return what the requests of a command change, apart from their actions."""
    words = command.split()
    beginnings = (" ".join(words[:length]) for length in range(len(words), 0, -1))
    return next((SUBJECTS[beginning] for beginning in beginnings if beginning in SUBJECTS), "")


def _matched(prepared: PreparedRequest, dialect: Dialect) -> tuple[type[Request] | None, Mapping[str, str]]:
    """Find the declared request, and the parameters in the path."""
    path = urlsplit(prepared.url).path
    matches = (
        _match(prepared.method, path, prefix, dialect, prepared.declared) for prefix in dialect.prefixes
    )
    return next((match for match in matches if match[0]), (None, {}))


def request_of_path(
    method: str, path: str, dialect: Dialect
) -> tuple[type[Request] | None, Mapping[str, str]]:
    """Return the declared request that changes something at a path, if there is one, and the path's ids."""
    matches = (_match(method, path, prefix, dialect, None) for prefix in dialect.prefixes)
    return next((match for match in matches if match[0]), (None, {}))


@cache
def _match(
    method: str, path: str, prefix: str, dialect: Dialect, declared: type[Request] | None
) -> tuple[type[Request] | None, Mapping[str, str]]:
    """Find the declared request of a path below a prefix; of several, that with the fewest parameters."""
    if not path.startswith(f"{prefix}/"):
        return None, {}
    segments = tuple(map(unquote, path[len(prefix) :].split("/")))
    kinds = [declared] if declared else _with_batches(dialect.service)
    matched = [
        (kind, ids)
        for kind in kinds
        if kind.endpoint.method == method and (ids := _ids(kind, segments, dialect.names)) is not None
    ]
    return min(matched, key=lambda match: len(match[1]), default=(None, {}))


def _with_batches(service: str) -> Iterator[type[Request]]:
    """Yield the declared requests that change anything, and those that carry many of them."""
    from ..api.parts import batch_request

    for kind in requests_for(service):
        if kind.endpoint.mutates:
            yield kind
            if kind.endpoint.batch and not kind.endpoint.is_batch and kind.endpoint.method == "POST":
                yield batch_request(kind)


def _ids(kind: type[Request], segments: tuple[str, ...], names: Names) -> Mapping[str, str] | None:
    """Return the parameters of a path by the names of a declared request; None where it is another path."""
    declared, wire = kind.endpoint.path.split("/"), names.path(kind.endpoint.path).split("/")
    ids = {}
    if len(segments) != len(wire):
        return None
    for name, expected, segment in zip(declared, wire, segments, strict=True):
        if name.startswith("{"):
            if segment in ("", ".", "..") or not segment.isprintable() or "/" in segment:
                return None
            ids[name[1:-1]] = segment
        elif expected != segment:
            return None
    return ids


def _body(prepared: PreparedRequest) -> bytes:
    return prepared.body or b"".join(prepared.pieces)


def _operations(
    prepared: PreparedRequest, kind: type[Request], ids: Mapping[str, str]
) -> Iterator[Operation]:
    """Yield the changes of a request; raise ValueError where they cannot be read."""
    endpoint = kind.endpoint
    if "/batch/" in endpoint.path:
        kinds = _kinds_of_batch(endpoint.command, endpoint.path)
        for action, params in _items_of_batch(_body(prepared)):
            yield Operation(action, kinds.get(action), {**to_neutral(params), **ids})
        return
    if update := update_of_activation(kind):
        values = to_neutral(_values(prepared, endpoint))
        yield Operation(endpoint.action, update, {**values, **ids, STATUS: ACTIVE})
        return
    yield Operation(endpoint.action, kind, {**to_neutral(_values(prepared, endpoint)), **ids})


def _items_of_batch(body: bytes) -> Iterator[tuple[Action, dict[str, Any]]]:
    """Yield the action and the parameters of each item; raise ValueError for any other."""
    items = parse_json(body)
    if not isinstance(items, list):
        raise ValueError("its body is not a list of operations")
    for item in items:
        if not isinstance(item, dict) or not isinstance(item.get("params", {}), dict):
            raise ValueError("an item is not an operation")
        action = str(item.get("operation_type", "")).strip().lower()
        if action not in ACTIONS.values():
            raise ValueError(f"{action!r} is no operation_type")
        yield cast(Action, action), item.get("params", {})


def _values(prepared: PreparedRequest, endpoint: Endpoint) -> dict[str, Any]:
    """Return the parameters of the query and the body; raise ValueError where one has two values."""
    pairs = parse_qsl(urlsplit(prepared.url).query, keep_blank_values=True)
    values: Any = {}
    is_file = prepared.declared and not prepared.content_type.startswith((FORM, JSON))
    if (body := _body(prepared)) and not endpoint.sensitive and not is_file:
        if prepared.content_type.startswith(FORM):
            pairs += parse_qsl(body.decode(), keep_blank_values=True)
        else:
            values = parse_json(body)
    if not isinstance(values, dict):
        raise ValueError("its body is not an object")
    for name, value in pairs:
        if name in values and values[name] != value:
            raise ValueError(f"{name} is given twice")
        values[name] = value
    return values


@cache
def _kinds_of_batch(command: str, path: str) -> Mapping[str, type[Request]]:
    """Return the declared request of each operation of a batch."""
    modules = modules_of(tuple(command.split()[:-1]))
    kinds = (kind for module in modules for kind in requests_of(module))
    return {
        kind.endpoint.action: kind
        for kind in kinds
        if kind.endpoint.batch and kind.endpoint.batch.path == path and kind.endpoint.mutates
    }


class _Users(msgspec.Struct):
    users: list[msgspec.Raw] = []


class _UserOperation(msgspec.Struct):
    operation_type: str = ""
    params: _Users = msgspec.field(default_factory=_Users)


_user_operations = msgspec.json.Decoder(list[_UserOperation]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def _users(body: bytes) -> tuple[int, frozenset[str]]:
    """Return how many users an upload names, and what it does with them."""
    operations, kinds = _user_operations(body), set[str]()
    for operation in operations:
        kinds |= {"delete"} if "delete" in operation.operation_type.lower() else ROW_ACTIONS
    return sum(len(operation.params.users) for operation in operations), frozenset(kinds)


def _items(body: bytes) -> int:
    """Return how many items an upload has."""
    return sum(len(_list(raw)) for raw in _object(body).values() if bytes(raw).startswith(b"["))
