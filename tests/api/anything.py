"""Values for declared fields: any that keep to the declaration, and some that break each limit of it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from typing import Any, Literal

import msgspec
from hypothesis import HealthCheck, Phase, assume, find, settings
from hypothesis import strategies as st

from ads_cli.api.endpoint import Request
from ads_cli.api.fields import FieldType, fields_of
from ads_cli.api.time import Time
from ads_cli.api.validation import InvalidError, convert

CHARACTERS = st.characters(codec="utf-8")
BEGINNING = datetime(2026, 3, 1, tzinfo=UTC)
MOST_ITEMS = 4
LINKS = ["https://shop.example/a.jpg", "http://shop.example/b?c=ä"]
# What a rule asks of a field by itself, so that values at random would hardly ever do.
PARTICULAR = {
    "country_code": st.sampled_from(["DE", "AT", "US"]),
    "price": st.sampled_from(["10 EUR", "12.50 EUR", "99.999 JPY"]),
    "sale_price": st.sampled_from(["1 EUR", "9.99 EUR"]),
    "gtin": st.sampled_from(["4006381333931", "0-306-40615-2"]),
    "color": st.sampled_from(["blue", "decade"]),
    "product_type": st.sampled_from(["Home", "Home > Mugs"]),
    "image_link": st.sampled_from(LINKS),
    "additional_image_link": st.lists(st.sampled_from(LINKS), min_size=1).map(",".join),
    "sale_price_effective_date": st.just("2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"),
}


def value_of(kind: FieldType) -> st.SearchStrategy[Any]:
    """Make any value of a kind, as JSON has it."""
    if kind.base is Literal:
        return st.sampled_from(kind.args)
    if kind.base is bool:
        return st.booleans()
    if kind.base is int:
        above = kind.limit("gt")
        least = kind.limit("ge") if above is None else above + 1
        return st.integers(least, kind.limit("le"))
    if kind.base is Time:
        zones = st.sampled_from(
            [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=8))]
        )
        hours = st.integers(0, 200).map(lambda hours: BEGINNING + timedelta(hours=hours))
        return st.builds(lambda moment, zone: moment.astimezone(zone).isoformat(), hours, zones)
    if kind.base is list:
        fitting = value_of(kind.item)
        if kind.is_comma_list:  # which travels with commas between
            fitting = fitting.filter(lambda item: "," not in str(item))
        least = kind.limit("min_length") or 0
        special = components(kind)
        return st.lists(fitting, min_size=least, max_size=MOST_ITEMS) if special is None else special
    if kind.structs:
        return st.one_of([fields(struct) for struct in kind.structs])
    if pattern := kind.limit("pattern"):
        return st.from_regex(pattern, alphabet=CHARACTERS)
    return st.text(CHARACTERS, min_size=kind.limit("min_length") or 0, max_size=kind.limit("max_length"))


def components(kind: FieldType) -> st.SearchStrategy[Any] | None:
    """Make what a card is made of: one medium and one that leads somewhere, in any order."""
    tagged = {struct.__struct_config__.tag: struct for struct in kind.item.structs}
    if "MEDIA" not in tagged:
        return None
    medium = st.one_of(fields(tagged["MEDIA"]), fields(tagged["SWIPEABLE_MEDIA"]))
    leading = st.one_of(fields(tagged["DETAILS"]), fields(tagged["BUTTON"]))
    return st.tuples(medium, leading).map(list).flatmap(st.permutations)


def fields(struct: type[msgspec.Struct]) -> st.SearchStrategy[dict[str, Any]]:
    """Make the fields of any instance of a Struct."""
    config = struct.__struct_config__
    tag = {config.tag_field: st.just(config.tag)} if config.tag_field else {}
    made = {
        field.name: PARTICULAR[field.name] if field.name in PARTICULAR else value_of(field.type)
        for field in fields_of(struct)
    }
    required = {field.name: made.pop(field.name) for field in fields_of(struct) if field.required}
    return st.fixed_dictionaries(required | tag, optional=made)


@st.composite
def values_of(draw: Any, kind: type[Request]) -> dict[str, Any]:
    """Make the values of any request; what breaks a rule between fields and may be left out is left out."""
    values = draw(fields(kind))
    optional = {field.name for field in fields_of(kind) if not field.required}
    for _ in range(3):
        try:
            convert(kind, values)
            return values
        except InvalidError as error:
            blamed = {re.split(r"[.\[]", problem.path)[0] for problem in error.problems}
        assume(blamed <= optional & values.keys())
        values = {name: value for name, value in values.items() if name not in blamed}
    return assume(False)


def broken(name: str, kind: FieldType) -> Iterator[tuple[str, Any]]:
    """Give values that break one limit each, with the name of the field that has the limit."""
    least, most = kind.limit("min_length"), kind.limit("max_length")
    if kind.base is list:
        item = simplest(value_of(kind.item))
        if least is not None:
            yield name, [item] * (least - 1)
        if most is not None:
            yield name, [item] * (most + 1)
        yield from ((leaf, [bad]) for leaf, bad in broken(name, kind.item))
    elif kind.structs:
        for struct in kind.structs:
            sound = simplest(fields(struct))
            yield from ((leaf, sound | changes) for leaf, changes in lacking_or_broken(struct))
    else:
        yield from ((name, value) for value in _broken_value(kind, least, most))


def lacking_or_broken(struct: type[msgspec.Struct]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give changes that take away a required field, or break one limit of any; None takes away."""
    for field in fields_of(struct):
        if field.required:
            yield field.name, {field.name: None}
        yield from ((leaf, {field.name: bad}) for leaf, bad in broken(field.name, field.type))


def _broken_value(kind: FieldType, least: int | None, most: int | None) -> Iterator[Any]:
    if kind.choices:
        yield "no such value"
    elif kind.base is int:
        yield "many"
        bounds = ((kind.limit("ge"), -1), (kind.limit("le"), 1), (kind.limit("gt"), 0))
        yield from (bound + beyond for bound, beyond in bounds if bound is not None)
    elif kind.base in (bool, Time):
        yield "soon"
    else:
        if least:
            yield "x" * (least - 1)
        if most is not None:
            yield "x" * (most + 1)
        if pattern := kind.limit("pattern"):
            yield next(text for text in ("a/b", "#", "x") if not re.search(pattern, text))


@cache
def simplest(strategy: st.SearchStrategy[Any]) -> Any:
    """Give the first value that a strategy makes, which is about the simplest."""
    first = settings(derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    return find(strategy, lambda value: True, settings=first)
