"""What the reference requires: the emulator refuses a request that lacks it."""

import re
from typing import Any

import pytest

from ads_cli.api.names import X
from ads_cli.api.registry import is_of_service
from tests.api.facts_deviations import DEVIATIONS
from tests.api.service_facts import endpoints
from tests.api.test_service_facts import BATCHES, request_of

from .client import Client
from .seeded import CUSTOMERS

CREATE = [{"operation_type": "Create", "params": {}}]
UPDATE = [{"operation_type": "Update", "params": {}}]
# The bodies, by endpoint, whose objects lack everything; those of other endpoints are empty.
BODIES: dict[str, Any] = {
    "custom_audiences.users.create": UPDATE,
    "do_not_reach_lists.users.batch": UPDATE,
    "product_catalogs.products.update": {"products": [{}]},
    "measurement.conversions.create": {"conversions": [{}]},
    "ab_tests.create": {"user_groups": [{}]},
    "cards.create": {"components": [{}]},
}
IN_OPERATIONS = {"operation_type", "params"}  # which the bodies have
IDS = {"custom_audience_id": CUSTOMERS, "do_not_reach_list_id": "3k1a7"}
DEVIATING = {
    "product_catalogs.products.update": {"product_key"},  # which the reference's own example leaves out
    "custom_audiences.batch": {"child_segments"},  # of an optional object
}


def required_parameters(name: str) -> set[str]:
    """The parameters that an endpoint requires by itself, other than those in its path."""
    facts = endpoints()[name]
    operation = endpoints().get(name.replace(".batch", ".create"), {"parameters": {}})
    parameters = facts["parameters"] | (operation["parameters"] if facts["path"] in BATCHES else {})
    required = {
        parameter
        for parameter, details in parameters.items()
        if details["required"] is True and details.get("in") != "path"
    }
    deviations = {*DEVIATIONS.get(name, ()), *DEVIATIONS.get(name.replace(".batch", ".create"), ())}
    return (
        required
        - {deviation.removesuffix(": required") for deviation in deviations}
        - DEVIATING.get(name, set())
    )


def is_of_x(name: str) -> bool:
    request = request_of(name)
    return request is None or is_of_service(request, "x")


REQUIRING = [name for name in endpoints() if required_parameters(name) and is_of_x(name)]


def body_of(name: str) -> Any:
    facts = endpoints()[name]
    empty = CREATE if facts["path"] in BATCHES else {}
    return BODIES.get(name, empty) if facts["travels"] == "json" else None


def address(local: Client, name: str) -> str:
    ids = IDS | {"account_id": local.emulator.account, "product_catalog_id": local.emulator.catalog}
    return re.sub(r"\{(\w+)\}", lambda id: ids.get(id[1], "a1"), endpoints()[name]["path"])


@pytest.mark.parametrize("service_name", ["x"])
@pytest.mark.parametrize("name", REQUIRING)
def test_a_request_without_what_is_required_is_refused(local, name):
    facts = endpoints()[name]
    body = body_of(name)
    expected = required_parameters(name) - (IN_OPERATIONS if isinstance(body, list) else {*(body or ())})
    response = local.send(facts["method"], address(local, name), json_body=body)
    named = re.findall(r'"message": "(?:[^":]*\.)?(\w+): is required', response.text)
    assert expected - {X.name(identifier) for identifier in named} == set()
    assert response.status_code == (200 if "products_response" in response.text else 400)


@pytest.mark.parametrize("service_name", ["x"])
@pytest.mark.parametrize("lacking", [{}, {"operation_type": "Create"}, {"params": {}}])
@pytest.mark.parametrize("name", [name for name in REQUIRING if isinstance(body_of(name), list)])
def test_an_operation_without_its_type_or_parameters_is_refused(local, name, lacking):
    facts = endpoints()[name]
    assert local.send(facts["method"], address(local, name), json_body=[lacking]).status_code == 400
