"""What rules would have done on each day of the past, with the numbers of that day's window.

A record that a rule would have paused counts as paused from then on, and an amount that it would have set as
set. What would have been saved is not told: nobody knows what the money would have done elsewhere.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from ..api.amounts import MICROS_PER_UNIT
from ..api.spending import STATUS
from ..checks.facts import DAY, TOTALS, Facts
from ..checks.outcome import CannotLook, Record
from ..checks.source import Rows, Source
from ..statistics.numbers import derived_numbers, query_of
from ..statistics.periods import Calendar, Period
from ..stored_times import stored_form
from .decide import Decision, decide, window_of
from .history import BY, History
from .names import LISTS
from .rules import MAX_DAYS, WatchRule

LONGEST_MONTH = 31


class DayDecision(NamedTuple):
    """What a rule would have done on a day."""

    day: date
    decision: Decision
    asked_at: datetime | None  # when its numbers were asked for, where a mirror says it

    @property
    def is_later(self) -> bool:
        """Whether its numbers are known to be of a later day."""
        return self.asked_at is not None and self.asked_at.date() > self.day


class PastSource:
    """The numbers of days that have passed, and the records of today with what rules have done to them."""

    def __init__(self, source: Source, facts: Facts, days: Period) -> None:
        self._source, self.days = source, days
        self._lists = {"campaigns list": [*facts.campaigns.values()], "line-items list": facts.line_items}
        self.changed: dict[str, dict[str, Any]] = defaultdict(dict)  # fields by id
        self._rows: dict[str, Mapping[str, dict[date, Mapping[str, Any]]]] = {}
        self.until = ""  # records that were made later are not there yet

    def records(self, command: str) -> list[Record]:
        """Return the records as they would be."""
        listed = self._lists.get(command)
        if listed is None:
            return self._source.records(command)
        return [
            {**record, "updated_at": None, **self.changed.get(str(record["id"]), {})}
            for record in listed
            if str(record.get("created_at") or "") <= self.until
        ]  # when a record was changed last then is not known

    def numbers(
        self,
        entity: str,
        period: Period,
        granularity: str,
        metrics: Sequence[str],
        currencies: Mapping[str, Any],
    ) -> Rows:
        """Add up the days of a period; what they are is asked for once."""
        first, end = period.start.date(), period.end.date()
        if first < self.days.start.date() or end > self.days.end.date():
            raise CannotLook("the numbers of some days of its window are not there")
        if entity not in self._rows:
            rows = self._source.numbers(entity, self.days, "DAY", TOTALS, currencies)
            self._rows[entity] = {
                id: {datetime.fromisoformat(row["start"]).date(): row for row in own}
                for id, own in rows.items()
            }
        query = query_of(entity, (), TOTALS, period, "TOTAL")
        sums: Rows = {}
        for id, days in self._rows[entity].items():
            own = [row for day, row in days.items() if first <= day < end]
            names = dict.fromkeys((*query.columns, *(name for row in own for name in row if name != "start")))
            numbers = {name: _sum(row.get(name) for row in own) for name in names}
            if any(value is not None for value in numbers.values()):
                sums[id] = [{"start": period.start.isoformat(), **numbers, **derived_numbers(query, numbers)}]
        return sums

    def criteria(self, line_items: Sequence[str]) -> list[Record]:
        """Return targeting criteria as they are."""
        return self._source.criteria(line_items)

    def asked_at(self, entity: str, period: Period) -> datetime | None:
        """Return when the numbers of a period were last asked for."""
        return self._source.asked_at(entity, period)

    def reach(self, campaigns: Sequence[str], period: Period) -> Mapping[str, Record]:
        """Return nothing: no rule of a file looks at it."""
        return {}

    def estimate(self, line_item: str, criteria: list[dict[str, Any]]) -> int | None:
        """Return nothing: no rule of a file looks at it."""
        return None

    def page_status(self, address: str) -> int | None:
        """Return nothing: no rule of a file looks at it."""
        return None


def _sum(values: Iterator[Any]) -> Decimal | None:
    known = [Decimal(str(value)) for value in values if value is not None]
    return sum(known, Decimal(0)) if known else None


def replay(rules: Sequence[WatchRule], facts: Facts, source: Source, since: date) -> Iterator[DayDecision]:
    """Yield what rules would have done on each day since then, the oldest first."""
    today = facts.calendar.today
    longest = max((_days_of(rule) for rule in rules), default=0)
    first = datetime.combine(since, today.timetz())
    days = Period(first - (longest + LONGEST_MONTH) * DAY, today)
    if there := source.days:
        days = Period(max(days.start, there.start), min(days.end, there.end))
    past = PastSource(source, facts, days)
    changes: list[dict[str, Any]] = []
    zone = str(facts.account["timezone"])
    day = first
    while day <= today:
        calendar = Calendar(zone, day + DAY / 2)
        past.until = stored_form(calendar.now)
        then = Facts(facts.account, past, calendar, facts.period, facts.wanted)
        decisions = decide(rules, then, History(changes))
        for decision in (*decisions.due, *decisions.held):
            rule = decision.rule
            of_window = LISTS[rule.of][1], window_of(rule, then)
            asked_at = source.asked_at(*of_window) if rule.needs_numbers else None
            yield DayDecision(day.date(), decision, asked_at and asked_at.astimezone(calendar.zone))
        for decision in decisions.changes:
            changes.append(_noted(decision, calendar.now))
            past.changed[decision.id] |= _set_by(decision)
        day += DAY


def _days_of(rule: WatchRule) -> int:
    if rule.over == "month":
        return LONGEST_MONTH
    return MAX_DAYS if rule.over == "lifetime" else int(rule.over[:-1])


def _set_by(decision: Decision) -> dict[str, Any]:
    """Return the fields of a record that a decision sets, as the service has them."""
    change = decision.rule.change
    if change is None:
        return {STATUS: decision.after}
    return {change.field: int(Decimal(decision.after) * MICROS_PER_UNIT)}


def _noted(decision: Decision, moment: datetime) -> dict[str, Any]:
    """Return a decision as the log of changes would have it."""
    return {
        "ids": [decision.id],
        "fields": _set_by(decision),
        "by": BY + decision.rule.name,
        "time": stored_form(moment),
    }
