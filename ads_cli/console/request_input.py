"""What a person gave, by option or in a file, as the values of a declared request."""

import json
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ..api.endpoint import Request
from ..api.fields import Field, fields_of
from ..api.validation import InvalidError, Problem, convert
from ..errors import ContentError, UsageError
from ..spelling import as_option

MICRO = 1_000_000


def request_of(kind: type[Request], given: dict[str, Any], file: str | None = None) -> Request:
    """Make the request of options and of a file that holds more of its fields; an option outranks the file.

    Raises UsageError, or ContentError where only a file is to blame, with every problem.
    """
    fields = {field.name: field for field in fields_of(kind)}
    values = {name: value for name, value in given.items() if value is not None}
    money = [field for field in fields.values() if field.type.extra("money")]
    whole = {field.name: values[name] for field in money if (name := whole_name(field)) in values}
    told = _whole_amounts(money, values) + _no_texts(fields, values)
    in_files = {name: str(text)[1:] for name, text in values.items() if _is_file(fields[name], text)}
    values = {name: read_value(fields[name], value) for name, value in values.items()}
    if file is not None:
        inside = read_mapping(file)
        in_files |= dict.fromkeys(inside.keys() - values.keys(), file)
        values = inside | values
    problems = [Problem(name, "holds half a character") for name, v in values.items() if not is_text(v)]
    if not problems:
        try:
            request = convert(kind, values)
        except InvalidError as error:
            problems = error.problems
    if not problems and not told:
        _demand_change(request)
        return request
    only_files = not told and {_first(problem) for problem in problems} <= in_files.keys()
    told += [_told(kind, problem, in_files, whole) for problem in problems]
    error_kind = ContentError if only_files else UsageError
    raise error_kind("\n".join(told), hint=f"adsctl {kind.endpoint.command} --help")


def _demand_change(request: Request) -> None:
    """Refuse a change that changes nothing."""
    endpoint = request.endpoint
    free = [name for name in request.__struct_fields__ if name not in endpoint.path_fields]
    if endpoint.method == "PUT" and free and all(getattr(request, name) is None for name in free):
        hint = f"adsctl {endpoint.command} --help lists what can be changed"
        raise UsageError("nothing is named that is to be changed", hint=hint)


def _first(problem: Problem) -> str:
    """Name the field that a problem lies in."""
    return problem.path.split("[")[0].split(".")[0]


def _told(kind: type[Request], problem: Problem, in_files: dict[str, str], whole: dict[str, Any]) -> str:
    """Name a problem as the person gave it: the file or the option, then the path inside its value."""
    name = _first(problem)
    rest = problem.path[len(name) :]
    field = next((field for field in fields_of(kind) if field.name == name), None)
    if name in in_files:
        return f"{in_files[name]}: {problem}"
    if field is None or name == kind.endpoint.id_field:
        return f"{name.upper() or kind.endpoint.command}{rest}: {problem.message}"
    if name in whole:
        return f"{as_option(whole_name(field))} {whole[name]}, in millionths: {problem.message}"
    return f"{field.option}{' ' + problem.path if rest else ''}: {problem.message}"


def whole_name(field: Field) -> str:
    """Name what takes an amount of money in whole units, beside the field in micro-units."""
    return field.name.removesuffix("_local_micro")


def _whole_amounts(fields: list[Field], values: dict[str, Any]) -> list[str]:
    """Put amounts in whole units in the place of micro-units, and give what is wrong with them."""
    wrong = []
    for field in fields:
        whole = whole_name(field)
        if whole not in values:
            continue
        text, option = values.pop(whole), as_option(whole)
        micros = _micros(text)
        if field.name in values:
            wrong.append(f"{option}: cannot be used with {field.option}")
        elif micros is None:
            wrong.append(f"{option}: {text!r} is not an amount of at most six decimals, as in 1.50")
        else:
            values[field.name] = str(micros)
    return wrong


def _no_texts(fields: dict[str, Field], values: dict[str, Any]) -> list[str]:
    """Tell of what was typed in bytes that are no text, and take it away."""
    wrong = [name for name, value in values.items() if not is_text(value)]
    return [f"{fields[name].option}: {values.pop(name)!r} is not UTF-8" for name in wrong]


def is_text(value: Any) -> bool:
    """Tell whether a value can be sent: bytes of no encoding, and half characters, cannot."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _micros(text: str) -> int | None:
    try:
        micros = Decimal(text) * MICRO
    except InvalidOperation:
        return None
    return int(micros) if micros.is_finite() and micros == micros.to_integral_value() else None


def _is_file(field: Field, text: Any) -> bool:
    return field.type.is_nested and isinstance(text, str) and text.startswith("@")


def read_value(field: Field, text: Any) -> Any:
    """Read what was typed: JSON or @FILE for nested values, commas for lists; the rest stays text."""
    if not isinstance(text, str):
        return text
    if _is_file(field, text):
        return read_document(text[1:], field.option)
    if field.type.is_nested:
        try:
            return json.loads(text, parse_int=str, parse_float=str)
        except (ValueError, RecursionError) as error:
            message = f"{field.option}: {error} in {text[:60]!r}"
            raise UsageError(message, hint="write JSON, or @FILE") from None
    if field.type.is_comma_list:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def read_mapping(path: str) -> dict[str, Any]:
    """Read a file that names the fields of a request."""
    document = read_document(path, "--file")
    if not isinstance(document, dict):
        raise ContentError(f"{path}: must name fields, as in 'name: ...'", hint="--example shows one")
    return document


def read_document(path: str, option: str) -> Any:
    """Read a YAML or JSON file, or standard input for `-`; scalars stay text."""
    from ..config.strict_yaml import load

    try:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{option}: {path} cannot be read: {error.strerror}") from None
    return load(content, "standard input" if path == "-" else path)
