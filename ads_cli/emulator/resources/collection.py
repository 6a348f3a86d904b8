"""A collection of records that requests list, read, create, change and delete, declared in a few lines.

    TRACKING_TAGS = Collection(
        kind="tracking_tag",
        list=ListTrackingTags,
        get=GetTrackingTag,
        create=CreateTrackingTag,
        update=UpdateTrackingTag,
        delete=DeleteTrackingTag,
        defaults={"line_item_id": None, "tracking_tag_url": None},
        parents={"line_item_id": "line_item"},
        ids="tracking_tag_ids",
        filters={"line_item_ids": "line_item_id"},
        prepare=one_tag_a_line_item,
    )

registers the handlers of these requests. A kind that services declare differently names several requests.
What only the state can decide is a function beside the declaration: `prepare` returns a record as it is
stored, or raises ApiError (see `core.errors`), `shown` returns it as it is answered, with what is derived
from other records, and `added` and `deleted` carry a change on to others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...api.endpoint import Request
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.request import changes_of
from ..core.responses import Result, invalid_parameter, not_found
from ..storage import Record, random_base36
from . import history
from .accounts import require_account
from .lookup import SERVICE

Requests = type[Request] | tuple[type[Request], ...]
Scope = Callable[[RequestContext, Any], str]
# A change of one record, inside a transaction; it returns the record as it is answered.
Change = Callable[[RequestContext, Any], Record]


def in_account(context: RequestContext, request: Any) -> str:
    """Return the account of a request, whose user must have it."""
    account: str = request.account_id
    require_account(context, account)
    return account


def keep_as_is(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Accept every record."""
    return after


def as_stored(context: RequestContext, record: Record) -> Record:
    """Answer a record as it is stored."""
    return record


def alone(context: RequestContext, record: Record) -> None:
    """Change nothing else."""


def no_conditions(context: RequestContext, request: Any) -> Mapping[str, Any]:
    """List every record."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Collection:
    """The records of one kind, in their scope: an account unless `scope` finds another owner."""

    kind: str  # of the stored records; in messages with spaces
    list: Requests = ()
    get: Requests = ()
    create: Requests = ()
    update: Requests = ()
    delete: Requests = ()
    defaults: Mapping[str, Any] = field(
        default_factory=dict
    )  # every field that a record has and none may send
    # By field: the kind of the record that it names, in the same scope or of the service itself.
    parents: Mapping[str, str] = field(default_factory=dict)
    ids: str = ""  # the field of a list that names the ids to show
    filters: Mapping[str, str] = field(default_factory=dict)  # by field of a list: the field of a record
    sortable: tuple[str, ...] = ()  # fields of a record beside its id, times and `defaults`
    search_fields: tuple[str, ...] = ()  # searched by the words of `q`; without any, it begins the name
    permanent: bool = False  # whether a deletion leaves nothing to show
    entity: str = ""  # under which the history of the account notes changes
    scope: Scope = in_account
    new_id: Callable[[], str] = random_base36
    prepare: Callable[[RequestContext, Record, Record | None], Record] = keep_as_is
    shown: Callable[[RequestContext, Record], Record] = as_stored
    added: Callable[[RequestContext, Record], None] = alone
    deleted: Callable[[RequestContext, Record], None] = alone
    conditions: Callable[[RequestContext, Any], Mapping[str, Any]] = no_conditions  # of a list, in SQL

    def __post_init__(self) -> None:
        """Register a handler for each request."""
        for requests, read in ((self.list, self.page), (self.get, self.one)):
            for request in _each(requests):
                handler(request)(read)
        changes = ((self.create, self.created), (self.update, self.updated), (self.delete, self.removed))
        for requests, change in changes:
            for request in _each(requests):
                handler(request)(_in_transaction(change))

    def page(self, context: RequestContext, request: Any) -> Result:
        """List the records of a scope, one page at a time."""
        owner = self.scope(context, request)
        where = dict(self.conditions(context, request))
        for name, filtered in self.filters.items():
            where |= field_in(filtered, _listed(getattr(request, name)))
        if getattr(request, "with_draft", True) in (None, False):
            where["json_extract(data, '$.entity_status') <> ?"] = "DRAFT"
        page = list_page(
            context.store,
            request,
            self.kind,
            owner=owner,
            ids=getattr(request, self.ids) if self.ids else None,
            sortable=(*self.defaults, *self.sortable),
            search_fields=self.search_fields,
            where=where,
        )
        return page._replace(data=[self.shown(context, record) for record in page.data])

    def one(self, context: RequestContext, request: Any) -> Result:
        """Return one record."""
        owner = self.scope(context, request)
        with_deleted = bool(getattr(request, "with_deleted", False))
        return Result(self.shown(context, self.find(context, owner, _id_of(request), with_deleted)))

    def created(self, context: RequestContext, request: Any) -> Record:
        """Create a record; raise ApiError if the state does not allow it."""
        owner = self.scope(context, request)
        return self.add(context, owner, changes_of(request))

    def add(self, context: RequestContext, owner: str, fields: Record) -> Record:
        """Create a record of some fields; raise ApiError if the state does not allow it."""
        self._require_parents(context, owner, fields)
        after = self.prepare(context, {**self.defaults, **fields}, None)
        stored = context.store.add(self.kind, self.new_id(), after, owner=owner)
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
        self.deleted(context, before)
        after = context.store.delete(self.kind, before["id"], owner=owner)
        self._note(context, owner, "DELETE", after, before)
        if self.permanent:
            context.store.purge(self.kind, owner, before["id"])
        return self.shown(context, after)

    def find(
        self, context: RequestContext, owner: str, identifier: str, with_deleted: bool = False
    ) -> Record:
        """Return a record of an owner; raise ApiError (404) if there is none."""
        record = context.store.find(self.kind, identifier, owner=owner, with_deleted=with_deleted)
        if record is None:
            raise not_found(self.kind, identifier)
        return record

    def _require_parents(self, context: RequestContext, owner: str, fields: Record) -> None:
        """Raise ApiError (400) for a field that names a record which does not exist."""
        for name, kind in self.parents.items():
            for identifier in _listed(fields.get(name)) or ():
                if not any(context.store.find(kind, identifier, owner=each) for each in (owner, SERVICE)):
                    raise invalid_parameter(name, f"the {_words(kind)} {identifier} does not exist")

    def _note(self, context: RequestContext, owner: str, change: str, after: Record, before: Record) -> None:
        if self.entity:
            history.write(context.store, owner, context.user, self.entity, change, after, before)


def _in_transaction(change: Change) -> Callable[[RequestContext, Any], Result]:
    def handle(context: RequestContext, request: Any) -> Result:
        with context.store.transaction():
            return Result(change(context, request))

    return handle


def _each(requests: Requests) -> tuple[type[Request], ...]:
    return requests if isinstance(requests, tuple) else (requests,)


def _id_of(request: Request) -> str:
    """Return the id of the record that the path of a request ends in."""
    id_field = request.endpoint.id_field
    assert id_field
    return str(getattr(request, id_field))


def _listed(value: Any) -> Any:
    """Return a value as a list of one, unless it is a list already or None."""
    return value if value is None or isinstance(value, list) else [value]


def _words(kind: str) -> str:
    return kind.replace("_", " ")
