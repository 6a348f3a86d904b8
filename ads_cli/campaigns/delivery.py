"""Find out why campaigns and their line items do not deliver."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ..api.delivery import (
    CAMPAIGN,
    FUNDING,
    LINE_ITEM,
    Reason,
    codes_of_funding,
    codes_of_line_item,
    reason_of,
)
from ..api.spending import ACTIVE, DAILY_BUDGET, DRAFT, END, STATUS, TOTAL_BUDGET
from ..api.spending import REASONS as STATED
from ..api.targeting import KEYWORDS
from ..api.time import Time

SEARCH = "PLATFORM_SEARCH"
# What is said of a campaign in place of each of its line items.
IN_LINE_ITEMS = {"NO_ACTIVE_LINE_ITEM": "PAUSED", "EXPIRED": "EXPIRED", "DRAFT": "DRAFT"}
LATER = timedelta(days=30)  # of the end that a command proposes
Record = Mapping[str, Any]  # by neutral names
ShowTime = Callable[[datetime], str]


class Parts(NamedTuple):
    """What belongs to a line item, as far as its delivery depends on it."""

    targeting: Sequence[Record]
    ads: int


class Finding(NamedTuple):
    """A reason why a record does not deliver."""

    kind: str
    record: Record
    code: str
    reason: Reason
    values: Mapping[str, str]  # of the braces in the texts of the reason

    @property
    def name(self) -> str:
        """What a person calls the record."""
        return name_of(self.record)

    @property
    def words(self) -> str:
        """Say it after the name of the record."""
        return self.reason.words.format(**self.values)

    @property
    def command(self) -> tuple[str, ...]:
        """The words of the next command, after `adsctl`."""
        return tuple(word.format(**self.values) for word in shlex.split(self.reason.command))


def name_of(record: Record) -> str:
    """Return what a person calls a record."""
    return str(record.get("name") or record.get("description") or record.get("id"))


class Diagnosis:
    """Finds reasons in the records of an account; `funding` has its funding instruments by id."""

    def __init__(self, funding: Mapping[str, Record], now: datetime, show_time: ShowTime) -> None:
        self.funding_instruments, self._now, self._show_time = funding, now, show_time

    def campaign(
        self, campaign: Record, line_items: Sequence[Record], parts: Mapping[str, Parts] | None = None
    ) -> list[Finding]:
        """Return why a campaign does not deliver, then why its line items do not.

        `parts` are those of the line items by id; without them, what is missing below is not told.
        """
        own = [*self._of_campaign(campaign, line_items, {"campaign_id": str(campaign.get("id"))})]
        said = {IN_LINE_ITEMS.get(found.code) for found in own}
        below = [
            found
            for item in line_items
            for found in self.line_item(item, (parts or {}).get(item["id"]))
            if found.code not in said
        ]
        if any(found.code == "NO_KEYWORDS" for found in below):
            own = [found for found in own if found.code != "INCOMPLETE"]
        return [*own, *below]

    def _of_campaign(
        self, campaign: Record, line_items: Sequence[Record], values: Mapping[str, str]
    ) -> Iterator[Finding]:
        stated = campaign.get(STATED)
        for code in stated if isinstance(stated, list) else ():
            if code == "FUNDING_PROBLEM":
                yield self._of_funding(campaign, values)
            elif code == "INCOMPLETE":
                for lack in _lacks(campaign, line_items):
                    yield self._found(CAMPAIGN, campaign, lack, values)
            elif code == "EXPIRED" and line_items:
                last = max(line_items, key=lambda item: str(item.get(END) or ""))
                yield self._found(CAMPAIGN, campaign, code, {**values, "line_item_id": str(last["id"])})
            elif code == "EXPIRED":
                yield self._found(CAMPAIGN, campaign, "NO_LINE_ITEM", values)
            else:
                yield self._found(CAMPAIGN, campaign, str(code), values)

    def _of_funding(self, campaign: Record, values: Mapping[str, str]) -> Finding:
        """Say why it cannot pay, and name another one that can, where there is one."""
        own = str(campaign.get("funding_instrument_id"))
        paying = self.funding_instruments.get(own, {})
        why = [found.words for found in self.funding(paying)]
        detail = f"{name_of(paying)}, which {why[0]}" if why else "a funding instrument that cannot pay"
        others = (
            id
            for id, record in self.funding_instruments.items()
            if record.get("able_to_fund") and record.get("currency") == campaign.get("currency")
        )
        if not (other := next(others, None)):
            return self._found(CAMPAIGN, campaign, "FUNDING_PROBLEM", values, detail)
        named = {**values, "funding_instrument_id": own, "other_id": other}
        return self._found(CAMPAIGN, campaign, "OTHER_FUNDING", named, detail)._replace(
            code="FUNDING_PROBLEM"
        )

    def line_item(self, item: Record, parts: Parts | None = None) -> list[Finding]:
        """Return why a line item does not deliver, whatever its campaign does."""
        codes = codes_of_line_item(item, self._now)
        if parts:
            types = {
                criterion.get("targeting_type")
                for criterion in parts.targeting
                if criterion.get("operator_type") in (None, "EQ")
            }
            in_search = SEARCH in (item.get("placements") or ())
            lacks = {"NO_KEYWORDS": in_search and types.isdisjoint(KEYWORDS), "NO_ADS": not parts.ads}
            codes |= {code: None for code, holds in lacks.items() if holds}
        values = {"line_item_id": str(item.get("id"))}
        return [self._found(LINE_ITEM, item, code, values, self._time(time)) for code, time in codes.items()]

    def funding(self, record: Record) -> list[Finding]:
        """Return why a funding instrument cannot pay."""
        return [
            self._found(FUNDING, record, code, {}, self._time(time))
            for code, time in codes_of_funding(record).items()
        ]

    def _time(self, time: datetime | None) -> str:
        return self._show_time(time) if time else "a day that it does not tell"

    def _found(
        self, kind: str, record: Record, code: str, values: Mapping[str, str], detail: str = ""
    ) -> Finding:
        filled = {
            **values,
            "detail": detail,
            "now": Time.of(self._now),
            "later": Time.of((self._now + LATER).replace(minute=0, second=0, microsecond=0)),
        }
        return Finding(kind, record, code, reason_of(kind, code), filled)


def _lacks(campaign: Record, line_items: Sequence[Record]) -> list[str]:
    """Name what an incomplete campaign lacks, as far as its line items tell."""
    active = [item for item in line_items if item.get(STATUS) == ACTIVE]
    records, budgets = (campaign, *(active or line_items)), (DAILY_BUDGET, TOTAL_BUDGET)
    has_budget = any(record.get(name) is not None for record in records for name in budgets)
    lacks = {
        "DRAFT": campaign.get(STATUS) == DRAFT,
        "NO_LINE_ITEM": not line_items,
        "NO_ACTIVE_LINE_ITEM": bool(line_items) and not active,
        "NO_BUDGET": not has_budget,
    }
    return [code for code, holds in lacks.items() if holds] or ["INCOMPLETE"]
