"""A collection of records that requests list, read, create, change and delete, declared in a few lines.

    TRACKING_TAGS = Collection(
        line_items.TRACKING_TAGS,
        defaults=empty("line_item_id tracking_tag_url"),
        filters={"line_item_ids": "line_item_id"},
        prepare=one_tag_a_line_item,
    )

registers handlers of the requests that the `Resource` lists, but for those that have one of their own. What
only the state can decide is a function beside the declaration. `prepare` returns a record as it is stored,
its id included, or raises ApiError (see `core.responses`). `shown` returns it as it is answered, with what is
derived from other records. `added` and `before_delete` carry a change on to others, or refuse it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from ...api.endpoint import Request, Resource
from ...api.names import SERVICES
from ...api.spending import ACTIVE, STATUS, update_of_activation
from ...api.validation import convert
from ..core.handlers import RequestContext, handler, registered
from ..core.paging import field_in, json_field, list_page
from ..core.request import changes_of
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..core.signatures import has_bearer_token
from ..storage import SERVICE, Record, random_base36
from .history import note_change

EVERYWHERE = tuple(SERVICES)
Scope = Callable[[RequestContext, Any], str]
# A change of one record, inside a transaction; it returns the record as it is answered.
Change = Callable[[RequestContext, Any], Record]


def in_account(context: RequestContext, request: Any) -> str:
    """Return the account in the path, whose user has it."""
    return context.account


def of_user(context: RequestContext, request: Any) -> str:
    """Return the user who signed the request."""
    return context.user


@dataclass(frozen=True)
class Collection:
    """The records of a resource, in their scope: an account unless `scope` finds another owner."""

    resource: Resource
    _: KW_ONLY
    # The fields of a record in their order, with the values that they have where none is sent.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    filters: Mapping[str, str] = field(default_factory=dict)  # by field of a list: the field of a record
    sortable: tuple[str, ...] = ()  # fields of a record beside its id, times and `defaults`
    search_fields: tuple[str, ...] = ()  # searched by the words of `q`; without any, it begins the name
    # Where several collections share a kind of records: the values that this one's have.
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    purged_in: Sequence[str] = ()  # the services where a deletion leaves nothing to show
    entity: str = ""  # under which the history of the account notes changes
    scope: Scope = in_account
    new_id: Callable[[], str] = random_base36
    prepare: Callable[[RequestContext, Record, Record | None], Record] = lambda context, after, before: after
    shown: Callable[[RequestContext, Record], Record] = lambda context, record: record
    added: Callable[[RequestContext, Record], None] = lambda context, record: None
    before_delete: Callable[[RequestContext, Record], None] = lambda context, record: None
    # Of a list: conditions in SQL with their values.
    conditions: Callable[[RequestContext, Any], Mapping[str, Any]] = lambda context, request: {}

    def __post_init__(self) -> None:
        """Register a handler for each request that has none of its own."""
        handlers = {
            "list": self.page,
            "get": self.get,
            "create": _in_transaction(self.created),
            "update": _in_transaction(self.updated),
            "delete": _in_transaction(self.removed),
        }
        for usual, requests in self.resource.requests.items():
            for request in requests:
                if registered(request) is None:
                    handler(request)(handlers[usual])

    @property
    def kind(self) -> str:
        """Name the kind of the records as they are stored; in messages with spaces."""
        return self.resource.kind

    def page(self, context: RequestContext, request: Any) -> Result:
        """List the records of a scope, one page at a time."""
        owner = self.scope(context, request)
        where = dict(self.conditions(context, request))
        for name, values in self.only.items():
            where |= field_in(name, values)
        for name, filtered in self.filters.items():
            where |= field_in(filtered, _listed(getattr(request, name)))
        if getattr(request, "with_draft", True) in (None, False):
            where[f"{json_field('entity_status')} <> ?"] = "DRAFT"
        page = list_page(
            context.store,
            request,
            self.kind,
            owner=owner,
            ids=getattr(request, f"{self.resource.id_field}s", None),
            sortable=(*self.defaults, *self.sortable),
            search_fields=self.search_fields,
            where=where,
        )
        return page._replace(data=[self.shown(context, record) for record in page.data])

    def get(self, context: RequestContext, request: Any) -> Result:
        """Return one record."""
        owner = self.scope(context, request)
        with_deleted = bool(getattr(request, "with_deleted", False))
        record = self.find(context, owner, _id_of(request), with_deleted=with_deleted)
        return Result(self.shown(context, record))

    def created(self, context: RequestContext, request: Any) -> Record:
        """Create a record; raise ApiError if the state does not allow it."""
        owner = self.scope(context, request)
        return self.add(context, changes_of(request), owner=owner)

    def add(self, context: RequestContext, fields: Record, *, owner: str | None = None) -> Record:
        """Create a record in the account, or of another owner. Raise ApiError if the state forbids it."""
        owner = context.account if owner is None else owner
        self._require_parents(context, owner, fields)
        after = self.prepare(context, {"id": self.new_id(), **self.defaults, **fields}, None)
        stored = context.store.add(self.kind, after.pop("id"), after, owner=owner)
        self._note(context, owner, "CREATE", stored, {})
        self.added(context, stored)
        return self.shown(context, stored)

    def updated(self, context: RequestContext, request: Any) -> Record:
        """Set the fields that were sent; raise ApiError if the state does not allow it."""
        owner = self.scope(context, request)
        before = self.find(context, owner, _id_of(request))
        fields = changes_of(request)
        self._require_parents(context, owner, fields)
        after = self.prepare(context, before | fields, before)
        changed = {name: value for name, value in after.items() if before.get(name) != value}
        stored = context.store.update(self.kind, before["id"], changed, owner=owner)
        self._note(context, owner, "UPDATE", stored, before)
        return self.shown(context, stored)

    def removed(self, context: RequestContext, request: Any) -> Record:
        """Delete a record; raise ApiError (404) if there is none, or no longer."""
        owner = self.scope(context, request)
        before = self.find(context, owner, _id_of(request))
        self.before_delete(context, before)
        after = context.store.delete(self.kind, before["id"], owner=owner)
        self._note(context, owner, "DELETE", after, before)
        if context.service in self.purged_in:
            context.store.purge(self.kind, owner, before["id"])
        return self.shown(context, after)

    def find(
        self, context: RequestContext, owner: str, identifier: str, *, with_deleted: bool = False
    ) -> Record:
        """Return a record of an owner; raise ApiError (404) if there is none."""
        record = context.store.find(self.kind, identifier, owner=owner, with_deleted=with_deleted)
        if record is None or any(record[name] not in values for name, values in self.only.items()):
            raise not_found(self.kind, identifier)
        return record

    def _require_parents(self, context: RequestContext, owner: str, fields: Record) -> None:
        """Raise ApiError (400) for a field that names a record which does not exist."""
        for name in self.resource.parents:
            kind = name.removesuffix("_id")
            for identifier in _listed(fields.get(name)) or ():
                if not any(context.store.find(kind, identifier, owner=holder) for holder in (owner, SERVICE)):
                    raise invalid_parameter(name, f"the {kind.replace('_', ' ')} {identifier} does not exist")

    def _note(self, context: RequestContext, owner: str, change: str, after: Record, before: Record) -> None:
        if self.entity:
            note_change(context.store, owner, context.user, self.entity, change, after, before)


def accept_activation(kind: type[Request], collection: Collection) -> None:
    """Register a handler of the route that activates a record, which takes tokens of OAuth 2.0 only."""
    update = update_of_activation(kind)
    assert update

    def activated(context: RequestContext, request: Any) -> Record:
        if not has_bearer_token(context.incoming):
            raise ApiError(403, "FORBIDDEN", "this route takes tokens of OAuth 2.0 only")
        values = {name: getattr(request, name) for name in request.__struct_fields__}
        return collection.updated(context, convert(update, {**values, STATUS: ACTIVE}))

    handler(kind)(_in_transaction(activated))


def _in_transaction(change: Change) -> Callable[[RequestContext, Any], Result]:
    def handle(context: RequestContext, request: Any) -> Result:
        with context.store.transaction():
            return Result(change(context, request))

    return handle


def _id_of(request: Request) -> str:
    """Return the id of the record that the path of a request ends in."""
    id_field = request.endpoint.id_field
    assert id_field
    return str(getattr(request, id_field))


def _listed(value: Any) -> Any:
    """Return a value as a list of one, unless it is a list already or None."""
    return value if value is None or isinstance(value, list) else [value]
