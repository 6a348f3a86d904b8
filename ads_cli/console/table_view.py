"""What a table shows of a record in place of its values: money as money, a list as its words, short times."""

from collections.abc import Mapping, Sequence
from typing import Any

MONEY = "_local_micro"
HEADERS = {
    "effective_status": "status",
    "scheduled_status": "status",
    "audience_size": "size",
    "list_size": "size",
    "reasons_not_targetable": "why_not",
}
DAY_ONLY = ("created_at", "updated_at")


def header(column: str) -> str:
    """Name a column of a table: `daily_budget_amount_local_micro` is `daily_budget`."""
    name = column.removesuffix(MONEY).removesuffix("_amount") if column.endswith(MONEY) else column
    return HEADERS.get(name, name)


def shown(column: str, record: Mapping[str, Any]) -> Any:
    """Return the value of a column as a table shows it."""
    value = record.get(column)
    if column.endswith(MONEY) and isinstance(value, int):
        from ..api.amounts import as_amount

        currency = str(record.get("currency") or "")
        return f"{as_amount(value, currency)} {currency}".rstrip()
    if column.endswith(("_at", "_time")) and isinstance(value, str) and value.endswith("Z"):
        return _moment(value, column in DAY_ONLY)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, dict) and value.keys() == {"min", "max"}:
        least, most = value["min"], value["max"]
        return f"{least:,} to {most:,}" if isinstance(least, int) and isinstance(most, int) else value
    return value


def amounts(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of amounts by the names under which csv and tsv have them in whole units."""
    from ..api.amounts import amount_names

    return {name: column for column in columns if column.endswith(MONEY) for name in amount_names(column)}


def in_units(column: str, record: Mapping[str, Any]) -> Any:
    """Return an amount in units of the currency of its record, as `-f` takes it."""
    from ..api.amounts import as_amount

    value = record.get(column)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    return as_amount(value, str(record.get("currency") or "")).replace(",", "")


def _moment(text: str, day_only: bool) -> str:
    """Write `2026-03-01T08:00:00Z` as a day, or as a day and a time of it where that is not its start."""
    day, _, time = text.removesuffix("Z").partition("T")
    return day if day_only or time.startswith("00:00:00") else f"{day} {time[:5]}"
