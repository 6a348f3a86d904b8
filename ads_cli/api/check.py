"""Values against a declaration: the whole at once, and every problem by name when that fails."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..nearest import nearest
from .fields import Kind, fields_of, kind_of
from .time import parsed

S = TypeVar("S", bound=msgspec.Struct)
Rule = Callable[[Any], str | None]


class Problem(NamedTuple):
    """One broken rule: the path of the field (`components[1].destination.url`) and the reason in words."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class InvalidError(Exception):
    """Values break the declaration; `problems` holds every broken rule."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def rule(blamed: str) -> Callable[[Rule], Rule]:
    """Make a method a rule between fields: it returns the reason, or None where all is well.

    `blamed` is the field that the reason is told of. A rule is left out where a field that it
    reads is wrong by itself already.
    """

    def mark(method: Rule) -> Rule:
        method.blames = blamed  # type: ignore[attr-defined]
        return method

    return mark


def convert(kind: type[S], values: Mapping[str, Any], *, strict: bool = False) -> S:
    """Make values an instance of `kind`; raise InvalidError with every problem.

    Unless `strict`, text stands for what it spells: "5" for 5, "true" for true.
    """
    try:
        item = msgspec.convert(values, kind, strict=strict, dec_hook=parsed)
    except msgspec.ValidationError as error:
        # Where no field is to blame by itself, msgspec's own words are all there is.
        raise InvalidError(list(_problems(kind, values, strict)) or [Problem("", str(error))]) from None
    if broken := broken_rules(item):
        raise InvalidError(broken)
    return item


def broken_rules(item: msgspec.Struct, at: str = "") -> list[Problem]:
    """Try every rule of an instance and of the instances inside it."""
    problems = [
        Problem(at + method.blames, reason)  # type: ignore[attr-defined]
        for method in _rules(type(item))
        if (reason := method(item))
    ]
    for name in _nesting(type(item)):
        value = getattr(item, name)
        for path, inner in enumerate(value) if isinstance(value, list) else (("", value),):
            if isinstance(inner, msgspec.Struct):
                here = f"{at}{name}[{path}]." if path != "" else f"{at}{name}."
                problems += broken_rules(inner, here)
    return problems


@cache
def _rules(kind: type[msgspec.Struct]) -> tuple[Rule, ...]:
    methods = (vars(base) for base in reversed(kind.__mro__))
    return tuple(thing for names in methods for thing in names.values() if hasattr(thing, "blames"))


@cache
def _nesting(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in fields_of(kind)
        if field.kind.is_struct or (field.kind.base is list and field.kind.item.is_struct)
    )


class _Unsound(Exception):
    """A rule read a field that is wrong by itself."""


class _Partial:
    """Stands in for an instance that could not be made; only its sound fields can be read."""

    def __init__(self, sound: dict[str, Any]) -> None:
        self.__dict__.update(sound)

    def __getattr__(self, name: str) -> Any:
        raise _Unsound(name)


def _problems(kind: type[msgspec.Struct], values: Any, strict: bool, at: str = "") -> Iterator[Problem]:
    """Look at each field by itself, then at every rule whose fields are sound."""
    if not isinstance(values, Mapping):
        yield Problem(at.rstrip("."), f"must be an object, not {_named(values)}")
        return
    declared = {field.name: field for field in fields_of(kind)}
    strange = values.keys() - declared.keys() if kind.__struct_config__.forbid_unknown_fields else ()
    for name in strange:
        yield Problem(f"{at}{name}", f"is not a known field{nearest(str(name), declared)}")
    sound: dict[str, Any] = {}
    for name, field in declared.items():
        value = values.get(name)
        if value is None:
            if field.required:
                yield Problem(at + name, "is required" if name not in values else "is required, not null")
            else:
                sound[name] = None
            continue
        try:
            sound[name] = msgspec.convert(value, field.kind.annotation, strict=strict, dec_hook=parsed)
        except msgspec.ValidationError as error:
            yield from _inside(field.kind, value, strict, at + name, error)
    partial = _Partial(sound)
    for method in _rules(kind):
        try:
            reason = method(partial)
        except _Unsound:
            continue
        if reason:
            yield Problem(at + method.blames, reason)  # type: ignore[attr-defined]


def _inside(
    kind: Kind, value: Any, strict: bool, path: str, error: msgspec.ValidationError
) -> Iterator[Problem]:
    """Explain why one value does not fit, going into lists and objects."""
    found = False
    if kind.is_struct:
        yield from _problems(kind.base, value, strict, path + ".")
        return
    if kind.base is list and isinstance(value, list):
        for index, element in enumerate(value):
            try:
                msgspec.convert(element, kind.item.annotation, strict=strict, dec_hook=parsed)
            except msgspec.ValidationError as inner:
                found = True
                yield from _inside(kind_of(kind.item.annotation), element, strict, f"{path}[{index}]", inner)
    if not found:
        yield Problem(path, _reason(kind, value, strict, error))


def _reason(kind: Kind, value: Any, strict: bool, error: msgspec.ValidationError) -> str:
    """Say in words why a single value is refused."""
    if kind.choices:
        return f"{shown(value)} is not one of {', '.join(kind.choices)}{nearest(str(value), kind.choices)}"
    if isinstance(value, str | list) and kind.base is type(value):
        unit = "items" if isinstance(value, list) else "characters"
        most, least = kind.limit("max_length"), kind.limit("min_length")
        if most is not None and len(value) > most:
            return f"has {len(value):,} {unit}, at most {most:,} are allowed"
        if least is not None and len(value) < least:
            return "is empty" if not value else f"has {len(value):,} {unit}, at least {least:,} are needed"
    limits = kind.describe()
    if kind.base is int and not _whole(value, strict):
        return f"{shown(value)} is not a whole number" + (f" ({limits})" if limits else "")
    if limits:
        return f"{shown(value)} is not allowed: {limits}"
    if kind.base is bool:
        return f"{shown(value)} is neither true nor false"
    if kind.base is str:
        return f"must be text, not {_named(value)}"
    return str(error).split(" - at `")[0]


def _whole(value: Any, strict: bool) -> bool:
    try:
        msgspec.convert(value, int, strict=strict)
    except msgspec.ValidationError:
        return False
    return True


def shown(value: Any) -> str:
    """Quote a value for a message, cut to what a line can hold."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _named(value: Any) -> str:
    names: dict[type, str] = {dict: "an object", list: "a list", bool: "a boolean", str: "text"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else "nothing")
