"""Conversions of a website, read from a file and sent."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from .api.conversions import (
    BROWSER,
    MAX_CONVERSIONS,
    Conversion,
    ConversionIdentifier,
    SendConversions,
)
from .api.fields import fields_of
from .api.names import Names, to_neutral
from .api.problems import Problem
from .api.validation import check, errors_in, parsed_or_text
from .audiences.columns import values_in_cell
from .audiences.identifiers import (
    EMAIL_INSIDE,
    SHA256_HEX,
    IdentifierType,
    clean_text,
    identifier_types,
    is_identifier,
    is_placeholder,
    misplaced,
)
from .client.response import not_understood
from .feeds.row import Row
from .feeds.rows import Rows
from .hosts import is_address
from .output.text import quoted_word
from .records.file import RecordFile
from .records.plan import BatchPlan
from .runs import Uncertain
from .runs.batch_upload import BatchCodec, BatchUpload
from .runs.upload import Errors
from .spelling import as_known, by_folded, closest, suggestion
from .validation import CheckedRow

if TYPE_CHECKING:
    from .client.response import Response


# The kind of identifier that a field has the hash of, made on this machine.
HASHED = {
    field.name: field.name.removeprefix("hashed_")
    for field in fields_of(ConversionIdentifier)
    if field.name.startswith("hashed_")
}
FIELDS = tuple(field.name for field in fields_of(Conversion))
# By column: the field of an identifier. What is hashed may be in a column named as its kind or as its field.
IDENTIFIERS = {column: field for field, kind in HASHED.items() for column in (kind, field)} | {
    field.name: field.name for field in fields_of(ConversionIdentifier) if field.name not in HASHED
}
KNOWN = (*FIELDS, *IDENTIFIERS)
NAMES = by_folded(KNOWN)
_json = msgspec.json.Encoder()


class ConversionReader:
    """Reads one conversion at a time; `defaults` complete it. No message has a value of a person."""

    def __init__(self, names: Names, defaults: Mapping[str, Any], region: str | None) -> None:
        self._names = names
        self._defaults = {name: value for name, value in defaults.items() if value is not None}
        self._types = identifier_types(region)
        self._region = region

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that decide what is sent."""
        return {**self._defaults, "region": self._region}

    def read(self, row: Row) -> CheckedRow:
        """Return the conversion of a row, and everything that is wrong with it."""
        if row.problem:
            return CheckedRow(row, None, [Problem("", row.problem)])
        record = as_known(to_neutral(row.values), NAMES)
        unknown = [_unknown(name) for name in record if name not in KNOWN]
        values = self._defaults | {name: _parsed(name, record[name]) for name in FIELDS if name in record}
        wrong: list[Problem] = []  # with identifiers
        identifiers = self._listed(values.get("identifiers", []), wrong) + self._of_columns(record, wrong)
        conversion, broken = check(Conversion, {**values, "identifiers": identifiers})
        if not identifiers or errors_in(wrong):  # then it is too early to say that they are too few
            broken = [problem for problem in broken if problem.path != "identifiers"]
        if not identifiers and not wrong:
            wrong = [Problem("", f"has no identifier: {', '.join(IDENTIFIERS)}")]
        problems = [*unknown, *wrong, *map(_without_person, broken)]
        return CheckedRow(row, None if errors_in(problems) else conversion, problems)

    def encode(self, item: Conversion) -> bytes:
        """Return a conversion as JSON, by the names on the wire."""
        return _json.encode(self._names.to_wire(msgspec.to_builtins(item, enc_hook=str), ()))

    def id_of(self, item: Conversion) -> str:
        """Return no id: nothing that exists is changed."""
        return ""

    def _listed(self, items: Any, problems: list[Problem]) -> list[dict[str, str]]:
        """Return the identifiers of the field `identifiers`; add what is wrong with it."""
        if not (isinstance(items, list) and all(isinstance(item, dict) for item in items)):
            problems.append(Problem("identifiers", "must be a list of objects"))
            return []
        identifiers: list[dict[str, str]] = []
        for number, item in enumerate(items):
            identifiers += self._identifiers(item, f"identifiers[{number}].", problems)
        return identifiers

    def _of_columns(self, row: Mapping[str, Any], problems: list[Problem]) -> list[dict[str, str]]:
        """Return an identifier for each column, a click first; a browser is part of the first one."""
        people: list[dict[str, str]] = []
        for name in IDENTIFIERS:
            if name in row and name not in BROWSER:
                people += self._identifiers({name: row[name]}, "", problems)
        people.sort(key=lambda person: "platform_click_id" not in person)
        for browser in self._identifiers({name: row[name] for name in BROWSER if name in row}, "", problems):
            people[:1] = [first | browser for first in people[:1] or [{}]]
        return people

    def _identifiers(
        self, columns: Mapping[str, Any], path: str, problems: list[Problem]
    ) -> list[dict[str, str]]:
        """Return an identifier, and one more for each further value of a field. Add what is wrong with them.

        A placeholder such as n/a is not a value, and a column without a value gives no identifier.
        """
        identifiers: list[dict[str, str]] = []
        for column, value in columns.items():
            if not (field := IDENTIFIERS.get(column)):
                problems.append(
                    Problem(path + column, f"is not a known field{suggestion(column, IDENTIFIERS)}")
                )
                continue
            for text in self._texts(field, value, path + column, problems):
                if any(identifier.get(field) == text for identifier in identifiers):
                    continue
                place = next((identifier for identifier in identifiers if field not in identifier), None)
                if place is None:
                    identifiers.append(place := {})
                place[field] = text
        return identifiers

    def _texts(self, field: str, value: Any, path: str, problems: list[Problem]) -> Iterator[str]:
        """Yield what is sent of a value in a field of identifiers; add what is wrong with it."""
        kind = HASHED.get(field)
        if isinstance(value, bool | dict) or (isinstance(value, list) and not kind):
            problems.append(Problem(path, "must be one text"))
        elif kind:
            for text in values_in_cell(value):
                try:
                    if hashed := self._hash(self._types[kind], text, path, problems):
                        yield hashed
                except ValueError as error:
                    problems.append(Problem(path, str(error)))
        elif value is not None and not is_placeholder(str(value)):
            yield str(value)

    def _hash(self, kind: IdentifierType, value: str, path: str, problems: list[Problem]) -> str:
        """Return the hash of a value, or the hash that it is, or "" for a placeholder. Raise ValueError."""
        text = clean_text(value).lower()
        if SHA256_HEX.fullmatch(text):
            return text
        normalized = kind.read(value)
        if normalized and kind.raises_doubt(normalized):
            problems.append(Problem(path, kind.doubt, "warning"))
        return sha256(normalized.encode()).hexdigest() if normalized else ""


