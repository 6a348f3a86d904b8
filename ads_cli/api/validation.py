"""Validate values against a declaration: all at once, and field by field to name every problem."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Protocol, TypeVar, cast

import msgspec
from msgspec import UNSET, UnsetType

from ..spelling import suggestion
from .fields import FieldType, fields_by_name, fields_of
from .problems import (
    CHOICE,
    InvalidError,
    Problem,
    Reason,
    Severity,
    choice_problem,
    explain,
    length_problem,
    type_name,
)
from .time import decode_custom

S = TypeVar("S", bound=msgspec.Struct)
Check = Callable[[Any], "str | Reason | None"]
Rules = Callable[[Any], list["Problem"]]  # returns the rules that an item breaks


class Rule(Protocol):
    """A method that `rule` has marked."""

    __name__: str
    rule_field: str
    rule_severity: Severity

    def __call__(self, item: Any, /) -> str | Reason | None:
        """Return why an item breaks the rule, or None."""


def rule(field: str, severity: Severity = "error") -> Callable[[Check], Rule]:
    """Make a method a rule between fields: it returns why `field` is invalid, or None.

    A rule is skipped if a field that it reads is invalid by itself. A function that several classes share
    is a rule of each that has it as an attribute, of any name.
    """

    def mark(method: Check) -> Rule:
        marked = cast(Rule, method)
        marked.rule_field, marked.rule_severity = field, severity
        return marked

    return mark


_compiled = set[type[msgspec.Struct]]()
_compiling = threading.Lock()


def compile_once(struct: type[msgspec.Struct]) -> None:
    """Compile a `struct` before it is used: msgspec crashes where a thread compiles what another uses."""
    if struct not in _compiled:
        with _compiling:
            msgspec.json.Decoder(struct, dec_hook=decode_custom)
            _compiled.add(struct)


def convert(struct: type[S], values: Mapping[str, Any], *, strict: bool = False) -> S:
    """Convert values to a `struct`; raise InvalidError with every error.

    Unless `strict`, text is converted too: "5" to 5, "true" to true.
    """
    item, problems = check(struct, values, strict=strict)
    errors = errors_in(problems)
    if item is None or errors:
        raise InvalidError(errors)
    return item


def check(
    struct: type[S], values: Mapping[str, Any], rules: Rules | None = None, *, strict: bool = False
) -> tuple[S | None, list[Problem]]:
    """Convert values to a `struct`, None where they cannot be, and find every problem.

    `rules` are applied to what can be converted, by default those of the declaration.
    """
    compile_once(struct)
    try:
        item = msgspec.convert(values, struct, strict=strict, dec_hook=decode_custom)
    except msgspec.ValidationError as error:
        message = str(error)
    else:
        return item, (rules or broken_rules)(item)
    problems = list(_problems(struct, values, strict))
    if not errors_in(problems):  # no single field is invalid: msgspec's message is all there is
        problems.append(Problem("", message))
    return None, problems


def parsed(text: str) -> Any:
    """Parse JSON, whose numbers stay text until they are converted; raise ValueError."""
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def parsed_or_text(text: str) -> Any:
    """Parse JSON; text that is not JSON stays, and validation reports it."""
    try:
        return parsed(text)
    except ValueError:
        return text


def errors_in(problems: list[Problem]) -> list[Problem]:
    """Return the problems that are errors."""
    return [problem for problem in problems if problem.severity == "error"]


@cache
def can_warn(struct: type[msgspec.Struct]) -> bool:
    """Tell whether one of the rules of a Struct is a warning."""
    return any(rule.rule_severity == "warning" for rule in rules_of(struct))


def broken_rules(item: msgspec.Struct, prefix: str = "") -> list[Problem]:
    """Check every rule of a Struct and of the Structs inside it."""
    rules, nested_fields = _rules_and_nested_fields(type(item))
    problems = [_problem(rule, reason, prefix) for rule in rules if (reason := rule(item))]
    for name in nested_fields:
        problems += _broken_rules_inside(getattr(item, name), prefix + name)
    return problems


def _broken_rules_inside(value: Any, path: str) -> list[Problem]:
    """Check the rules of the Structs in a valid value."""
    if isinstance(value, msgspec.Struct):
        return broken_rules(value, path + ".")
    if isinstance(value, list):
        return [
            problem
            for index, item in enumerate(value)
            for problem in _broken_rules_inside(item, f"{path}[{index}]")
        ]
    return []


@cache
def rules_of(struct: type[msgspec.Struct]) -> tuple[Rule, ...]:
    """List the rules between the fields of a Struct, those of its bases first; none replaces another."""
    namespaces = (vars(base) for base in reversed(struct.__mro__))
    return tuple(value for names in namespaces for value in names.values() if hasattr(value, "rule_field"))


@cache
def _rules_and_nested_fields(struct: type[msgspec.Struct]) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    return rules_of(struct), tuple(field.name for field in fields_of(struct) if field.type.holds_structs)


class _InvalidFieldError(Exception):
    """A rule read a field that is invalid by itself."""


class _ValidFields:
    """Stands in for a Struct that cannot be built, for its rules; one that reads an invalid field ends."""

    def __init__(self, struct: type[msgspec.Struct], values: dict[str, Any]) -> None:
        self._struct = struct
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        if name in self._struct.__struct_fields__:
            raise _InvalidFieldError(name)
        attribute = getattr(self._struct, name)
        # Methods and properties read fields too: those of this object.
        return attribute.__get__(self) if hasattr(attribute, "__get__") else attribute


def _problems(struct: type[msgspec.Struct], values: Any, strict: bool, prefix: str = "") -> Iterator[Problem]:
    """Validate each field, then every rule whose fields are valid.

    By the beginnings of messages, emulator/core/handlers.py chooses the codes of the service.
    """
    if not isinstance(values, Mapping):
        yield Problem(prefix.rstrip("."), f"must be an object, not {type_name(values)}")
        return
    fields = fields_by_name(struct)
    config = struct.__struct_config__
    if config.forbid_unknown_fields:
        what = f"a field of {config.tag}" if config.tag else "a known field"
        for name in values:
            if name not in fields and name != config.tag_field:
                yield Problem(f"{prefix}{name}", f"is not {what}{suggestion(str(name), fields)}")
    present = {name: value for name, value in values.items() if value is not None and name in fields}
    converted, errors = _convert_valid_fields(_partial_of(struct), present, strict)
    missing = [name for name, value in converted.items() if value is UNSET and name not in errors]
    _, nested_fields = _rules_and_nested_fields(struct)
    for name in sorted({*errors, *missing, *nested_fields}, key=[*fields].index):
        if error := errors.get(name):
            yield from _problems_inside(fields[name].type, values[name], strict, prefix + name, error)
        elif name in missing:
            yield Problem(prefix + name, "is required" if name not in values else "is required, not null")
        else:
            yield from _broken_rules_inside(converted[name], prefix + name)
    for name in (*errors, *missing):
        del converted[name]
    yield from _broken_rules_of(struct, _ValidFields(struct, converted), prefix)


def _convert_valid_fields(
    partial: type[msgspec.Struct], rest: dict[str, Any], strict: bool
) -> tuple[dict[str, Any], dict[str, msgspec.ValidationError]]:
    """Return the values of all fields, None or UNSET if absent or invalid, and the errors of the invalid."""
    # msgspec stops at the first error, and names its field in the text alone. That field is taken out of
    # `rest`, which is converted again. To convert each field of a product by itself would take three times as
    # long.
    compile_once(partial)
    errors: dict[str, msgspec.ValidationError] = {}
    while True:
        try:
            item = msgspec.convert(rest, partial, strict=strict, dec_hook=decode_custom)
        except msgspec.ValidationError as error:
            name = FIRST_NAME.split(str(error).rpartition("`$.")[2])[0]  # a value may precede it
            del rest[name]
            errors[name] = error.with_traceback(None)  # whose frames have these errors
        else:
            return msgspec.structs.asdict(item), errors


FIRST_NAME = re.compile(r"[.\[`]")  # ends the name of a field in the path of an error


@cache
def _partial_of(struct: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """Return a Struct of the same fields, all of which may be absent: UNSET if it is required."""
    partial = [
        (field.name, field.type.annotation | UnsetType | None, UNSET if field.required else None)
        for field in fields_of(struct)
    ]
    return msgspec.defstruct(f"Partial{struct.__name__}", partial)


def _broken_rules_of(
    struct: type[msgspec.Struct], valid_fields: _ValidFields, prefix: str
) -> Iterator[Problem]:
    for rule in rules_of(struct):
        try:
            reason = rule(valid_fields)
        except _InvalidFieldError:
            continue
        if reason:
            yield _problem(rule, reason, prefix)


def _problem(rule: Rule, reason: str | Reason, prefix: str) -> Problem:
    kind, message = reason if isinstance(reason, Reason) else (rule.__name__, reason)
    return Problem(prefix + rule.rule_field, message, rule.rule_severity, kind)


def _problems_inside(
    field_type: FieldType, value: Any, strict: bool, path: str, error: msgspec.ValidationError
) -> Iterator[Problem]:
    """Explain why a value is invalid, down to the items of lists and the fields of objects."""
    if field_type.structs:
        yield from _problems_of_object(field_type.structs, value, strict, path)
        return
    problems: list[Problem] = []
    if field_type.base is list and isinstance(value, list):
        if length := length_problem(field_type, value):
            problems.append(Problem(path, length))
        item_type = field_type.item
        for index, item in enumerate(value):
            item_path = f"{path}[{index}]"
            try:
                valid = msgspec.convert(item, item_type.annotation, strict=strict, dec_hook=decode_custom)
            except msgspec.ValidationError as item_error:
                problems += _problems_inside(item_type, item, strict, item_path, item_error)
            else:
                problems += _broken_rules_inside(valid, item_path)
    reason = explain(field_type, value, strict, error)
    yield from problems or [Problem(path, reason, rule=CHOICE if field_type.choices else "")]


def _problems_of_object(
    structs: tuple[type[msgspec.Struct], ...], value: Any, strict: bool, path: str
) -> Iterator[Problem]:
    """Choose the Struct by the object's tag, and validate its fields."""
    struct, config = structs[0], structs[0].__struct_config__
    if config.tag_field and isinstance(value, Mapping):
        by_tag = {str(struct.__struct_config__.tag): struct for struct in structs}
        # msgspec requires the tag only if there are several Structs.
        tag = value.get(config.tag_field, config.tag if len(structs) == 1 else None)
        if str(tag) not in by_tag:
            reason = choice_problem(tag, by_tag) if tag else "is required"
            yield Problem(f"{path}.{config.tag_field}", reason)
            return
        struct = by_tag[str(tag)]
    yield from _problems(struct, value, strict, path + ".")
