"""Derived metrics: ratios of what the service counts, computed from sums and never averaged."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, NamedTuple

from ..api.amounts import decimals_of
from ..api.metrics import BILLED_CHARGE, GROUPS_BY_ENTITY, METRICS, metrics_of
from ..api.names import Names
from ..errors import UsageError
from ..spelling import comma_list
from .query import (
    MetricChoice,
    StatsQuery,
    all_columns,
    amount_column,
    columns_of,
    metric_named,
    parse_metrics,
)
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


def parse_shown(text: str | None, entity: str) -> MetricChoice:
    """Return what a list of groups, metrics and derived metrics needs and shows; raise UsageError."""
    words = {word: word.lower().replace("-", "_") for word in comma_list(text or "")}
    derived = [name for name in words.values() if name in DERIVED]
    if FREQUENCY in words.values():
        raise UsageError(
            "--metrics: frequency needs the reach, which is no sum: the service has it for whole campaigns "
            "and funding instruments in a period, and in no row of other metrics",
            hint="'adsctl stats reach campaigns' and 'stats reach funding-instruments' show how often",
        )
    if not derived:
        return parse_metrics(text, entity)
    plain = [word for word, name in words.items() if name not in DERIVED]
    conversions = _conversions(parse_metrics(",".join(plain), entity).metrics if plain else ())
    needed = dict.fromkeys(metric for name in derived for metric in _needed(DERIVED[name], conversions))
    shown = dict[str, None]()
    for word, name in words.items():
        columns = [name] if name in DERIVED else all_columns(parse_metrics(word, entity).metrics)
        shown |= dict.fromkeys(columns)
    return parse_metrics(",".join([*plain, *needed]), entity)._replace(shown=tuple(shown))


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
    return shown or all_columns(metrics)


def with_derived(
    table: StatsTable, metrics: Sequence[str], shown: Sequence[str], names: Names, *, is_compared: bool
) -> StatsTable:
    """Return the rows with the columns that were named, derived ones among them, and with changes.

    `metrics` are those of the table, by neutral names. Where nothing was named, all columns are kept.
    """
    if not shown and not is_compared:
        return table
    width, named = len(table.keys), _shown(metrics, shown)
    values = [*map(_Sums(metrics, width).reader, named)]
    if not is_compared:
        rows = ((*row[:width], *(value(row) for value in values)) for row in table.rows)
    else:
        earlier = _Sums(metrics, width + len(table.metrics) // 2)
        pairs = [*zip(values, map(earlier.reader, named), strict=True)]
        rows = (
            (*row[:width], *(cell for now, then in pairs for cell in _with_change(now(row), then(row))))
            for row in table.rows
        )
    columns = metric_columns(metrics, shown, names, is_compared=is_compared)
    return StatsTable(table.keys, columns, rows, table.repeated_posts)


def _with_change(now: Any, before: Any) -> tuple[Any, Any, Any]:
    """Return a number, what it was, and the difference, which is missing where one of them is."""
    return now, before, None if now is None or before is None else now - before


Reader = Callable[[Row], Any]  # of a value in a row


class _Sums:
    """Sums of metrics, which begin at a position of each row: reads them, and what is derived from them."""

    def __init__(self, metrics: Sequence[str], first: int) -> None:
        self._conversions = _conversions(metrics)
        self._positions = {column: at for at, column in enumerate(all_columns(metrics), first)}

    def reader(self, name: str) -> Reader:
        """Return what reads the value of a column."""
        derived = DERIVED.get(name, DerivedMetric(name))
        above = self._sum(derived.sum)
        if not derived.per:
            return above
        below = self._sum(derived.per)
        return lambda row: _ratio(above(row), below(row), derived.factor)

    def _sum(self, name: str) -> Reader:
        ends = OF_CONVERSIONS.get(name)
        columns = [f"{each}_{end}" for each in self._conversions for end in ends] if ends else [name]
        positions = [self._positions[column] for column in columns]

        def added(row: Row) -> Any:
            found = [row[at] for at in positions if row[at] is not None]
            return sum(found[1:], found[0]) if found else None

        return added


def derived_of(question: StatsQuery, numbers: Sequence[Any]) -> dict[str, Any]:
    """Return the derived metrics of sums, which are those of the columns of a question."""
    asked, conversions = {*question.metrics}, _conversions(question.metrics)
    sums = _Sums(question.metrics, 0)
    return {
        name: sums.reader(name)(tuple(numbers))
        for name, derived in DERIVED.items()
        if asked.issuperset(_needed(derived, conversions))
    }


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
