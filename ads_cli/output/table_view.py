"""What a table shows of records: which columns, in what order, and their values as people read them."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from ..api.amounts import amount_names, as_amount
from ..api.metrics import BEFORE, LEADING, TOTAL, is_metric
from .column_types import MICRO, NUMBERS, ColumnType, base_of, is_change, type_of
from .figures import amount_text, change_text, fixed, micro_text, number_of, percent_text
from .text import cell

Record = Mapping[str, Any]
MONEY = "_local_micro"
HEADERS = {
    "effective_status": "status",
    "scheduled_status": "status",
    "audience_size": "size",
    "list_size": "size",
    "reasons_not_targetable": "why_not",
    "billed_charge_local": "spend",
    "reasons_not_servable": "why_not",
    "reasons_not_able_to_fund": "why_not",
}
WHY = ("reasons_not_", "able_to_fund", "entity_status")  # columns that may tell why nothing is delivered
START, END = "start", "end"  # of a row of statistics: the first day, and the day after the last
DAY_ONLY = ("created_at", "updated_at")
NAME = "name"
DESCRIPTION = "description"
NAMES = (NAME, DESCRIPTION)  # what a record is called, by the first that there is
LABELS = ("profile", "task", NAME)  # what a record is called, even where all are called so
OWN_IDS = {"product_key": "id"}  # the id that people give, where the service has a key of its own
# What an overview and a pace say after the numbers that were asked for.
REMARKS = (
    *(
        "kind",
        "daily_budget",
        "command",
        "since",
        "until",
        "total_budget",
        "pace",
        "result",
        "cost_per_result",
    ),
    *("state", "expected", "forecast_low", "forecast_high"),
)
OWNERS = ("campaign", "line_item", "post")  # what the entity of a row of statistics lies in, or is
DAY_LENGTH = len("2026-03-01")
MOMENT = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z")
MIDNIGHT = ("", "T00:00")
MINUTES = len("T00:00")
NOTHING: tuple[Any, ...] = (None, "", [], {})


def header(column: str) -> str:
    """Name a column of a table: `daily_budget_amount_local_micro` is `daily_budget`."""
    if is_change(column):
        return "change"
    if column.endswith(BEFORE):
        return header(column.removesuffix(BEFORE)) + BEFORE
    name = column.removesuffix(MONEY).removesuffix("_amount") if column.endswith(MONEY) else column
    return HEADERS.get(name, name)


def shown(column: str, record: Record, *, zone: tzinfo | None = None, with_clock: bool = False) -> Any:
    """Return the value of a column as a table shows it; `with_clock` keeps the time of a day's start."""
    value, type = record.get(column), type_of(column)
    if column.startswith(WHY) and (why := _why(column, record)) is not None:
        return why
    if type in NUMBERS and (number := number_of(value)) is not None:
        return _figure(column, type, number, record)
    if column in (END, "until") and not with_clock:
        value = last_day(value) or value
    if type == "time" and isinstance(value, str):
        return _moment(value, zone, day_only=column in DAY_ONLY, with_clock=with_clock)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "; ".join(map(_in_words, value))
    if isinstance(value, dict) and value.keys() == {"min", "max"}:
        least, most = value["min"], value["max"]
        return f"{least:,} to {most:,}" if isinstance(least, int) and isinstance(most, int) else value
    return value


def _in_words(record: Record) -> str:
    """Write a record inside of another by its name, or by its values where it has no name."""
    if NAME in record:
        return " ".join(filter(None, (str(record[NAME]), f"({record['id']})" if record.get("id") else "")))
    return " ".join(cell(value) for value in record.values() if value not in NOTHING)


