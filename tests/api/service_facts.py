"""The facts of the public service: endpoints, parameters and records, with its names on the wire."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.adsctl import ROOT

SHARED, COPY = ROOT.parent / "shared" / "service", ROOT / "tests" / "data" / "service"
GROUPS = (
    "accounts", "campaigns", "promoted", "targeting", "audiences", "catalog", "creatives", "settings",
    "measurement", "analytics",
)  # fmt: skip
# What the tests read of an endpoint, of a parameter and of a record.
ENDPOINT = ("name", "method", "path", "base", "travels", "batch", "parameters", "answer")
PARAMETER = (
    "in", "within", "type", "required", "default", "min", "max", "above", "min_length", "max_length",
    "max_items", "values", "comma_list", "items",
)  # fmt: skip
ANSWER = ("record", "list", "cursor")
RECORD = ("fields", "values")
STATISTICS = (
    "metric_groups", "groups_by_entity", "engagement_metrics_of_account_and_funding_instrument",
    "segmentation", "conversion_object",
)  # fmt: skip
Facts = dict[str, Any]


def kept(facts: Facts, names: tuple[str, ...]) -> Facts:
    return {name: facts[name] for name in names if name in facts}


def facts_of(document: Facts) -> Facts:
    """Keep of a group what the tests read."""
    endpoints = [kept(endpoint, ENDPOINT) for endpoint in document["endpoints"]]
    for endpoint in endpoints:
        parameters = endpoint["parameters"] or {}
        endpoint["parameters"] = {name: kept(parameter, PARAMETER) for name, parameter in parameters.items()}
        endpoint["answer"] = kept(endpoint["answer"], ANSWER)
    records = {name: kept(record, RECORD) for name, record in (document.get("records") or {}).items()}
    return {"records": records, "endpoints": endpoints, **kept(document, STATISTICS)}


@cache
def group(name: str, folder: Path) -> Facts:
    return facts_of(yaml.load((folder / f"{name}.yaml").read_bytes(), yaml.CSafeLoader))


FOLDER = SHARED if SHARED.exists() else COPY


@cache
def endpoints() -> Facts:
    return {endpoint["name"]: endpoint for name in GROUPS for endpoint in group(name, FOLDER)["endpoints"]}


@cache
def records() -> Facts:
    return {
        name: record
        for name_of_group in GROUPS
        for name, record in group(name_of_group, FOLDER)["records"].items()
    }
