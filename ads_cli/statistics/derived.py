"""Derived metrics: ratios of what the service counts, computed from sums and never averaged."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, NamedTuple

from ..api.amounts import decimals_of
from ..api.metrics import BILLED_CHARGE, GROUPS_BY_ENTITY, METRICS, metrics_of
from ..api.names import Names
from ..errors import UsageError
from ..spelling import comma_list
from .query import StatsQuery, amount_column, columns_of, metric_named, parse_metrics
from .rows import BEFORE, Row, StatsTable

SPEND = amount_column(BILLED_CHARGE)
DIGITS = Decimal("0.000001")
# What counts as a conversion where no conversion is asked for beside it.
PURCHASES = "conversion_purchases"
CONVERSIONS, SALES = "conversions", "sales"  # sums over the conversions that are asked for; sales in micros
OF_CONVERSIONS = {CONVERSIONS: ("post_view", "post_engagement"), SALES: ("sale_amount",)}


class DerivedMetric(NamedTuple):
    """A ratio of sums, or one sum under a shorter name."""

    sum: str
    per: str = ""
    factor: Decimal = Decimal(1)


DERIVED = {
    "spend": DerivedMetric(SPEND),
    "ctr": DerivedMetric("clicks", "impressions"),
    "cpc": DerivedMetric(SPEND, "clicks"),
    "cpm": DerivedMetric(SPEND, "impressions", Decimal(1000)),
    "cpe": DerivedMetric(SPEND, "engagements"),
    "cost_per_conversion": DerivedMetric(SPEND, CONVERSIONS),
    "conversion_rate": DerivedMetric(CONVERSIONS, "clicks"),
    "roas": DerivedMetric(SALES, SPEND, Decimal("0.000001")),
}
PARTS = ("ctr", "conversion_rate")  # shown to people in percent
FREQUENCY = "frequency"
CHANGE = "_change"  # the end of the name of the difference to an earlier period


def as_text(name: str, value: Any, currency: str) -> str:
    """Write a derived metric for people: 1.15 %, 18.49 EUR."""
    if name in PARTS:
        return f"{100 * value:,.2f} %"
    if DERIVED[name].sum == SPEND:
        return f"{value:,.{decimals_of(currency)}f} {currency}".rstrip()
    return f"{value:,.2f}"


def parse_shown(text: str | None, entity: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the groups and metrics that a list needs, and the columns that it names; none means all.

    Raises UsageError.
    """
    words = comma_list(text or "")
    derived = [_as_column(word) for word in words if _as_column(word) in DERIVED]
    if any(word.lower() == FREQUENCY for word in words):
        raise UsageError(
            "--metrics: frequency needs the reach, which is no sum: the service has it for whole campaigns "
            "and funding instruments in a period, and in no row of other metrics",
            hint="'adsctl stats reach campaigns' and 'stats reach funding-instruments' show how often",
        )
    if not derived:
        return *parse_metrics(text, entity), ()
    plain = [word for word in words if _as_column(word) not in DERIVED]
    asked = parse_metrics(",".join(plain), entity)[1] if plain else ()
    conversions = _conversions(asked)
    needed = dict.fromkeys(metric for name in derived for metric in _needed(DERIVED[name], conversions))
    groups, metrics = parse_metrics(",".join([*plain, *needed]), entity)
    shown: dict[str, None] = {}
    for word in words:
        if _as_column(word) in DERIVED:
            shown[_as_column(word)] = None
        else:
            named = parse_metrics(word, entity)[1]
            shown |= dict.fromkeys(column for metric in named for column in columns_of(metric))
    return groups, metrics, tuple(shown)


def _as_column(word: str) -> str:
    return word.lower().replace("-", "_")


def _conversions(metrics: Iterable[str]) -> tuple[str, ...]:
    asked = {*metrics}
    return tuple(each for each in METRICS["WEB_CONVERSION"] if each in asked) or (PURCHASES,)


def _needed(derived: DerivedMetric, conversions: Sequence[str]) -> Iterable[str]:
    for sum_ in filter(None, (derived.sum, derived.per)):
        yield from conversions if sum_ in OF_CONVERSIONS else (metric_named(sum_),)


def metric_columns(
    metrics: Sequence[str], shown: Sequence[str], names: Names, *, is_compared: bool
) -> tuple[str, ...]:
    """Name the columns of metrics: those that were named, or all, each with what it was and its change."""
    columns = [name if name in DERIVED else names.name(name) for name in _shown(metrics, shown)]
    if not is_compared:
        return tuple(columns)
    return tuple(name for column in columns for name in (column, f"{column}{BEFORE}", f"{column}{CHANGE}"))


def _shown(metrics: Sequence[str], shown: Sequence[str]) -> Sequence[str]:
    return shown or [column for metric in metrics for column in columns_of(metric)]


