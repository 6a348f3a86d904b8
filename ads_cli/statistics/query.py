"""Statistics queries, and the requests that they are cut into."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from typing import NamedTuple

import msgspec

from ..api.metrics import (
    ALL_GROUPS,
    BILLED_CHARGE,
    GROUPS_BY_ENTITY,
    METRICS,
    WEB_METRICS_BY_PLATFORM,
    metrics_of,
    numbers_of,
    segments_problem,
)
from ..api.names import neutral_name
from ..api.statistics import MAX_ENTITIES
from ..errors import UsageError
from ..output.text import counted
from ..parallel import batched
from ..spelling import comma_list, suggestion
from .periods import Period

OWN_REQUEST = "MOBILE_CONVERSION"  # in a request of its own
FIND_COUNTRY = "'adsctl targeting search locations' finds the targeting value of a country"
MICRO, AMOUNT = "_local_micro", "_local"  # the ends of the names of amounts, as sent and in rows
SALE_AMOUNT = "_sale_amount"  # the end of the names of amounts that are in micro-units in rows too


class StatsQuery(msgspec.Struct, frozen=True):
    """A statistics query: metrics of entities in a period."""

    entity: str
    ids: tuple[str, ...]
    period: Period
    granularity: str
    groups: tuple[str, ...]
    metrics: tuple[str, ...]  # shown, in their order
    placement: str
    segmentation: str | None = None
    country: str | None = None
    platform: str | None = None
    group_by: tuple[str, ...] = ()  # rows that are equal in these columns are added up
    shown: tuple[str, ...] = ()  # columns, derived ones among them; none means those of all metrics

    @property
    def text(self) -> str:
        """Describe the query in one line."""
        entities = counted(len(self.ids), self.noun)
        step = {"DAY": "day", "HOUR": "hour"}.get(self.granularity, "")
        by = " and ".join(self.group_by) or step
        part = f", only of the platform {self.platform}" if self.platform else ""
        return f"{entities}, {self.period.text}{by and f', by {by}'}{part}"

    @property
    def noun(self) -> str:
        """What the entities are: `line item`."""
        return self.entity.lower().replace("_", " ")

    @property
    def columns(self) -> list[str]:
        """Name the columns of the metrics, by neutral names."""
        return all_columns(self.metrics)


class QueryPart(msgspec.Struct, frozen=True):
    """One request or job: some entities, a window, and groups of metrics that may be requested together."""

    ids: tuple[str, ...]
    window: Period
    groups: tuple[str, ...]


def parts(query: StatsQuery, longest: timedelta) -> Iterator[list[QueryPart]]:
    """Cut a query: for every few entities, the parts that make up their rows."""
    apart = [(group,) for group in query.groups if group == OWN_REQUEST]
    together = tuple(group for group in query.groups if group != OWN_REQUEST)
    for few in map(tuple, batched(query.ids, MAX_ENTITIES)):
        yield [
            QueryPart(few, window, groups)
            for window in query.period.windows(longest)
            for groups in (together, *apart)
            if groups
        ]


class MetricChoice(NamedTuple):
    """What `--metrics` names."""

    groups: tuple[str, ...]  # to ask for
    metrics: tuple[str, ...]  # to add up
    shown: tuple[str, ...] = ()  # columns, derived ones among them; none means those of all metrics


def parse_metrics(text: str | None, entity: str) -> MetricChoice:
    """Return the groups and the metrics that a list of either names; raise UsageError."""
    available = GROUPS_BY_ENTITY[entity]
    if text is None:
        chosen: Sequence[str] = [group for group in ("ENGAGEMENT", "BILLING") if group in available]
    else:
        chosen = comma_list(text)
    groups, metrics = dict[str, None](), dict[str, None]()
    for word in chosen:
        group, named = _group_of(word, entity)
        groups[group] = None
        metrics |= dict.fromkeys(named)
    if not groups:
        raise UsageError("--metrics: names no metric", hint=f"groups: {', '.join(available)}")
    return MetricChoice(tuple(group for group in ALL_GROUPS if group in groups), tuple(metrics))


def _group_of(word: str, entity: str) -> tuple[str, tuple[str, ...]]:
    """Return the group that a word names or its metric is of, and the metrics that it names."""
    available = GROUPS_BY_ENTITY[entity]
    group, metric = word.upper().replace("-", "_"), metric_named(word)
    for candidate in available:
        if group == candidate:
            return candidate, metrics_of(entity, candidate)
        if metric in metrics_of(entity, candidate):
            return candidate, (metric,)
    if group in METRICS or any(metric in metrics for metrics in METRICS.values()):
        raise UsageError(
            f"--metrics: {entity} has no {word}", hint=f"it has the groups {', '.join(available)}"
        )
    names = (*METRICS, *(candidate for metrics in METRICS.values() for candidate in metrics))
    of_result = "; 'adsctl overview' has the cost per result of campaigns" if "result" in word.lower() else ""
    raise UsageError(
        f"--metrics: {word!r} is not a known group or metric{suggestion(word, names)}",
        hint=f"groups: {', '.join(ALL_GROUPS)}; 'adsctl help metrics' lists every metric{of_result}",
    )


def metric_named(word: str) -> str:
    """Return the metric of a name, which may be that of the service or of a column."""
    name = neutral_name(word.lower())
    return BILLED_CHARGE if name == amount_column(BILLED_CHARGE) else name


@cache
def columns_of(metric: str) -> list[str]:
    """Name the columns of a metric: one, or one for each number of a conversion."""
    return [f"{metric}_{number}" for number in numbers_of(metric)] or [amount_column(metric)]


def all_columns(metrics: Iterable[str]) -> list[str]:
    """Name the columns of metrics, in their order."""
    return [column for metric in metrics for column in columns_of(metric)]


def amount_column(metric: str) -> str:
    """Return the name of a metric in rows, where amounts are in units of the currency."""
    return metric.removesuffix(MICRO) + AMOUNT if metric.endswith(MICRO) else metric


def is_money(column: str) -> bool:
    """Tell whether the numbers of a column are amounts, which have a sum in one currency only."""
    return column.endswith((AMOUNT, SALE_AMOUNT))


def require_segments(query: StatsQuery) -> None:
    """Raise UsageError for segments that the service does not have of these metrics."""
    segmentation, groups = query.segmentation, query.groups
    if segmentation == "METROS" and not query.country:
        raise UsageError("--country: is required when --segment-by is METROS", hint=FIND_COUNTRY)
    if query.country and segmentation != "METROS":
        raise UsageError("--country: is for --segment-by METROS only", hint="leave it out")
    if problem := segments_problem(segmentation, groups):
        raise UsageError(f"--segment-by: {problem}", hint="choose --metrics")
    if segmentation == "CONVERSION_TAGS" and {*query.metrics} <= {*WEB_METRICS_BY_PLATFORM}:
        raise UsageError(
            f"--segment-by: {query.metrics[0]} has no segments by CONVERSION_TAGS, only by PLATFORMS",
            hint="choose --metrics",
        )


def unique(ids: Iterable[str]) -> tuple[str, ...]:
    """Return ids in their order, each once."""
    return tuple(dict.fromkeys(id.strip() for id in ids if id.strip()))
