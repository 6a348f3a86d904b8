"""An account on one screen: what pays, what may be spent, and how each campaign does."""

import calendar as calendars
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Required, TypedDict

import typer

from ...api.amounts import MICROS_PER_UNIT
from ...api.daily_bound import CampaignSpending, DailyBound, daily_bound
from ...api.names import to_neutral
from ...api.spending import DAILY_BUDGET, REASONS, TOTAL_BUDGET, may_serve
from ...console.invocation import Invocation
from ...console.parameters import option
from ...console.shown import Result, shows
from .numbers import Numbers, numbers_of

if TYPE_CHECKING:
    from ...campaigns.delivery import Finding
    from ...checks.month import PaceOf
    from ...statistics.periods import Calendar, Period

Number = Decimal | float | int | None
Record = Mapping[str, Any]  # by neutral names


class OverviewRecord(TypedDict, total=False):
    """The account, what pays, or a campaign; each kind has fields of its own."""

    kind: Required[str]
    name: str | None
    status: str | None
    why: str
    daily_budget: Number
    total_budget: Number
    spend: Number
    pace: Number
    ctr: Number
    cost_per_result: Number
    result: str | None
    currency: str | None
    since: str
    until: str
    command: str | None
    id: Required[str | None]
    timezone: str
    may_spend_today: str
    may_spend_this_month: str
    results: Number
    forecast: Number
    monthly_budget: Number | None


OTHER_COLUMNS = (
    *("timezone", "may_spend_today", "may_spend_this_month", "results", "forecast", "monthly_budget"),
)
RECORDS = Result(
    OverviewRecord, named=tuple(name for name in OverviewRecord.__annotations__ if name not in OTHER_COLUMNS)
)
ASKED = ("status", "spend", "why")  # that a table shows however narrow it is
DAY = timedelta(days=1)


class CampaignLine(NamedTuple):
    """A campaign, and what is said of it."""

    campaign: Record
    findings: "Sequence[Finding]"
    numbers: Numbers
    pace: Decimal | None  # what was spent, of what its budget allows in the period

    @property
    def status(self) -> str:
        """Its state in a word, as the first reason why it does not deliver, or as the service says it."""
        if self.findings:
            return self.findings[0].reason.short
        return str(self.campaign.get("effective_status") or self.campaign.get("entity_status")).lower()


class Overview(NamedTuple):
    """All that is shown."""

    account: Record
    funding: Sequence[tuple[Record, "Sequence[Finding]"]]
    today: DailyBound
    month: DailyBound
    month_end: datetime  # the beginning of its last day
    period: "Period"
    lines: Sequence[CampaignLine]
    pace: "PaceOf | None" = None  # of the month, where the profile states its budget


@shows(RECORDS)
def overview(
    ctx: typer.Context,
    since: Annotated[
        str, option("TIME", "The numbers from then until last midnight, as in 7d, yesterday or 2026-03-01")
    ] = "7d",
) -> None:
    """Show an account on one screen.

    It shows what pays, and what may be spent today and this month by the daily budgets of the campaigns that
    deliver. Of each campaign it shows whether it delivers and why not, its budget, and what was spent. The
    pace is what was spent of what the daily budget allows in that time. With monthly_budget in the profile,
    it shows whether the month lands on it. The cost per result is by its objective: of a link click, a
    follower, a view.

    For example: adsctl overview --since 7d
    """
    from ...statistics.files import as_printed
    from .view import draw

    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    shown = _read(call, since)
    if call.printer.is_for_people:
        draw(call, shown)
    else:
        records = as_printed(call.printer, map(dict, _records(call, shown)))
        call.printer.show([*records], RECORDS.columns, RECORDS.key, OTHER_COLUMNS, asked=ASKED)


