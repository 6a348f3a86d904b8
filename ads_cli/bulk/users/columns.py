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

from .identifiers import HASHED, Key, hashed

ALL_HASHED = re.compile(rb"(?:(?:[0-9a-f]{64})?+\n)*+")
SEVERAL = ";"  # between the values of a cell


@dataclass
class Column:
    """One kind of identifier in many rows: each row's member of the user (`"email":["..."]`, or nothing)."""

    members: list[str]
    problems: dict[int, list[str]] = field(default_factory=dict)  # by row
    raw: int = 0  # values that came as they are
    hashed: int = 0  # values that came hashed


def column(key: Key, cells: Sequence[Any]) -> Column:
    """Normalise and hash the cells of a column: texts, or lists of texts; empty ones are absent."""
    if key.is_hashed and all(type(cell) is str for cell in cells):
        data = "\n".join(cells).lower().encode() + b"\n"
        if _clean(key.clean).fullmatch(data):
            values = data[:-1].split(b"\n")
            if len(values) == len(cells):
                digests = [sha256(value).hexdigest() if value else "" for value in values]
                return Column(_members(key, digests), raw=len(cells) - digests.count(""))
        if ALL_HASHED.fullmatch(data):
            digests = data[:-1].decode().split("\n")
            if len(digests) == len(cells):
                return Column(_members(key, digests), hashed=len(cells) - digests.count(""))
    return _one_by_one(key, cells)


def _members(key: Key, digests: list[str]) -> list[str]:
    start = f'"{key.name}":["'
    return [f'{start}{digest}"]' if digest else "" for digest in digests]


@cache
def _clean(pattern: str) -> re.Pattern[bytes]:
    """Match lines that all need no more than a hash; what is 64 hex digits is hashed already."""
    return re.compile(f"(?:(?![0-9a-f]{{64}}\n)(?=[^\n]{{0,254}}\n)(?:{pattern})?+\n)*+".encode())


def _one_by_one(key: Key, cells: Sequence[Any]) -> Column:
    made = Column([])
    for row, cell in enumerate(cells):
        values: list[str] = []
        for value in _values(cell):
            try:
                values.append(hashed(key, value))
            except ValueError as reason:
                told = made.problems.setdefault(row, [])
                if str(reason) not in told:
                    told.append(str(reason))
            else:
                came_hashed = key.is_hashed and HASHED.fullmatch(value.strip())
                made.hashed += bool(came_hashed)
                made.raw += not came_hashed
        made.members.append(f'"{key.name}":{msgspec.json.encode(values).decode()}' if values else "")
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