def with_derived(
    table: StatsTable, metrics: Sequence[str], shown: Sequence[str], names: Names, *, is_compared: bool
) -> StatsTable:
    """Return the rows with the columns that were named, derived ones among them, and with changes.

    `metrics` are those of the table, by neutral names. Where nothing was named, all columns are kept.
    """
    if not shown and not is_compared:
        return table
    width, named = len(table.keys), _shown(metrics, shown)
    values = [value_of(table, metrics, name) for name in named]
    if not is_compared:
        rows = ((*row[:width], *(value(row) for value in values)) for row in table.rows)
    else:
        half = len(table.metrics) // 2
        before = [value_of(table, metrics, name, width + half) for name in named]
        pairs = [*zip(values, before, strict=True)]
        rows = (
            (*row[:width], *(cell for now, then in pairs for cell in _with_change(now(row), then(row))))
            for row in table.rows
        )
    columns = metric_columns(metrics, shown, names, is_compared=is_compared)
    return StatsTable(table.keys, columns, rows, table.repeated_posts)


def _with_change(now: Any, before: Any) -> tuple[Any, Any, Any]:
    """Return a number, what it was, and the difference, which is missing where one of them is."""
    return now, before, None if now is None or before is None else now - before


def value_of(
    table: StatsTable, metrics: Sequence[str], name: str, first: int | None = None
) -> Callable[[Row], Any]:
    """Return what gives the value of a column in a row of sums, which begin at a position."""
    width = len(table.keys) if first is None else first
    positions = {
        column: width + at
        for at, column in enumerate(column for metric in metrics for column in columns_of(metric))
    }
    derived = DERIVED.get(name, DerivedMetric(name))
    above, below = (_sum_of(each, metrics, positions) for each in (derived.sum, derived.per))
    if not derived.per:
        return above
    return lambda row: _ratio(above(row), below(row), derived.factor)


def derived_of(question: StatsQuery, numbers: Sequence[Any]) -> dict[str, Any]:
    """Return the derived metrics of sums, which are those of the columns of a question."""
    table = StatsTable((), tuple(question.columns), ())
    asked = {*question.metrics}
    conversions = _conversions(question.metrics)
    return {
        name: value_of(table, question.metrics, name)(tuple(numbers))
        for name, derived in DERIVED.items()
        if asked.issuperset(_needed(derived, conversions))
    }


def _sum_of(name: str, metrics: Sequence[str], positions: dict[str, int]) -> Callable[[Row], Any]:
    if name in OF_CONVERSIONS:
        columns = [f"{each}_{number}" for each in _conversions(metrics) for number in OF_CONVERSIONS[name]]
        places = [positions[column] for column in columns]
    else:
        places = [positions[name]] if name else []

    def added(row: Row) -> Any:
        found = [row[at] for at in places if row[at] is not None]
        return sum(found[1:], found[0]) if found else None

    return added


def _ratio(above: Any, below: Any, factor: Decimal) -> Decimal | None:
    """Divide exactly; nothing where there is nothing to divide by."""
    if above is None or not below:
        return None
    try:
        ratio = Decimal(str(above)) * factor / Decimal(str(below))
        return ratio.quantize(DIGITS, ROUND_HALF_UP).normalize() + 0
    except InvalidOperation:  # too large for that many digits
        return None


METRIC_COLUMNS = ("metric", "group", "unit", "columns", "entities", "needs", "about")
ABOUT = {
    "video_total_views": "changed by the service on 13 August 2026: compare no numbers across that day",
    BILLED_CHARGE: "what is charged; an estimate for three days. 'spend' is a shorter name",
    "cost_per_conversion": "spend for a conversion: those that --metrics names, else purchases",
    "conversion_rate": "conversions per click",
    "ctr": "clicks per impression",
    "cpm": "spend for 1,000 impressions",
    "cpc": "spend for a click",
    "cpe": "spend for an engagement",
    "roas": "what these conversions sold, divided by the spend",
    "spend": "what is charged",
}


def metric_records(names: Names) -> Iterator[dict[str, Any]]:
    """Yield what `--metrics` takes: each metric with its group, and then those that are derived."""
    for group, metrics in METRICS.items():
        for metric in metrics:
            columns = columns_of(metric)
            entities = [each for each in GROUPS_BY_ENTITY if metric in _metrics_of(each, group)]
            unit = "currency" if columns[0].endswith("_local") else "number"
            if len(columns) > 1:
                unit = "numbers" + ", and sale_amount in micro-units" * (columns[-1].endswith("sale_amount"))
            shown = [names.name(column) for column in columns]
            about = ABOUT.get(metric, "")
            yield _metric_record(names.name(metric), group, unit, shown, entities, [], about)
    entities = [each for each, groups in GROUPS_BY_ENTITY.items() if "WEB_CONVERSION" in groups]
    for name, derived in DERIVED.items():
        unit = "currency" if derived.sum == SPEND else "ratio"
        needs = [names.name(metric) for metric in dict.fromkeys(_needed(derived, (PURCHASES,)))]
        yield _metric_record(name, "derived", unit, [name], entities, needs, ABOUT[name])


def _metric_record(*values: Any) -> dict[str, Any]:
    return dict(zip(METRIC_COLUMNS, values, strict=True))


def _metrics_of(entity: str, group: str) -> tuple[str, ...]:
    return metrics_of(entity, group) if group in GROUPS_BY_ENTITY[entity] else ()
