"""The value of an element of XML: its text, an address in an attribute, or what is nested in it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.parsers import expat

from .. import SEPARATORS
from ..rows import MAX_KEYS, Rows
from .xml_text import deferred

MAX_DEPTH = 100  # of elements in each other
ADDRESSES = ("href", "url", "src")  # attributes of an element without text: Atom's link, an enclosure
OTHER_LINKS = ("self", "enclosure", "related", "via", "next", "edit")  # Atom's links that are not the product


class Open(NamedTuple):
    """The start of a nested element, among the texts of a field."""

    tag: str
    attributes: Mapping[str, str]


class Close(NamedTuple):
    """The end of a nested element."""


CLOSE = Close()
Event = str | Open | Close


def local_name(tag: str) -> str:
    """Return a name without its prefix: `g:id` and `id` are the same."""
    return tag.rpartition(":")[2]


def element_value(text: str, attributes: Mapping[str, str]) -> str:
    """Return the value of an element with attributes and without children; "" where it has none."""
    if attributes.get("xml:space") == "preserve":
        return "" if text.isspace() else text
    if text := text.strip():
        return text
    if attributes.get("rel") in OTHER_LINKS:
        return ""
    return next((value for name in ADDRESSES if (value := attributes.get(name))), "")


def nested_text(events: Sequence[Event]) -> str:
    """Return the text of an element with children: as it flows, or else a word of each child."""
    depth, is_mixed = 0, False
    for event in events:
        if isinstance(event, str):
            is_mixed = is_mixed or (depth == 0 and not event.isspace())
        else:
            depth += 1 if isinstance(event, Open) else -1
    texts = [event for event in events if isinstance(event, str)]
    if is_mixed:
        return "".join(texts).strip()
    return " ".join(text for part in texts if (text := part.strip()))


def nested_value(events: Iterator[Event]) -> Any:
    """Return the children of an element by name, each with its own; the text where it has none."""
    children: dict[str, Any] = {}
    texts: list[str] = []
    for event in events:
        if isinstance(event, str):
            texts.append(event)
        elif isinstance(event, Open):
            value = nested_value(events) or element_value("", event.attributes)
            if value:
                add_value(children, event.attributes.get("name") or local_name(event.tag), value)
        else:
            break
    return children or "".join(texts).strip()


def add_value(values: dict[str, Any], name: str, value: Any) -> None:
    """Set a value; one of several with the same name is an item of a list."""
    before = values.get(name)
    if before is None:
        values[name] = value
    elif isinstance(before, list):
        before.append(value)
    else:
        values[name] = [before, value]


# In an item of a shop's feed `g:title` is the product's; `media:title` is that of an image.
SHOP_PREFIXES = ("g", "c")
# Before a name that is not that of an element: of an attribute of the record, or in <param name="...">.
ATTRIBUTE, NAMED = "@", "="


class ElementFields:
    """The fields of elements; prefixes do not matter."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._fields: dict[str, str] = {}  # by tag
        self._columns: dict[str, None] = {}
        self.line = 1  # of the record that is read

    def field_of(self, tag: str) -> str:
        """Return the field of an element, "" where it is ignored; of a new one, the column is added."""
        field = self._fields.get(tag)
        return self._add_column(tag) if field is None else field

    def _add_column(self, tag: str) -> str:
        rows, column = self._rows, _column(tag)
        if len(self._fields) >= MAX_KEYS:
            raise rows.error(self.line, f"the records have more than {MAX_KEYS:,} different elements")
        field = ""
        if column and column not in rows.ignored:
            self._columns[column] = None
            rows.columns = tuple(self._columns)
            field = rows.field_of(column)
        self._fields[tag] = field
        return field

    def distinct(self, tags: Sequence[str]) -> list[str]:
        """Return the field of each tag, or [] if two are of the same field or one is ignored."""
        fields = [self.field_of(tag) for tag in tags]
        return [] if "" in fields or len({*fields}) < len(fields) else fields

    def is_text(self, tag: str) -> bool:
        """Tell whether an element is a known field, all of which are texts."""
        return self.field_of(tag) in self._rows.known

    def is_known(self, column: str) -> bool:
        """Tell whether a name is that of a field, or is read as one."""
        return self._rows.field_of(column) in self._rows.known

    def set_attributes(
        self, values: dict[str, Any], sources: dict[str, str], attributes: Mapping[str, str]
    ) -> None:
        """Take the attributes of a record as values; elements outrank them."""
        for name, text in attributes.items():
            if text.strip() and not name.startswith(("xmlns", "xml:")):
                self.add(values, sources, ATTRIBUTE + name, text)

    def add(self, values: dict[str, Any], sources: dict[str, str], tag: str, value: Any) -> str:
        """Add a value to those of a record, unless its element is ignored.

        Returns the problem of two elements that contradict each other. `sources` has the tag of each field.
        """
        field = self.field_of(tag)
        if not field:
            return ""
        if field not in values:
            sources[field] = tag
            values[field] = value
            return ""
        source = sources[field]
        if source == tag:
            self._add_another(values, field, value)
        elif _rank(tag) > _rank(source):
            sources[field], values[field] = tag, value
        elif _rank(tag) == _rank(source) and values[field] != value:
            return f"the elements {local_name(source)!r} and {local_name(tag)!r} are both read as {field!r}"
        return ""

    def _add_another(self, values: dict[str, Any], field: str, value: Any) -> None:
        separator = SEPARATORS.get(field)
        if separator and isinstance(value, str):
            values[field] = f"{values[field]}{separator}{value}"
        elif value != values[field] or field not in self._rows.known:
            add_value(values, field, value)


