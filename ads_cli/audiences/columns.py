"""Columns of identifiers, encoded as JSON members of users.

Lists have millions of rows, so columns are processed whole. One regular expression finds that all of a column
is normalized or hashed already. Then a value costs one hash or nothing. Other columns are encoded value by
value.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar

import msgspec

from ..feeds.spreadsheet_cells import read_cell
from .identifiers import MAX_EMAIL_LENGTH, SHA256_HEX, IdentifierType, clean_text

DIGEST_SIZED = "0" * 64  # in place of a digest where only its size counts
BETWEEN = '","'  # between values in JSON, in which a quote is written as QUOTE: no value contains this
QUOTE = r"\u0022"
# Between the values of a cell; `+49 30 1234567;ext=12` is one. No normal form may match it: columns of normal
# values are not split.
MORE_VALUES = re.compile(r";(?!\s*ext=)")


@dataclass
class EncodedColumn:
    """One kind of identifier in many rows: a text for each, "" where it has none.

    `prefix + text + suffix` is the row's member of its user: `"email":["..."]`. A text has its values with
    BETWEEN between them.
    """

    kind: str
    texts: list[str]
    problems: dict[int, list[str]] = field(default_factory=dict)  # by row
    doubts: dict[int, str] = field(default_factory=dict)  # by row, of values that are sent
    raw: int = 0  # values that were not hashed
    hashed: int = 0  # values that were hashed already
    placeholders: int = 0  # values such as n/a, which count as absent

    @property
    def prefix(self) -> str:
        """Return what is before the text of a row."""
        return f'"{self.kind}":["'

    suffix: ClassVar[str] = '"]'

    @property
    def members(self) -> list[str]:
        """Return the member of each row."""
        prefix, suffix = self.prefix, self.suffix
        return [f"{prefix}{text}{suffix}" if text else "" for text in self.texts]

    def add(self, part: "EncodedColumn", rows: Sequence[int]) -> None:
        """Add what was encoded of some of the rows."""
        for row, text in zip(rows, part.texts, strict=True):
            self.texts[row] = text
        self.add_counts(part, rows)

    def add_counts(self, part: "EncodedColumn", rows: Sequence[int]) -> None:
        """Add the problems and the counts of some of the rows."""
        self.raw += part.raw
        self.hashed += part.hashed
        self.placeholders += part.placeholders
        for row, reasons in part.problems.items():
            row_problems = self.problems.setdefault(rows[row], [])
            row_problems += (reason for reason in reasons if reason not in row_problems)
        self.doubts |= {rows[row]: doubt for row, doubt in part.doubts.items()}


def encode_columns(
    kind: IdentifierType, columns: Sequence[Sequence[Any]], *, hashing: bool = True
) -> EncodedColumn:
    """Encode the columns of one kind. All values of a row count, equal ones once."""
    if len(columns) == 1:
        return encode_column(kind, columns[0], hashing=hashing)
    encoded = [encode_column(kind, cells) for cells in columns]  # only hashes tell which values are equal
    joined = EncodedColumn(kind.name, list(map(_join_texts, *(column.texts for column in encoded))))
    for column in encoded:
        joined.add_counts(column, range(len(joined.texts)))
    return joined


def _join_texts(*texts: str) -> str:
    present = [text for text in texts if text]
    if len(present) < 2:
        return "".join(present)
    return BETWEEN.join(dict.fromkeys(BETWEEN.join(present).split(BETWEEN)))


def encode_column(kind: IdentifierType, cells: Sequence[Any], *, hashing: bool = True) -> EncodedColumn:
    """Normalize and hash the cells of a column, which are texts or lists of texts. Empty ones are absent.

    Without `hashing`, members have their final size, with a placeholder for each digest.
    """
    # A column that is normal, or hashed, from its first cell to its last is encoded without a look at single
    # cells.
    if kind.is_hashed and {*map(type, cells)} == {str}:
        lines = "\n".join(cells).lower().encode("utf-8", "surrogatepass")
        if encoded := _encode_normal(kind, cells, lines, hashing) or _encode_digests(kind, cells, lines):
            return encoded
    return _encode_one_by_one(kind, cells, hashing)


def _encode_normal(
    kind: IdentifierType, cells: Sequence[str], lines: bytes, hashing: bool
) -> EncodedColumn | None:
    """Encode a column whose cells are normal or empty; return None for another one."""
    if not _all_lines(kind.normal_form(cells)).fullmatch(lines):
        return None
    values = lines.split(b"\n")
    is_a_line_each = len(values) == len(cells)
    if not is_a_line_each or len(max(values, key=len)) > MAX_EMAIL_LENGTH:  # which no pattern looks at
        return None
    raw = len(cells) - values.count(b"")
    encoded = EncodedColumn(kind.name, _digests(values, hashing), raw=raw)
    if kind.usual_form and not _all_lines(kind.usual_form(cells)).fullmatch(lines):
        filled = ((row, value) for row, value in enumerate(values) if value)
        doubtful = (row for row, value in filled if kind.raises_doubt(value.decode()))
        encoded.doubts = dict.fromkeys(doubtful, kind.doubt)
    return encoded


def _encode_digests(kind: IdentifierType, cells: Sequence[str], lines: bytes) -> EncodedColumn | None:
    """Encode a column whose cells are digests or empty; return None for another one."""
    if not _all_lines(SHA256_HEX.pattern).fullmatch(lines):
        return None
    digests = lines.decode().split("\n")
    if len(digests) != len(cells):
        return None
    return EncodedColumn(kind.name, digests, hashed=len(cells) - digests.count(""))


def _digests(values: list[bytes], hashing: bool) -> list[str]:
    if b"" in values:
        return [(sha256(value).hexdigest() if hashing else DIGEST_SIZED) if value else "" for value in values]
    return [sha256(value).hexdigest() for value in values] if hashing else [DIGEST_SIZED] * len(values)


@lru_cache(64)
def _all_lines(pattern: str) -> re.Pattern[bytes]:
    """Match lines that are all empty or match a pattern.

    The group is atomic, not possessive, which until Python 3.11.5 took what fails for a match (gh-106052).
    """
    return re.compile(f"(?>(?:(?:{pattern}|)\n)*)(?:{pattern}|)".encode(), re.MULTILINE)


def _encode_one_by_one(kind: IdentifierType, cells: Sequence[Any], hashing: bool) -> EncodedColumn:
    column, values_of_rows = EncodedColumn(kind.name, []), [[*values_in_cell(cell)] for cell in cells]
    is_normal = re.compile(kind.normal_form(value for values in values_of_rows for value in values)).fullmatch
    for row, values in enumerate(values_of_rows):
        texts: list[str] = []
        hashes = hashing or len(values) > 1  # equal values count once, and only hashes tell
        for value in values:
            lowered = value.lower()
            is_done = len(lowered) <= MAX_EMAIL_LENGTH and is_normal(lowered)
            try:
                if not is_done and kind.is_hashed and SHA256_HEX.fullmatch(digest := clean_text(lowered)):
                    texts.append(digest)
                    column.hashed += 1
                    continue
                normalized = lowered if is_done else kind.read(value)
            except ValueError as reason:
                reasons = column.problems.setdefault(row, [])
                if str(reason) not in reasons:
                    reasons.append(str(reason))
                continue
            if not normalized:
                column.placeholders += 1
                continue
            if kind.raises_doubt(normalized):
                column.doubts[row] = kind.doubt
            if kind.is_hashed:
                texts.append(sha256(normalized.encode()).hexdigest() if hashes else DIGEST_SIZED)
            else:
                texts.append(json.dumps(normalized)[1:-1].replace(r"\"", QUOTE))  # ASCII, as all texts
            column.raw += 1
        column.texts.append(BETWEEN.join(dict.fromkeys(texts)))
    return column


def values_in_cell(cell: Any) -> Iterator[str]:
    """Yield the values of a cell, which is a list, a JSON array, or text separated by semicolons."""
    if isinstance(cell, str):
        text = read_cell(cell.strip())
        if not (text.startswith("[") and isinstance(cell := _json_array(text), list)):
            cell = MORE_VALUES.split(text)
    texts = (str(value) for value in (cell if isinstance(cell, list) else [cell]) if value is not None)
    yield from (text for text in texts if text and not text.isspace())


def _json_array(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
