"""XML: RSS, Atom, or any element that is repeated. Each is a row, whose fields are its child elements."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import Any, NamedTuple, cast
from xml.parsers import expat

from ...errors import ContentError
from .. import CONTROL_CHARACTER, WHITESPACE
from ..row import Row
from ..rows import FileRows
from . import PHP_HINT, php_message
from .xml_records import (
    ANYWHERE,
    CLOSE,
    MAX_DEPTH,
    NAMED,
    ElementFields,
    Event,
    Open,
    Path,
    element_value,
    find_record,
    is_at,
    local_name,
    nested_text,
    nested_value,
)
from .xml_text import CONTROLS, XmlRepair, XmlText, deferred

OUTSIDE, IN_RECORD, IN_FIELD = range(3)  # depths
MAX_CACHED_TAG_ORDERS = 1000


class Handlers(NamedTuple):
    """What a parser calls."""

    start: Callable[[str, dict[str, str]], None]
    end: Callable[[str], None]
    text: Callable[[str], None]
    clear_text_outside_records: Callable[[], None]


def record_handlers(
    fields: ElementFields,
    begins_record: Callable[[str], bool],
    end_record: Callable[[dict[str, Any], str], None],
    leave: Callable[[], object],
    refuse_depth: Callable[[], None],
) -> Handlers:
    """Make the handlers of a document.

    `begins_record` is called with each tag outside of records, and `end_record` with the values of a record
    and their problem. `leave` is called at the end of each record, and of each element outside of records.
    """
    # By the order of tags. Empty where two tags are of one field, or one is ignored: see _one_by_one.
    fields_of_order: dict[tuple[str, ...], list[str]] = {}
    tags: list[str] = []  # of the fields of the record that is open
    texts: list[str] = []  # of each of them
    other: dict[int, Any] = {}  # values of those with attributes or children, by their number
    depth, is_nested = OUTSIDE, False
    of_record: dict[str, str] = {}  # attributes
    attributes: dict[str, str] = {}  # of the field that is open
    events: list[Event] = []  # of the field that is open
    parts = cast(list[str], events)  # the same list, which has only texts unless something is nested
    clear, join, add_tag, add_text = events.clear, "".join, tags.append, texts.append

    def start(tag: str, attrs: dict[str, str]) -> None:
        nonlocal depth, is_nested, attributes, of_record
        if depth == IN_RECORD:
            depth = IN_FIELD
            clear()
            attributes = attrs
        elif depth == OUTSIDE:
            clear()
            if begins_record(tag):
                depth, of_record = IN_RECORD, attrs
        else:
            depth += 1
            if depth > MAX_DEPTH:
                refuse_depth()
            events.append(Open(tag, attrs))
            is_nested = True

    def end(tag: str) -> None:
        nonlocal depth, is_nested
        if depth == IN_FIELD:
            depth = IN_RECORD
            if attributes or is_nested:
                is_nested = False
                tag, other[len(tags)] = _field(fields, tag, attributes, events)
                add_tag(tag)
                add_text("")
            else:
                add_tag(tag)
                add_text(join(parts).strip())
        elif depth == IN_RECORD:
            depth = OUTSIDE
            end_record(*values())
            leave()
        elif depth == OUTSIDE:
            leave()
        else:
            depth -= 1
            events.append(CLOSE)

    def values() -> tuple[dict[str, Any], str]:
        values: dict[str, Any]
        problem = ""
        key = tuple(tags)
        names = fields_of_order.get(key)
        if names is None:
            names = fields_of_order[key] = fields.distinct(tags)
            if len(fields_of_order) > MAX_CACHED_TAG_ORDERS:
                fields_of_order.clear()
        if names and not of_record:
            values = dict(zip(names, texts, strict=False))
            if not all(texts):
                values |= {names[number]: value for number, value in other.items()}
                values = {field: value for field, value in values.items() if value}
        else:
            values, problem = _one_by_one(fields, of_record, tags, texts, other)
        tags.clear()
        texts.clear()
        other.clear()
        return values, problem

    return Handlers(start, end, events.append, clear)


def _one_by_one(
    fields: ElementFields,
    of_record: Mapping[str, str],
    tags: list[str],
    texts: list[str],
    other: Mapping[int, Any],
) -> tuple[dict[str, Any], str]:
    """Return the values of a record in which several elements, or attributes, may give a field."""
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    problem = ""
    fields.set_attributes(values, sources, of_record)
    for number, tag in enumerate(tags):
        value = other.get(number, texts[number])
        if value:
            problem = fields.add(values, sources, tag, value) or problem
    return values, problem


def _field(
    fields: ElementFields, tag: str, attributes: Mapping[str, str], events: list[Event]
) -> tuple[str, Any]:
    """Return tag and value of an element that has attributes or children."""
    if name := attributes.get("name"):
        tag = NAMED + name
    if any(isinstance(event, Open) for event in events):
        return tag, nested_text(events) if fields.is_text(tag) else nested_value(iter(events))
    return tag, element_value("".join(cast(list[str], events)), attributes)


def _with_controls(value: Any, controls: list[str]) -> Any:
    """Return a value with the control characters that others stand in for; add them to those found."""
    if isinstance(value, dict):
        return {key: _with_controls(nested, controls) for key, nested in value.items()}
    if isinstance(value, list):
        return [_with_controls(item, controls) for item in value]
    controls += (CONTROLS[ord(item)] for item in value if ord(item) in CONTROLS)
    return value.translate(CONTROLS)


PLAIN_DOCTYPES = ("yml_catalog",)  # whose feeds name a file of theirs that nobody reads
MAX_RECORD_BYTES = 16 * 1024 * 1024
EXCERPT_BYTES = 20
CODES = expat.errors.codes
REPAIRABLE = (
    CODES[expat.errors.XML_ERROR_INVALID_TOKEN],
    CODES[expat.errors.XML_ERROR_BAD_CHAR_REF],
    CODES[expat.errors.XML_ERROR_UNDEFINED_ENTITY],
)
CUT_OFF = (
    CODES[expat.errors.XML_ERROR_NO_ELEMENTS],
    CODES[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    CODES[expat.errors.XML_ERROR_PARTIAL_CHAR],
    CODES[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
)
TAG_MISMATCH = CODES[expat.errors.XML_ERROR_TAG_MISMATCH]


class XmlRows(FileRows):
    """The elements that are records, as the document is read.

    A document type declaration is refused, so that none declares entities. That of YML may declare nothing.
    Entities of HTML are characters though nobody declared them, and any other `&` that begins no reference is
    text. Both are repaired, once expat has refused the first of them. So are control characters, which only a
    fix removes from a record.
    """

    _repairs = False  # whether characters that should have been escaped were found

    def _read(self) -> Iterator[Row]:
        reading = _Reading(self, self._record, repairs=self._repairs)
        try:
            yield from reading.rows()
        except _NotWellFormedError:
            # The source can be read again. The repair changes no record before the one that was refused, so
            # rows that were yielded already are counted and skipped.
            self._repairs, already = True, reading.count
            reading = _Reading(self, self._record, repairs=True)
            yield from islice(reading.rows(), already, None)
        self.notes = [*self.source.notes, *self._record_notes, *reading.notes]
        if not reading.count:
            raise self._no_record()

    @property
    def allows_controls(self) -> bool:
        """Tell whether control characters do no harm: a fix removes them, or nothing is sent as it is."""
        return self.sensitive or self.transform.has_fix(WHITESPACE)

    @cached_property
    def fields_by_tag(self) -> ElementFields:
        """The field of each element; grows as elements are seen."""
        return ElementFields(self)

    @cached_property
    def _record(self) -> Path | None:
        """The path of the elements that are records."""
        if name := self.source.options.record:
            return (ANYWHERE, local_name(name))
        return find_record(XmlRepair().repair(XmlText(self).chunks()), self.fields_by_tag.is_known)

    @property
    def _record_notes(self) -> list[str]:
        """Say which element was taken for a record, where neither a person nor a standard tells it."""
        if self._record is None or self._record[0] == ANYWHERE:
            return []
        return [f"the records are the elements {'/'.join(self._record)}; --record names others"]

    def _no_record(self) -> ContentError:
        if self._record is None:
            return self.error(1, "no element has fields", hint="name the element of a record with --record")
        hint = "name another element with --record, or look whether the feed is empty"
        return self.error(1, f"no element <{self._record[-1]}> in the document", hint=hint)


class _NotWellFormedError(Exception):
    """The document can be read only when it is repaired."""


class _Reading:
    def __init__(self, rows: XmlRows, record: Path | None, *, repairs: bool) -> None:
        self._rows = rows
        self.count = 0  # of the records that have been read
        self._record = record
        self._text = XmlText(rows)
        self._repair = XmlRepair() if repairs else None
        self._stack: list[str] = []  # names of the open elements that are not in a record
        self._parsed: list[Row] = []
        self._in_record = False
        self._record_line, self._record_begins = 0, 0
        self._chunk, self._chunk_begins = b"", 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._check_doctype
        self._parser.SkippedEntityHandler = self._skip_entity
        self._handlers = record_handlers(
            rows.fields_by_tag, self._begins_record, self._end_record, self._stack.pop, self._refuse_depth
        )
        self._parser.StartElementHandler = self._handlers.start
        self._parser.EndElementHandler = self._handlers.end
        self._parser.CharacterDataHandler = self._handlers.text

    @property
    def notes(self) -> list[str]:
        """Say what was repaired."""
        return self._repair.notes if self._repair else []

    def rows(self) -> Iterator[Row]:
        """Yield the records as they end; raise ContentError or _NotWellFormedError."""
        chunks = self._text.chunks()
        if self._repair:
            chunks = self._repair.repair(chunks)
        for chunk in chain(deferred(chunks, self._parser), [b""]):
            rows = self._parse(chunk, is_end=not chunk)
            self.count += len(rows)
            yield from rows

    def _parse(self, chunk: bytes, *, is_end: bool) -> list[Row]:
        if chunk:
            self._chunk_begins += len(self._chunk)
            self._chunk = chunk
        self._parsed = []
        try:
            self._parser.Parse(chunk, is_end)
        except expat.ExpatError as error:
            if error.code in REPAIRABLE and not self._repair:
                raise _NotWellFormedError from None
            raise self._explain(error) from None
        if not self._in_record:
            self._handlers.clear_text_outside_records()
        begins = self._record_begins if self._in_record else self._parser.CurrentByteIndex
        if self._chunk_begins + len(self._chunk) - begins > MAX_RECORD_BYTES:
            what = "a record" if self._in_record else "a tag"
            raise self._error(f"{what} of more than {MAX_RECORD_BYTES:,} bytes")
        return self._parsed

    def _begins_record(self, tag: str) -> bool:
        """Enter an element that is not in a record; tell whether it is one."""
        stack = self._stack
        stack.append(local_name(tag))
        if len(stack) > MAX_DEPTH:
            self._refuse_depth()
        if self._record is None or not is_at(self._record, stack):
            return False
        self._in_record = True
        self._record_begins = self._parser.CurrentByteIndex
        self._rows.fields_by_tag.line = self._record_line = self._line
        return True

    def _end_record(self, values: dict[str, Any], problem: str) -> None:
        self._in_record = False
        rule = ""
        if self._repair and self._repair.controls:
            names: list[str] = []
            values = _with_controls(values, names)
            if names and not (problem or self._rows.allows_controls):
                rule, problem = CONTROL_CHARACTER, f"has U+{ord(names[0]):04X}, which XML does not allow"
        self._parsed.append(Row(self._record_line, values, problem, problem_rule=rule))

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber + self._text.lines_before

    def _refuse_depth(self) -> None:
        raise self._error("nested too deeply")

    def _check_doctype(self, name: str, _system: object, _public: object, declares: int) -> None:
        """Refuse a document type that declares entities, or may. One that never does only has a name."""
        if name in PLAIN_DOCTYPES and not declares:
            return
        hint = "remove the line <!DOCTYPE ...>; entities that it declares must be written as characters"
        raise self._error("a document type declaration, which could make the document expand", hint)

    def _skip_entity(self, *_: object) -> None:
        """Have an entity repaired that the document type, which is not read, might declare."""
        if not self._repair:
            raise _NotWellFormedError

    def _error(self, message: str, hint: str = "") -> ContentError:
        return self._rows.error(self._line, message, column=self._parser.CurrentColumnNumber + 1, hint=hint)

    def _explain(self, error: expat.ExpatError) -> ContentError:
        """Make the error of a document that is not well-formed."""
        # Of an end tag expat names the place of the name.
        before = len("</") if error.code == TAG_MISMATCH else 0
        line, column = error.lineno + self._text.lines_before, error.offset + 1 - before
        record = f" in record {self.count + len(self._parsed) + 1}" if self._in_record else ""
        at = self._parser.ErrorByteIndex - self._chunk_begins - before
        words, begin = php_message(self._chunk.decode("latin-1"), within=True)
        if words:
            line -= self._chunk.count(b"\n", begin, max(at, begin))
            return self._rows.error(line, f"not XML{record}: a message of PHP: {words}", hint=PHP_HINT)
        if error.code in CUT_OFF and self._stack:
            return self._rows.error(
                line, f"the file is cut off{record}", hint="export it again", column=column
            )
        excerpt = self._chunk[at : at + EXCERPT_BYTES].decode("utf-8", "ignore") if at >= 0 else ""
        excerpt = excerpt.translate(CONTROLS)
        place = f" at {excerpt!r}" if excerpt and not self._rows.sensitive else ""
        return self._rows.error(
            line,
            f"not XML{record}: {expat.ErrorString(error.code)}{place}",
            column=column,
            hint="in a text, < is written as &lt; and no control characters are allowed",
        )
