"""YAML, read event by event. Scalars stay text; anchors, aliases and tags are refused."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml
from yaml import events as ev

from ...config.strict_yaml import UnsupportedYamlError, ValueBuilder, check_event, fast_loader
from ...errors import ContentError
from ..decoding import Utf8Check
from ..row import Row
from ..rows import RecordRows

BLOCK_BYTES = 64 * 1024
MAX_RECORD_BYTES = 16 * 1024 * 1024
YAML_BREAK = re.compile("[\x85\u2028\u2029]")  # what ends a line for the parser, and for nobody else


class YamlRows(RecordRows):
    """A list of mappings, or a mapping whose only key holds that list."""

    def _read(self) -> Iterator[Row]:
        self._stream = _CheckedStream(self, self.source.stream())
        try:
            yield from self._read_events(yaml.parse(self._stream, Loader=fast_loader()))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (self._stream.line_of(mark), mark.column + 1) if mark else (1, 1)
            message = error.problem or error.context or ""
            message = message if isinstance(error, UnsupportedYamlError) else f"not YAML: {message}"
            raise self.error(line, message, column=column) from None
        except yaml.reader.ReaderError as error:
            line = 1 + self.source.stream().read(error.position).count(b"\n")
            message = f"not YAML: {error.reason} (character 0x{error.character:02X})"
            raise self.error(line, message, hint="remove the character") from None

    def _read_events(self, events: Iterator[Any]) -> Iterator[Row]:
        builder = ValueBuilder(events)
        event = self._read_opening(events)
        is_empty = True
        while not isinstance(event := next(events), ev.SequenceEndEvent):
            is_empty = False
            self._stream.begin_record(event.start_mark)
            line = self._stream.line_of(event.start_mark)
            builder.repeated_key = None
            record = builder.build(event)
            key = builder.repeated_key
            yield self.row(line, record, "" if key is None else f"the field {key!r} is repeated")
        if is_empty:
            raise self._error(event.start_mark, "an empty list")
        if self._in_mapping and not isinstance(event := next(events), ev.MappingEndEvent):
            raise self._error(event.start_mark, f"{self._root_names} must be the only key")
        next(events)  # the end of the document
        if not isinstance(event := next(events), ev.StreamEndEvent):
            raise self._error(event.start_mark, "a second document in the file")

    def _read_opening(self, events: Iterator[Any]) -> Any:
        """Read up to the first item of the list."""
        expected = f"neither a list nor a mapping whose only key is {self._root_names}"
        while isinstance(event := next(events), ev.StreamStartEvent | ev.DocumentStartEvent):
            pass
        check_event(event)
        self._in_mapping = isinstance(event, ev.MappingStartEvent)
        if self._in_mapping:
            check_event(key := next(events))
            if not isinstance(key, ev.ScalarEvent) or key.value not in self.roots:
                raise self._error(key.start_mark, expected)
            check_event(event := next(events))
        if not isinstance(event, ev.SequenceStartEvent):
            raise self._error(event.start_mark, expected)
        return event

    def _error(self, mark: Any, message: str) -> ContentError:
        return self.error(self._stream.line_of(mark), message, column=mark.column + 1)


class _CheckedStream:
    """What the YAML parser reads: refuse other encodings, and records that would fill the memory."""

    def __init__(self, rows: YamlRows, stream: BinaryIO) -> None:
        self.record_bytes = 0  # read since a record began
        self._characters = 0
        self._breaks = array("Q")  # where the parser alone ends lines: characters before them
        self._forgotten_breaks = 0  # before the record
        self._rows = rows
        self._stream = stream
        self._check = Utf8Check(rows.decoding_error_in)

    def read(self, size: int = BLOCK_BYTES, /) -> bytes:
        """Read a block, which may end inside a line or a character."""
        if self.record_bytes > MAX_RECORD_BYTES:
            message = f"a record of more than {MAX_RECORD_BYTES:,} bytes ends after this line"
            raise self._rows.error(self._check.line, message)
        raw = self._stream.read(size)
        text = self._check.decode(raw)
        if not self._characters:
            text = text.removeprefix("\ufeff")  # which marks do not count
        if not text.isascii():
            self._breaks.extend(self._characters + match.start() for match in YAML_BREAK.finditer(text))
        self._characters += len(text)
        self.record_bytes += len(raw)
        return raw

    def begin_record(self, mark: Any) -> None:
        """Count the bytes of a record, and forget the lines before it."""
        self.record_bytes = 0
        passed = bisect_left(self._breaks, mark.index)
        del self._breaks[:passed]
        self._forgotten_breaks += passed

    def line_of(self, mark: Any) -> int:
        """Return the line of a mark in the record or after it."""
        breaks = self._forgotten_breaks + bisect_left(self._breaks, mark.index)
        line: int = mark.line + 1 - breaks
        return line
