"""Derived metrics: ratios of what the service counts, computed from sums and never averaged.

And the catalog of all metrics that `--metrics` takes, as `adsctl help metrics` lists them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from ..api.amounts import MICROS_PER_UNIT
from ..api.metrics import (
    BEFORE,
    BILLED_CHARGE,
    CHANGE,
    DERIVED_UNITS,
    GROUPS_BY_ENTITY,
    METRICS,
    metrics_of,
)
from ..api.names import Names
from ..errors import UsageError
from ..output.figures import amount_text, fixed, percent_text
from ..spelling import comma_list
from .query import (
    AMOUNT,
    SALE_AMOUNT,
    MetricChoice,
    StatsQuery,
    all_columns,
    amount_column,
    columns_of,
    is_money,
    metric_named,
    parse_metrics,
)
from .results import COUNTED
from .rows import Row, StatsTable

SPEND_COLUMN = amount_column(BILLED_CHARGE)
DIGITS = Decimal("0.000001")
Numbers = Mapping[str, Any]  # by neutral names of columns
# What counts as a conversion where no conversion is asked for beside it.
PURCHASES = "conversion_purchases"
CONVERSIONS, SALES = "conversions", "sales"  # sums over the conversions that are asked for; sales in micros
OF_CONVERSIONS = {CONVERSIONS: COUNTED, SALES: ("sale_amount",)}


class DerivedMetric(NamedTuple):
    """A ratio of two sums, or one sum under a shorter name. A sum is a column, or one of OF_CONVERSIONS."""

    title: str
    about: str  # for `help metrics`
    dividend: str
    divisor: str = ""
    factor: Decimal = Decimal(1)

    @property
    def has_amounts(self) -> bool:
        """Tell whether it is made of amounts, which have a sum in one currency only."""
        return not {SPEND_COLUMN, SALES}.isdisjoint((self.dividend, self.divisor))


DERIVED = {
    "spend": DerivedMetric("Spend", "what is charged", SPEND_COLUMN),
    "ctr": DerivedMetric("Click rate", "clicks per impression", "clicks", "impressions"),
    "cpc": DerivedMetric("Cost per click", "spend for a click", SPEND_COLUMN, "clicks"),
    "cpm": DerivedMetric(
        "Cost per 1,000 impressions",
        "spend for 1,000 impressions",
        SPEND_COLUMN,
        "impressions",
        Decimal(1000),
    ),
    "cpe": DerivedMetric("Cost per engagement", "spend for an engagement", SPEND_COLUMN, "engagements"),
    "cost_per_conversion": DerivedMetric(
        "Cost per conversion",
        "spend for a conversion: those that --metrics names, else purchases",
        SPEND_COLUMN,
        CONVERSIONS,
    ),
    "conversion_rate": DerivedMetric("Conversion rate", "conversions per click", CONVERSIONS, "clicks"),
    "roas": DerivedMetric(
        "Return on spend",
        "what these conversions sold, divided by the spend",
        SALES,
        SPEND_COLUMN,
        factor=Decimal("0.000001"),
    ),
}
FREQUENCY = "frequency"


def is_ratio(column: str) -> bool:
    """Tell whether the numbers of a column have no sum."""
    return column in DERIVED and bool(DERIVED[column].divisor)


def is_amount(column: str) -> bool:
    """Tell whether the numbers of a column, which may be derived, are amounts of a currency."""
    return is_money(column) or DERIVED_UNITS.get(column) == "amount"


def as_text(name: str, value: Any, currency: str) -> str:
    """Write a derived metric for people: 1.15 %, 18.49 EUR."""
    match DERIVED_UNITS[name]:
        case "percent":
            return percent_text(value)
        case "amount":
            return amount_text(value, currency)
    return fixed(value, 2)


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
    needed = dict.fromkeys(
        metric for name in derived for metric in needed_metrics(DERIVED[name], conversions)
    )
    shown = dict[str, None]()
    for word, name in words.items():
        columns = [name] if name in DERIVED else all_columns(parse_metrics(word, entity).metrics)
        shown |= dict.fromkeys(columns)
    return parse_metrics(",".join([*plain, *needed]), entity)._replace(shown=tuple(shown))


def _conversions(metrics: Iterable[str]) -> tuple[str, ...]:
    """Return the conversions among metrics, else purchases; adding what these need changes nothing of it."""
    columns = {*metrics}
    return tuple(metric for metric in METRICS["WEB_CONVERSION"] if metric in columns) or (PURCHASES,)


def needed_metrics(derived: DerivedMetric, conversions: Sequence[str] = (PURCHASES,)) -> Iterator[str]:
    """Yield the metrics of the service that a derived one is computed from."""
    for name in filter(None, (derived.dividend, derived.divisor)):
        yield from conversions if name in OF_CONVERSIONS else (metric_named(name),)


def metric_columns(
    metrics: Sequence[str], shown: Sequence[str], names: Names, *, is_compared: bool
) -> tuple[str, ...]:
    """Name the columns of metrics: those that were named, or all, each with what it was and its change."""
    named = shown or all_columns(metrics)
    columns = [name if name in DERIVED else names.name(name) for name in named]
    if not is_compared:
        return tuple(columns)
    return tuple(name for column in columns for name in (column, f"{column}{BEFORE}", f"{column}{CHANGE}"))


def with_derived(table: StatsTable, metrics: Sequence[str], shown: Sequence[str], names: Names) -> StatsTable:
    """Return the rows with the columns that were named, derived ones among them, and with changes.

    `metrics` are those of the table, by neutral names. Where nothing was named, all columns are kept.
    """
    is_compared = table.is_compared
    if not shown and not is_compared:
        return table
    width, conversions, all_of_them = len(table.keys), _conversions(metrics), all_columns(metrics)
    periods = [
        {column: table.columns.index(names.name(column) + suffix) for column in all_of_them}
        for suffix in (("", BEFORE) if is_compared else ("",))
    ]

    def cells(row: Row) -> Iterable[Any]:
        """Compute the numbers of a row, of each period, from those at these positions."""
        numbers = ({column: row[at] for column, at in period.items()} for period in periods)
        values = [[_value(name, number, conversions) for name in shown or all_of_them] for number in numbers]
        return chain.from_iterable(map(_with_change, *values)) if is_compared else values[0]

    rows = ((*row[:width], *cells(row)) for row in table.rows)
    columns = metric_columns(metrics, shown, names, is_compared=is_compared)
    return StatsTable(table.keys, columns, rows, table.repeated_posts)


def _with_change(now: Any, before: Any) -> tuple[Any, Any, Any]:
    """Return a number, what it was, and the difference, which is missing where one of them is."""
    return now, before, None if now is None or before is None else now - before


def derived_of(
    query: StatsQuery, numbers: Numbers, conversions: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return each derived metric that the sums of the columns of a query give, amounts in units.

    Without `conversions` they are those of the query.
    """
    numbers = {
        name: value * MICROS_PER_UNIT if value and name.endswith(SALE_AMOUNT) else value
        for name, value in numbers.items()
    }
    conversions = tuple(conversions or _conversions(query.metrics))
    return {name: _value(name, numbers, conversions) for name in _derivable(query.metrics, conversions)}


