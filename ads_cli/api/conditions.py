"""Conditions between the fields of a declaration, written as decorators of its class.

    @requires("duration_in_days", "frequency_cap")
    @required_when("bid_amount_local_micro", bid_strategy=("MAX", "TARGET"))
    class CreateLineItem(InAccount): ...

Each becomes a rule of the class and of its subclasses (see `validation.rule`), so that every broken
condition is reported at once. A field counts as given unless it is None, false or empty. What these cannot
say is a `@rule`.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from .validation import rule

S = TypeVar("S", bound=type[msgspec.Struct])
Values = tuple[str | int, ...]


class Decorator(Protocol):
    """Adds rules to a declaration, and returns it."""

    def __call__(self, struct: S, /) -> S:
        """Return the declaration."""


def requires(field: str, *others: str) -> Decorator:
    """Accept `field` only with all of `others`."""
    return _with_each(field, others, is_wanted=True, name="needs", message="needs")


def together(first: str, second: str) -> Decorator:
    """Require `second` with `first`, and accept it only there."""

    def check(item: Any) -> str | None:
        has_first, has_second = is_given(getattr(item, first)), is_given(getattr(item, second))
        if has_first and not has_second:
            return f"is required when {first} is set"
        return f"needs {first}" if has_second and not has_first else None

    return _conditions({f"{second}_with_{first}": (second, check)}, (first,))


def excludes(field: str, *others: str) -> Decorator:
    """Accept `field` only without each of `others`."""
    return _with_each(field, others, is_wanted=False, name="without", message="cannot be used with")


def required_when(field: str, **when: Values) -> Decorator:
    """Require `field` where each field of `when` has one of its values, or a list has one among its items."""

    def check(item: Any) -> str | None:
        if is_given(getattr(item, field)) or (case := _case(item, when)) is None:
            return None
        return f"is required when {case}"

    return _conditions({f"{field}_for_{'_'.join(when)}": (field, check)}, when)


def only_for(field: str, *only: str | int, **where: Values) -> Decorator:
    """Accept `field`, or its values `only`, where each field of `where` is not given or has such a value."""

    def check(item: Any) -> str | None:
        value = getattr(item, field)
        if not is_given(value) or (only and value not in only):
            return None
        for name, allowed in where.items():
            other = getattr(item, name)
            if is_given(other) and not _has(other, allowed):
                return f"{f'{value} ' if only else ''}is for {name} {_either(allowed)} only"
        return None

    kind = "_".join(map(str, (field, *only, "only_for", *where)))
    return _conditions({kind: (field, check)}, where)


def at_least_one(*fields: str, **when: Values) -> Decorator:
    """Require one of `fields`, where each field of `when` has one of its values."""
    first, *others = fields

    def check(item: Any) -> str | None:
        present = [name for name in fields if is_given(getattr(item, name))]
        if present or (case := _case(item, when)) is None:
            return None
        return f"is required{f' when {case}' if case else ''} unless {_either(tuple(others))} is set"

    return _conditions({f"{'_or_'.join(fields)}": (first, check)}, (*others, *when))


def at_most(field: str, other: str) -> Decorator:
    """Accept `field` up to the value of `other`, where both are given."""

    def check(item: Any) -> str | None:
        value, most = getattr(item, field), getattr(item, other)
        if value is None or most is None or value <= most:
            return None
        return f"{value} is more than {other}, {most}"

    return _conditions({f"{field}_within_{other}": (field, check)}, (other,))


def later_than(field: str, other: str) -> Decorator:
    """Accept a time only after that of `other`, where both are given."""

    def check(item: Any) -> str | None:
        end, start = getattr(item, field), getattr(item, other)
        return None if not end or not start or end.moment > start.moment else f"is not after {other}"

    return _conditions({f"{field}_after_{other}": (field, check)}, (other,))


def is_given(value: Any) -> bool:
    """Whether the value of a field counts as given."""
    return not (value is None or value is False or value == "" or value == [])


def _with_each(field: str, others: tuple[str, ...], *, is_wanted: bool, name: str, message: str) -> Decorator:
    """Accept `field` only where each other field is given, or only where none is."""

    def check_of(other: str) -> Callable[[Any], str | None]:
        def check(item: Any) -> str | None:
            is_wrong = is_given(getattr(item, field)) and is_given(getattr(item, other)) != is_wanted
            return f"{message} {other}" if is_wrong else None

        return check

    return _conditions({f"{field}_{name}_{other}": (field, check_of(other)) for other in others}, others)


def _conditions(checks: dict[str, tuple[str, Callable[[Any], str | None]]], read: Any) -> Decorator:
    """Add checks to a class, each by its name and the field that it is about. `read` are the other fields."""

    # A name is used once in a class. That of a base may be used again, since no rule replaces another.
    def decorate(struct: S) -> S:
        fields = {*read, *(field for field, _ in checks.values())}
        if unknown := fields - {*struct.__struct_fields__}:
            raise TypeError(f"{struct.__name__} has no field {', '.join(sorted(unknown))}")
        for name, (field, check) in checks.items():
            if name in vars(struct):
                raise TypeError(f"{struct.__name__} has two conditions {name}; one would hide the other")
            check.__name__ = name
            setattr(struct, name, rule(field)(check))
        return struct

    return decorate


def _case(item: Any, when: dict[str, Values]) -> str | None:
    """Describe how an item meets every condition of `when`; None if it does not."""
    met = []
    for name, values in when.items():
        value = getattr(item, name)
        if isinstance(value, list):
            matches = [choice for choice in value if choice in values]
            met.append(f"{name} has {matches[0]}" if matches else "")
        else:
            met.append(f"{name} is {value}" if value in values else "")
    return " and ".join(met) if all(met) else None


def _has(value: Any, allowed: Values) -> bool:
    return any(item in allowed for item in value) if isinstance(value, list) else value in allowed


def _either(words: Values) -> str:
    *most, last = map(str, words)
    return f"{', '.join(most)} or {last}" if most else last
