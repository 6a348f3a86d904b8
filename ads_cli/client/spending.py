"""What requests change about spending, compared with what the service has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..api.endpoint import Request
from ..api.registry import requests_named
from ..api.spending import (
    ACTIVE,
    DAILY_BUDGET,
    Raise,
    after_update,
    is_active,
    is_on,
    may_serve,
    may_spend_more,
    named_record,
    parent_of_ad,
    raises,
    status_field,
)
from ..errors import RefusedError, UnavailableError

if TYPE_CHECKING:
    from .client import Client
    from .writes import Operation


CAMPAIGN_ID, LINE_ITEM_ID = "campaign_id", "line_item_id"
# What is read: the field that names a record, and the group of its commands.
SOURCES = {
    LINE_ITEM_ID: "line-items",
    CAMPAIGN_ID: "campaigns",
    "funding_instrument_id": "funding-instruments",
}
MOST_SINGLE = 10  # records of a kind that are requested one by one; then all of the account are listed
MOST_IDS = 200  # of a list
PAGE_SIZE = 1000
Record = Mapping[str, Any]  # by neutral names; an empty one means that it could not be read


class StoredRecords:
    """Reads records of an account, each once."""

    def __init__(self, client: "Client", account: str) -> None:
        self._client, self._account = client, account
        self._found: dict[str, dict[str, Record]] = {field: {} for field in SOURCES}
        self._listed: set[str] = set()

    def one(self, field: str, identifier: str) -> Record:
        """Return the record that a field names; raise NotFoundError if there is none.

        Once all are listed, one that is not among them is empty.
        """
        found = self._found[field]
        if identifier not in found and field not in self._listed:
            if len(found) < MOST_SINGLE:
                get = _request(field, "get")(account_id=self._account, **{field: identifier})
                record = self._client.call(get).neutral_data
                is_meant = isinstance(record, dict) and record.get("id", identifier) == identifier
                found[identifier] = record if is_meant else {}
            else:
                found |= self._list(field, count=PAGE_SIZE)
                self._listed.add(field)
        return found.get(identifier, {})

    def named(self, field: str, identifier: str) -> Record:
        """Return a record as `one` does, as far as it can be read."""
        with _unless_unusable():
            return self.one(field, identifier)
        return self._found[field].setdefault(identifier, {})

    def read(self, field: str, identifiers: Iterable[str]) -> dict[str, Record]:
        """Return records, as far as they can be read, by one list request for MOST_IDS; deleted ones too."""
        wanted, found = [*dict.fromkeys(identifiers)], self._found[field]
        missing = [each for each in wanted if each not in found]
        for start in range(0, len(missing), MOST_IDS):
            ids = missing[start : start + MOST_IDS]
            found |= {each: {} for each in ids}
            with _unless_unusable():
                listed = self._list(field, count=MOST_IDS, with_deleted=True, **{f"{field}s": ids})
                found |= {each: listed.get(each, {}) for each in ids}
        return {each: found[each] for each in wanted}

    def note(self, field: str, records: Mapping[str, Record]) -> None:
        """Take records that were read elsewhere, by their ids, so that they are not read again."""
        self._found.get(field, {}).update(records)

    def known(self, field: str, identifier: str) -> Record | None:
        """Return a record that was read already; None of one that was not."""
        return self._found[field].get(identifier)

    def all(self, field: str) -> dict[str, Record]:
        """Return all records of a kind, which are read again."""
        return self._list(field, count=PAGE_SIZE)

    def _list(self, field: str, **values: Any) -> dict[str, Record]:
        kind = _request(field, "list")
        with_draft = {"with_draft": True} if "with_draft" in kind.__struct_fields__ else {}
        found: dict[str, Record] = {}
        for page in self._client.pages(kind(account_id=self._account, **with_draft, **values)):
            for record in page.records:
                identifier = str(record.get("id"))
                # What is listed twice and differs cannot be read.
                found[identifier] = record if found.get(identifier, record) == record else {}
        return found


@contextmanager
def _unless_unusable() -> Iterator[None]:
    """Give up where the service answers, and its answer cannot be used; raise other errors."""
    try:
        yield
    except RefusedError:
        pass
    except UnavailableError as error:
        if error.http_status is None:  # there was no response
            raise


def _request(field: str, verb: str) -> type[Request]:
    (found,) = requests_named((SOURCES[field], verb))
    return found


CREATED = {"campaigns create": CAMPAIGN_ID, "line-items create": LINE_ITEM_ID}


def micros(value: Any) -> int | None:
    """Return an amount of a request or a record; None where there is none, -1 where it is unreadable."""
    if value is None or value == "":
        return None
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and not isinstance(value, bool) else -1


class AccountSpending(NamedTuple):
    """The campaigns and line items of an account, as far as they bound what it may spend in a day."""

    records: Mapping[str, Mapping[str, Record]]  # by field and id
    now: datetime

    def after(self, operations: Iterable["Operation"]) -> "AccountSpending":
        """Return what stands after changes."""
        records = {field: dict(found) for field, found in self.records.items()}
        for op in operations:
            field = op.id_field
            if not field and op.kind:  # a new record
                field = CREATED.get(op.kind.endpoint.command, "")
            if field not in records:
                continue
            new = f"{op.values.get('name') or 'without a name'} (new, {len(records[field]) + 1})"
            identifier = op.id or op.new_id or new
            values = {**records[field].get(identifier, {}), **op.values}
            if op.status is not None:
                values["entity_status"] = ACTIVE if op.activates else op.status
            was_active = self._is_active(records[field].get(identifier, {}))
            record = records[field][identifier] = {**values, "deleted": op.action == "delete"}
            if field == LINE_ITEM_ID and self._is_active(record) and not was_active:
                # Its campaign has not ended then, whatever the service has said before.
                campaigns, campaign = records[CAMPAIGN_ID], str(record.get(CAMPAIGN_ID))
                if campaign in campaigns:
                    campaigns[campaign] = {**campaigns[campaign], "reasons_not_servable": None}
        return AccountSpending(records, self.now)

    @property
    def total(self) -> int:
        """What may be spent in a day, in millionths; what has no bound counts nothing."""
        return sum(bound or 0 for bound in self._bounds().values())

    @property
    def unbounded(self) -> set[str]:
        """The campaigns that nothing bounds."""
        return {identifier for identifier, bound in self._bounds().items() if bound is None}

    def _bounds(self) -> dict[str, int | None]:
        """Return what each active campaign may spend; None where nothing bounds it.

        It is its own budget, or else those of its line items that are active: nothing where all are paused.
        """
        items: dict[str, list[Record]] = {}
        for record in self.records[LINE_ITEM_ID].values():
            items.setdefault(str(record.get(CAMPAIGN_ID)), []).append(record)
        found: dict[str, int | None] = {}
        for identifier, record in self.records[CAMPAIGN_ID].items():
            if self._is_active(record):
                active = filter(self._is_active, items.get(identifier, ()))
                has_own = micros(record.get(DAILY_BUDGET)) is not None
                budgets = [micros(each.get(DAILY_BUDGET)) for each in ([record] if has_own else active)]
                known = [each for each in budgets if each is not None and each >= 0]
                is_bound = len(known) == len(budgets) and (has_own or identifier in items)
                found[identifier] = sum(known) if is_bound else None
        return found

    def _is_active(self, record: Record) -> bool:
        return record.get("entity_status") == ACTIVE and may_serve(record, self.now)


Key = tuple[str, str]
What = Literal["create", "activate", "resume", "raise", "advertise"]


class SpendingChange(NamedTuple):
    """A request after which more may be spent."""

    request: Request
    what: What
    before: Record  # what it changes, or adds an ad to; nothing of a record that it creates
    campaign: Record  # what `before` belongs to, where it was read
    raises: Sequence[Raise] = ()


def spending_changes(stored: StoredRecords, requests: Iterable[Request]) -> list[SpendingChange]:
    """Find the requests after which more may be spent; read what they change, many records at once.

    What cannot be read counts as what serves, with limits that are lower. Raise NotFoundError where the only
    record does not exist.
    """
    concerned = [request for request in requests if may_spend_more(request)]
    before = _before(stored, concerned)
    changes = (_change(request, before.get(_key(request), {})) for request in concerned)
    found = [change for change in changes if change]
    campaigns = stored.read(CAMPAIGN_ID, sorted({*map(_needed_campaign, found)} - {""}))
    found = [each._replace(campaign=campaigns.get(_needed_campaign(each), {})) for each in found]
    return [change for change in found if is_on(change.campaign)]


def _needed_campaign(change: SpendingChange) -> str:
    """Return the id of the campaign that must be on for a change to matter; empty of what always does."""
    campaign = change.before.get(CAMPAIGN_ID)
    return campaign if isinstance(campaign, str) and change.what not in ("create", "activate") else ""


def _before(stored: StoredRecords, requests: Sequence[Request]) -> dict[Key, Record]:
    """Read what requests change, by the key of each request."""
    keys = [key for request in requests if (key := _key(request))[0] in SOURCES]
    if len(keys) == 1:
        return {keys[0]: stored.named(*keys[0])}
    found: dict[Key, Record] = {}
    for field in {field for field, _ in keys}:
        records = stored.read(field, (identifier for each, identifier in keys if each == field))
        found |= {(field, identifier): record for identifier, record in records.items()}
    return found


def _key(request: Request) -> Key:
    """Return the field of the record that a request changes or adds an ad to, and its id."""
    field = named_record(request) or ""
    return field, str(getattr(request, field, ""))


def _change(request: Request, before: Record) -> SpendingChange | None:
    """Return what a request changes about spending, campaigns apart."""
    now, endpoint = datetime.now(UTC), request.endpoint
    if parent_of_ad(type(request)):
        return SpendingChange(request, "advertise", before, {}) if may_serve(before, now) else None
    if endpoint.method == "POST":
        return SpendingChange(request, "create", {}, {})
    status = status_field(type(request))
    if is_active(request) and status and before.get(status.name) != ACTIVE:
        return SpendingChange(request, "activate", before, {})
    if not may_serve(after_update(request, before), now):
        return None
    if not may_serve(before, now):
        return SpendingChange(request, "resume", before, {})
    raised = raises(request, before)
    return SpendingChange(request, "raise", before, {}, raised) if raised else None
