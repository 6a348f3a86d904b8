"""Columns of identifiers, made into the members of a user as JSON.

There are millions, so that whole columns are looked at: one that is clean already, or hashed already,
is known by one regular expression and costs one hash a value; every other one goes value by value.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

import msgspec

from .identifiers import HASHED, LONGEST, Key

ALL_HASHED = re.compile(rb"(?:(?:[0-9a-f]{64})?+\n)*+")
UNHASHED = "0" * 64  # in the place of a digest where only its size counts
SEVERAL = ";"  # between the values of a cell


@dataclass
class Column:
    """One kind of identifier in many rows: each row's member of the user (`"email":["..."]`, or nothing)."""

    members: list[str]
    problems: dict[int, list[str]] = field(default_factory=dict)  # by row
    raw: int = 0  # values that came as they are
    hashed: int = 0  # values that came hashed


def column(key: Key, cells: Sequence[Any], *, hashing: bool = True) -> Column:
    """Normalise and hash the cells of a column: texts, or lists of texts; empty ones are absent.

    Without `hashing`, members are as long as they would be.
    """
    if key.is_hashed and all(type(cell) is str for cell in cells):
        data = "\n".join(cells).lower().encode() + b"\n"
        if _clean(key.clean).fullmatch(data):
            values = data[:-1].split(b"\n")
            if len(values) == len(cells) and len(max(values, key=len)) <= LONGEST:
                return Column(_members(key, values, hashing), raw=len(cells) - values.count(b""))
        if ALL_HASHED.fullmatch(data):
            digests = data[:-1].decode().split("\n")
            if len(digests) == len(cells):
                members = [f'"{key.name}":["{digest}"]' if digest else "" for digest in digests]
                return Column(members, hashed=len(cells) - digests.count(""))
    return _one_by_one(key, cells, hashing)


def _members(key: Key, values: list[bytes], hashing: bool) -> list[str]:
    start = f'"{key.name}":["'
    if hashing:
        return [f'{start}{sha256(value).hexdigest()}"]' if value else "" for value in values]
    alike = f'{start}{UNHASHED}"]'
    return [alike if value else "" for value in values] if b"" in values else [alike] * len(values)


@cache
def _clean(pattern: str) -> re.Pattern[bytes]:
    """Match lines that all need no more than a hash."""
    return re.compile(f"(?:(?:{pattern})?+\n)*+".encode())


def _one_by_one(key: Key, cells: Sequence[Any], hashing: bool) -> Column:
    made, is_clean = Column([]), re.compile(key.clean).fullmatch
    for row, cell in enumerate(cells):
        digests: list[str] = []
        for value in _values(cell):
            if key.is_hashed and HASHED.fullmatch(trimmed := value.strip()):
                digests.append(trimmed.lower())
                made.hashed += 1
                continue
            try:
                lowered = value.lower()
                tidy = lowered if is_clean(lowered) and len(lowered) <= LONGEST else key.tidy(value)
            except ValueError as reason:
                told = made.problems.setdefault(row, [])
                if str(reason) not in told:
                    told.append(str(reason))
            else:
                if key.is_hashed:
                    tidy = sha256(tidy.encode()).hexdigest() if hashing else UNHASHED
                digests.append(tidy)
                made.raw += 1
        made.members.append(f'"{key.name}":{msgspec.json.encode(digests).decode()}' if digests else "")
    return made


def _values(cell: Any) -> Iterator[str]:
    """Give the values of a cell: a list, a JSON array, or text parted by semicolons."""
    if isinstance(cell, str):
        text = cell.strip()
        if not (text.startswith("[") and isinstance(cell := _array(text), list)):
            cell = text.split(SEVERAL)
    texts = (str(value) for value in (cell if isinstance(cell, list) else [cell]) if value is not None)
    yield from (text for text in texts if text and not text.isspace())


def _array(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
