"""Several feeds, read one after the other as if they were one."""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import cache
from typing import Any

from .locations import Location, RemoteAccess, expand_files, parse_location
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

    Whatever `Rows` declares and this class does not define is that of the first file, or empty.
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
        self._ends: list[int] = []  # record number of the last row of each file, as far as they were read
        self._files = files
        self.sensitive = any(rows.sensitive for rows in files)
        self.transform = SeveralTransforms([rows.transform for rows in files], self.file_of)
        self.unsent = _AnyOf([rows.unsent for rows in files])
        self.parts = _AnyOf([rows.parts for rows in files])
        self.hints = {field: hint for rows in files for field, hint in rows.hints.items()}

    @property
    def files(self) -> Sequence[Rows]:
        """The rows of each file."""
        return self._files

    def file_of(self, record: int) -> int:
        """Return the number of the file that a record is in, once it is read."""
        return bisect_left(self._ends, record)

    def place(self, line: int, record: int) -> str:
        """Name a record: its file and its line there, and its number if several records share a line."""
        number = self.file_of(record)
        file = self._files[min(number, len(self._files) - 1)]
        return file.place(line, record - (self._ends[number - 1] if number else 0))

    position = place

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List records of the files."""
        return ", ".join(map(self.place, lines, records))

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns of all files."""
        return tuple(dict.fromkeys(column for rows in self._files for column in rows.columns))

    @columns.setter
    def columns(self, value: tuple[str, ...]) -> None:
        pass  # they are those of the files

    @property
    def composed(self) -> tuple[str, ...]:
        """Name the fields that rows of one of the files have, and no column."""
        return tuple(dict.fromkeys(field for rows in self._files for field in rows.composed))

    @composed.setter
    def composed(self, value: Collection[str]) -> None:
        pass  # they are those of the files

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that each column is read as."""
        names = {
            column: field
            for rows in self._files
            for column, field in zip(rows.columns, rows.fields, strict=True)
        }
        return tuple(names[column] for column in self.columns)

    def by_file(self) -> Iterator[tuple[Rows, int]]:
        """Yield each file, with the number of records before it, for a reader of its own.

        Where files end is known once all were read, and stays so: another reading may stop midway.
        """
        self.notes, self.warnings = [], []
        before, ends = 0, list[int]()
        for rows in self._files:
            yield rows, before
            before += rows.records
            ends.append(before)
            if len(ends) > len(self._ends):
                self._ends = ends
            self.notes += [f"{rows.source.label}: {note}" for note in rows.notes]
            self.warnings += [f"{rows.source.label}: {warning}" for warning in rows.warnings]
        digests = " ".join(file.source.digest for file in self._files)
        self.source.digest = hashlib.sha256(digests.encode()).hexdigest()

    def _read(self) -> Iterator[Row]:
        for rows, _ in self.by_file():
            for row in rows:
                row.raw = row.raw or (rows.by_column(row.values),)
                yield row

    def _transformed(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Leave the rows as they are: each file has applied its own `transform` in `_read`."""
        return rows

    def labeled(self, remark: str) -> str:
        """Name the file of a remark; one that `by_file` took over from a file names it already."""
        own = tuple(f"{rows.source.label}: " for rows in self._files)
        return remark if remark.startswith(own) else super().labeled(remark)


def as_one(feeds: Sequence[Rows]) -> Rows:
    """Return the rows of several feeds, one after the other."""
    return feeds[0] if len(feeds) == 1 else SeveralRows(feeds)


def open_several(
    files: list[str], access: Callable[[], RemoteAccess], open_rows: Callable[[Location], Rows]
) -> Rows:
    """Open the files that arguments name as one feed; raise AdsctlError."""
    connections: dict[str, Any] = {}  # that the files share
    shared = cache(lambda: access()._replace(file_systems=connections))
    expanded = expand_files(files, access)
    rows = as_one([open_rows(parse_location(file, shared)) for file in expanded])
    if connections:
        from .locations.object_store import disconnect

        disconnect(connections)
    if expanded != files:
        rows.source.named = [parse_location(file, shared) for file in files]
    return rows
