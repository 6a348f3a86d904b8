"""Conversions of a website, read from a file and sent."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from .api.conversions import MAX_CONVERSIONS, Conversion, SendConversions
from .api.fields import fields_of
from .api.names import Names, to_neutral
from .api.problems import Problem
from .api.validation import check, errors_in, parsed_or_text
from .audiences.identifiers import SHA256_HEX, clean_text, identifier_types
from .batches import Uncertain
from .batches.plan import BatchPlan
from .batches.upload import BatchCodec, BatchUpload
from .feeds.row import Row
from .feeds.rows import Rows
from .output.text import quoted_word
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
PLAIN = ("platform_click_id", "ip_address", "user_agent")
FIELDS = tuple(field.name for field in fields_of(Conversion))
KNOWN = (*FIELDS, *HASHED, *PLAIN)
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
        given = as_known(to_neutral(row.values), NAMES)
        problems = [Problem(name, _unknown(name)) for name in given if name not in KNOWN]
        nested = [name for name in (*HASHED, *PLAIN) if isinstance(given.get(name), list | dict)]
        problems += [Problem(name, "must be one text") for name in nested]
        given = {name: value for name, value in given.items() if name not in nested}
        values = {name: _parsed(name, given[name]) for name in FIELDS if name in given}
        identifiers = values.pop("identifiers", [])
        if not (isinstance(identifiers, list) and all(isinstance(each, dict) for each in identifiers)):
            problems.append(Problem("identifiers", "must be a list of objects"))
            identifiers = []
        found = [self._identifier(each, problems) for each in identifiers]
        found += self._of_columns(given, problems)
        values = {**self._defaults, **values, "identifiers": found}
        conversion, broken = check(Conversion, values)
        problems += [problem for problem in broken if found or problem.path != "identifiers"]
        if not found and not errors_in(problems):
            problems.append(Problem("", f"has no identifier: {', '.join((*HASHED, *PLAIN))}"))
        return CheckedRow(row, None if errors_in(problems) else conversion, problems)

    def encode(self, item: Conversion) -> bytes:
        """Return a conversion as JSON, by the names on the wire."""
        return _json.encode(self._names.to_wire(msgspec.to_builtins(item, enc_hook=str), ()))

    def id_of(self, item: Conversion) -> str:
        """Return no id: nothing that exists is changed."""
        return ""

    def _of_columns(self, given: Mapping[str, Any], problems: list[Problem]) -> list[dict[str, str]]:
        """Return an object for each identifier of a person; address and browser are in the first."""
        people = [self._identifier({name: given[name]}, problems) for name in HASHED if name in given]
        plain = {name: str(given[name]) for name in PLAIN if name in given}
        if click := plain.pop("platform_click_id", None):
            people.insert(0, {"platform_click_id": click})
        people = [each for each in people if each]
        if plain:
            people = [{**(people[0] if people else {}), **plain}, *people[1:]]
        return people

    def _identifier(self, given: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
        """Return an identifier with its values hashed; add what is wrong with them."""
        found: dict[str, Any] = {}
        for column, value in given.items():
            if column not in HASHED:
                found[column] = value
                continue
            name, kind = HASHED[column]
            try:
                if hashed := self._hashed(column, kind, str(value), problems):
                    found[name] = hashed
            except ValueError as error:
                problems.append(Problem(column, str(error)))
        return found

    def _hashed(self, column: str, kind: str, value: str, problems: list[Problem]) -> str:
        """Return the hash of a value, or the hash that it is; nothing for a placeholder such as n/a."""
        text = clean_text(value).lower()
        if SHA256_HEX.fullmatch(text):
            return text
        normalized = self._types[kind].read(value)
        if normalized and self._types[kind].raises_doubt(normalized):
            problems.append(Problem(column, self._types[kind].doubt, "warning"))
        return sha256(normalized.encode()).hexdigest() if normalized else ""


def _unknown(column: str) -> str:
    field = closest(column, KNOWN) or "FIELD"
    example = quoted_word(f"{column}={field}")
    return f"is not a known column; leave it out, or name its field, as in --map {example}"


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
