"""Build a declared request from options and `-f` documents."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from ..api.amounts import CurrencyOf, fields_of_amounts, in_micros, in_units, unknown_currency
from ..api.endpoint import Request
from ..api.fields import Field, FieldType, fields_by_name
from ..api.names import to_neutral
from ..api.problems import InvalidError, Problem
from ..api.records import (
    CURRENCY,
    CurrentOf,
    Resolve,
    values_of_record,
    with_removed,
    without_removed,
)
from ..api.spending import changes_nothing, problems_of_currency, request_of
from ..api.validation import convert, parsed
from ..errors import ContentError, UsageError
from ..output.text import Lines
from ..spelling import as_option, comma_list

if TYPE_CHECKING:
    from ..media.references import MediaReferences

MAX_DOCUMENT_MIB = 64
R = TypeVar("R", bound=Request)
S = TypeVar("S", bound=Struct)


class RequestInput(Generic[R]):
    """Builds requests of a kind from options, and from files with more of their fields.

    `currency_of` tells the decimals that amounts in whole units may have. `media` takes files in place of
    media keys. `current_of` returns what the service has of a record. `resolve` puts ids in place of names.
    """

    def __init__(
        self,
        kind: type[R],
        service: str = "generic",
        currency_of: CurrencyOf = unknown_currency,
        media: "MediaReferences | None" = None,
        current_of: CurrentOf = lambda id: {},
        resolve: Resolve = lambda values: None,
    ) -> None:
        self.kind, self.service, self.currency_of = kind, service, currency_of
        self.media, self.current_of, self.resolve = media, current_of, resolve
        self.left_out: dict[str, None] = {}  # fields of records of the service, since they are read only

    def request(self, options: dict[str, Any], file: str | None = None, content: bytes | None = None) -> R:
        """Build a request. An option precedes the file, whose `content` may have been read already.

        Under service x, an empty option of a change removes the value of an optional field. Raise UsageError
        with every problem, or ContentError if all of them are in files.
        """
        kind, media, fields = self.kind, self.media, fields_by_name(self.kind)
        for_components = media.take_options(options) if media is not None else []
        inputs, removed = _without_unset(options), list[str]()
        if self.service == "x":
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
            converted, amounts_of_file, problems = in_micros(kind, to_neutral(read))
            of_file, left_out, mismatches = values_of_record(kind, converted, values, self.current_of)
            self.left_out |= dict.fromkeys(left_out)
            problems += mismatches
            sources |= dict.fromkeys({*of_file, *amounts_of_file.values()} - values.keys(), file)
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
            if not problems and not messages:
                self.resolve(values)
            request, texts = request_of(kind, values, all_amounts, self.currency_of)
            problems += texts
            if request and file is not None:
                wrong = problems_of_currency(request, read.get(CURRENCY), self.currency_of)
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


def request_from_input(
    kind: type[R], options: dict[str, Any], file: str | None = None, service: str = "generic"
) -> R:
    """Build a request that needs nothing but its options, or a file."""
    return RequestInput(kind, service).request(options, file)


def built(kind: type[S], values: Mapping[str, Any], options: Mapping[str, str]) -> S:
    """Build a request with nested values, or a part of one; raise UsageError with all problems.

    `options` are what the paths of fields are called on the command line.
    """
    try:
        return convert(kind, values)
    except InvalidError as error:
        words = (
            f"{options.get(problem.path, problem.path)}: {problem.message}" for problem in error.problems
        )
        raise UsageError(Lines(words)) from None


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
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_file(field: Field, text: Any) -> bool:
    return field.type.is_nested and isinstance(text, str) and text.startswith("@")


def read_value(field: Field, text: Any) -> Any:
    """Parse an option: JSON, words or @FILE if nested, or a list with commas. Other values remain text."""
    if not isinstance(text, str):
        return text
    if _is_file(field, text):
        return read_document(text[1:], field.option)
    if field.type.is_nested:
        is_json = text.lstrip()[:1] in ("[", "{")
        if field.type.extra("in_words") and not is_json:
            return _in_words(field, text)
        try:
            return parsed(text)
        except ValueError as error:
            problem = f"{error} in {text[:60]!r}" if is_json else f"{text[:60]!r} is not JSON"
            raise UsageError(f"{field.option}: {problem}", hint="write JSON, or @FILE") from None
    if field.type.is_comma_list:
        return [_choice(field.type.item, part) for part in comma_list(text)]
    return _choice(field.type, text)


def _choice(kind: FieldType, text: str) -> str:
    """Return the choice that is meant, in any case: `website-clicks` is WEBSITE_CLICKS."""
    folded = text.upper().replace("-", "_")
    return folded if text not in kind.choices and folded in kind.choices else text


def _in_words(field: Field, text: str) -> list[dict[str, str]]:
    """Read the items of a list whose fields follow each other, the last of which takes all further words."""
    names = field.type.item.structs[0].__struct_fields__
    items = (item.strip().split(None, len(names) - 1) for item in text.split(";") if item.strip())
    return [dict(zip(names, words, strict=False)) for words in items]


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
