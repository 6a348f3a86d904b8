"""Build a declared request from options and `-f` documents."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..api.amounts import CurrencyOf, fields_of_amounts, in_micros, in_units, unknown_currency
from ..api.endpoint import Request
from ..api.fields import Field, FieldType, fields_by_name
from ..api.names import to_neutral
from ..api.problems import Problem
from ..api.records import (
    CURRENCY,
    problems_of_fixed,
    problems_of_place,
    values_of_record,
    with_removed,
    without_removed,
    without_same_invalid,
)
from ..api.spending import changes_nothing, problems_of_currency, request_of
from ..api.validation import parsed
from ..errors import ContentError, UsageError
from ..output.text import Lines
from ..spelling import as_option, comma_list

if TYPE_CHECKING:
    from ..media.references import MediaReferences

MAX_DOCUMENT_MIB = 64
R = TypeVar("R", bound=Request)


def request_from_input(
    kind: type[R],
    options: dict[str, Any],
    file: str | None = None,
    *,
    content: bytes | None = None,
    service: str = "generic",
    currency_of: CurrencyOf = unknown_currency,
    media: "MediaReferences | None" = None,
    on_record: Callable[[list[str]], None] = lambda left_out: None,
    current_of: Callable[[str], Mapping[str, Any]] = lambda id: {},
) -> R:
    """Build a request from options and from a file with more of its fields. An option precedes the file.

    `content` is that of the file, where it was read already. `media` takes files in place of media keys.
    `on_record` receives the fields that were left out of a record of the service, since they are read only.
    `current_of` returns what the service has of a record. `currency_of` tells the decimals that amounts in
    whole units may have.

    Under service x, an empty option of a change removes the value of an optional field. Raise UsageError with
    every problem, or ContentError if all of them are in files.
    """
    fields = fields_by_name(kind)
    for_components = media.take_options(options) if media is not None else []
    inputs, removed = _without_unset(options), list[str]()
    if service == "x":
        inputs, removed = without_removed(kind, inputs, fields_of_amounts(kind))
    values, amounts, messages = _read_options(kind, fields, inputs)
    # The file that a field, or the path of a problem, is from.
    sources = {name: str(text)[1:] for name, text in values.items() if _is_file(fields[name], text)}
    values = to_neutral({name: read_value(fields[name], value) for name, value in values.items()})
    all_amounts, problems, read = dict(amounts), list[Problem](), dict[str, Any]()
    if file is not None:
        read = read_mapping(file, content)
        if media is not None:
            media.take_document(read, file)
        own_id = values.get(str(kind.endpoint.id_field))
        of_file, amounts_of_file, problems = _read_record(
            kind, read, on_record, lambda id: current_of(str(own_id or id)) if own_id or id else {}
        )
        sources |= dict.fromkeys({*of_file, *amounts_of_file.values()} - values.keys(), file)
        problems += problems_of_place(kind, of_file, values)
        sources |= dict.fromkeys((problem.path for problem in problems), file)
        of_file_only = {field: name for field, name in amounts_of_file.items() if field not in values}
        all_amounts = of_file_only | amounts
        values = of_file | values
    if media is not None:
        media.complete(values, sources, for_components)
    request = None
    if invalid := [name for name, value in values.items() if not is_text(value)]:
        problems += [Problem(name, "contains a lone surrogate") for name in invalid]
    else:
        request, texts = request_of(kind, values, all_amounts, currency_of)
        problems += texts
        if request and file is not None:
            wrong = problems_of_currency(request, read.get(CURRENCY), currency_of)
            problems += wrong
            sources |= dict.fromkeys((problem.path for problem in wrong), file)
    if request and not problems and not messages:
        request = with_removed(request, removed)
        if changes_nothing(request):
            hint = f"adsctl {kind.endpoint.command} --help lists what can be changed"
            raise UsageError("nothing to change", hint=hint)
        return request
    only_in_files = not messages and {problem.field for problem in problems} <= sources.keys()
    messages += [_describe(kind, problem, sources, amounts, options) for problem in problems]
    error_kind = ContentError if only_in_files else UsageError
    raise error_kind(Lines(messages), hint=f"adsctl {kind.endpoint.command} --help")


def _read_record(
    kind: type[Request],
    read: dict[str, Any],
    on_record: Callable[[list[str]], None],
    current_of: Callable[[Any], Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, str], list[Problem]]:
    """Return what a mapping has of a request, the names of amounts in whole units by field, and the problems.

    What is read only of a record of the service is left out. An update leaves out invalid values that are the
    service's own too: `current_of` is called with the id.
    """
    record = to_neutral(read)
    own, left_out, mismatches = values_of_record(kind, record)
    values, amounts, problems = in_micros(kind, own)
    if not {*left_out} <= {kind.endpoint.record_id}:
        on_record(left_out)
        if kind.endpoint.method == "PUT":
            id = values.get(str(kind.endpoint.id_field))
            values = without_same_invalid(kind, values, lambda: current_of(id))
            problems += problems_of_fixed(kind, record, lambda: current_of(id))
    return values, amounts, problems + mismatches


def _without_unset(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _read_options(
    kind: type[Request], fields: Mapping[str, Field], options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return the options that are given, the names of amounts in whole units by field, and what is wrong."""
    values, amounts, problems = in_micros(kind, options)
    messages = [f"{as_option(problem.path)}: {problem.message}" for problem in problems]
    invalid = [name for name, value in values.items() if not is_text(value)]
    messages += [f"{fields[name].option}: {values.pop(name)!r} is not UTF-8" for name in invalid]
    return values, amounts, messages


