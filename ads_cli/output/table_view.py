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


# Styles of states, as gh has them; the word says it too. Of several in a state, the first of these counts.
RED, YELLOW, GREEN, DIM = "red", "yellow", "green", "dim"
STATES = {
    RED: "failed error rejected problem exhausted disabled invalid unreadable suspended overdue refused",
    DIM: "deleted ended expired draft archived unknown cancelled canceled discarded",
    YELLOW: "paused pending review processing waiting queued scheduled warning unfinished skipped "
    "stopped limited",
    GREEN: "running active accepted approved completed complete success succeeded ok ready processed done "
    "published eligible current unchanged",
}
STYLE_OF = {word: style for style, words in STATES.items() for word in words.split()}
STATE_COLUMNS = ("status", "state", "outcome")
AMOUNT_COLUMNS = (MONEY, "_charge_local", "spend", "budget", "_amount", "cpc", "cpm", "cpe")


def state_style(text: str) -> str:
    """Return the style of a state, such as RUNNING or FUNDING_PROBLEM; empty where it is not known."""
    words = text.casefold().replace("_", " ").split()
    styles = {STYLE_OF[word] for word in words if word in STYLE_OF}
    if "not" in words:  # NOT_READY
        styles = {YELLOW for style in styles if style == GREEN}
    return next((style for style in STATES if style in styles), "")


def style(column: str, text: str) -> str:
    """Return the style of a cell: of a state, of an amount, or of a record that is deleted."""
    if column.endswith(STATE_COLUMNS):
        return state_style(text)
    if column == "deleted":
        return DIM if text == "true" else ""
    return "cyan" if column.endswith(AMOUNT_COLUMNS) and text[:1].isdigit() else ""


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