def _figure(column: str, type: ColumnType, number: Any, record: Record) -> str:
    if is_change(column):
        base = base_of(column)
        now, before = number_of(record.get(base)), number_of(record.get(base + BEFORE))
        if now is not None and before is not None:
            return change_text(now, before)
    currency = str(record.get("currency") or "")
    match type:
        case "micro" if column.endswith(MICRO) and number == int(number):
            return micro_text(int(number), currency)
        case "micro":
            return amount_text(number.scaleb(-6), currency)
        case "amount":
            return amount_text(number, currency)
        case "percent":
            return percent_text(number)
        case "ratio":
            return fixed(number, 2)
    return f"{number:,f}"


def last_day(end: Any) -> str:
    """Return the last day of what ends at the start of a day; empty for an end with a time of day."""
    if not isinstance(end, str) or end[DAY_LENGTH:][:MINUTES] not in MIDNIGHT:
        return ""
    try:
        return (date.fromisoformat(end[:DAY_LENGTH]) - timedelta(1)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _is_of_one_day(record: Record) -> bool:
    start = str(record.get(START))
    return start[DAY_LENGTH:][:MINUTES] in MIDNIGHT and start[:DAY_LENGTH] == last_day(record.get(END))


def is_total(record: Record) -> bool:
    """Tell whether a record has the sums of others."""
    return record.get("entity") == TOTAL


def named_total(record: Record, columns: Sequence[str]) -> Record:
    """Return a record of sums that is called so in the column that tells the others apart."""
    texts = [name for name in columns if type_of(name) not in NUMBERS and name != "entity"]
    names = sorted(texts, key=lambda name: (name != NAME, type_of(name) == "id"))
    empty = [name for name in names if record.get(name) in NOTHING]
    return {**record, next(iter((*empty, *names)), NAME): TOTAL.capitalize()}


def name_head(column: str) -> str:
    """Name the column that has names in place of ids: that of `campaign_id` is `campaign`."""
    return column.removesuffix("_id") if type_of(column) == "id" else column


def with_names(
    records: Sequence[Record],
    columns: Sequence[str],
    key: str,
    names: Callable[[str, Sequence[str]], Mapping[str, str]],
    typed: Collection[str] | None = None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Put the names of other records in place of their ids: the column is `campaign`, not `campaign_id`.

    `names` returns names by ids. A name that several have is followed by the id. Where columns were `typed`,
    those alone show names that were typed so.
    """
    shown, heads = [dict(record) for record in records], [*columns]
    for at, column in enumerate(columns):
        head = name_head(column)
        if column == key or head in (column, *columns) or (typed is not None and head not in typed):
            continue
        # Its own record is named already.
        others = [record for record in records if record.get(column) != record.get(key)]
        ids = [id for record in others if isinstance(id := record.get(column), str) and id]
        if not ids or not (found := names(column, [*dict.fromkeys(ids)])):
            continue
        repeated = [name for name, count in Counter(found.values()).items() if count > 1]
        heads[at] = head
        for record in shown:
            id = record.get(column)
            name = found.get(id) if isinstance(id, str) else None
            record[head] = f"{name} ({id})" if name in repeated else name or id
    return shown, heads


def is_number(column: str, records: Sequence[Record]) -> bool:
    """Tell whether a column is aligned as numbers are."""
    if type_of(column) in NUMBERS:
        return True
    return all(type(record.get(column)) in (int, float, type(None)) for record in records)


def columns_for_people(
    columns: Sequence[str], records: Sequence[Record], key: str, asked: Sequence[str] = ()
) -> list[str]:
    """Return the columns that say something, in the order of what a reader wants most.

    Columns without a value are left out, and so are a currency that the amounts have, the campaign of what
    is a campaign, and the last day of what is of one day. What tells the records apart is first, then
    numbers, then what all have in common. Ids are last. Where nothing has a name, its own id stays what it is
    called by, before all others where people gave it.
    """
    records = [record for record in records if not is_total(record)] or records
    filled = [name for name in columns if any(_says(name, record) for record in records)] or [*columns]
    if any(type_of(name) in ("micro", "amount") for name in filled):
        filled = [name for name in filled if name != "currency"]
    repeated = {
        "campaign": all(record.get("campaign") == record.get(NAME) for record in records),
        END: all(map(_is_of_one_day, records)),
    }
    filled = [name for name in filled if not repeated.get(name)]
    ids = [name for name in filled if type_of(name) == "id" or name == key == columns[0]]
    named, own_id = [name for name in NAMES if name in filled][:1], OWN_IDS.get(key, key)
    is_named = bool(named) or key.removesuffix("_id") + "_name" in filled
    if not is_named and own_id in ids:
        ids.remove(own_id)
    if named == [DESCRIPTION] and DESCRIPTION not in asked:
        filled = [DESCRIPTION, *(name for name in filled if name != DESCRIPTION)]
    rest = [name for name in filled if name not in ids]
    if own_id != key and own_id in rest:
        rest.sort(key=own_id.__ne__)
    numbers = [name for name in rest if is_metric(base_of(name)) or base_of(name) in asked]
    if numbers:
        owners = OWNERS if NAME in filled else ()
        others = [name for name in rest if name not in numbers]
        last = ("entity", END, *owners, *REMARKS)
        common = [name for name in others if name in last or _is_common(name, records)]
        rest = [*(name for name in others if name not in common), *_by_weight(numbers, asked), *common]
    return [*rest, *sorted(ids, key=key.__ne__)]


def _says(column: str, record: Record) -> bool:
    value = record.get(column)
    if column == "deleted":
        return bool(value)
    return value not in NOTHING


def _is_common(column: str, records: Sequence[Record]) -> bool:
    """Tell whether a column tells no records apart: all have one value, or it repeats their names."""
    values = [record.get(column) for record in records]
    if column in LABELS or len(values) < 2:
        return column in (START, "placement")
    return values.count(values[0]) == len(values) or values == [record.get(NAME) for record in records]


def _by_weight(numbers: Sequence[str], asked: Sequence[str]) -> list[str]:
    """Return numbers before what they were; where none was asked for, what leads first."""
    if not asked:
        numbers = sorted(
            numbers,
            key=lambda name: LEADING.index(base) if (base := base_of(name)) in LEADING else len(LEADING),
        )
    return sorted(numbers, key=lambda name: name.endswith(BEFORE))


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
    return "cyan" if type_of(column) in ("micro", "amount") and text[:1].isdigit() else ""


def amounts(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of amounts by the names under which csv and tsv have them in whole units."""
    return {name: column for column in columns if column.endswith(MONEY) for name in amount_names(column)}


def in_units(column: str, record: Record) -> Any:
    """Return an amount in units of the currency of its record, as `-f` takes it."""
    value = record.get(column)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    return as_amount(value, str(record.get("currency") or "")).replace(",", "")


def _why(column: str, record: Record) -> str | None:
    from ..api.delivery import in_table

    return in_table(column, record)


def local_times(text: str, zone: Callable[[], tzinfo | None]) -> str:
    """Write the times of UTC in a sentence where the account is, and marked; as they are without a zone.

    `zone` is asked for where there is a time.
    """
    if not MOMENT.search(text) or not (local := zone()):
        return text
    return MOMENT.sub(lambda moment: _moment(moment[0], local, day_only=False, with_clock=True), text)


def _moment(text: str, zone: tzinfo | None, *, day_only: bool, with_clock: bool) -> str:
    """Write a time as a day, or as a day and a time of it where that is not its start.

    A time of UTC is shown in the zone of the account, and marked. Any other one is that of the account.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    if not text.startswith(f"{time:%Y-%m-%d}"):  # of a week, as in 2026-W01-1
        return text
    mark = ""
    if text.endswith("Z"):
        time = time.astimezone(zone or UTC)
        mark = f" {time:%Z}"
    is_day = len(text) == DAY_LENGTH or (f"{time:%H:%M}" == "00:00" and not with_clock)
    return f"{time:%Y-%m-%d}" if day_only or is_day else f"{time:%Y-%m-%d %H:%M}{mark}"