QUOTED_FIRST = re.compile(r"""('[^']*'|"[^"]*") """)


def _without_person(problem: Problem) -> Problem:
    """Leave out the value that a message quotes where it may be of a person: columns may be mixed up."""
    quoted = QUOTED_FIRST.match(problem.message)
    if not quoted or not _may_be_of_person(text := quoted[1][1:-1]):
        return problem
    name = "phone_number" if problem.path == "conversion_time" else ""  # which some dates look like
    reason = misplaced(text.lower(), name) or problem.message[quoted.end() :]
    return problem._replace(message=reason)


def _may_be_of_person(text: str) -> bool:
    is_cut = text.endswith("...")  # what identifies somebody may be in the rest
    return is_cut or bool(EMAIL_INSIDE.search(text)) or is_identifier(text) or is_address(text)


def _unknown(column: str) -> Problem:
    if _may_be_of_person(column):
        reason = (
            "a column is named by a value of a person; put a line with the names of columns above the first"
        )
        return Problem("", reason)
    field = closest(column, KNOWN) or "FIELD"
    how = f"leave it out, or name its field, as in --map {quoted_word(f'{column}={field}')}"
    return Problem(column, f"is not a known column; {how}")


def _parsed(name: str, value: Any) -> Any:
    """Parse JSON in a cell of what is nested."""
    is_nested = name in ("identifiers", "contents") and isinstance(value, str)
    return parsed_or_text(value) if is_nested else value


ITEM = re.compile(r"conversions\[(\d+)\]")  # in the parameter of an error


def conversion_plan(
    rows: Rows, reader: ConversionReader, pixel: str, uncertain: Uncertain | None
) -> BatchPlan:
    """Plan to send the conversions of a file to a pixel."""
    request = SendConversions(pixel_id=pixel, conversions=[])
    upload = BatchUpload(request, "send", "conversions", CONVERSIONS, uncertain)
    return BatchPlan(RecordFile(rows, reader), upload, MAX_CONVERSIONS, pixel)


def row_errors(body: Any, count: int) -> Errors:
    """Return the errors that name a conversion, by its number; where one names none, the whole is wrong."""
    errors_by_number: Errors = {}
    errors = body.get("errors") if isinstance(body, dict) else None
    for error in errors if isinstance(errors, list) else ():
        named = (
            ITEM.search(str(error.get("parameter") or error.get("message")))
            if isinstance(error, dict)
            else None
        )
        if named is None or int(named[1]) >= count:
            return {}
        errors_by_number.setdefault(int(named[1]), []).append(error)
    return dict(sorted(errors_by_number.items()))


def no_records(response: "Response", count: int) -> list[Any]:
    """Return no records, but raise UnavailableError where not every conversion was processed."""
    data = response.data
    processed = data.get("conversions_processed") if isinstance(data, dict) else None
    if processed != count:
        raise not_understood(
            f"{count:,} conversions were sent, and it has conversions_processed {processed!r}"
        )
    return []


CONVERSIONS = BatchCodec(b'{"conversions":[', b"]}", row_errors, no_records)
