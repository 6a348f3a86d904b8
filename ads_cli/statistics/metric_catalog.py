"""The metrics that `--metrics` takes, as `adsctl help metrics` lists them."""

from collections.abc import Iterator
from typing import NamedTuple

from ..api.metrics import BILLED_CHARGE, GROUPS_BY_ENTITY, METRICS, metrics_of
from ..api.names import Names
from .derived import DERIVED, needed_metrics
from .query import AMOUNT, columns_of

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
                entities=[entity for entity, known in metrics_by_entity.items() if metric in known],
                needs=[],
                about=ABOUT.get(metric, ""),
            )
    for name, derived in DERIVED.items():
        needed = dict.fromkeys(needed_metrics(derived))
        yield CatalogMetric(
            name,
            "derived",
            "currency" if derived.unit == "amount" else "ratio",
            columns=[name],
            entities=[entity for entity, known in metrics_by_entity.items() if known.issuperset(needed)],
            needs=[*map(names.name, needed)],
            about=derived.about,
        )


def _unit(metric: str) -> str:
    columns = columns_of(metric)
    if len(columns) > 1:  # the numbers of a conversion
        return "numbers" + ", and sale_amount in micro-units" * columns[-1].endswith("sale_amount")
    return "currency" if columns[0].endswith(AMOUNT) else "number"
