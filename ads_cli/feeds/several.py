"""Several feeds, read one after the other as if they were one."""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterator, Sequence

from .row import Row, RowTransform
from .rows import Rows
from .source import Feed


class SeveralTransforms(RowTransform):
    """The transforms of several feeds, which each change their own rows. Fixes are the same for all."""

    def __init__(self, transforms: Sequence[RowTransform], file_of: Callable[[int], int]) -> None:
        steps = [step for transform in transforms for step in transform.steps]
        super().__init__(steps, transforms[0].keep, transforms[0].fixes)
        self._transforms = transforms
        self._file_of = file_of  # the number of the feed that a record is in

    @property
    def digest(self) -> str:
        """Return what identifies the transforms."""
        digests = [transform.digest for transform in self._transforms]
        return " ".join(digests) if any(digests) else ""  # which file has which one counts

    def _apply_again(self, row: Row) -> None:
        self._transforms[self._file_of(row.record)]._apply_again(row)


class _AnyOf(Container[str]):
    """What one of several containers has."""

    def __init__(self, containers: Sequence[Container[str]]) -> None:
        self._containers = containers

    def __contains__(self, column: object) -> bool:
        return any(column in container for container in self._containers)


class SeveralRows(Rows):
    """The rows of several files. A row is identified by its record number, and named with its file.

    Whatever `Rows` declares and this class does not define is that of the first file, or empty. Who reads the
    files in another way says so by `begin_reading` and `end_file`.
    """

    several_per_line = True  # each file has a first line

    def __init__(self, files: Sequence[Rows]) -> None:
        first, feeds = files[0], [rows.source for rows in files]
        locations = [location for feed in feeds for location in feed.locations]
        formats, size = ",".join(feed.format_name for feed in feeds), sum(feed.size for feed in feeds)
        feed = Feed(locations, formats, first.source.encoding, first.source.options, size)
        super().__init__(feed, first.roots, first.known, first.rename)
        # In quotes, so that messages which differ in their places only are one finding.
        self.name_place = lambda place: repr(self.place(place.line, place.record))
        self._ends: list[int] = []  # record number of the last row of each file, as far as it was read
        self.files = files
        self.transform = SeveralTransforms([rows.transform for rows in files], self._file_of)
        self.unsent = _AnyOf([rows.unsent for rows in files])
        self.parts = _AnyOf([rows.parts for rows in files])
        self.hints = {field: hint for rows in files for field, hint in rows.hints.items()}

    @property
    def ends(self) -> tuple[int, ...]:
        """Return the record number of the last row of each file that was read."""
        return tuple(self._ends)

    def _file_of(self, record: int) -> int:
        """Return the number of the file that a record is in."""
        return bisect_left(self._ends, record)

    def place(self, line: int, record: int) -> str:
        """Name a record: its file and its line there, and its number if several records share a line."""
        number = self._file_of(record)
        file = self.files[min(number, len(self.files) - 1)]
        return file.place(line, record - (self._ends[number - 1] if number else 0))

    position = place

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List records of the files."""
        return ", ".join(map(self.place, lines, records))

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of all files."""
        return tuple(dict.fromkeys(column for rows in self.files for column in rows.columns))

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        pass  # they are those of the files

    @property
    def composed(self) -> tuple[str, ...]:
        """Name the fields that rows of one of the files have, and no column."""
        return tuple(dict.fromkeys(field for rows in self.files for field in rows.composed))

    @composed.setter
    def composed(self, value: Collection[str]) -> None:
        pass  # they are those of the files

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that each column is read as."""
        names = {
            column: field
            for rows in self.files
            for column, field in zip(rows.columns, rows.fields, strict=True)
        }
        return tuple(names[column] for column in self.columns)

    def _read(self) -> Iterator[Row]:
        self.begin_reading()
        number = 0
        for rows in self.files:
            for row in rows:
                number += 1
                row.raw = row.raw or (rows.by_column(row.values),)
                yield row
            self.end_file(rows, number)

    def begin_reading(self) -> None:
        """Forget where the files of an earlier reading ended."""
        self._ends, self.notes, self.warnings = [], [], []

    def end_file(self, rows: Rows, last_record: int) -> None:
        """Note with which record a file ended, and what its reader says of it."""
        self._ends.append(last_record)
        self.notes += [f"{rows.source.label}: {note}" for note in rows.notes]
        self.warnings += [f"{rows.source.label}: {warning}" for warning in rows.warnings]
        if len(self._ends) == len(self.files):
            digests = " ".join(file.source.digest for file in self.files)
            self.source.digest = hashlib.sha256(digests.encode()).hexdigest()

    def _transformed(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Leave the rows as they are: each file has applied its own `transform` in `_read`."""
        return rows

    def labeled(self, remark: str) -> str:
        """Name the file of a remark; one that `_read` took over from a file names it already."""
        own = tuple(f"{rows.source.label}: " for rows in self.files)
        return remark if remark.startswith(own) else super().labeled(remark)
