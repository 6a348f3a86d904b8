"""What requests change about spending, compared with what the service has."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from ..api.daily_bound import CampaignSpending, DailyBound, daily_bound, daily_budget
from ..api.endpoint import Request
from ..api.fields import marked_fields
from ..api.registry import requests_named
from ..api.spending import (
    ACTIVE,
    DAILY_BUDGET,
    REASONS,
    STATUS,
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
from ..errors import NotFoundError, RefusedError, UnavailableError
from .record_names import record_words

if TYPE_CHECKING:
    from .client import Client
    from .writes import Operation


CAMPAIGN_ID, LINE_ITEM_ID, FUNDING_ID = "campaign_id", "line_item_id", "funding_instrument_id"
# The group of commands that reads a record, by the field that names the record.
SOURCES = {
    LINE_ITEM_ID: "line-items",
    CAMPAIGN_ID: "campaigns",
    FUNDING_ID: "funding-instruments",
}
MOST_SINGLE = 10  # records of a kind that are requested one by one; then all of the account are listed
MOST_IDS = 200  # of a list
PAGE_SIZE = 1000
Record = Mapping[str, Any]  # by neutral names; an empty one means that it could not be read


class StoredRecords:
    """Reads records of an account, each once; `recent` is what was set lately, by field and id."""

    def __init__(
        self, client: "Client", account: str, recent: Callable[[], Mapping[str, Mapping[str, Record]]]
    ) -> None:
        self._client, self._account, self._recent = client, account, recent
        self._cache = defaultdict[str, dict[str, Record]](dict)
        self._listed: set[str] = set()
        self._families: dict[str, dict[str, Record]] = {}  # line items by campaign

    def record(self, field: str, identifier: str) -> Record:
        """Return the record that a field names; raise NotFoundError if there is none.

        Once all are listed, one that is not among them is empty.
        """
        records = self._cache[field]
        if identifier not in records and field not in self._listed:
            if len(records) < MOST_SINGLE:
                records[identifier] = self._get(field, identifier)
            else:
                records |= self._list(field, count=PAGE_SIZE)
                self._listed.add(field)
        return records.get(identifier, {})

    def _get(self, field: str, identifier: str) -> Record:
        get = _request(field, "get")(account_id=self._account, **{field: identifier})
        record = self._client.call(get).neutral_data
        is_meant = isinstance(record, dict) and record.get("id", identifier) == identifier
        return record if is_meant else {}

    def named(self, field: str, identifier: str) -> Record:
        """Return a record as `record` does, as far as it can be read."""
        with _unless_unusable():
            return self.record(field, identifier)
        return self._cache[field].setdefault(identifier, {})

    def read(
        self,
        field: str,
        identifiers: Iterable[str],
        *,
        is_required: bool = False,
        max_attempts: int | None = None,
    ) -> dict[str, Record]:
        """Return records by one list request for MOST_IDS, deleted ones too.

        One that cannot be read is empty. Where the list is_required, its error is raised.
        """
        all_ids, records = [*dict.fromkeys(identifiers)], self._cache[field]
        missing = [identifier for identifier in all_ids if identifier not in records]
        for start in range(0, len(missing), MOST_IDS):
            ids = missing[start : start + MOST_IDS]
            records |= {id: {} for id in ids}
            with nullcontext() if is_required else _unless_unusable():
                named: dict[str, Any] = {f"{field}s": ids}
                listed = self._list(
                    field, count=MOST_IDS, with_deleted=True, max_attempts=max_attempts, **named
                )
                records |= {id: listed.get(id, {}) for id in ids}
        return {identifier: records[identifier] for identifier in all_ids}

    def line_items_of(self, campaign_ids: Iterable[str]) -> dict[str, Record]:
        """Return the line items of campaigns by id; raise UnavailableError where one cannot be read."""
        all_ids = [*dict.fromkeys(campaign_ids)]
        missing = [identifier for identifier in all_ids if identifier not in self._families]
        for start in range(0, len(missing), MOST_IDS):
            ids = missing[start : start + MOST_IDS]
            listed = self._readable(LINE_ITEM_ID, campaign_ids=ids)
            self._families |= {id: {} for id in ids}
            for identifier, record in listed.items():
                if (campaign := record[CAMPAIGN_ID]) in ids:  # whatever the service filters by
                    self._families[campaign] = {**self._families[campaign], identifier: record}
        return {id: record for identifier in all_ids for id, record in self._families[identifier].items()}

    def note(self, field: str, records: Mapping[str, Record]) -> None:
        """Take records that were read elsewhere, by their ids, so that they are not read again."""
        self._cache[field].update(records)

    def cached(self, field: str, identifier: str) -> Record | None:
        """Return a record that was read already; None of one that was not."""
        return self._cache[field].get(identifier)

    def all(self, field: str) -> dict[str, Record]:
        """Return all records of a kind, which are read again; raise UnavailableError as above."""
        return self._readable(field)

    def _readable(self, field: str, **values: Any) -> dict[str, Record]:
        records = self._list(field, is_whole=True, count=PAGE_SIZE, **values)
        named = ("id", CAMPAIGN_ID) if field == LINE_ITEM_ID else ("id",)
        if not all(isinstance(record.get(name), str) for record in records.values() for name in named):
            raise UnavailableError(f"{_list_of(field)} has records that cannot be read")
        return records

    def _list(
        self, field: str, *, is_whole: bool = False, max_attempts: int | None = None, **values: Any
    ) -> dict[str, Record]:
        kind = _request(field, "list")
        with_draft = {"with_draft": True} if "with_draft" in kind.__struct_fields__ else {}
        records: dict[str, Record] = {}
        request = kind(account_id=self._account, **with_draft, **values)
        for page in self._client.pages(request, max_attempts=max_attempts):
            if is_whole and isinstance(page.body, dict) and page.body.get("errors"):
                raise UnavailableError(f"{_list_of(field)} is not whole")
            for record in page.records:
                identifier = str(record.get("id"))
                # What is listed twice and differs cannot be read.
                records[identifier] = record if records.get(identifier, record) == record else {}
        self._correct(field, records, values)
        return records

    def _correct(self, field: str, listed: dict[str, Record], filters: Mapping[str, Any]) -> None:
        """Read by its id what a list does not show as it was set lately, or lacks."""
        if field == FUNDING_ID or not (recent := self._recent().get(field)):
            return
        update = _request(field, "update")
        names = {STATUS, *marked_fields(update, "limit"), *marked_fields(update, "lifts")}
        for identifier, sent in recent.items():
            record = listed.get(identifier)
            is_shown = record and all(
                str(record.get(name)) == str(sent[name]) for name in names & sent.keys()
            )
            is_wanted = identifier in filters.get(f"{field}s", [identifier])
            parent = sent.get(CAMPAIGN_ID)
            if is_shown or not is_wanted or parent not in (None, *filters.get("campaign_ids", [parent])):
                continue
            try:
                listed[identifier] = self._get(field, identifier)
            except NotFoundError:
                if "id" in sent and not record:
                    what = record_words(field, identifier, sent)
                    raise UnavailableError(
                        f"{what} was created a moment ago, and the service does not show it",
                        hint="nothing was sent, since it may spend too; try again in a minute",
                    ) from None


@contextmanager
def _unless_unusable() -> Iterator[None]:
    """Suppress the error of a response that cannot be used. An error without any response is raised."""
    try:
        yield
    except RefusedError:
        pass
    except UnavailableError as error:
        if error.http_status is None:  # there was no response
            raise


def _list_of(field: str) -> str:
    return f"the list of {SOURCES[field].replace('-', ' ')}"


def _request(field: str, verb: str) -> type[Request]:
    (request,) = requests_named((SOURCES[field], verb))
    return request


CREATED = {"campaigns create": CAMPAIGN_ID, "line-items create": LINE_ITEM_ID}


def field_of(op: "Operation") -> str:
    """Return the field that names the records of the kind that an operation changes, or creates."""
    return op.id_field or (CREATED.get(op.kind.endpoint.command, "") if op.kind else "")


class AccountSpending(msgspec.Struct, dict=True, eq=False):  # a dict for its cached property
    """The campaigns and line items of an account, as far as they were read, before or after changes."""

    records: Mapping[str, Mapping[str, Record]]  # by field and id
    now: datetime

    def after(self, operations: Iterable["Operation"]) -> "AccountSpending":
        """Return what stands after changes; those of what was not read change nothing."""
        records = {field: dict(by_id) for field, by_id in self.records.items()}
        for op in operations:
            field = field_of(op)
            if field not in records or (op.id and op.id not in records[field]):
                continue
            new = f"{op.values.get('name') or 'without a name'} (new, {len(records[field]) + 1})"
            identifier = op.id or op.new_id or new
            before = records[field].get(identifier, {})
            record = records[field][identifier] = {**op.applied_to(before), "deleted": op.action == "delete"}
            campaigns, campaign = records[CAMPAIGN_ID], str(record.get(CAMPAIGN_ID))
            is_started = may_serve(record, self.now) and not (before and may_serve(before, self.now))
            if is_started and field == LINE_ITEM_ID and campaign in campaigns:
                # It has not ended then, whatever the service has said before.
                campaigns[campaign] = {**campaigns[campaign], REASONS: None}
        return AccountSpending(records, self.now)

    @cached_property
    def _line_items(self) -> dict[str, dict[str, Record]]:
        """The line items, by campaign and id."""
        by_field: dict[str, dict[str, Record]] = {}
        for identifier, record in self.records[LINE_ITEM_ID].items():
            by_field.setdefault(str(record.get(CAMPAIGN_ID)), {})[identifier] = record
        return by_field

    def line_items_of(self, campaign: str) -> Mapping[str, Record]:
        """Return the line items of a campaign that may serve once it does, by id."""
        items = self._line_items.get(campaign, {}).items()
        return {identifier: record for identifier, record in items if may_serve(record, self.now)}

    def campaign_of(self, record: Record) -> Record:
        """Return the campaign of a line item, or an empty one, which may serve, if it was not read."""
        return self.records[CAMPAIGN_ID].get(str(record.get(CAMPAIGN_ID)), {})

    def may_serve(self, record: Record) -> bool:
        """Whether a record may spend, and what it belongs to."""
        return may_serve(record, self.now) and may_serve(self.campaign_of(record), self.now)

    def bound_of(self, campaign: str) -> DailyBound:
        """Return what one campaign may spend in a day; unbounded where it was not read."""
        return daily_bound([self._spending(campaign, self.records[CAMPAIGN_ID].get(campaign, {}))], self.now)

    def bound(self) -> DailyBound:
        """Return what all campaigns may spend in a day."""
        return daily_bound(
            (self._spending(*campaign) for campaign in self.records[CAMPAIGN_ID].items()), self.now
        )

    def _spending(self, identifier: str, record: Record) -> CampaignSpending:
        return CampaignSpending(identifier, record, [*self._line_items.get(identifier, {}).values()])


Key = tuple[str, str]
What = Literal["create", "activate", "resume", "raise", "advertise"]


class SpendingChange(NamedTuple):
    """A request after which more may be spent."""

    request: Request
    what: What
    before: Record  # the record that it changes or adds an ad to; empty for a new record
    campaign: Record = {}  # what the record lies in, where that was read
    raises: Sequence[Raise] = ()
    line_items: Sequence[Record] | None = None  # of a campaign without a daily budget, where they were read

    @property
    def budget(self) -> int | None:
        """The daily budget of the record itself, in millionths; None where it has none that can be read."""
        return daily_budget(after_update(self.request, self.before))

    @property
    def is_unknown(self) -> bool:
        """Whether the record does not tell its daily budget, or not as an amount."""
        after = after_update(self.request, self.before)
        return self.what != "create" and self.budget is None and after.get(DAILY_BUDGET, "") is not None

    @property
    def campaign_id(self) -> str:
        """The id of the campaign that the record lies in; empty of a campaign."""
        identifier = after_update(self.request, self.before).get(CAMPAIGN_ID)
        return identifier if isinstance(identifier, str) else ""

    @property
    def begins(self) -> bool:
        """Whether the record is reported even if its campaign is paused, as it gets another status."""
        return self.what in ("create", "activate")


def spending_changes(stored: StoredRecords, requests: Iterable[Request]) -> list[SpendingChange]:
    """Find the requests after which more may be spent; read what they change, many records at once.

    What cannot be read counts as what serves, with limits that are lower. Raise NotFoundError where the only
    record does not exist.
    """
    concerned = [request for request in requests if may_spend_more(request)]
    before = _before(stored, concerned)
    changes = (_change(request, before.get(_key(request), {})) for request in concerned)
    records = [change for change in changes if change]
    needed = {record.campaign_id for record in records if not (record.begins and record.budget is not None)}
    campaigns = stored.read(CAMPAIGN_ID, sorted(needed - {""}))
    records = [record._replace(campaign=campaigns.get(record.campaign_id, {})) for record in records]
    records = [record for record in records if record.begins or is_on(record.campaign)]
    families: dict[str, list[Record]] = {}
    with _unless_unusable():
        whole = sorted({_key(record.request)[1] for record in records if _spends_by_items(record)})
        for item in stored.line_items_of(whole).values():
            families.setdefault(item[CAMPAIGN_ID], []).append(item)
    return [record._replace(line_items=families.get(_key(record.request)[1])) for record in records]


def _spends_by_items(change: SpendingChange) -> bool:
    """Whether a campaign begins to spend by the daily budgets of its line items."""
    is_campaign = _key(change.request)[0] == CAMPAIGN_ID
    return is_campaign and change.what != "raise" and change.budget is None


def _before(stored: StoredRecords, requests: Sequence[Request]) -> dict[Key, Record]:
    """Read what requests change, by the key of each request."""
    keys = [key for request in requests if (key := _key(request))[0] in SOURCES]
    if len(keys) == 1:
        return {keys[0]: stored.named(*keys[0])}
    by_key: dict[Key, Record] = {}
    for field in {field for field, _ in keys}:
        records = stored.read(field, (identifier for named_field, identifier in keys if named_field == field))
        by_key |= {(field, identifier): record for identifier, record in records.items()}
    return by_key


def _key(request: Request) -> Key:
    """Return the field of the record that a request changes or adds an ad to, and its id."""
    field = named_record(request) or ""
    return field, str(getattr(request, field, ""))


def _change(request: Request, before: Record) -> SpendingChange | None:
    """Return what a request changes about spending, campaigns apart."""
    now, endpoint = datetime.now(UTC), request.endpoint
    if parent_of_ad(type(request)):
        return SpendingChange(request, "advertise", before) if may_serve(before, now) else None
    if endpoint.method == "POST":
        return SpendingChange(request, "create", {})
    status = status_field(type(request))
    if is_active(request) and status and before.get(status.name) != ACTIVE:
        return SpendingChange(request, "activate", before)
    if not may_serve(after_update(request, before), now):
        return None
    if not may_serve(before, now):
        return SpendingChange(request, "resume", before)
    raised = raises(request, before)
    return SpendingChange(request, "raise", before, raises=raised) if raised else None
