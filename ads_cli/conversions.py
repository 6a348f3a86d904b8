"""Conversions of a website, read from a file and sent."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from .api.conversions import BROWSER, MAX_CONVERSIONS, Conversion, SendConversions
from .api.fields import fields_of
from .api.names import Names, to_neutral
from .api.problems import Problem
from .api.validation import check, errors_in, parsed_or_text
from .audiences.columns import SEPARATOR
from .audiences.identifiers import (
    PLACEHOLDER,
    SHA256_HEX,
    IdentifierType,
    clean_text,
    identifier_types,
    misplaced,
)
from .batches import Uncertain
from .batches.plan import BatchPlan
from .batches.upload import BatchCodec, BatchUpload
from .feeds.row import Row
from .feeds.rows import Rows
from .spelling import as_known, by_folded, closest
from .uploads.upload import Errors, not_understood
from .validation import CheckedRow

if TYPE_CHECKING:
    from .client.response import Response


# By column: the identifier of the service, and the kind of value that is hashed for it.
HASHED = {
    "email": ("hashed_email", "email"),
    "hashed_email": ("hashed_email", "email"),
    "phone_number": ("hashed_phone_number", "phone_number"),
    "hashed_phone_number": ("hashed_phone_number", "phone_number"),
}
CLICK = "platform_click_id"
IDENTIFIERS = (*HASHED, CLICK, *BROWSER)
FIELDS = tuple(field.name for field in fields_of(Conversion))
KNOWN = (*FIELDS, *IDENTIFIERS)
NAMES = by_folded(KNOWN)
ITEM_OF_IDENTIFIERS = re.compile(r"identifiers\[(\d+)\]\.?")
_json = msgspec.json.Encoder()


class PlacedIdentifier(NamedTuple):
    """An identifier as it is sent, and where a row has it: "identifiers[0].", or "" for its columns."""

    place: str
    values: dict[str, Any]


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
        given = as_known(to_neutral(row.values), NAMES)
        problems = [Problem(name, _unknown(name)) for name in given if name not in KNOWN]
        values = {name: _parsed(name, given[name]) for name in FIELDS if name in given}
        found, wrong = self._identifiers(values.pop("identifiers", []), given)
        if not found and not wrong:
            wrong.append(Problem("", f"has no identifier: {', '.join(IDENTIFIERS)}"))
        values = {**self._defaults, **values, "identifiers": [each.values for each in found]}
        conversion, broken = check(Conversion, values)
        problems += wrong
        problems += [_as_given(each, found, values) for each in broken if found or each.path != "identifiers"]
        return CheckedRow(row, None if errors_in(problems) else conversion, problems)

    def encode(self, item: Conversion) -> bytes:
        """Return a conversion as JSON, by the names on the wire."""
        return _json.encode(self._names.to_wire(msgspec.to_builtins(item, enc_hook=str), ()))

    def id_of(self, item: Conversion) -> str:
        """Return no id: nothing that exists is changed."""
        return ""

    def _identifiers(
        self, listed: Any, columns: Mapping[str, Any]
    ) -> tuple[list[PlacedIdentifier], list[Problem]]:
        """Return all identifiers of a row, and what is wrong with them."""
        found: list[PlacedIdentifier] = []
        wrong: list[Problem] = []
        if not (isinstance(listed, list) and all(isinstance(each, dict) for each in listed)):
            wrong.append(Problem("identifiers", "must be a list of objects"))
            listed = []
        for number, each in enumerate(listed):
            found += self._hashed(f"identifiers[{number}].", each, wrong)
        people = [
            each
            for name in (CLICK, *HASHED)
            if name in columns
            for each in self._hashed("", {name: columns[name]}, wrong)
        ]
        browser = {name: columns[name] for name in BROWSER if name in columns}
        for each in self._hashed("", browser, wrong):  # the service knows a person by these together
            people[:1] = [PlacedIdentifier("", {**(people[0].values if people else {}), **each.values})]
        return [*found, *people], wrong

    def _hashed(
        self, place: str, given: Mapping[str, Any], wrong: list[Problem]
    ) -> Iterator[PlacedIdentifier]:
        """Yield an identifier with its values hashed, and one for each further value of a name."""
        values: dict[str, Any] = {}
        further: list[PlacedIdentifier] = []
        for column, value in given.items():
            path = f"{place}{column}"
            if column not in IDENTIFIERS:
                values[column] = value  # which is reported as unknown
            elif isinstance(value, list | dict):
                wrong.append(Problem(path, "must be one text"))
            elif column not in HASHED:
                if value is not None and not PLACEHOLDER.fullmatch(str(value).strip().lower()):
                    values[column] = str(value)
            elif value is not None:
                name, kind = HASHED[column]
                for text in str(value).split(SEPARATOR):
                    digest = self._digest(path, self._types[kind], text, wrong)
                    if digest and values.setdefault(name, digest) != digest:
                        further.append(PlacedIdentifier(place, {name: digest}))
        if values:
            yield PlacedIdentifier(place, values)
        yield from further

    def _digest(self, path: str, kind: IdentifierType, value: str, wrong: list[Problem]) -> str:
        """Return the hash of a value, or the hash that it is; nothing for a placeholder such as n/a."""
        try:
            text = clean_text(value).lower()
            if SHA256_HEX.fullmatch(text):
                return text
            normalized = kind.read(value)
        except ValueError as error:
            wrong.append(Problem(path, str(error)))
            return ""
        if normalized and kind.raises_doubt(normalized):
            wrong.append(Problem(path, kind.doubt, "warning"))
        return sha256(normalized.encode()).hexdigest() if normalized else ""


def _as_given(problem: Problem, found: Sequence[PlacedIdentifier], values: Mapping[str, Any]) -> Problem:
    """Return a problem of a conversion with its place in the row, and without a value of a person."""
    if item := ITEM_OF_IDENTIFIERS.match(problem.path):
        place = found[int(item[1])].place
        return problem._replace(path=f"{place}{problem.path[item.end() :]}")
    value = values.get(problem.path)
    name = "phone_number" if problem.path == "conversion_time" else ""  # as which a date may be taken
    if isinstance(value, str) and (reason := misplaced(value.strip().lower(), name)):
        return problem._replace(message=reason)
    return problem


def _unknown(column: str) -> str:
    field = closest(column, KNOWN) or "FIELD"
    return f"is not a known column; leave it out, or name its field, as in --map '{column}={field}'"


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
    return BatchPlan(rows, reader, upload, MAX_CONVERSIONS, pixel)


def row_errors(body: Any, count: int) -> Errors:
    """Return the errors that name a conversion, by its number; where one names none, the whole is wrong."""
    found: Errors = {}
    errors = body.get("errors") if isinstance(body, dict) else None
    for error in errors if isinstance(errors, list) else ():
        named = (
            ITEM.search(str(error.get("parameter") or error.get("message")))
            if isinstance(error, dict)
            else None
        )
        if named is None or int(named[1]) >= count:
            return {}
        found.setdefault(int(named[1]), []).append(error)
    return dict(sorted(found.items()))


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
