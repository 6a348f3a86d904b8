"""Rules about budgets, bids and the pace of spending. Codes B1xx."""

import statistics
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from ..api.delivery import CAMPAIGN, LINE_ITEM
from ..api.spending import ACTIVE, DAILY_BUDGET, END, STATUS, TOTAL_BUDGET
from ..statistics.results import aimed_at, cost_per_result
from .facts import CAMPAIGN as CAMPAIGNS
from .facts import DAY, ITEM_METRICS, Facts, active_pairs
from .facts import LINE_ITEM as LINE_ITEMS
from .money import amount, money, units
from .month import month_pace
from .outcome import Finding, Outcome, Record, Unknown
from .rule import Rule, Severity

BID, TARGET_COST = "bid_amount_local_micro", "target_cpa_local_micro"
GONE = Decimal("0.98")  # of a day's budget: the service keeps the last cents
# Limits of the service, which raises them on request (limits.yaml).
MAX_ACTIVE_CAMPAIGNS, MAX_ACTIVE_ITEMS, MAX_ITEMS_OF_CAMPAIGN = 200, 256, 100


def _raise_budget(campaign: Record, budget: Decimal) -> tuple[str, ...]:
    return "campaigns", "update", str(campaign["id"]), "--daily-budget", f"{budget:f}"


