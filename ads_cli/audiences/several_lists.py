"""The rows of several lists, which are opened one after the other: only where they are is kept of each."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from ..feeds.locations.location import FileLocation, Location
from ..feeds.peek import Peeked
from ..feeds.registry import FORMATS
from ..feeds.rows import Row, Rows
from ..feeds.several import SeveralLocations
from ..feeds.source import BLOCK_BYTES, ReadOptions, Source


class ListFile(Location):
    """One of several lists: where it is, and what is known of it before it is read."""

    def __init__(self, file: str, location: Location, peeked: Peeked) -> None:
        super().__init__(location.label, file_name=location.file_name, identity=location.identity)
        self.file = file  # as an argument names it
        self.peeked = peeked
        self._location = location

    def open(self) -> BinaryIO:
        """Open it again."""
        return self._location.open()

    @property
    def is_local(self) -> bool:
        """Tell whether it is on this machine, where reading it once more costs little."""
        return isinstance(self._location, FileLocation)

    @property
    def origin(self) -> str:
        """Identify it from run to run."""
        return self._location.origin

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is this file."""
        return self._location.is_same_file(path)

    def is_unchanged(self, version: str, digest: str) -> bool:
        """Tell whether it had this version, or has this digest, for which it is read."""
        is_known = bool(version) and self.peeked.version == version
        return is_known or self._digest() == digest

    def _digest(self) -> str:
        from hashlib import sha256

        found = sha256()
        with self.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                found.update(block)
        return found.hexdigest()


class NumberedList(NamedTuple):
    """A list whose rows and batches have their numbers among those of all lists."""

    list: ListFile | None  # None: it does not exist any more, or has other content
    records: int  # before it
    may_have_rejections: bool


class ListsLocation(SeveralLocations):
    """Where several lists are, named as they were: by files and patterns."""

    def __init__(self, named: Sequence[Location], lists: Sequence[ListFile]) -> None:
        super().__init__(named)
        self._lists = lists

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is one of the files that are read."""
        return any(each.is_same_file(path) for each in self._lists)


class ListsSource(Source):
    """The source of several lists; none of them is open."""

    def __init__(
        self, location: ListsLocation, lists: Sequence[ListFile], encoding: str, options: ReadOptions
    ) -> None:
        self.location = location
        formats = dict.fromkeys(each.peeked.format for each in lists)
        self.format = FORMATS[lists[0].peeked.format]._replace(name=",".join(formats))
        self.encoding, self.options = encoding, options
        self.notes: list[str] = []
        self.size = 0
        self.digest = ""


class ListRows(Rows):
    """Names the rows of several lists, which it does not read; numbered as if they were one."""

    def __init__(self, source: Source, lists: Sequence[ListFile]) -> None:
        super().__init__(source, (), (), {})
        self.several_per_line = True  # each list has a first line
        self.columns = tuple(dict.fromkeys(name for each in lists for name in each.peeked.columns))
        # In quotes, so that messages which differ in their places only are one finding.
        self.name_place = lambda place: repr(self.place(place.line, place.record))
        self._ends: list[int] = []  # the number of the last row of each list that was read
        self._names: list[tuple[str, bool]] = []  # its label, and whether several rows share a line
        self.total = 0

    def forget(self) -> None:
        """Number the rows from the first list again."""
        self.total = 0
        self._ends.clear()
        self._names.clear()

    def add(self, label: str, rows: int, *, several_per_line: bool = False) -> None:
        """Number the rows of the next list."""
        self.total += rows
        self._ends.append(self.total)
        self._names.append((label, several_per_line))

    def position(self, line: int, record: int) -> str:
        """Name a record: its list and its line there, and its number if several share a line."""
        number = min(bisect_left(self._ends, record), len(self._ends) - 1)
        label, several_per_line = self._names[number]
        before = self._ends[number - 1] if number else 0
        return f"{label}:{line}" + (f", record {record - before}" if several_per_line else "")

    def place(self, line: int, record: int) -> str:
        """Name a record, and the list that it is in."""
        return self.position(line, record)

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List records of the lists."""
        return ", ".join(map(self.position, lines, records))

    def _read(self) -> Iterator[Row]:
        raise NotImplementedError  # each list is read by its own rows