def _column(tag: str) -> str:
    if tag.startswith(NAMED):
        return tag.removeprefix(NAMED).strip()
    return local_name(tag.removeprefix(ATTRIBUTE)).strip()


def _rank(tag: str) -> int:
    """Return which of two tags for the same field counts: the shop's own, then one without prefix."""
    if tag.startswith((ATTRIBUTE, NAMED)):
        return -1
    prefix, _, _ = tag.rpartition(":")
    if prefix in SHOP_PREFIXES:
        return 2
    return 0 if prefix else 1


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
        self.match: Path | None = None
        self._stack: list[str] = []
        self._has_child = False

    def start(self, tag: str, attributes: Any) -> None:
        """Count an element."""
        name = local_name(tag)
        if not self._stack and (record := KNOWN_ROOTS.get(name)):
            self.match = (ANYWHERE, record)
        self._stack.append(name)
        if self.match or len(self._stack) > MAX_DEPTH or len(self.counts) > MAX_PATHS:
            raise _DecidedError
        self.counts[tuple(self._stack)] += 1
        self._has_child = False

    def end_at_doctype(self, _name: str, _system: Any, _public: Any, declares: int) -> None:
        """End the search before entities are declared: the reading refuses them, and says where they are."""
        if declares:
            raise _DecidedError

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
    parser.StartDoctypeDeclHandler = search.end_at_doctype
    try:
        for chunk in deferred(chunks, parser):
            parser.Parse(chunk, False)
            size += len(chunk)
            repeated = any(count > 1 and path in search.fields for path, count in search.counts.items())
            if size >= (ENOUGH_BYTES if repeated else MAX_BYTES):
                break
    except (_DecidedError, expat.ExpatError):
        pass
    if search.match:
        return search.match

    def score(path: Path) -> tuple[int, bool, int, int]:
        names, is_repeated = search.fields[path], search.counts[path] > 1
        known_fields = sum(map(is_known, names))
        return known_fields * (1 + is_repeated) + is_repeated, is_repeated, len(names), -len(path)

    return max(filter(None, search.fields), key=score, default=None)