class MonthAbove(Rule):
    """The month will end above its budget."""

    code, severity = "B101", Severity.ERROR
    why = "The forecast by the weekdays' shares of the last weeks passes `monthly_budget` of the profile."
    advice = "Lower daily budgets, or pause the campaign that brings least."
    ignore = "Where the last days were not usual, such as a sale."
    breaks = {"wanted": {"monthly_budget": "500 EUR"}, "numbers": {"c1": {"spend": 20}}}
    nearly = {"wanted": {"monthly_budget": "600 EUR"}, "numbers": {"c1": {"spend": 20}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the forecast of the month with its budget."""
        yield from _month(facts, above=True)


class MonthBelow(Rule):
    """The month will end below its budget."""

    code, severity = "B102", Severity.WARNING
    why = "What is not spent brings nothing, and is often lost at the month's end."
    advice = "Raise daily budgets of what brings most, or look at what does not deliver."
    ignore = "Where less is to be spent than was planned."
    breaks = {"wanted": {"monthly_budget": "700 EUR"}, "numbers": {"c1": {"spend": 20}}}
    nearly = MonthAbove.nearly

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the forecast of the month with its budget."""
        yield from _month(facts, above=False)


def _month(facts: Facts, *, above: bool) -> Iterator[Outcome]:
    budget = facts.wanted.monthly_budget
    if not budget:
        return
    if others := sorted({*facts.currencies} - {budget.currency}):
        yield Unknown(
            "account", facts.account, f"campaigns are in {', '.join(others)}, the budget in {budget.currency}"
        )
        return
    if not (own := month_pace(facts)):
        yield Unknown("account", facts.account, "has no whole day of the month yet")
        return
    days = {day for of_one in facts.spent_by_day.values() for day, spent in of_one.items() if spent}
    if len(days) < facts.threshold("least_days"):
        yield Unknown(
            "account", facts.account, f"has spent on {len(days)} days, too few to tell the month's end"
        )
        return
    most = budget.value * (1 + facts.threshold("over_budget"))
    least = budget.value * (1 - facts.threshold("under_budget"))
    if own.forecast > most if above else own.forecast < least:
        words = (
            f"lands at {money(own.forecast, budget.currency)} at the end of the month"
            f" ({money(own.low, '')} to {money(own.high, budget.currency)}), {'above' if above else 'below'}"
            f" its budget of {money(budget.value, budget.currency)}"
        )
        yield Finding("account", facts.account, words, ("stats", "pace"))


class BudgetGoneEarly(Rule):
    """The budget of a day was spent before the evening."""

    code, severity = "B103", Severity.WARNING
    why = "Nobody sees the ads in the evening, when people buy most."
    advice = "Raise the daily budget, lower the bid, or spend it evenly (--standard-delivery)."
    ignore = "Where the ads are for the morning."
    breaks = {
        "hours": {"c1": [4] * 15 + [0] * 9},
        "campaigns": {"c1": {DAILY_BUDGET: 60_000_000}},
        "numbers": {"c1": {"spend": 60}},
    }
    nearly = {**breaks, "hours": {"c1": [3] * 20 + [0] * 4}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Add up the hours of yesterday."""
        latest, yesterday = facts.threshold("gone_before_hour"), facts.last_days(1)
        sums = facts.sums(CAMPAIGNS, yesterday)
        budgets = [(campaign, units(campaign, DAILY_BUDGET)) for campaign in facts.active_campaigns]
        gone = [
            (campaign, budget)
            for campaign, budget in budgets
            if budget and sums.get(str(campaign["id"]), {}).get("spend", 0) >= budget * GONE
        ]
        rows = facts.rows(CAMPAIGNS, yesterday, "HOUR", [campaign for campaign, _ in gone]) if gone else {}
        for campaign, budget in gone:
            spent = Decimal(0)
            for row in rows.get(str(campaign["id"]), ()):
                spent += row["spend"] or 0
                hour = datetime.fromisoformat(row["start"]).hour + 1
                if spent >= budget * GONE:
                    if hour < latest:
                        of_day = amount(campaign, DAILY_BUDGET)
                        words = f"had spent its budget of {of_day} a day by {hour}:00 yesterday"
                        yield Finding(CAMPAIGN, campaign, words, _raise_budget(campaign, budget * 2))
                    break


class BudgetUnused(Rule):
    """A campaign uses little of its daily budget."""

    code, severity = "B104", Severity.WARNING
    why = "The bid or the targeting keeps it from more; other campaigns could use the money."
    advice = "Raise the bid, widen the targeting, or lower the budget."
    ignore = "Where the budget is a limit that is not meant to be reached."
    breaks = {"campaigns": {"c1": {DAILY_BUDGET: 60_000_000}}, "numbers": {"c1": {"spend": 30}}}
    nearly = {"campaigns": {"c1": {DAILY_BUDGET: 60_000_000}}, "numbers": {"c1": {"spend": 40}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare what was spent in the period with what the budgets allowed."""
        days = Decimal((facts.period.end - facts.period.start) / DAY)
        sums = facts.sums(CAMPAIGNS, facts.period)
        for campaign in facts.active_campaigns:
            budget, age = units(campaign, DAILY_BUDGET), facts.age(campaign, "created_at", "updated_at")
            spent = sums.get(str(campaign["id"]), {}).get("spend")
            if not budget or not spent:
                continue
            if age is None or age < facts.now - facts.period.start:
                yield Unknown(CAMPAIGN, campaign, "was changed in the period")
            elif spent < budget * days * facts.threshold("budget_used"):
                used = 100 * spent / (budget * days)
                words = f"used {used:.0f} % of its budget of {amount(campaign, DAILY_BUDGET)} a day"
                yield Finding(CAMPAIGN, campaign, words, ("campaigns", "why", str(campaign["id"])))


class ItemAboveCampaign(Rule):
    """The total budget of a line item is above that of its campaign."""

    code, severity = "B105", Severity.ERROR
    why = "It can never spend it; the campaign stops first."
    advice = "Lower it, or raise that of the campaign."
    ignore = "Never; it misleads."
    breaks = {
        "campaigns": {"c1": {TOTAL_BUDGET: 900_000_000}},
        "line_items": {"i1": {TOTAL_BUDGET: 900_010_000}},
    }
    nearly = {
        "campaigns": {"c1": {TOTAL_BUDGET: 900_000_000}},
        "line_items": {"i1": {TOTAL_BUDGET: 900_000_000}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the budgets of active line items with those of their campaigns."""
        for item, campaign in active_pairs(facts):
            own, most = units(item, TOTAL_BUDGET), units(campaign, TOTAL_BUDGET)
            if own and most and own > most:
                of_campaign = amount(campaign, TOTAL_BUDGET)
                words = f"may spend {amount(item, TOTAL_BUDGET)}, and its campaign {of_campaign}"
                command = ("line-items", "update", str(item["id"]), "--total-budget", f"{most:f}")
                yield Finding(LINE_ITEM, item, words, command)


class BidAboveBudget(Rule):
    """The bid of a line item is above what a day may cost."""

    code, severity = "B106", Severity.ERROR
    why = "One result may cost more than the budget of the day."
    advice = "Lower the bid; a zero too many is the usual reason."
    ignore = "Never."
    breaks = {"line_items": {"i1": {BID: 61_000_000}}, "campaigns": {"c1": {DAILY_BUDGET: 60_000_000}}}
    nearly = {"line_items": {"i1": {BID: 59_000_000}}, "campaigns": {"c1": {DAILY_BUDGET: 60_000_000}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare bids with the smaller of the daily budgets."""
        for item, campaign in active_pairs(facts):
            budgets = [(own, record) for record in (item, campaign) if (own := units(record, DAILY_BUDGET))]
            bid = units(item, BID)
            if bid and budgets and bid > min(budgets, key=lambda pair: pair[0])[0]:
                _, record = min(budgets, key=lambda pair: pair[0])
                words = f"bids {amount(item, BID)}, above the budget of {amount(record, DAILY_BUDGET)} a day"
                yield Finding(LINE_ITEM, item, words, _lower_bid(item, budgets[0][0] / 20))


def _lower_bid(item: Record, bid: Decimal) -> tuple[str, ...]:
    return "line-items", "update", str(item["id"]), "--bid-amount", f"{bid.quantize(Decimal('0.01')):f}"


class BidOutsideRules(Rule):
    """A bid is outside of what the service takes in its currency."""

    code, severity = "B107", Severity.WARNING
    why = "The service ignores such a bid, or refuses the next change of the line item."
    advice = "Bring the bid between the smallest and the largest one."
    ignore = "Never."
    breaks = {"line_items": {"i1": {BID: 9_000}}}
    nearly = {"line_items": {"i1": {BID: 10_000}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the bids of active line items with the service's rules."""
        items = [item for item in facts.active_items if units(item, BID)]
        rules = {
            rule.get("currency"): rule for rule in (facts.records("lookup bidding-rules") if items else ())
        }
        for item in items:
            rule = {"currency": item.get("currency"), **rules.get(item.get("currency"), {})}
            least, most = (
                units(rule, "minimum_cpe_bid_local_micro"),
                units(rule, "maximum_cpe_bid_local_micro"),
            )
            bid = units(item, BID)
            if bid and least and most and not least <= bid <= most:
                code = str(item.get("currency"))
                words = (
                    f"bids {amount(item, BID)}; the service takes {money(least, '')} to {money(most, code)}"
                )
                yield Finding(LINE_ITEM, item, words, _lower_bid(item, max(least, min(bid, most))))


class BudgetTooSmall(Rule):
    """A daily budget buys too few results to learn from."""

    code, severity = "B108", Severity.WARNING
    why = "With under five results a day nobody learns what works, neither you nor the service."
    advice = "Raise the daily budget, or join campaigns."
    ignore = "Where the cost per result is far below the goal."
    breaks = {
        "wanted": {"goals": {"cost_per_result": "13 EUR"}},
        "campaigns": {"c1": {DAILY_BUDGET: 60_000_000}},
    }
    nearly = {
        "wanted": {"goals": {"cost_per_result": "12 EUR"}},
        "campaigns": {"c1": {DAILY_BUDGET: 60_000_000}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare daily budgets with the wanted cost per result."""
        goal = facts.wanted.costs.get("cost_per_result")
        for campaign in facts.active_campaigns if goal else ():
            budget = units(campaign, DAILY_BUDGET)
            if goal and budget and campaign.get("currency") == goal.currency:
                least = goal.value * facts.threshold("budget_per_goal")
                if budget < least:
                    words = (
                        f"may spend {amount(campaign, DAILY_BUDGET)} a day, under"
                        f" {facts.threshold('budget_per_goal')} results of {money(*goal)}"
                    )
                    yield Finding(CAMPAIGN, campaign, words, _raise_budget(campaign, least))


class GoalFarOff(Rule):
    """Results cost far more or less than a line item aims at."""

    code, severity = "B109", Severity.WARNING
    why = "An aim that is never met makes the service bid for nothing, or for too much."
    advice = "Set the target to what results cost, and move it in small steps."
    ignore = "In the first week of a line item."
    breaks = {
        "line_items": {"i1": {"bid_strategy": "TARGET", BID: 400_000}},
        "numbers": {"i1": {"spend": 20, "url_clicks": 25}},
    }
    nearly = {
        "line_items": {"i1": {"bid_strategy": "TARGET", BID: 400_000}},
        "numbers": {"i1": {"spend": 20, "url_clicks": 40}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare the targets of line items with what their results cost."""
        sums = facts.sums(LINE_ITEMS, facts.period)
        off = facts.threshold("goal_off")
        for item in facts.running_items:
            target = units(item, BID if item.get("bid_strategy") == "TARGET" else TARGET_COST)
            result, own = aimed_at(item), sums.get(str(item["id"]), {})
            if not target or not own.get("spend"):
                continue
            if not result or result.metric not in ITEM_METRICS:
                goal = item.get("goal") or item.get("objective")
                yield Unknown(LINE_ITEM, item, f"aims at {goal}, which no number that is read counts")
                continue
            count = result.total(own)
            if count < facts.threshold("least_results"):
                yield Unknown(LINE_ITEM, item, f"had {count:.0f} results, too few to compare")
                continue
            cost = cost_per_result(own["spend"], count)
            if cost and not target * (1 - off) <= cost <= target * (1 + off):
                code = str(item.get("currency"))
                words = f"pays {money(cost, code)} for a {result.noun}, and aims at {money(target, code)}"
                yield Finding(LINE_ITEM, item, words, _lower_bid(item, max(cost, Decimal("0.01"))))


class Accelerated(Rule):
    """A line item spends as fast as it can."""

    code, severity = "B110", Severity.NOTE
    why = "The budget of a day may be gone at noon."
    advice = "Spend it evenly, unless something ends today."
    ignore = "For what is urgent."
    breaks = {"line_items": {"i1": {"standard_delivery": False}}}
    nearly = {"line_items": {"i1": {"standard_delivery": None}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for line items without standard delivery."""
        for item in facts.active_items:
            if item.get("standard_delivery") is False:
                command = ("line-items", "update", str(item["id"]), "--standard-delivery")
                yield Finding(LINE_ITEM, item, "spends its budget as fast as possible", command)


class NoEnd(Rule):
    """A line item has neither an end nor a total budget."""

    code, severity = "B111", Severity.WARNING
    why = "It spends its daily budget until somebody remembers it."
    advice = "Give it an end, or it or its campaign a total budget."
    ignore = "For what is meant to run for good."
    breaks = {
        "line_items": {"i1": {END: None, TOTAL_BUDGET: None}},
        "campaigns": {"c1": {TOTAL_BUDGET: None}},
    }
    nearly = {
        "line_items": {"i1": {END: None, TOTAL_BUDGET: None}},
        "campaigns": {"c1": {TOTAL_BUDGET: 900_000_000}},
    }

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Look for what bounds each active line item."""
        for item, campaign in active_pairs(facts):
            if not (item.get(END) or item.get(TOTAL_BUDGET) or campaign.get(TOTAL_BUDGET)):
                last = (facts.calendar.today + 30 * DAY).date().isoformat()
                command = ("line-items", "update", str(item["id"]), "--end-time", last)
                yield Finding(LINE_ITEM, item, "has neither an end nor a total budget", command)


class SpendJumped(Rule):
    """A campaign spent far more yesterday than on such weekdays before."""

    code, severity = "B112", Severity.WARNING
    why = "A wrong budget, a bid with a zero too many, or a change that nobody noticed."
    advice = "Look at what was changed: 'changes list'."
    ignore = "On the first day of a sale."
    breaks = {"numbers": {"c1": {"spend": [*[20] * 27, 61]}}}
    nearly = {"numbers": {"c1": {"spend": [*[20] * 27, 60]}}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Compare yesterday with the same weekday of four weeks."""
        yesterday = (facts.calendar.today - DAY).date()
        days = facts.spent_by_day
        for campaign in facts.active_campaigns:
            own = days.get(str(campaign["id"]), {})
            before = [own[day] for day in own if day < yesterday and day.weekday() == yesterday.weekday()]
            spent = own.get(yesterday, Decimal(0))
            usual = statistics.median(before) if before else Decimal(0)
            if spent and (len(before) < 3 or not usual):
                yield Unknown(CAMPAIGN, campaign, "has spent on too few such weekdays")
            elif spent > usual * facts.threshold("spend_jump"):
                code = str(campaign.get("currency"))
                words = f"spent {money(spent, code)} yesterday, and {money(usual, code)} on such a day before"
                yield Finding(CAMPAIGN, campaign, words, ("changes", "list", "--id", str(campaign["id"])))


class NearLimit(Rule):
    """The account nears a limit of the service on active records."""

    code, severity = "B113", Severity.WARNING
    why = "The service refuses the next one."
    advice = "Pause or delete what has ended, or ask the service for more."
    ignore = "Where the service has raised the limit."
    breaks = {"many": {"campaigns": 181}}
    nearly = {"many": {"campaigns": 179}}

    def check(self, facts: Facts) -> Iterator[Outcome]:
        """Count active campaigns and line items."""
        near = facts.threshold("near_limit")
        active = [item for item in facts.line_items if item.get(STATUS) == ACTIVE]
        counts = (
            (len(facts.active_campaigns), MAX_ACTIVE_CAMPAIGNS, "active campaigns", "campaigns"),
            (len(active), MAX_ACTIVE_ITEMS, "active line items", "line-items"),
        )
        for count, most, what, group in counts:
            if count > most * near:
                command = (group, "list", "--where", "entity_status=ACTIVE")
                yield Finding(
                    "account", facts.account, f"has {count} {what}; the service takes {most}", command
                )
        for id, count in Counter(item["campaign_id"] for item in facts.line_items).items():
            if count > MAX_ITEMS_OF_CAMPAIGN * near and (campaign := facts.campaigns.get(id)):
                words = f"has {count} line items; the service takes {MAX_ITEMS_OF_CAMPAIGN}"
                yield Finding(CAMPAIGN, campaign, words, ("line-items", "list", "--campaign-ids", str(id)))
