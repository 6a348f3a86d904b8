"""What a profile states of its account: thresholds of rules, and what it wants.

`check.NAME` is a threshold or a choice of rules, `goals.NAME` a result per cost; the others stand by
themselves. A rule that needs a goal and has none is silent.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ..api.amounts import currency_problem, thousands_problem
from ..errors import StateError, UsageError
from ..patterns import pattern_problem
from ..spelling import comma_list, suggestion

# Percentages are parts of one: 0.1 is written `10%`.
THRESHOLDS: Mapping[str, Decimal] = {
    name: Decimal(value)
    for name, value in {
        "credit_left": "0.1",  # of the credit limit
        "silent_hours": "48",  # without an impression
        "start_days": "30",  # until a line item starts
        "review_hours": "48",
        "budget_spent": "0.9",  # of a total budget
        "over_budget": "0.05",  # of the month's budget
        "under_budget": "0.05",
        "gone_before_hour": "18",  # of the account's day
        "budget_used": "0.6",
        "budget_per_goal": "5",  # times the cost per result that is wanted
        "goal_off": "0.5",
        "spend_jump": "3",  # times the median of the weekday
        "near_limit": "0.9",  # of a limit of the service
        "audience_least": "100",  # people
        "audience_days": "30",  # since a list was updated
        "estimate_least": "10000",  # people
        "estimate_most": "50000000",
        "ctr_drop": "0.2",
        "ctr_days": "14",
        "worn_frequency": "3",  # how often one person has seen an ad
        "prospecting_frequency": "5",
        "new_ad_days": "45",
        "ctr_least": "0.005",
        "ctr_impressions": "10000",
        "tag_days": "7",  # without an event
        "clicks_least": "100",  # to expect a conversion
        "least_days": "7",  # with numbers, to compare with
        "least_impressions": "1000",
        "least_results": "10",
    }.items()
}
MAX_TIME = 8784  # hours of a year; also of thresholds in days
CHOICES = ("select", "ignore")  # lists of codes, under `check.`
GOALS = ("cost_per_result", "cost_per_conversion", "roas")
AMOUNT_GOALS = GOALS[:2]
NUMBER = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?(%?)")
MONEY = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([A-Za-z]{3})")


class Money(NamedTuple):
    """An amount in units of a currency."""

    value: Decimal
    currency: str


class Wanted(NamedTuple):
    """What a profile states."""

    thresholds: Mapping[str, Decimal] = THRESHOLDS
    costs: Mapping[str, Money] = {}  # goals that are amounts
    roas: Decimal | None = None
    monthly_budget: Money | None = None
    name_pattern: str | None = None  # a regular expression
    utm: tuple[str, ...] = ()  # parameters that each address must have
    buyers: tuple[str, ...] = ()  # audiences of those who bought, by name or id
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def check_goal(name: str, value: str) -> None:
    """Raise UsageError for a goal or a threshold of a profile that cannot be used."""
    section, _, key = name.partition(".")
    try:
        _parse({section: {key: value}} if key else {section: value})
    except ValueError as error:
        raise UsageError(str(error), hint="adsctl help rules") from None


def parse_wanted(values: Mapping[str, Any], place: str) -> Wanted:
    """Read the values of a profile; raise StateError, which names `place`, for what cannot be used."""
    try:
        return _parse(values)
    except ValueError as error:
        raise StateError(f"{place}: {error}", hint="adsctl help rules") from None


def _parse(values: Mapping[str, Any]) -> Wanted:
    check, goals = (_mapping(values, name) for name in ("check", "goals"))
    thresholds = {
        name: _threshold(f"check.{name}", value) for name, value in check.items() if name not in CHOICES
    }
    _require_known("check", thresholds, THRESHOLDS)
    _require_known("goals", goals, GOALS)
    budget, pattern, roas = values.get("monthly_budget"), values.get("name_pattern"), goals.get("roas")
    return Wanted(
        {**THRESHOLDS, **thresholds},
        {name: _money(f"goals.{name}", goals[name]) for name in AMOUNT_GOALS if name in goals},
        None if roas is None else _above_zero("goals.roas", _number("goals.roas", roas)),
        None if budget is None else _money("monthly_budget", budget),
        None if pattern is None else _pattern("name_pattern", str(pattern)),
        _words(values.get("utm")),
        _words(values.get("buyers")),
        _words(check.get("select")),
        _words(check.get("ignore")),
    )


def _mapping(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = values.get(name) or {}
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a mapping, as in {name}.NAME=VALUE")
    return value


def _require_known(section: str, values: Mapping[str, Any], known: Any) -> None:
    for name in values:
        if name not in known:
            raise ValueError(f"{section}.{name} is not known{suggestion(str(name), known)}")


def _number(name: str, value: Any) -> Decimal:
    match = NUMBER.fullmatch(str(value).strip())
    if not match:
        raise ValueError(f"{name}: {value!r} is no number and no percentage, as in 10%")
    return Decimal(match[1]) / (100 if match[2] else 1)


def _threshold(name: str, value: Any) -> Decimal:
    number = _number(name, value)
    if name.endswith(("_days", "_hours")) and not 1 <= number <= MAX_TIME:
        raise ValueError(f"{name}: {value!r} is not from 1 to {MAX_TIME:,}")
    return number


def _above_zero(name: str, number: Decimal) -> Decimal:
    if not number:
        raise ValueError(f"{name} is more than 0")
    return number


def _money(name: str, value: Any) -> Money:
    match = MONEY.fullmatch(str(value).strip())
    if not match:
        raise ValueError(f"{name}: {value!r} is not an amount with its currency, as in 12 EUR")
    money = Money(Decimal(match[1]), match[2].upper())
    if problem := currency_problem(money.currency) or thousands_problem(*money):
        raise ValueError(f"{name}: {problem}")
    _above_zero(name, money.value)
    return money


def _pattern(name: str, text: str) -> str:
    if problem := pattern_problem(text):
        raise ValueError(f"{name}: {problem}")
    return text


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(map(str, value))
    if isinstance(value, dict):
        raise ValueError(f"{value} is no list of words")
    return tuple(comma_list(str(value))) if value else ()
