"""Where the facts of an account come from: the service, one listing of each kind."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from ..api.fields import fields_by_name
from ..api.names import to_neutral
from ..api.registry import requests_named
from ..api.statistics import MAX_ACTIVE_PERIOD
from ..api.time import Time
from ..errors import AccessError, NotFoundError, RefusedError, UsageError
from ..statistics.entities import EntityLookup
from ..statistics.numbers import numbers_by_id, query_of
from ..statistics.periods import Period
from .outcome import CannotLook, NotAvailable, Record

if TYPE_CHECKING:
    from datetime import datetime

    from ..client.client import Client
    from ..statistics.periods import Calendar

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]  # by id, in the order of their times
# A right or a feature that an account lacks, or several catalogs of which none is chosen.
CANNOT = (AccessError, NotFoundError, RefusedError, UsageError)
DRAFTS = {"with_draft": True}
CATALOG = "product_catalog_id"
ACTIVITY = ("activity_start_time", "activity_end_time")


class Source(Protocol):
    """What rules read. Each may raise CannotLook."""

    @property
    def days(self) -> "Period | None":
        """The days that it has numbers of; None for any."""

    def records(self, command: str) -> list[Record]:
        """Return the records of a list that a command shows, such as `campaigns list`."""

    def criteria(self, line_items: Sequence[str]) -> list[Record]:
        """Return the targeting criteria of line items."""

    def numbers(
        self,
        entity: str,
        period: "Period",
        granularity: str,
        metrics: Sequence[str],
        currencies: Mapping[str, Any],
    ) -> Rows:
        """Return the numbers of the entities of a kind that were active in a period, by id."""

    def asked_at(self, entity: str, period: "Period") -> "datetime | None":
        """Return when the numbers of a period were last asked for, of a source that keeps them."""

    def reach(self, campaigns: Sequence[str], period: "Period") -> Mapping[str, Record]:
        """Return how many people campaigns reached in a period, and how often, by id."""

    def estimate(self, line_item: str, criteria: list[dict[str, Any]]) -> int | None:
        """Return how many people criteria reach; None where none of them names people."""

    def page_status(self, address: str) -> int | None:
        """Return the HTTP status of a page; None where pages are not asked for."""


class ServiceSource:
    """Reads from the service."""

    days: "Period | None" = None

    def __init__(
        self,
        client: "Client",
        account: str,
        find_catalog: Callable[[], str],
        calendar: "Calendar",
        ask_page: Callable[[str], int | None] | None = None,
    ) -> None:
        self._client, self._account, self._calendar = client, account, calendar
        self._find_catalog = find_catalog
        self._ask_page = ask_page  # returns the status of a page; None: no page is asked for
        self._active: dict[str, list[Record]] = {}  # what was active in the last quarter, by entity
        self._denied: dict[str, NotAvailable] = {}  # what the account has no right to see

    def records(self, command: str) -> list[Record]:
        """Fetch all pages of a list."""
        from ..campaigns.account import list_all

        (request,) = requests_named(tuple(command.split()))
        known = fields_by_name(request)
        values = {"account_id": self._account, **DRAFTS, **FILTERS.get(command, {})}
        given = {name: value for name, value in values.items() if name in known}

        def read() -> list[Record]:
            of_catalog = {CATALOG: self._find_catalog()} if CATALOG in known else {}
            return [*list_all(self._client, request, **given, **of_catalog)]

        return self._or_unknown(command, read)

    def criteria(self, line_items: Sequence[str]) -> list[Record]:
        """Fetch them for as many line items at once as the service takes."""
        from ..api.targeting import ListCriteria
        from ..campaigns.account import AccountReader

        reader = AccountReader(self._client, self._account)
        if not line_items:
            return []
        listed = self._or_unknown("targeting list", lambda: reader.below(ListCriteria, line_items))
        return [*map(to_neutral, listed)]

    def numbers(
        self,
        entity: str,
        period: "Period",
        granularity: str,
        metrics: Sequence[str],
        currencies: Mapping[str, Any],
    ) -> Rows:
        """Ask for the numbers of what was active; an entity without numbers has no rows."""

        def ask() -> Rows:
            active = [id for id in self._active_ids(entity, period) if id in currencies]
            rows: Rows = {id: [] for id in active}
            if active:
                query = query_of(entity, active, metrics, period, granularity)
                answered = numbers_by_id(self._client, self._account, self._calendar, query, currencies)
                for id, row in answered:
                    rows[id].append(row)
            return rows

        return self._or_unknown("stats get", ask)

    def _active_ids(self, entity: str, period: "Period") -> Iterable[str]:
        """Return the ids of what was active in a period, by one listing for all periods of a quarter."""
        lookup, today = EntityLookup(self._client, self._account), self._calendar.today
        oldest = today - MAX_ACTIVE_PERIOD
        if period.start < oldest or period.end > today:
            return dict.fromkeys(lookup.active_ids(entity, period))
        if entity not in self._active:
            self._active[entity] = [*lookup.active(entity, Period(oldest, today))]
        return dict.fromkeys(
            str(record.get("entity_id")) for record in self._active[entity] if _overlaps(record, period)
        )

    def asked_at(self, entity: str, period: "Period") -> "datetime | None":
        """Return nothing: numbers are asked for when they are needed."""
        return None

    def reach(self, campaigns: Sequence[str], period: "Period") -> Mapping[str, Record]:
        """Ask for the reach of campaigns, as many at once as the service takes."""
        from ..statistics.answers import times_of

        (request,) = requests_named(("stats", "reach", "campaigns"))
        most = fields_by_name(request)["campaign_ids"].type.limit("max_length") or len(campaigns)

        def ask() -> Iterator[Record]:
            for at in range(0, len(campaigns), most):
                few = [*campaigns[at : at + most]]
                sent: Any = {"account_id": self._account, "campaign_ids": few, **times_of(period)}
                yield from self._client.call(request(**sent)).records

        return self._or_unknown("stats reach campaigns", lambda: {str(row["id"]): row for row in ask()})

    def estimate(self, line_item: str, criteria: list[dict[str, Any]]) -> int | None:
        """Ask for an estimate."""
        from ..api.audience_insights import PRIMARY_TYPES, EstimateAudience

        if not any(
            own["targeting_type"] in PRIMARY_TYPES and own.get("operator_type") != "NE" for own in criteria
        ):
            return None
        sent: Any = {"account_id": self._account, "targeting_criteria": criteria}
        asked = msgspec.convert(sent, EstimateAudience)
        answer = self._or_unknown("audiences estimate", lambda: self._client.call(asked).neutral_data)
        size = answer.get("audience_size") if isinstance(answer, dict) else None
        return size if isinstance(size, int) else None

    def page_status(self, address: str) -> int | None:
        """Ask for a page, where that is wanted."""
        return self._ask_page(address) if self._ask_page else None

    def _or_unknown(self, what: str, read: Callable[[], T]) -> T:
        """Raise CannotLook where something is refused; what the account has no right to see is asked once."""
        if what in self._denied:
            raise self._denied[what]
        try:
            return read()
        except AccessError as error:
            self._denied[what] = why = NotAvailable(f"'{what}' was refused: {error.message}")
            raise why from error
        except CANNOT as error:
            raise CannotLook(f"'{what}' was refused: {error.message}") from error


FILTERS: Mapping[str, Mapping[str, Any]] = {
    "campaigns list": {"with_deleted": True},  # what one has spent stays spent
    "funding-instruments list": {"with_deleted": True},  # one that was deleted may still be named
    "posts list": {"post_type": "PUBLISHED", "timeline_type": "ALL"},
}


def _overlaps(active: Record, period: Period) -> bool:
    """Tell whether a record that was active may have numbers in a period."""
    try:
        first, last = (Time.parse(active[name]).moment for name in ACTIVITY)
    except (KeyError, TypeError, ValueError):
        return True
    return first < period.end and last > period.start
