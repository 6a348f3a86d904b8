"""Write campaigns into a file: the same records are the same bytes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .model import OPERATOR, OPERATOR_WORDS, TARGETING, TYPE, VALUE, Stored

PLAIN = re.compile(r"[A-Za-z_](?>[A-Za-z0-9_./+()&-]*)(?> [A-Za-z0-9_./+()&-]+)*")
PLAIN_NUMBER = re.compile(r"(?>[0-9]{1,15})(?:\.[0-9]{1,6})?")
PLAIN_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"))
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]"
)


def document_of(
    campaigns: Sequence[Stored], account: str, *, whole: bool = False, q: str | None = None
) -> dict[str, Any]:
    """Return campaigns as a file has them."""
    about: dict[str, Any] = {"account": account}
    if q is not None:
        about["q"] = q
    elif whole:
        about["scope"] = "account"
    return {**about, "campaigns": [record_of(one) for one in campaigns]}


def record_of(one: Stored) -> dict[str, Any]:
    """Return a record as a file has it, with the lists below it."""
    if one.kind is TARGETING:
        operator = OPERATOR_WORDS.get(str(one.fields.get(OPERATOR) or "EQ"))
        value = str(one.fields.get(VALUE))
        if operator is None:
            return {TYPE: one.fields.get(TYPE), OPERATOR: one.fields.get(OPERATOR), VALUE: value}
        criterion = _Criterion({f"{operator}{one.fields.get(TYPE)}": value})
        name = one.name
        criterion.comment = "" if name is None or name.lower() == value.lower() else name
        return criterion
    record = {"id": one.id, **one.values(with_nulls=True)}
    for key in one.kind.below:
        if key in one.below:
            record[key] = [record_of(inner) for inner in one.below[key]]
    return record


class _Criterion(dict[str, Any]):
    """A criterion, with the name of what it targets."""

    comment = ""


def as_yaml(document: Mapping[str, Any]) -> str:
    """Write a document as YAML; `strict_yaml` reads the same from it."""
    return "".join(f"{line}\n" for line in _mapping(document, ""))


def as_json(document: Mapping[str, Any]) -> str:
    """Write a document as JSON."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _mapping(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            yield f"{indent}{key}:"
            yield from _list(value, indent)
        else:
            yield f"{indent}{scalar(key)}: {_value(value)}"


def _list(records: Iterable[Any], indent: str) -> Iterator[str]:
    for record in records:
        lines = list(_mapping(record, f"{indent}  "))
        comment = f"  # {UNPRINTABLE.sub(' ', record.comment)}" if getattr(record, "comment", "") else ""
        lines[0] = f"{indent}- {lines[0][len(indent) + 2 :]}{comment}"
        yield from lines


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(scalar, value))}]"
    return scalar(value)


def scalar(value: Any) -> str:
    """Write a plain value of YAML so that every reader takes it for what it is."""
    if value is None:
        return "null"
    if isinstance(value, bool | int):
        return str(value).lower()
    text = str(value)
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    is_plain = PLAIN_TIME.fullmatch(text) or ("." in text and PLAIN_NUMBER.fullmatch(text))
    if is_plain or (len(text) < 10 and PLAIN_NUMBER.fullmatch(text) and not text.startswith("0")):
        return text
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
