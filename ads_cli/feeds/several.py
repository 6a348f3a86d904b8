"""Several feeds, read one after the other as if they were one."""

import hashlib
from bisect import bisect_left
from collections.abc import Collection, Container, Iterator, Sequence
from typing import BinaryIO

from .locations import Location
from .rows import DuplicatePolicy, MayFix, Row, Rows
from .source import Source

NAMED_FILES = 3  # the most that a label names


class SeveralLocations(Location):
    """Where several feeds are."""

    def __init__(self, locations: Sequence[Location]) -> None:
        super().__init__(
            _listed([each.label for each in locations]),
            identity=_listed([each.identity for each in locations]),
        )
        self._locations = locations

    @property
    def origin(self) -> str:
        """The origins of all of them."""
        return "\n".join(location.origin for location in self._locations)

    def open(self) -> BinaryIO:
        """Raise NotImplementedError: each location is opened by a source of its own."""
        raise NotImplementedError

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is one of the files that are read."""
        return any(location.is_same_file(path) for location in self._locations)


class SeveralSources(Source):
    """The sources of several feeds; each is read by rows of its own."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self.location = SeveralLocations([source.location for source in sources])
        formats = ",".join(source.format.name for source in sources)
        self.format = sources[0].format._replace(name=formats)
        self.encoding, self.options = sources[0].encoding, sources[0].options
        self.notes: list[str] = []
        self.size = sum(source.size for source in sources)

    @property
    def digest(self) -> str:
        """Identify the content of all sources, in their order, after the first complete reading."""
        digests = [source.digest for source in self.sources]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest() if all(digests) else ""

    @digest.setter
    def digest(self, value: str) -> None:
        pass  # it is that of the sources


class SeveralConversions:
    """The conversions of several feeds, which each convert their own rows."""

    def __init__(self, files: Sequence[Rows]) -> None:
        self._conversions = [rows.conversion for rows in files if rows.conversion]

    @property
    def digest(self) -> str:
        """Return what identifies the conversions."""
        return " ".join(conversion.digest for conversion in self._conversions)

    @property
    def fields(self) -> Collection[str]:
        """Name the fields that they fill."""
        return {field for conversion in self._conversions for field in conversion.fields}

    @property
    def columns(self) -> Collection[str]:
        """Name the columns that they read."""
        return {column for conversion in self._conversions for column in conversion.columns}

    @property
    def leaves_out(self) -> bool:
        """Tell whether one may leave rows out."""
        return any(conversion.leaves_out for conversion in self._conversions)

    @property
    def keep(self) -> DuplicatePolicy | None:
        """Return which of several rows with the same id is kept: in all files alike."""
        return self._conversions[0].keep

    @property
    def has_steps(self) -> bool:
        """Tell whether rows are converted before they are validated."""
        return any(conversion.has_steps for conversion in self._conversions)

    @property
    def has_fixes(self) -> bool:
        """Tell whether there are fixes, which are the same for all files."""
        return self._conversions[0].has_fixes

    @property
    def may_fix_texts(self) -> MayFix | None:
        """Return a function that says whether values may have to be fixed; None where there is no fix."""
        return self._conversions[0].may_fix_texts

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row in place."""
        self._conversions[0].fix_texts(row)

    def fix_rules(self, row: Row) -> bool:
        """Fix a row that breaks a rule, in place; tell whether anything was changed."""
        return self._conversions[0].fix_rules(row)

    def bind(self, rows: Rows) -> None:
        """Do nothing: each is bound to the rows of its own file."""

    def require_columns(self, rows: Rows) -> None:
        """Do nothing: each requires the columns of its own file."""

    def apply(self, row: Row) -> None:
        """Do nothing: the row is converted."""


class _AnyOf(Container[str]):
    """What one of several containers has."""

    def __init__(self, containers: Sequence[Container[str]]) -> None:
        self._containers = containers

    def __contains__(self, column: object) -> bool:
        return any(column in each for each in self._containers)


class SeveralRows(Rows):
    """The rows of several feeds; a row is identified by its record number, and named with its file."""

    def __init__(self, files: Sequence[Rows]) -> None:
        first = files[0]
        super().__init__(
            SeveralSources([rows.source for rows in files]), first.roots, first.known, first.rename
        )
        self.files = files
        self.several_per_line = True  # each file has a first line
        # In quotes, so that messages which differ in their places only are one finding.
        self.name_place = lambda place: repr(self.place(place.line, place.record))
        self.conversion = SeveralConversions(files) if any(rows.conversion for rows in files) else None
        self.unsent = _AnyOf([rows.unsent for rows in files])
        self.hints = {field: hint for rows in files for field, hint in rows.hints.items()}
        self._ends: list[int] = []  # record number of the last row of each file, as far as it was read

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of all files."""
        return tuple(dict.fromkeys(column for rows in self.files for column in rows.columns))

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        pass  # the base class starts without columns; these are the readers'

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that each column is read as."""
        names = {
            column: field
            for rows in self.files
            for column, field in zip(rows.columns, rows.fields, strict=True)
        }
        return tuple(names[column] for column in self.columns)

    @property
    def notes(self) -> list[str]:
        """Return the remarks about each file."""
        return [f"{rows.source.label}: {note}" for rows in self.files for note in rows.notes]

    @notes.setter
    def notes(self, value: list[str]) -> None:
        pass  # as for columns

    @property
    def warnings(self) -> list[str]:
        """Return what was left out of each file."""
        return [f"{rows.source.label}: {warning}" for rows in self.files for warning in rows.warnings]

    @warnings.setter
    def warnings(self, value: list[str]) -> None:
        pass  # as for columns

    def _read(self) -> Iterator[Row]:
        self._ends.clear()
        number = 0
        for rows in self.files:
            for row in rows:
                number += 1
                row.raw = row.raw or (rows.by_column(row.values),)
                yield row
            self._ends.append(number)

    def _converted(self, rows: Iterator[Row]) -> Iterator[Row]:
        return rows

    def position(self, line: int, record: int) -> str:
        """Name a record: its file and its line there, and its number if several records share a line."""
        file = min(bisect_left(self._ends, record), len(self.files) - 1)
        before = self._ends[file - 1] if file else 0
        return self.files[file].place(line, record - before)

    def place(self, line: int, record: int) -> str:
        """Name a record, and the file that it is in."""
        return self.position(line, record)

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List records of the files."""
        return ", ".join(map(self.position, lines, records))


def _listed(names: Sequence[str]) -> str:
    """Name the first files, and count the others."""
    if len(names) <= NAMED_FILES:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED_FILES])} and {len(names) - NAMED_FILES} more files"
