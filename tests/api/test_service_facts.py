"""Every declared endpoint against the facts of the public service, which are not the declarations."""

from collections.abc import Iterator
from typing import Any

from ads_cli.api.endpoint import Request
from ads_cli.api.fields import Field, fields_of
from ads_cli.api.names import VALUES, X
from ads_cli.api.registry import requests_for
from tests.api.facts_deviations import DEVIATIONS
from tests.api.service_facts import COPY, FOLDER, GROUPS, SHARED, endpoints, group, records

DECLARED = {  # a line that service x has no longer is of the generic one
    (request.endpoint.method, X.path(request.endpoint.path)): request
    for service in ("generic", "x")
    for request in requests_for(service)
}
BATCHES = {X.path(batch.path): batch for request in DECLARED.values() if (batch := request.endpoint.batch)}
# Fields of one parameter: the limit of the facts, and that of the declaration.
LIMITS = {
    "min": "ge",
    "max": "le",
    "above": "gt",
    "min_length": "min_length",
    "max_length": "max_length",
    "max_items": "max_length",
}
TYPES = {
    "int": "int",
    "long": "int",
    "boolean": "bool",
    "timestamp": ("Time", "DayOrTime", "ExactTime", "HourOrDay"),
    "number": "float",
}


def request_of(name: str) -> type[Request] | None:
    facts = endpoints()[name]
    return DECLARED.get((facts["method"], facts["path"]))


def is_declared(name: str) -> bool:
    return request_of(name) is not None or endpoints()[name]["path"] in BATCHES


def compared() -> list[str]:
    return [name for name in endpoints() if is_declared(name)]


def test_the_copy_holds_what_the_tests_read():
    if SHARED.exists():
        assert [name for name in GROUPS if group(name, SHARED) != group(name, COPY)] == []
    assert FOLDER.exists() and len(endpoints()) == 201


def test_every_endpoint_is_declared():
    assert [name for name in endpoints() if not is_declared(name)] == []


def test_declarations_say_what_the_facts_say():
    deviations = {name: {*differences(name)} for name in compared()}
    stated = {name: {*DEVIATIONS.get(name, ())} for name in deviations}
    assert {
        name: (deviations[name], stated[name]) for name in deviations if deviations[name] != stated[name]
    } == {}


def test_a_deviation_has_a_reason_and_its_endpoint_is_declared():
    assert DEVIATIONS.keys() <= set(compared())
    assert all(len(reason.split()) > 2 for deviation in DEVIATIONS.values() for reason in deviation.values())


def differences(name: str) -> Iterator[str]:
    """Yield how a declaration differs from the facts, as `parameter: what`."""
    facts, request = endpoints()[name], request_of(name)
    if facts["path"] in BATCHES and facts["batch"] != BATCHES[facts["path"]].size:
        yield "batch"
    if request is None:
        return
    if request.endpoint.base != facts["base"]:
        yield "base"
    if request.endpoint.method != "GET" and request.endpoint.params_in != facts["travels"]:
        yield "travels"
    yield from wrong_columns(request, facts)
    yield from wrong_parameters(request, outer_parameters(facts["parameters"]))


def outer_parameters(facts: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the parameters that lie in no other one, and not in the operations of a batch."""
    return {
        name: fact
        for name, fact in facts.items()
        if "within" not in fact and name not in ("operation_type", "params")
    }


def wrong_columns(request: type[Request], facts: dict[str, Any]) -> Iterator[str]:
    """Yield fields of the table that a record does not have."""
    record = records().get(facts["answer"].get("record"))
    if record:
        columns = {X.name(column) for column in request.endpoint.record_fields}
        yield from (f"{column}: no such field" for column in columns - {*record["fields"], "id"})


def wrong_parameters(request: type[Request], facts: dict[str, dict[str, Any]]) -> Iterator[str]:
    declared = {X.name(field.name): field for field in fields_of(request)}
    yield from (f"{name}: missing" for name in facts.keys() - declared.keys())
    yield from (f"{name}: unknown" for name in declared.keys() - facts.keys())
    for name in facts.keys() & declared.keys():
        yield from (f"{name}: {what}" for what in wrong_in(declared[name], facts[name]))


def wrong_in(field: Field, facts: dict[str, Any]) -> Iterator[str]:
    """Yield what differs in one parameter."""
    type_ = field.type
    item = type_.item if type_.base is list else type_
    if (field.required or field.default is not None) != (facts["required"] is True):
        yield "required"
    if (
        type_.is_comma_list != (facts.get("comma_list", False) or facts["type"] == "array")
        and not type_.is_nested
    ):
        yield "comma_list"
    expected = TYPES.get(facts["type"], ())
    if expected and item.base.__name__ not in (expected, *expected) and not item.choices:
        yield "type"
    if "values" in facts and wire_values(field.name, type_.offered or item.offered) != {
        *map(str, facts["values"])
    }:
        yield "values"
    for name, limit in LIMITS.items():
        if name in facts and type_.limit(limit) != facts[name] and not (name != "max_items" and item.choices):
            yield name
    if is_stated(facts) and type_.extra("default") != facts["default"]:
        yield "default"


def is_stated(facts: dict[str, Any]) -> bool:
    """Whether the facts have a default that is a value, other than what leaving the parameter out means."""
    default = facts.get("default", False)
    return default is not False and (not isinstance(default, str) or default in facts.get("values", ()))


def wire_values(name: str, values: tuple[str, ...]) -> set[str]:
    return {VALUES.get(name, {}).get(value, value) for value in values}
