"""Find out what rules would do to the records of an account, and with which numbers."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

from ..api.amounts import MICROS_PER_UNIT, amount_names, decimals_of
from ..api.metrics import METRICS
from ..api.names import neutral_name
from ..api.spending import ACTIVE, PAUSED, STATUS
from ..checks.facts import DAY, TOTALS, Facts, results
from ..checks.outcome import CannotLook, Record
from ..statistics.periods import Period
from ..statistics.query import is_money
from ..statistics.results import RESULTS, cost_per_result
from .history import History
from .language import Node, Value, amounts_in, evaluate, names_in
from .names import DATES, GOAL, LISTS, MONEY, is_metric
from .rules import MAX_DAYS, WatchRule

# What is charged is an estimate for so many days; what people did is final after one (analytics.yaml).
SPEND_FINAL_DAYS, FINAL_DAYS = 3, 1
MAX_SHARE, LEAST_CHANGES = Decimal("0.1"), 1  # of the records looked at: more changes at once are a mistake


class Decision(NamedTuple):
    """What a rule would do to a record; `why_not` says why it does nothing though its condition holds."""

    rule: WatchRule
    record: Record
    before: str
    after: str
    numbers: Mapping[str, Value]  # of what the conditions name
    why_not: str = ""

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.record["id"])


class Decisions(NamedTuple):
    """What all rules would do."""

    due: list[Decision]
    held: list[Decision]  # what is not done, with the reason
    unknown: list[tuple[WatchRule, Record, str]]  # what could not be judged, and why
    looked_at: int  # records
    warnings: list[str]  # of rules that are about no record, or could judge none

    @property
    def changes(self) -> list[Decision]:
        """The decisions that change something."""
        return [decision for decision in self.due if decision.rule.do != "tell"]

    @property
    def most_changes(self) -> int:
        """How many records may be changed at once where nothing else is said."""
        return max(LEAST_CHANGES, int(self.looked_at * MAX_SHARE))


def decide(rules: Sequence[WatchRule], facts: Facts, history: History) -> Decisions:
    """Apply rules to the records of an account; the first rule of the file that changes a record counts."""
    decisions = Decisions([], [], [], len(_looked_at(rules, facts)), [])
    changed: dict[tuple[str, str], WatchRule] = {}
    for rule in rules:
        concerned, judged, unknown = 0, 0, len(decisions.unknown)
        for record in records_for(rule, facts):
            try:
                values = _values_of_concerned(rule, record, facts)
                concerned += values is not None
                if values is None or not _may_act(rule, record):
                    continue
                decision = _decided(rule, record, values, facts, history)
                judged += 1
            except CannotLook as why:
                if _may_act(rule, record):
                    decisions.unknown.append((rule, record, str(why)))
                continue
            if decision is None:
                continue
            key = (rule.of, decision.id)
            if not decision.why_not and rule.do != "tell" and (first := changed.get(key)):
                decision = decision._replace(why_not=f"the rule {first.name!r} comes first")
            (decisions.held if decision.why_not else decisions.due).append(decision)
            if not decision.why_not and rule.do != "tell":
                changed[key] = rule
        missed = len(decisions.unknown) - unknown
        if missed and not judged:
            what = f"{missed:,} record{'s' * (missed > 1)}"
            decisions.warnings.append(f"the rule {rule.name!r} could not judge any of {what}")
        elif not (concerned or missed):
            decisions.warnings.append(f"the rule {rule.name!r} is about no record of the account")
    return decisions


def records_for(rule: WatchRule, facts: Facts) -> list[Record]:
    """Return the records that a rule is about."""
    return [*facts.campaigns.values()] if rule.of == "campaigns" else facts.line_items


def _looked_at(rules: Sequence[WatchRule], facts: Facts) -> set[tuple[str, str]]:
    return {(rule.of, str(record["id"])) for rule in rules for record in records_for(rule, facts)}


def _values_of_concerned(rule: WatchRule, record: Record, facts: Facts) -> dict[str, Value] | None:
    """Return the values of a record that a rule is about, as far as no numbers say that; else None."""
    values = _values_of(record, facts)
    where_needs_numbers = rule.where is not None and any(map(is_metric, names_in(rule.where)))
    return values if where_needs_numbers or _holds("where", rule.where, values) else None


def _decided(
    rule: WatchRule, record: Record, values: dict[str, Value], facts: Facts, history: History
) -> Decision | None:
    """Return what a rule would do to a record, None for nothing; raise CannotLook where that is not known."""
    values |= _numbers_of(rule, record, facts)
    _require_currency(rule, record)
    if not (_holds("where", rule.where, values) and _holds("when", rule.when, values)):
        return None
    used = {name: values.get(name) for name in _used(rule)}
    before, after = _change(rule, record)
    if before == after:
        return None
    return Decision(rule, record, before, after, used, history.why_not(rule, record, facts))


def _holds(what: str, node: Node | None, values: Mapping[str, Value]) -> bool:
    """Tell whether a condition holds; raise CannotLook where that is not known."""
    holds = True if node is None else evaluate(node, values)
    if holds is None:
        missing = sorted({name for name in names_in(node) if values.get(name) is None}) if node else []
        raise CannotLook(f"{what}: {', '.join(missing) or 'a division'} is not known")
    return holds is True


def _used(rule: WatchRule) -> list[str]:
    nodes = (rule.when, *([rule.where] if rule.where else ()))
    return [*dict.fromkeys(name for node in nodes for name in names_in(node))]


def _may_act(rule: WatchRule, record: Record) -> bool:
    """Tell whether a record is in a state in which the action changes it."""
    wanted = {"pause": (ACTIVE,), "activate": (PAUSED,), "set": (ACTIVE, PAUSED)}.get(rule.do)
    return wanted is None or record.get(STATUS) in wanted


def _change(rule: WatchRule, record: Record) -> tuple[str, str]:
    """Return the value of the field before and after; raise CannotLook where there is none to change."""
    if rule.do == "tell":
        return "", "told"
    if rule.change is None:
        return str(record.get(STATUS)), PAUSED if rule.do == "pause" else ACTIVE
    change, currency = rule.change, str(record.get("currency") or "")
    now = _units(record.get(change.field))
    for stated in (change, rule.floor, rule.ceiling):
        if stated and stated.currency and stated.currency != currency:
            raise CannotLook(f"its currency is {currency}, and the rule sets {stated.currency}")
    if change.amount is not None:
        new = change.amount
    elif now is None:
        raise CannotLook(f"it has no {change.name} to change")
    else:
        assert change.share is not None
        new = now * change.share
    if now is not None and change.share is not None:
        new = _bounded(rule, now, new)
    new = new.quantize(Decimal(1).scaleb(-decimals_of(currency)), ROUND_HALF_UP)
    if new <= 0:
        raise CannotLook(f"{change.name} would be nothing")
    return "" if now is None else f"{now:f}", f"{new:f}" if new != now else f"{now:f}"


def _bounded(rule: WatchRule, now: Decimal, new: Decimal) -> Decimal:
    """Return an amount that a share has made within the bounds of a rule.

    Raise CannotLook where that would change it by more than the share, or the other way.
    """
    floor, ceiling = rule.floor, rule.ceiling
    assert rule.change
    if new > now:
        if floor and new < floor.value:
            raise CannotLook(f"{rule.change.name} would be {new:.2f}, below the floor of {floor.value:f}")
        return max(now, min(new, ceiling.value)) if ceiling else new
    if ceiling and new > ceiling.value:
        raise CannotLook(f"{rule.change.name} would be {new:.2f}, above the ceiling of {ceiling.value:f}")
    return min(now, max(new, floor.value)) if floor else new


def _units(micros: Any) -> Decimal | None:
    return Decimal(micros) / MICROS_PER_UNIT if isinstance(micros, int) else None


def _values_of(record: Record, facts: Facts) -> dict[str, Value]:
    """Return the fields of a record, the name of its campaign, and the goals, by their names."""
    values: dict[str, Value] = {}
    for name, value in record.items():
        if name.endswith(MONEY):
            values[amount_names(name)[0]] = _units(value)
        elif name.endswith(DATES) and isinstance(value, str):
            moment = facts.moment(record, name)
            values[name] = moment.astimezone(facts.calendar.zone).date() if moment else None
        elif isinstance(value, list):
            values[name] = ",".join(map(str, value))
        elif value is not None:
            values[name] = str(value).lower() if isinstance(value, bool) else str(value)
    campaign = facts.campaigns.get(str(record.get("campaign_id")), record)
    values["campaign"] = str(campaign.get("name") or "")
    wanted = facts.wanted
    costs = {name: own.value for name, own in wanted.costs.items() if own.currency == record.get("currency")}
    values |= {f"goals.{name}": value for name, value in costs.items()} | {"goals.roas": wanted.roas}
    values[GOAL] = costs.get("cost_per_conversion", costs.get("cost_per_result"))
    return values


def _numbers_of(rule: WatchRule, record: Record, facts: Facts) -> dict[str, Value]:
    """Return the numbers of the window of a rule; raise CannotLook where they are too few."""
    if not rule.needs_numbers:
        return {}
    window = window_of(rule, facts)
    if rule.over == "lifetime" and (made := facts.moment(record, "created_at")) and made < window.start:
        raise CannotLook(f"it is older than {MAX_DAYS} days, whose numbers are not asked for")
    rows = facts.rows(LISTS[rule.of][1], window, "TOTAL").get(str(record["id"]), [])
    row = rows[0] if rows else {}
    numbers: dict[str, Value] = {
        neutral_name(name): Decimal(str(value))
        for name, value in row.items()
        if isinstance(value, int | float | Decimal)
    }
    if not rows:  # nothing was counted, which is known: it was not active
        numbers = {name: Decimal(0) for name in _used(rule) if is_metric(name) and not _is_ratio(name)}
    numbers["conversions"] = results(
        {k: v for k, v in numbers.items() if isinstance(v, Decimal)}, "conversion_purchases"
    )
    result = RESULTS.get(str(record.get("objective")))
    if result and any(result.metric in METRICS[group] for group in TOTALS):
        numbers["results"] = result.total(numbers)
        spend = numbers.get("spend")
        numbers["cost_per_result"] = cost_per_result(
            spend if isinstance(spend, Decimal) else None, result.total(numbers)
        )
    for name, least in rule.least.items():
        have = numbers.get(name)
        if not isinstance(have, Decimal) or have < least:
            raise CannotLook(f"its {name} are under {least:f}, too few to judge")
    return numbers


def _is_ratio(name: str) -> bool:
    from ..statistics.derived import is_ratio

    return is_ratio(name) or name == "cost_per_result"


def window_of(rule: WatchRule, facts: Facts) -> Period:
    """Return the whole days that a rule looks at: up to those that may still change, or to midnight."""
    today = facts.calendar.today
    changing = SPEND_FINAL_DAYS if any(map(_is_amount, _used(rule))) else FINAL_DAYS
    end = today if rule.fresh else today - (changing - 1) * DAY
    if rule.over == "month":
        start = end.replace(day=1) if end.day > 1 else (end - DAY).replace(day=1)
        return Period(start, end)
    days = MAX_DAYS if rule.over == "lifetime" else int(rule.over[:-1])
    return Period(end - days * DAY, end)


def _is_amount(name: str) -> bool:
    from ..statistics.derived import is_amount

    return is_money(name) or is_amount(name) or name in ("roas", "cost_per_result")


def _require_currency(rule: WatchRule, record: Record) -> None:
    """Raise CannotLook where a rule states amounts of another currency than the record's."""
    for node in (rule.when, rule.where):
        for amount in amounts_in(node) if node else ():
            if amount.currency != (own := record.get("currency")):
                raise CannotLook(f"its currency is {own}, and the rule states {amount.currency}")


def in_file_order(decisions: Decisions) -> Iterator[Decision]:
    """Yield what would be done and what is held, rule by rule."""
    yield from sorted((*decisions.due, *decisions.held), key=lambda decision: decision.rule.line)
