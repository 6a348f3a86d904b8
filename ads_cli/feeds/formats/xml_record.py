"""Find the element of an XML document that is a record."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat

from .xml_text import deferred
from .xml_values import MAX_DEPTH, local_name

ENOUGH_BYTES = 1024 * 1024  # that are searched where a repeated element is found in them
MAX_BYTES = 16 * 1024 * 1024
MAX_PATHS = 10_000
# The element that is a record, by the name of the root: RSS 2.0, RSS 1.0, Atom.
KNOWN_ROOTS = {"rss": "item", "RDF": "item", "feed": "entry"}
ANYWHERE = ""  # in a path: below any element

Path = tuple[str, ...]  # names from the root down; (ANYWHERE, name) is an element wherever it is


def is_at(path: Path, stack: list[str]) -> bool:
    """Tell whether the innermost of these open elements is the one that a path names."""
    if path[0] == ANYWHERE:
        return stack[-1] == path[1]
    return len(stack) == len(path) and tuple(stack) == path


class _DecidedError(Exception):
    """Ends the search."""


class _Search:
    """Counts the elements at each path, and the names of their children without children."""

    def __init__(self) -> None:
        self.counts: Counter[Path] = Counter()
        self.fields: defaultdict[Path, set[str]] = defaultdict(set)
        self.known: Path | None = None
        self._stack: list[str] = []
        self._has_child = False

    def start(self, tag: str, attributes: Any) -> None:
        """Count an element."""
        name = local_name(tag)
        if not self._stack and (record := KNOWN_ROOTS.get(name)):
            self.known = (ANYWHERE, record)
        self._stack.append(name)
        if self.known or len(self._stack) > MAX_DEPTH or len(self.counts) > MAX_PATHS:
            raise _DecidedError
        self.counts[tuple(self._stack)] += 1
        self._has_child = False

    def end(self, tag: str) -> None:
        """Note an element without children as a field of the one that it is in."""
        name = self._stack.pop()
        if not self._has_child:
            self.fields[tuple(self._stack)].add(name)
        self._has_child = True


def find_record(chunks: Iterator[bytes], is_known: Callable[[str], bool]) -> Path | None:
    """Find the records of a document: the element with the most known fields, and repeated.

    What is damaged is an error where it is read; here it ends the search.
    """
    search, size = _Search(), 0
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = search.start, search.end
    try:
        for chunk in deferred(chunks, parser):
            parser.Parse(chunk, False)
            size += len(chunk)
            found = any(count > 1 and path in search.fields for path, count in search.counts.items())
            if size >= (ENOUGH_BYTES if found else MAX_BYTES):
                break
    except (_DecidedError, expat.ExpatError):
        pass
    if search.known:
        return search.known

    def score(path: Path) -> tuple[int, bool, int, int]:
        names, is_repeated = search.fields[path], search.counts[path] > 1
        known = sum(map(is_known, names))
        return known * (1 + is_repeated) + is_repeated, is_repeated, len(names), -len(path)

    return max(filter(None, search.fields), key=score, default=None)