@lru_cache(64)
def _derivable(metrics: tuple[str, ...], conversions: tuple[str, ...]) -> list[str]:
    """Name what metrics derive: the same for each of thousands of rows."""
    known = {*metrics}
    return [
        name for name, derived in DERIVED.items() if known.issuperset(needed_metrics(derived, conversions))
    ]


def _value(name: str, numbers: Numbers, conversions: Sequence[str]) -> Any:
    """Return the number of a column, or what is derived from the numbers of others."""
    if name not in DERIVED:
        return numbers[name]
    derived = DERIVED[name]
    above = _sum(derived.dividend, numbers, conversions)
    if not derived.divisor:
        return above
    return _ratio(above, _sum(derived.divisor, numbers, conversions), derived.factor)


def _sum(name: str, numbers: Numbers, conversions: Sequence[str]) -> Any:
    if name not in OF_CONVERSIONS:
        return numbers[name]
    columns = (f"{conversion}_{part}" for conversion in conversions for part in OF_CONVERSIONS[name])
    counted = [number for column in columns if (number := numbers.get(column)) is not None]
    return sum(counted) if counted else None


def _ratio(above: Any, below: Any, factor: Decimal) -> Decimal | None:
    """Divide exactly; nothing where there is nothing to divide by."""
    if above is None or not below:
        return None
    try:
        ratio = Decimal(str(above)) * factor / Decimal(str(below))
        # Without trailing zeros. + 0 makes 100 of 1E+2, and 0 of -0.
        return ratio.quantize(DIGITS, ROUND_HALF_UP).normalize() + 0
    except InvalidOperation:  # too large for that many digits
        return None


ABOUT = {  # metrics of the service
    "video_total_views": "changed by the service on 13 August 2026: compare no numbers across that day",
    BILLED_CHARGE: "what is charged; an estimate for three days. 'spend' is a shorter name",
}


class CatalogMetric(NamedTuple):
    """A metric by the names of a service; its fields are the columns of the list."""

    metric: str
    group: str
    unit: str
    columns: list[str]  # of rows
    entities: list[str]  # that have it
    needs: list[str]  # the metrics that it is derived from
    about: str


def catalog_metrics(names: Names) -> Iterator[CatalogMetric]:
    """Yield each metric of the service with its group, and then those that are derived."""
    metrics_by_entity = {
        entity: {metric for group in groups for metric in metrics_of(entity, group)}
        for entity, groups in GROUPS_BY_ENTITY.items()
    }
    for group, metrics in METRICS.items():
        for metric in metrics:
            yield CatalogMetric(
                names.name(metric),
                group,
                _unit(metric),
                columns=[*map(names.name, columns_of(metric))],
                entities=[entity for entity, measured in metrics_by_entity.items() if metric in measured],
                needs=[],
                about=ABOUT.get(metric, ""),
            )
    for name, derived in DERIVED.items():
        needed = dict.fromkeys(needed_metrics(derived))
        yield CatalogMetric(
            name,
            "derived",
            "currency" if is_amount(name) else "ratio",
            columns=[name],
            entities=[
                entity for entity, measured in metrics_by_entity.items() if measured.issuperset(needed)
            ],
            needs=[*map(names.name, needed)],
            about=derived.about,
        )


def _unit(metric: str) -> str:
    columns = columns_of(metric)
    if len(columns) > 1:  # the numbers of a conversion
        has_sales = columns[-1].endswith(SALE_AMOUNT)
        return "numbers, and sale_amount in micro-units" if has_sales else "numbers"
    return "currency" if columns[0].endswith(AMOUNT) else "number"
