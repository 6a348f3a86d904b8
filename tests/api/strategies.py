"""Strategies for valid values of declared fields, and values that break each limit."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any, Literal

import msgspec
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from ads_cli.api.ab_tests import UserGroup
from ads_cli.api.endpoint import Request
from ads_cli.api.fields import Field, FieldType, fields_of
from ads_cli.api.problems import InvalidError
from ads_cli.api.time import DayOrTime, ExactTime, HourOrDay, Time
from ads_cli.api.validation import convert

CHARACTERS = st.characters(codec="utf-8")
START = datetime(2026, 3, 1, tzinfo=UTC)
MAX_ITEMS = 4
LINKS = ["https://shop.example/a.jpg", "http://shop.example/b?c=ä"]
LEAF = {"custom_audience_id": "1nmw1", "lookback_window": 7, "frequency": 2, "child_segments": []}
TREE = {"boolean_operator": "AND", "negate": False, "child_segments": [LEAF, LEAF | {"negate": True}]}
# Fields with rules that random values would hardly ever satisfy.
SPECIAL_VALUES = {
    "country_code": st.sampled_from(["DE", "AT", "US"]),
    "price": st.sampled_from(["10 EUR", "12.50 EUR", "99.999 JPY"]),
    "sale_price": st.sampled_from(["1 EUR", "9.99 EUR"]),
    "gtin": st.sampled_from(["4006381333931", "0-306-40615-2"]),
    "price_currency": st.sampled_from(["EUR", "KWD"]),
    "currency": st.sampled_from(["EUR", "KWD"]),
    "segments": st.sampled_from([LEAF, TREE, TREE | {"child_segments": [TREE, LEAF]}]),  # a recursive type
    "time_zone": st.sampled_from(["Europe/Berlin", "UTC"]),
    "metric_groups": st.just(["ENGAGEMENT"]),
    "identifiers": st.sampled_from([[{"platform_click_id": "23opevjt88"}], [{"hashed_email": "a" * 64}]]),
    "color": st.sampled_from(["blue", "decade"]),
    "product_type": st.sampled_from(["Home", "Home > Mugs"]),
    "image_link": st.sampled_from(LINKS),
    "additional_image_link": st.lists(st.sampled_from(LINKS), min_size=1).map(",".join),
    "scheduled_at": st.integers(1, 360).map(lambda days: (datetime.now(UTC) + timedelta(days)).isoformat()),
    "sale_price_effective_date": st.just("2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"),
}


def value_of(field_type: FieldType) -> st.SearchStrategy[Any]:
    """Any value of a type, as in JSON."""
    if field_type.base is Literal:
        return st.sampled_from(field_type.args)
    if field_type.base is bytes:
        return st.binary(min_size=1)
    if field_type.base is bool:
        return st.booleans()
    if field_type.base is int:
        above = field_type.limit("gt")
        least = field_type.limit("ge") if above is None else above + 1
        return st.integers(least, field_type.limit("le"))
    if field_type.base is float:
        return st.floats(field_type.limit("ge"), field_type.limit("le"))
    if field_type.base in (Time, ExactTime, DayOrTime):
        zones = st.sampled_from(
            [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8))]
        )
        hours = st.integers(0, 200).map(lambda hours: START + timedelta(hours=hours))
        return st.builds(lambda moment, zone: moment.astimezone(zone).isoformat(), hours, zones)
    if field_type.base is HourOrDay:
        return st.integers(0, 160).map(lambda hours: (START + timedelta(hours=hours)).isoformat())
    if field_type.base is list:
        fitting = value_of(field_type.item)
        if field_type.is_comma_list:  # a comma separates the items
            fitting = fitting.filter(lambda item: "," not in str(item))
        least = field_type.limit("min_length") or 0
        special = halves(field_type) if components(field_type) is None else components(field_type)
        return st.lists(fitting, min_size=least, max_size=MAX_ITEMS) if special is None else special
    if field_type.structs:
        return st.one_of([fields(struct) for struct in field_type.structs])
    if pattern := field_type.limit("pattern"):
        return matching(pattern)
    return st.text(
        CHARACTERS, min_size=field_type.limit("min_length") or 0, max_size=field_type.limit("max_length")
    )


@cache
def matching(pattern: str) -> st.SearchStrategy[str]:
    return st.from_regex(pattern, alphabet=CHARACTERS)


def components(field_type: FieldType) -> st.SearchStrategy[Any] | None:
    """The components of a card: one media component and one with a destination, in any order."""
    tagged = {struct.__struct_config__.tag: struct for struct in field_type.item.structs}
    if "MEDIA" not in tagged:
        return None
    medium = st.one_of(fields(tagged["MEDIA"]), fields(tagged["SWIPEABLE_MEDIA"]))
    leading = st.one_of(fields(tagged["DETAILS"]), fields(tagged["BUTTON"]))
    return st.tuples(medium, leading).map(list).flatmap(st.permutations)


def halves(field_type: FieldType) -> st.SearchStrategy[Any] | None:
    """The user groups of an A/B test, whose sizes add up."""
    if UserGroup not in field_type.item.structs:
        return None
    group = fields(UserGroup).map(lambda group: group | {"size": "50", "entity_ids": group["entity_ids"][:1]})
    pairs = st.lists(group, min_size=2, max_size=2, unique_by=lambda group: group["entity_ids"][0])
    return pairs.map(list)


@cache
def fields(struct: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """The fields of any instance of a Struct."""
    config = struct.__struct_config__
    tag = {config.tag_field: st.just(config.tag)} if config.tag_field else {}
    made = {field.name: values_of_field(field) for field in fields_of(struct)}
    required = {field.name: made.pop(field.name) for field in fields_of(struct) if field.required}
    return st.fixed_dictionaries(required | tag, optional=made)


def values_of_field(field: Field) -> st.SearchStrategy[Any]:
    is_special = field.name in SPECIAL_VALUES and not field.type.choices
    return SPECIAL_VALUES[field.name] if is_special else value_of(field.type)


@st.composite
def values_of(draw: Any, kind: type[Request]) -> dict[str, Any]:
    """The values of any request; optional fields that break a rule are left out, or added where they lack."""
    values = draw(fields(kind))
    optional = {field.name: field for field in fields_of(kind) if not field.required}
    for _ in range(4):
        try:
            convert(kind, values)
            return values
        except InvalidError as error:
            blamed = {re.split(r"[.\[]", problem.path)[0] for problem in error.problems}
        assume(blamed <= optional.keys())
        lacking = {name: draw(values_of_field(optional[name])) for name in blamed - values.keys()}
        values = {name: value for name, value in values.items() if name not in blamed} | lacking
    return assume(False)


def broken(name: str, field_type: FieldType) -> Iterator[tuple[str, Any]]:
    """Yield values that break one limit each, with the name of the field."""
    least, most = field_type.limit("min_length"), field_type.limit("max_length")
    if field_type.base is list:
        item = simplest(value_of(field_type.item))
        if least is not None:
            yield name, [item] * (least - 1)
        if most is not None:
            yield name, [item] * (most + 1)
        yield from ((leaf, [bad]) for leaf, bad in broken(name, field_type.item))
    elif field_type.structs:
        for struct in field_type.structs:
            sound = simplest(fields(struct))
            yield from ((leaf, sound | changes) for leaf, changes in lacking_or_broken(struct))
    else:
        yield from ((name, value) for value in _broken_value(field_type, least, most))


def lacking_or_broken(struct: type[msgspec.Struct]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield changes that remove a required field (None) or break one limit of a field."""
    for field in fields_of(struct):
        if field.required:
            yield field.name, {field.name: None}
        yield from ((leaf, {field.name: bad}) for leaf, bad in broken(field.name, field.type))


def _broken_value(field_type: FieldType, least: int | None, most: int | None) -> Iterator[Any]:
    if field_type.choices:
        yield "no such value"
    elif field_type.base is int:
        yield "many"
        bounds = ((field_type.limit("ge"), -1), (field_type.limit("le"), 1), (field_type.limit("gt"), 0))
        yield from (bound + beyond for bound, beyond in bounds if bound is not None)
    elif field_type.base is float:
        yield from ("much", "nan", "-Infinity")
    elif field_type.base in (bool, Time, ExactTime, DayOrTime, HourOrDay):
        yield "soon"
    else:
        if least:
            yield "x" * (least - 1)
        if most is not None:
            yield "x" * (most + 1)
        if pattern := field_type.limit("pattern"):
            yield next(text for text in ("a/b", "#", "x", "@x") if not re.search(pattern, text))


@cache
def simplest(strategy: st.SearchStrategy[Any]) -> Any:
    """Return the first value of a strategy, which is about the simplest."""
    values = []

    @settings(
        max_examples=1,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: Any) -> None:
        values.append(value)

    draw()
    return values[0]


@cache
def simplest_values(kind: type[Request]) -> dict[str, Any]:
    return simplest(values_of(kind))