def option_values(kind: type[Request], options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Read options that complete each record of a file; return the names of amounts in whole units too.

    Raises UsageError for what is not a value at all.
    """
    fields = fields_by_name(kind)
    values, amounts, messages = _read_options(kind, fields, _without_unset(options))
    if messages:
        raise UsageError(Lines(messages), hint=f"adsctl {kind.endpoint.command} --help")
    read = {name: read_value(fields[name], value) for name, value in values.items()}
    return dict(to_neutral(read)), amounts


def refuse_several(options: Mapping[str, Any], hint: str = "add --file FILE") -> None:
    """Raise UsageError for an option of several records where there is one."""
    for name, value in options.items():
        if value:
            raise UsageError(f"{as_option(name)}: is for a file of several records", hint=hint)


def _describe(
    kind: type[Request],
    problem: Problem,
    sources: dict[str, str],
    amounts: dict[str, str],
    options: dict[str, Any],
) -> str:
    """Describe a problem by its file or its option, then the path inside the value."""
    name = problem.field
    rest = problem.path[len(name) :]
    field = fields_by_name(kind).get(name)
    if name in sources:
        return f"{sources[name]}: {problem}"
    if name in amounts.values():
        return f"{as_option(name)}: {problem.message}"
    if field is None or field.is_argument or name == kind.endpoint.id_field:
        argument = field.argument.removesuffix("...") if field else name.upper()
        return f"{argument or kind.endpoint.command}{rest}: {problem.message}"
    if amount := amounts.get(name):
        texts = {name: str(options[name]) for name in amounts.values()}
        return f"{as_option(amount)}: {in_units(problem.message, amounts, texts)}"
    choices = field.type.choices if problem.message == "is required" else ()
    one_of = f": one of {', '.join(choices)}" if choices else ""
    return f"{field.option}{' ' + problem.path if rest else ''}: {problem.message}{one_of}"


def is_text(value: Any) -> bool:
    """Whether a value can be encoded: undecodable arguments and lone surrogates cannot."""
    import json

    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_file(field: Field, text: Any) -> bool:
    return field.type.is_nested and isinstance(text, str) and text.startswith("@")


def read_value(field: Field, text: Any) -> Any:
    """Parse an option: JSON or @FILE if nested, or a list with commas. Other values remain text."""
    if not isinstance(text, str):
        return text
    if _is_file(field, text):
        return read_document(text[1:], field.option)
    if field.type.is_nested:
        try:
            return parsed(text)
        except ValueError as error:
            message = f"{field.option}: {error} in {text[:60]!r}"
            raise UsageError(message, hint="write JSON, or @FILE") from None
    if field.type.is_comma_list:
        return [_choice(field.type.item, part) for part in comma_list(text)]
    return _choice(field.type, text)


def _choice(kind: FieldType, text: str) -> str:
    """Return the choice that is meant, in any case: `website-clicks` is WEBSITE_CLICKS."""
    folded = text.upper().replace("-", "_")
    return folded if text not in kind.choices and folded in kind.choices else text


def read_mapping(path: str, content: bytes | None = None) -> dict[str, Any]:
    """Read a file that holds fields of a request, unless its content was read already."""
    document = read_document(path, "--file", content)
    if not isinstance(document, dict):
        raise ContentError(
            f"{path}: must be a mapping of fields, as in 'name: ...'",
            hint="its fields are the options of the command, without --",
        )
    return document


def read_document(path: str, option: str, content: bytes | None = None) -> Any:
    """Read a YAML or JSON file, or standard input for `-`; scalars stay text."""
    from ..config.atomic_files import read_whole
    from ..config.strict_yaml import load

    if content is None:
        content = read_whole(path, MAX_DOCUMENT_MIB, option)
    return load(content, "standard input" if path == "-" else path)
