"""The types of columns: what their values are, by the names that the declarations give fields."""

from functools import cache
from typing import Literal

from ..api.metrics import BEFORE, CHANGE, DERIVED_UNITS, is_metric
from ..api.names import neutral_name

ColumnType = Literal["micro", "amount", "percent", "ratio", "count", "time", "id", "text", "words"]
MICRO, SALE_AMOUNT = "_micro", "_sale_amount"  # the ends of the names of amounts in millionths
NUMBERS: tuple[ColumnType, ...] = ("micro", "amount", "percent", "ratio", "count")
ENDS: dict[tuple[str, ...], ColumnType] = {
    (MICRO, SALE_AMOUNT): "micro",
    ("_local",): "amount",
    ("_rate", "_share"): "percent",
    ("frequency",): "ratio",
    ("_size", "_reach", "_volume", "_count"): "count",
    ("_at", "_time"): "time",
    ("_id",): "id",
}
NAMES: dict[str, ColumnType] = {
    "id": "id",
    "account": "id",
    "targeting_value": "id",  # where it has a name
    "start": "time",
    "end": "time",
    "since": "time",
    "until": "time",
    "daily_budget": "amount",
    "total_budget": "amount",
    **dict.fromkeys(("spent", "expected", "budget", "monthly_budget"), "amount"),
    **dict.fromkeys(("forecast", "forecast_low", "forecast_high"), "amount"),
    "started": "time",
    "changed": "time",
    "pace": "percent",
    "record": "words",  # whose lines are wrapped, and not cut
    "change": "words",
}


@cache
def type_of(column: str) -> ColumnType:
    """Return the type of a column. That of what a number was, or of its change, is the type of the number."""
    name, metric = neutral_name(column), neutral_name(base_of(column))
    if is_metric(metric):
        name = metric
    if type := NAMES.get(name) or DERIVED_UNITS.get(name):
        return type
    if name.startswith("cost_per_"):
        return "amount"
    ended = next((type for ends, type in ENDS.items() if name.endswith(ends)), None)
    return ended or ("count" if is_metric(name) else "text")


def base_of(column: str) -> str:
    """Return the name of the number that a column has the earlier value or the change of."""
    return column.removesuffix(CHANGE).removesuffix(BEFORE)


def is_change(column: str) -> bool:
    """Tell whether a column has the change of a number."""
    return column.endswith(CHANGE) and type_of(column) in NUMBERS
