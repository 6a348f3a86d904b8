"""Read the campaigns of an account, with all that belongs to them."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ..api.audiences import ListAudiences
from ..api.fields import fields_by_name, marked_fields
from ..api.funding_instruments import ListFundingInstruments
from ..api.names import to_neutral
from ..api.registry import requests_named
from ..errors import NotFoundError, UnavailableError
from ..parallel.ordered_map import map_ordered
from ..spelling import begins
from .kinds import CAMPAIGN, KINDS, LINE_ITEM, LISTS, Kind, identity
from .model import Stored, file_fields

if TYPE_CHECKING:
    from ..api.endpoint import Request
    from ..client.client import Client
    from ..client.response import Response

T = TypeVar("T")
IDS_PER_REQUEST = 200
REQUESTS_AT_ONCE = 4
PAGE_SIZE = 1000
MAX_SINGLE_READS = 200  # of records that a list shows in part
NOTHING_NEEDED: Mapping[Kind, Collection[str]] = {}


class AccountReader:
    """Lists records of an account, as the service sends them."""

    def __init__(self, client: "Client", account: str) -> None:
        self.client, self.account = client, account
        self._read_singly: dict[str, Mapping[str, Any]] = {}  # by id; empty where there is no such record

    def campaigns(self, *, ids: Collection[str] = (), q: str | None = None) -> list[Any]:
        """List campaigns, drafts too; raise NotFoundError where an id is that of none.

        The filters of the service are not relied on: a service that ignores one lists others too.
        """
        some_or_all = chunks([*ids]) if ids else [None]
        campaigns = self._list(CAMPAIGN.list, "campaign_ids", some_or_all, q=q, with_draft=True)
        if ids:
            campaigns = [record for record in campaigns if record["id"] in ids]
        if q is not None:
            campaigns = [record for record in campaigns if begins(str(record.get("name") or ""), q)]
        if missing := {*ids} - {record["id"] for record in campaigns}:
            raise NotFoundError(f"the account {self.account} has no campaign {', '.join(sorted(missing))}")
        return campaigns

    def line_items(self, campaigns: Sequence[str]) -> list[Any]:
        """List the line items of campaigns, drafts too."""
        some = chunks(campaigns)
        return self._list(LINE_ITEM.list, "campaign_ids", some, "campaign_id", with_draft=True)

    def below(self, request_type: "type[Request]", line_items: Sequence[str]) -> list[Any]:
        """List what belongs to line items."""
        return self._list(request_type, "line_item_ids", chunks(line_items), "line_item_id")

    def _list(
        self,
        request_type: "type[Request]",
        field: str,
        each_ids: "Iterable[list[str] | None]",
        *required: str,
        **filters: Any,
    ) -> list[Any]:
        """Fetch all pages of a list for each value of a field of ids, each record once.

        Raise UnavailableError where one lacks its id, or what else is required.
        """
        requests = [
            request_type(account_id=self.account, count=PAGE_SIZE, **{field: ids}, **filters)
            for ids in each_ids
        ]

        def records(request: "Request") -> list[Any]:
            pages = self.client.pages(request)
            return [record for page in pages for record in records_in(page, "id", *required)]

        listed = map_ordered(records, requests, REQUESTS_AT_ONCE, max(len(requests), 1))
        once: dict[str, Any] = {}  # what is created meanwhile may move a record to the next page
        for of_one in listed:
            for record in of_one:
                once.setdefault(record["id"], record)
        return [*once.values()]

    def currencies(self, campaigns: Iterable[Any], funding_ids: Collection[str]) -> dict[str, str]:
        """Return the currencies of what pays, by its id: those of campaigns, and of `funding_ids`."""
        records = map(to_neutral, campaigns)
        currencies = {str(record.get("funding_instrument_id")): record.get("currency") for record in records}
        if not all(map(currencies.get, funding_ids)):
            listed = list_all(self.client, ListFundingInstruments, account_id=self.account)
            currencies |= {str(record.get("id")): record.get("currency") for record in listed}
        return {id: currency for id, currency in currencies.items() if isinstance(currency, str)}

    def tree(
        self,
        campaigns: Sequence[Any],
        lists: Collection[str],
        within: Collection[str] | None = None,
        needed: Mapping[Kind, Collection[str]] = NOTHING_NEEDED,
    ) -> list[Stored]:
        """Return campaigns with what belongs to them, of the lists that are named; deleted ones are left out.

        `within` are the ids of the campaigns of which more than themselves is wanted (None: all). What a list
        leaves out of the `needed` fields of a kind is asked for by id.
        """
        there = self._completed(CAMPAIGN, filter(_is_there, map(to_neutral, campaigns)), needed)
        tops = [Stored(CAMPAIGN, record) for record in there]
        by_id = {stored.id: stored for stored in tops}
        campaign_ids = [id for id in by_id if within is None or id in within]
        if "line_items" not in lists:
            return _sorted(tops)
        items = _place(LINE_ITEM, by_id, self._completed(LINE_ITEM, self.line_items(campaign_ids), needed))
        for kind in KINDS:
            if kind.parent_field == "line_item_id" and kind.list_name in lists:
                # The service refuses the others where it lists promoted accounts.
                parents = [id for id, item in items.items() if kind.only_for.items() <= item.fields.items()]
                listed = self.below(kind.list, parents) if parents else ()
                _place(kind, items, self._completed(kind, listed, needed))
        for item in items.values():
            for inner in item.below.values():
                inner.sort(key=_order)
        for stored in tops:
            stored.below["line_items"] = _sorted(stored.below["line_items"])
        return _sorted(tops)

    def to_copy(self, ids: Collection[str]) -> list[Stored]:
        """Return campaigns with all that belongs to them; raise where a limit of spending is not shown."""
        needed = {kind: file_fields(kind) for kind in (CAMPAIGN, LINE_ITEM)}
        campaigns = self.tree(self.campaigns(ids=ids), LISTS, needed=needed)
        for stored in (*campaigns, *(item for top in campaigns for item in top.below["line_items"])):
            assert stored.kind.update
            limits = marked_fields(stored.kind.update, "limit")
            if missing := [name for name in limits if name not in stored.fields]:
                raise not_shown(stored.kind, stored.id, missing)
        return campaigns

    def _completed(
        self, kind: Kind, records: Iterable[Any], needed: Mapping[Kind, Collection[str]]
    ) -> list[dict[str, Any]]:
        """Return listed records by neutral names, with the needed fields that only a single response has.

        Raise UnavailableError where a record does not tell what it is known by.
        """
        completed: list[dict[str, Any]] = []
        own, shown = identity(kind), kind.list.endpoint.record_fields
        names = {*own, *(name for name in needed.get(kind, ()) if name in shown)}
        for record in map(to_neutral, records):
            if not names <= record.keys():
                record = {**self.single(kind, record["id"], MAX_SINGLE_READS), **record}
            if missing := [name for name in own if name not in record]:
                raise not_shown(kind, record["id"], missing)
            completed.append(record)
        return completed

    def single(self, kind: Kind, id: str, most: float = math.inf) -> Mapping[str, Any]:
        """Return a record as it is shown by itself. It is empty if it is not shown, or as many were read."""
        records = self._read_singly
        if id not in records and len(records) < most:
            records[id] = {}
            (get,) = requests_named((*kind.list.endpoint.command.split()[:-1], "get"))
            with suppress(NotFoundError):
                (record,) = records_in(
                    self.client.call(get(account_id=self.account, **{kind.id_field: id})), "id"
                )
                records[id] = to_neutral(record) if record["id"] == id else {}
        return records.get(id, {})


def not_shown(kind: Kind, id: str, names: Iterable[str]) -> UnavailableError:
    """Return the error for a record of which the service does not show what must be known."""
    keys = ", ".join(file_fields(kind)[name].key for name in names)
    return UnavailableError(
        f"the service does not show {keys} of the {kind.noun} {id}",
        hint="nothing was changed, since nothing can be compared with it; try again later",
    )


def _place(kind: Kind, parents: Mapping[str, Stored], records: Iterable[Any]) -> dict[str, Stored]:
    """Put records of a kind that are not deleted below their parents; return them by id."""
    placed: dict[str, Stored] = {}
    for parent in parents.values():
        parent.below.setdefault(kind.list_name, [])
    for record in records:
        above = parents.get(record[kind.parent_field])
        if above and _is_there(record):
            placed[record["id"]] = stored = Stored(kind, record, above)
            above.below[kind.list_name].append(stored)
    return placed


def records_in(response: "Response", *ids: str) -> list[Any]:
    """Return the records of a response as they were sent; raise UnavailableError where one lacks an id."""
    for record in response.records:  # by the neutral names, as `ids` are; `data` has those of the wire
        if missing := [name for name in ids if not isinstance(record.get(name), str)]:
            raise UnavailableError(
                f"a record of the response has no {missing[0]}", http_status=response.status
            )
    return response.data if isinstance(response.data, list) else [response.data]


def list_all(client: "Client", request_type: "type[Request]", **values: Any) -> "Iterator[dict[str, Any]]":
    """Yield all records of a list by neutral names, those that are shared with the account too."""
    if count := fields_by_name(request_type).get("count"):
        values["count"] = count.type.limit("le")
    shared = [{"permission_scope": "SHARED"}] if request_type is ListAudiences else []
    for scope in ({}, *shared):
        for page in client.pages(request_type(**values, **scope)):
            yield from page.records


def chunks(items: Sequence[T], size: int = IDS_PER_REQUEST) -> Iterator[list[T]]:
    """Cut items into as many as a request takes."""
    return ([*items[start : start + size]] for start in range(0, len(items), size))


def _is_there(record: Any) -> bool:
    return record.get("deleted") is not True


def _sorted(records: list[Stored]) -> list[Stored]:
    """Order records as they were created, whatever they are called now."""
    return sorted(records, key=lambda record: (str(record.fields.get("created_at")), record.id))


def _order(record: Stored) -> tuple[Any, ...]:
    return KINDS.index(record.kind), [value or "" for value in record.content], record.id
