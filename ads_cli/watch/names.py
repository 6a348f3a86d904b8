"""The names that conditions may use, with their units: metrics, fields of records, goals."""

from collections.abc import Mapping
from typing import Any

from ..api.amounts import amount_names
from ..api.metrics import DERIVED_UNITS, METRICS, numbers_of
from ..api.registry import requests_named
from ..config.goals import AMOUNT_GOALS
from .language import Names, Unit

LISTS = {"campaigns": ("campaigns", "CAMPAIGN"), "line_items": ("line-items", "LINE_ITEM")}
MONEY = "_local_micro"
DATES = ("_time", "_at")
GOAL = "goal"  # goals.cost_per_conversion of the profile, else goals.cost_per_result
# The name of what a record lies in, and how often a result came.
FURTHER: Names = {
    "campaign": "text",
    "results": "number",
    "cost_per_result": "money",
    "conversions": "number",
}


def metric_names() -> dict[str, Unit]:
    """Return the columns of statistics by name: what the service counts, and what is derived of it."""
    names: dict[str, Unit] = {}
    for group in ("ENGAGEMENT", "BILLING", "WEB_CONVERSION"):
        for metric in METRICS[group]:
            for column in [f"{metric}_{number}" for number in numbers_of(metric)] or [metric]:
                names[column.removesuffix("_micro")] = "money" if "_local" in column else "number"
    return names | {name: "money" if unit == "amount" else "number" for name, unit in DERIVED_UNITS.items()}


def field_names(of: str) -> dict[str, Unit]:
    """Return the fields of the records of a list; amounts are in units of the currency."""
    group, _ = LISTS[of]
    names: dict[str, Unit] = {}
    for field in requests_named((group, "list"))[0].endpoint.record_fields:
        if field.endswith(MONEY):
            names[amount_names(field)[0]] = "money"
        else:
            names[field] = "date" if field.endswith(DATES) else "text"
    return names


def goal_names() -> dict[str, Unit]:
    """Return the goals of a profile."""
    names: dict[str, Unit] = {f"goals.{name}": "money" for name in AMOUNT_GOALS}
    return names | {GOAL: "money", "goals.roas": "number"}


def all_names(of: str) -> Names:
    """Return all names of a rule about the records of a list."""
    return {**field_names(of), **metric_names(), **goal_names(), **FURTHER}


def is_metric(name: str) -> bool:
    """Tell whether a name stands for a number of a window of days."""
    return name in metric_names() or name in ("results", "cost_per_result", "conversions")


def settable(of: str) -> Mapping[str, Any]:
    """Return the fields of amounts that a rule may set: names and the fields of the service."""
    group, _ = LISTS[of]
    fields = requests_named((group, "update"))[0].__struct_fields__
    return {amount_names(field)[0]: field for field in fields if field.endswith(MONEY)}
