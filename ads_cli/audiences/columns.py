"""Columns of identifiers, made into members of users as JSON.

There are millions, so that whole columns are looked at: one that is clean already, or hashed already,
is known by one regular expression and costs one hash a value; every other one goes value by value.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

import msgspec

from .identifiers import HASHED, LONGEST, Key

ALL_HASHED = re.compile(rb"(?:(?:[0-9a-f]{64})?+\n)*+(?:[0-9a-f]{64})?+")
UNHASHED = "0" * 64  # in the place of a digest where only its size counts
SEVERAL = ";"  # between the values of a cell


@dataclass
class Column:
    """One kind of identifier in many rows: a text for each, "" where it has none.

    With what goes before and after, a text is the row's member of its user: `"email":["..."]`.
    """

    texts: list[str]
    before: str = ""
    after: str = ""
    size: int | None = None  # of every text that is not empty, where they are alike
    problems: dict[int, list[str]] = field(default_factory=dict)  # by row
    raw: int = 0  # values that came as they are
    hashed: int = 0  # values that came hashed

    @property
    def members(self) -> list[str]:
        """Write the member of each row."""
        before, after = self.before, self.after
        if not before:
            return self.texts
        return [f"{before}{text}{after}" if text else "" for text in self.texts]


def column(key: Key, cells: Sequence[Any], *, hashing: bool = True) -> Column:
    """Normalise and hash the cells of a column: texts, or lists of texts; empty ones are absent.

    Without `hashing`, members are as long as they would be.
    """
    if key.is_hashed and {*map(type, cells)} == {str}:
        data = "\n".join(cells).lower().encode()
        around = f'"{key.name}":["', '"]', len(UNHASHED)
        if _clean(key.clean).fullmatch(data):
            values = data.split(b"\n")
            if len(values) == len(cells) and len(max(values, key=len)) <= LONGEST:
                return Column(_digests(values, hashing), *around, raw=len(cells) - values.count(b""))
        if ALL_HASHED.fullmatch(data):
            digests = data.decode().split("\n")
            if len(digests) == len(cells):
                return Column(digests, *around, hashed=len(cells) - digests.count(""))
    return _one_by_one(key, cells, hashing)


def _digests(values: list[bytes], hashing: bool) -> list[str]:
    if b"" in values:
        return [(sha256(value).hexdigest() if hashing else UNHASHED) if value else "" for value in values]
    return [sha256(value).hexdigest() for value in values] if hashing else [UNHASHED] * len(values)


@cache
def _clean(pattern: str) -> re.Pattern[bytes]:
    """Match lines that all need no more than a hash."""
    return re.compile(f"(?:(?:{pattern})?+\n)*+(?:{pattern})?+".encode())


def _one_by_one(key: Key, cells: Sequence[Any], hashing: bool) -> Column:
    made, is_clean = Column([]), re.compile(key.clean).fullmatch
    for row, cell in enumerate(cells):
        quoted: list[str] = []
        for value in _values(cell):
            if key.is_hashed and HASHED.fullmatch(trimmed := value.strip()):
                quoted.append(f'"{trimmed.lower()}"')
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
                    quoted.append(f'"{sha256(tidy.encode()).hexdigest() if hashing else UNHASHED}"')
                else:
                    quoted.append(json.dumps(tidy))  # ASCII, as all texts
                made.raw += 1
        made.texts.append(f'"{key.name}":[{",".join(quoted)}]' if quoted else "")
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
