"""The metrics of statistics against the facts of the public service."""

from typing import get_args

from ads_cli.api.metrics import (
    GROUPS_BY_ENTITY,
    METRICS,
    WEB_METRICS_BY_PLATFORM,
    metrics_of,
    numbers_of,
)
from ads_cli.api.names import X
from ads_cli.api.statistics import JobEntity, SegmentationType
from tests.api.service_facts import FOLDER, group

FACTS = group("analytics", FOLDER)


def test_groups_have_the_metrics_of_the_service():
    facts = {name: group["metrics"] for name, group in FACTS["metric_groups"].items()}
    assert {name: [*map(X.name, metrics)] for name, metrics in METRICS.items()} == facts


def test_entities_have_the_groups_and_metrics_of_the_service():
    wire = X.to_wire({"entity": [*GROUPS_BY_ENTITY]})["entity"]
    declared = {entity: [*groups] for entity, groups in zip(wire, GROUPS_BY_ENTITY.values(), strict=True)}
    assert declared | FACTS["groups_by_entity"] == declared
    assert {*GROUPS_BY_ENTITY} == {
        name for member in get_args(JobEntity) for name in get_args(member) or [member]
    }
    for entity in ("ACCOUNT", "FUNDING_INSTRUMENT"):
        of_whole = FACTS["engagement_metrics_of_account_and_funding_instrument"]
        assert [*map(X.name, metrics_of(entity, "ENGAGEMENT"))] == of_whole


def test_conversions_have_the_segments_and_numbers_of_the_service():
    segmentation, numbers = FACTS["segmentation"], FACTS["conversion_object"]
    assert [*get_args(SegmentationType)] == segmentation["types"]
    assert [*WEB_METRICS_BY_PLATFORM] == segmentation["web_conversion_by_platforms_only"]
    assert [*numbers_of("mobile_conversion_installs")] == numbers["mobile"]
    assert [*numbers_of("mobile_conversion_key_page_views")] == numbers["mobile_key_page_views"]
    assert numbers_of("clicks") == ()
