"""Where the facts of an account come from: the service, one listing of each kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from ..api.fields import fields_by_name
from ..api.names import to_neutral
from ..api.registry import requests_named
from ..errors import AccessError, NotFoundError, RefusedError, UsageError
from ..statistics.entities import EntityLookup
from ..statistics.numbers import numbers_by_id, query_of
from .outcome import CannotLook, Record

if TYPE_CHECKING:
    from datetime import datetime

    from ..client.client import Client
    from ..statistics.periods import Calendar, Period

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]  # by id, in the order of their times
# A right or a feature that an account lacks, or several catalogs of which none is chosen.
CANNOT = (AccessError, NotFoundError, RefusedError, UsageError)
DRAFTS = {"with_draft": True}
CATALOG = "product_catalog_id"


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

        return _or_unknown(command, read)

    def criteria(self, line_items: Sequence[str]) -> list[Record]:
        """Fetch them for as many line items at once as the service takes."""
        from ..api.targeting import ListCriteria
        from ..campaigns.account import AccountReader

        reader = AccountReader(self._client, self._account)
        if not line_items:
            return []
        listed = _or_unknown("targeting list", lambda: reader.below(ListCriteria, line_items))
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
            lookup = EntityLookup(self._client, self._account)
            active = [id for id in dict.fromkeys(lookup.active_ids(entity, period)) if id in currencies]
            rows: Rows = {id: [] for id in active}
            if active:
                query = query_of(entity, active, metrics, period, granularity)
                answered = numbers_by_id(self._client, self._account, self._calendar, query, currencies)
                for id, row in answered:
                    rows[id].append(row)
            return rows

        return _or_unknown("stats get", ask)

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

        return _or_unknown("stats reach campaigns", lambda: {str(row["id"]): row for row in ask()})

    def estimate(self, line_item: str, criteria: list[dict[str, Any]]) -> int | None:
        """Ask for an estimate."""
        from ..api.audience_insights import PRIMARY_TYPES, EstimateAudience

        if not any(
            own["targeting_type"] in PRIMARY_TYPES and own.get("operator_type") != "NE" for own in criteria
        ):
            return None
        sent: Any = {"account_id": self._account, "targeting_criteria": criteria}
        asked = msgspec.convert(sent, EstimateAudience)
        answer = _or_unknown("audiences estimate", lambda: self._client.call(asked).neutral_data)
        size = answer.get("audience_size") if isinstance(answer, dict) else None
        return size if isinstance(size, int) else None

    def page_status(self, address: str) -> int | None:
        """Ask for a page, where that is wanted."""
        return self._ask_page(address) if self._ask_page else None


FILTERS: Mapping[str, Mapping[str, Any]] = {
    "funding-instruments list": {"with_deleted": True},  # one that was deleted may still be named
    "posts list": {"post_type": "PUBLISHED", "timeline_type": "ALL"},
}


def _or_unknown(what: str, read: Callable[[], T]) -> T:
    """Raise CannotLook where the account has no right to see something, or not the feature."""
    try:
        return read()
    except CANNOT as error:
        raise CannotLook(f"'{what}' was refused: {error.message}") from error
