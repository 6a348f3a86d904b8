"""Values against a declaration: the whole at once, and every problem by name when that fails."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from ..suggestions import suggestion
from .fields import FieldType, fields_of
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
    rules, nesting = _rules_and_nesting(type(item))
    problems = [
        Problem(at + method.blames, reason)  # type: ignore[attr-defined]
        for method in rules
        if (reason := method(item))
    ]
    for name in nesting:
        problems += _broken_within(getattr(item, name), at + name)
    return problems


def _broken_within(value: Any, path: str) -> list[Problem]:
    """Try the rules of the instances that a sound value holds."""
    if isinstance(value, msgspec.Struct):
        return broken_rules(value, path + ".")
    if isinstance(value, list):
        return [told for n, one in enumerate(value) for told in _broken_within(one, f"{path}[{n}]")]
    return []


@cache
def _rules(kind: type[msgspec.Struct]) -> tuple[Rule, ...]:
    methods = (vars(base) for base in reversed(kind.__mro__))
    return tuple(thing for names in methods for thing in names.values() if hasattr(thing, "blames"))


@cache
def _rules_and_nesting(kind: type[msgspec.Struct]) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    return _rules(kind), tuple(field.name for field in fields_of(kind) if field.type.holds_structs)


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
    config = kind.__struct_config__
    if config.forbid_unknown_fields:
        known = f"a field of {config.tag}" if config.tag else "a known field"
        for name in values.keys() - declared.keys() - {config.tag_field}:
            yield Problem(f"{at}{name}", f"is not {known}{suggestion(str(name), declared)}")
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
            sound[name] = msgspec.convert(value, field.type.annotation, strict=strict, dec_hook=parsed)
        except msgspec.ValidationError as error:
            yield from _inside(field.type, value, strict, at + name, error)
        else:
            yield from _broken_within(sound[name], at + name)
    partial = _Partial(sound)
    for method in _rules(kind):
        try:
            reason = method(partial)
        except _Unsound:
            continue
        if reason:
            yield Problem(at + method.blames, reason)  # type: ignore[attr-defined]


def _inside(
    kind: FieldType, value: Any, strict: bool, path: str, error: msgspec.ValidationError
) -> Iterator[Problem]:
    """Explain why one value does not fit, going into lists and objects."""
    if kind.structs:
        yield from _inside_object(kind.structs, value, strict, path)
        return
    found: list[Problem] = []
    if kind.base is list and isinstance(value, list):
        if length := _wrong_length(kind, value):
            found.append(Problem(path, length))
        for index, element in enumerate(value):
            here = f"{path}[{index}]"
            try:
                sound = msgspec.convert(element, kind.item.annotation, strict=strict, dec_hook=parsed)
            except msgspec.ValidationError as inner:
                found += _inside(kind.item, element, strict, here, inner)
            else:
                found += _broken_within(sound, here)
    yield from found or [Problem(path, _reason(kind, value, strict, error))]


def _inside_object(
    structs: tuple[type[msgspec.Struct], ...], value: Any, strict: bool, path: str
) -> Iterator[Problem]:
    """Find out by its tag what an object is meant to be, and look inside."""
    meant, config = structs[0], structs[0].__struct_config__
    if config.tag_field and isinstance(value, Mapping):
        by_tag = {str(struct.__struct_config__.tag): struct for struct in structs}
        # msgspec asks for the tag only where there is a choice.
        tag = value.get(config.tag_field, config.tag if len(structs) == 1 else None)
        if str(tag) not in by_tag:
            yield Problem(f"{path}.{config.tag_field}", _no_choice(tag, by_tag) if tag else "is required")
            return
        meant = by_tag[str(tag)]
    yield from _problems(meant, value, strict, path + ".")


def _reason(kind: FieldType, value: Any, strict: bool, error: msgspec.ValidationError) -> str:
    """Say in words why a single value is refused."""
    if kind.choices:
        return _no_choice(value, kind.choices)
    if isinstance(value, str) and kind.base is str and (length := _wrong_length(kind, value)):
        return length
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


def _wrong_length(kind: FieldType, value: str | list[Any]) -> str | None:
    unit = "items" if isinstance(value, list) else "characters"
    most, least = kind.limit("max_length"), kind.limit("min_length")
    if most is not None and len(value) > most:
        return f"has {len(value):,} {unit}, at most {most:,} are allowed"
    if least is not None and len(value) < least:
        return "is empty" if not value else f"has {len(value):,} {unit}, at least {least:,} are needed"
    return None


def _no_choice(value: Any, choices: Collection[str]) -> str:
    if len(choices) == 1:
        return f"must be {', '.join(choices)}, not {shown(value)}"
    return f"{shown(value)} is not one of {', '.join(choices)}{suggestion(str(value), choices)}"


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