def _read(call: Invocation, since: str) -> Overview:
    """Ask for the account, for each of its lists once, and for the numbers."""
    from ...campaigns.account import AccountReader
    from ...console.account_zone import account_with_zone
    from ...statistics.periods import Calendar, utc_now
    from ..campaigns.delivery import diagnosis_of

    account = account_with_zone(call)
    calendar = Calendar(account["timezone"], utc_now())
    period = calendar.period(since, None, "TOTAL")
    reader = AccountReader(call.client, call.account)
    campaigns = to_neutral(reader.campaigns())
    by_campaign: dict[str, list[Record]] = {campaign["id"]: [] for campaign in campaigns}
    for item in to_neutral(reader.line_items([*by_campaign])):
        by_campaign.setdefault(item["campaign_id"], []).append(item)
    diagnosis = diagnosis_of(reader, calendar.zone)
    objectives = {id: str(items[0].get("objective")) for id, items in by_campaign.items() if items}
    numbers = numbers_of(call.client, call.account, calendar, period, campaigns, objectives)
    lines = []
    for campaign in campaigns:
        items, own = by_campaign[campaign["id"]], numbers.get(campaign["id"], Numbers())
        found = [finding for finding in diagnosis.campaign(campaign, items) if finding.record is campaign]
        lines.append(CampaignLine(campaign, found, own, _pace(campaign, items, own, period)))
    delivering = [
        CampaignSpending(campaign["id"], campaign, by_campaign[campaign["id"]])
        for campaign in campaigns
        if not campaign.get(REASONS)
    ]
    funding = [
        (record, diagnosis.funding(record))
        for record in diagnosis.funding_instruments.values()
        if not record.get("deleted")
    ]
    today, month, month_end = _bounds(delivering, calendar)
    return Overview(account, funding, today, month, month_end, period, lines, _pace_of_month(call, since))


def _pace_of_month(call: Invocation, since: str) -> "PaceOf | None":
    """Return the pace of the month; None where the profile states no budget of it."""
    from ...checks.month import paces
    from ..checking import facts_of, required, wanted_of

    with required():
        return next(paces(facts_of(call, since))) if wanted_of(call).monthly_budget else None


def _bounds(
    campaigns: Sequence[CampaignSpending], calendar: "Calendar"
) -> tuple[DailyBound, DailyBound, datetime]:
    """Return what may be spent today, and from now to the end of the month, and the last day of it."""
    today, amounts, unbounded = calendar.today, Counter[str](), frozenset[str]()
    last = today.replace(day=calendars.monthrange(today.year, today.month)[1])

    def bound_at(moment: datetime) -> DailyBound:
        """Return the bound of the campaigns of which a line item has not ended."""
        lasting = (
            campaign
            for campaign in campaigns
            if any(may_serve(item, moment) for item in campaign.line_items or ())
        )
        return daily_bound(lasting, moment)

    of_today, day = bound_at(calendar.now), today
    while day <= last:
        bound = bound_at(max(day, calendar.now))
        amounts, unbounded, day = amounts + bound.amounts, unbounded | bound.unbounded, day + DAY
    return of_today, DailyBound(amounts, unbounded), last


def _pace(campaign: Record, items: Sequence[Record], numbers: Numbers, period: "Period") -> Decimal | None:
    """Return which part was spent of what the daily budgets allow in the period; None without any."""
    bound = daily_bound([CampaignSpending("", {**campaign, REASONS: None}, items)], period.start)
    micros = sum(bound.amounts.values())
    if numbers.spend is None or bound.unbounded or not micros:
        return None
    days = Decimal((period.end - period.start) / DAY)
    return (numbers.spend * MICROS_PER_UNIT / (micros * days)).quantize(Decimal("0.0001"))


def _records(call: Invocation, shown: Overview) -> Iterator[OverviewRecord]:
    """Yield the account, what pays, and each campaign."""
    from ...checks.money import units
    from ...console.drawing import next_command

    since, until = shown.period.start.isoformat(), shown.period.end.isoformat()
    account: OverviewRecord = {
        "kind": "account",
        "name": shown.account.get("name"),
        "id": call.account,
        "status": shown.account.get("approval_status"),
        "timezone": shown.account["timezone"],
        "may_spend_today": str(shown.today),
        "may_spend_this_month": str(shown.month),
    }
    if (of := shown.pace) and of.pace:
        account |= {"spend": of.pace.spent, "forecast": of.pace.forecast, "monthly_budget": of.budget}
        account |= {"currency": of.currency}
    yield account
    for record, findings in shown.funding:
        yield {
            "kind": "funding instrument",
            "name": record.get("description"),
            "id": record.get("id"),
            "status": record.get("entity_status"),
            "why": "; ".join(found.words for found in findings),
            "currency": record.get("currency"),
        }
    for campaign, findings, numbers, pace in shown.lines:
        yield {
            "kind": "campaign",
            "name": campaign.get("name"),
            "status": campaign.get("effective_status"),
            "why": "; ".join(found.words for found in findings),
            "command": next_command(call, findings[0].command) if findings else None,
            "daily_budget": units(campaign, DAILY_BUDGET),
            "total_budget": units(campaign, TOTAL_BUDGET),
            "spend": numbers.spend,
            "ctr": numbers.ctr,
            "result": numbers.result,
            "results": numbers.results,
            "cost_per_result": numbers.cost_per_result,
            "pace": pace,
            "currency": campaign.get("currency"),
            "since": since,
            "until": until,
            "id": campaign["id"],
        }
