"""Rows out of a file of any format, one at a time."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ..errors import ContentError
from ..suggestions import closest

if TYPE_CHECKING:
    from .source import Source

FIRST_LINES = 5  # that a message names
OWN_COLUMNS = ("_line", "_error")  # what a file of refused rows carries beside the input's columns
FAR = 0.6  # how near a column must be to be taken for one that is missing
MOST_KEYS = 10_000  # the keys of records are kept in memory


class Row(msgspec.Struct, gc=False):
    """A record: the line where it begins, its values by field, and why it could not be read, if so.

    Values that are empty, white space or null are left out.
    """

    line: int
    values: dict[str, Any]
    problem: str = ""
    record: int = 0  # its number in the file, from 1


class Rows(ABC):
    """The rows of a file; each iteration is a new reading."""

    has_header = False

    def __init__(
        self, source: "Source", roots: tuple[str, ...], known: Collection[str], rename: Mapping[str, str]
    ) -> None:
        self.source = source
        self.roots = roots  # what may be the only key of a document that is a mapping
        self.known = known
        self.rename = rename
        self.columns: tuple[str, ...] = ()  # as the file names them
        self.notes: list[str] = []
        self.records = 0  # read so far
        self.private = False  # whether no value may stand in a message
        self.crowded = False  # whether records share a line, so that only their numbers tell them apart

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the field that each column is read as."""
        return tuple(self.rename.get(column, column) for column in self.columns)

    @property
    def root(self) -> str:
        """Say which may be the only key of a document that is a mapping."""
        return " or ".join(map(repr, self.roots))

    @property
    def reading(self) -> str:
        """Describe everything beside the bytes that decides which rows come out."""
        return f"{self.source.format} {self.source.encoding} {dict(self.rename)}"

    def __iter__(self) -> Iterator[Row]:
        """Read the file from its beginning, and number its records."""
        before = self.records = 0
        for number, row in enumerate(self._read(), 1):
            self.crowded = self.crowded or row.line == before
            before, self.records = row.line, number
            row.record = number
            yield row

    @abstractmethod
    def _read(self) -> Iterator[Row]:
        """Read the file from its beginning."""

    def place(self, line: int, record: int) -> str:
        """Name where a record stands: its line, and its number where lines do not tell records apart."""
        return f"{line}, record {record}" if self.crowded else str(line)

    def at(self, line: int, message: str, *, column: int | None = None, hint: str = "") -> ContentError:
        """Make the error of something wrong at a place in the file."""
        place = f"{self.source.name}:{line}" + (f":{column}" if column else "")
        return ContentError(f"{place}: {message}", hint=hint)


class Documents(Rows):
    """Rows out of formats whose records are mappings: their columns are known as they are met."""

    def row(self, line: int, record: Any, problem: str = "") -> Row:
        """Make a row of a record as it was read."""
        if not isinstance(record, dict):
            named = "a value" if self.private else _named(record)
            return Row(line, {}, problem or f"must be an object with fields, not {named}")
        if not record.keys() <= self._names.keys():
            self._meet(record, line)
        values: dict[str, Any] = {}
        for key, value in record.items():
            if value is None or (isinstance(value, str) and (not value or value.isspace())):
                continue
            name = self._names[key]
            if name in values:
                problem = problem or f"two keys are read as {name!r}, {key!r} is one of them"
            elif name not in OWN_COLUMNS:
                values[name] = value
        return Row(line, values, problem)

    def _meet(self, record: dict[str, Any], line: int) -> None:
        """Learn what keys mean that were not seen before."""
        for key in record.keys() - self._names.keys():
            self._names[key] = self.rename.get(key.strip(), key.strip())
        if len(self._names) > MOST_KEYS:
            raise self.at(line, f"the records have more than {MOST_KEYS:,} different keys")
        columns = dict.fromkeys([*self.columns, *map(str.strip, record)])
        self.columns = tuple(column for column in columns if column not in OWN_COLUMNS)

    @cached_property
    def _names(self) -> dict[str, str]:
        return {}


def rows(
    source: "Source",
    *,
    roots: tuple[str, ...],
    known: Collection[str],
    rename: Mapping[str, str] | None = None,
) -> Rows:
    """Read a source by its format; the readers are imported on use."""
    reader: type[Rows]
    if source.format == "lines":
        from .formats.csv import LineRows as reader
    elif source.format in ("csv", "tsv"):
        from .formats.csv import CsvRows as reader
    elif source.format == "yaml":
        from .formats.yaml import YamlRows as reader
    else:
        from .formats.json import JsonLines, JsonRows

        reader = JsonRows if source.format == "json" else JsonLines
    return reader(source, roots, known, {} if rename is None else rename)


def map_hint(name: str, strange: list[str]) -> str:
    """Name the column that may be meant, and how to say so."""
    meant = closest(name, strange, FAR)
    return f"is {meant!r} meant? --map '{meant}={name}'" if meant else ""


def decoding_error(rows: Rows, line: int, raw: bytes) -> ContentError:
    """Explain bytes that are not UTF-8, and which encoding they may be."""
    hint = "name it with --encoding, as in cp1252, or save the file as UTF-8"
    if rows.private:
        return rows.at(line, "not UTF-8", hint=hint)
    guess = "cp1252"
    try:
        seen = raw.decode(guess).strip()
    except UnicodeDecodeError:
        guess = "latin-1"
        seen = raw.decode(guess).strip()
    start = next((i for i, character in enumerate(seen) if ord(character) > 127), 0)
    excerpt = seen[max(0, start - 15) : start + 15]
    return rows.at(
        line,
        f"not UTF-8; read as {guess} it says {excerpt!r}",
        hint=f"add --encoding {guess}, or save the file as UTF-8",
    )


def decoding_error_in(rows: Rows, line: int, error: UnicodeDecodeError) -> ContentError:
    """Explain a block that begins on `line` and that is not UTF-8 somewhere."""
    before, at = error.object[: error.start], error.start
    begin = before.rfind(b"\n") + 1
    end = error.object.find(b"\n", at)
    raw = error.object[begin : end if end >= 0 else None]
    return decoding_error(rows, line + before.count(b"\n"), raw)


def _named(record: Any) -> str:
    if record is None:
        return "nothing"
    return "a list" if isinstance(record, list) else f"{str(record)[:40]!r}"
