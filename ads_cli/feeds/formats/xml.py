"""XML: RSS, Atom, or any element that is repeated; each a row, whose fields are its child elements."""

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, islice
from typing import Any
from xml.parsers import expat

from ...errors import ContentError
from ..rows import FileRows, Row
from .xml_handlers import record_handlers
from .xml_records import ANYWHERE, MAX_DEPTH, ElementFields, Path, find_record, is_at, local_name
from .xml_text import XmlRepair, XmlText, deferred

MAX_RECORD_BYTES = 16 * 1024 * 1024
EXCERPT_BYTES = 20
CODES = expat.errors.codes
REPAIRABLE = (
    CODES[expat.errors.XML_ERROR_INVALID_TOKEN],
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
    """The elements that are records, as the document is read."""

    _repairs = False  # whether characters that should have been escaped were found

    def _read(self) -> Iterator[Row]:
        reading = _Reading(self, self._record, repairs=self._repairs)
        try:
            yield from reading.rows()
        except _NotWellFormedError:
            self._repairs, already = True, reading.count
            reading = _Reading(self, self._record, repairs=True)
            yield from islice(reading.rows(), already, None)
        self.notes = [*self.source.notes, *self._record_notes, *reading.notes]
        if not reading.count:
            raise self._no_record()

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
    """One reading of the document."""

    def __init__(self, rows: XmlRows, record: Path | None, *, repairs: bool) -> None:
        self._rows = rows
        self.count = 0  # of the records that have been read
        self._record = record
        self._text = XmlText(rows)
        self._repair = XmlRepair() if repairs else None
        self._stack: list[str] = []  # names of the open elements that are not in a record
        self._found: list[Row] = []
        self._in_record = False
        self._record_line, self._record_begins = 0, 0
        self._chunk, self._chunk_begins = b"", 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._handlers = record_handlers(
            rows.fields_by_tag, self._begins_record, self._stack.pop, self._end_record, self._refuse_depth
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
            found = self._parse(chunk, is_end=not chunk)
            self.count += len(found)
            yield from found

    def _parse(self, chunk: bytes, *, is_end: bool) -> list[Row]:
        self._chunk_begins += len(self._chunk)
        self._chunk = chunk
        self._found = []
        try:
            self._parser.Parse(chunk, is_end)
        except expat.ExpatError as error:
            if error.code in REPAIRABLE and not self._repair:
                raise _NotWellFormedError from None
            raise self._explain(error) from None
        if not self._in_record:
            self._handlers.forget_text()
        begins = self._record_begins if self._in_record else self._parser.CurrentByteIndex
        if self._chunk_begins + len(chunk) - begins > MAX_RECORD_BYTES:
            what = "a record" if self._in_record else "a tag"
            raise self._error(f"{what} of more than {MAX_RECORD_BYTES:,} bytes")
        return self._found

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
        self._stack.pop()
        self._in_record = False
        self._found.append(Row(self._record_line, values, problem))

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber + self._text.lines_before

    def _refuse_depth(self) -> None:
        raise self._error("nested too deeply")

    def _refuse_doctype(self, *declared: object) -> None:
        hint = "remove the line <!DOCTYPE ...>; entities that it declares must be written as characters"
        raise self._error("a document type declaration, which could make the document expand", hint)

    def _error(self, message: str, hint: str = "") -> ContentError:
        return self._rows.error(self._line, message, column=self._parser.CurrentColumnNumber + 1, hint=hint)

    def _explain(self, error: expat.ExpatError) -> ContentError:
        """Make the error of a document that is not well-formed."""
        # Of an end tag expat names the place of the name.
        before = len("</") if error.code == TAG_MISMATCH else 0
        line, column = error.lineno + self._text.lines_before, error.offset + 1 - before
        record = f" in record {self.count + len(self._found) + 1}" if self._in_record else ""
        if error.code in CUT_OFF and self._stack:
            return self._rows.error(
                line, f"the file is cut off{record}", hint="export it again", column=column
            )
        at = self._parser.ErrorByteIndex - self._chunk_begins - before
        excerpt = self._chunk[at : at + EXCERPT_BYTES].decode("utf-8", "ignore") if at >= 0 else ""
        found = f" at {excerpt!r}" if excerpt and not self._rows.sensitive else ""
        return self._rows.error(
            line,
            f"not XML{record}: {expat.ErrorString(error.code)}{found}",
            column=column,
            hint="in a text, < is written as &lt; and no control characters are allowed",
        )
