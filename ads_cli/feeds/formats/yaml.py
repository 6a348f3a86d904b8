"""YAML, read event by event. Scalars stay text; anchors, aliases and tags are refused."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml
from yaml import events as ev

from ...config.strict_yaml import UnsupportedYamlError, ValueBuilder, fast_loader
from ...errors import ContentError
from ..row import Row
from ..rows import RecordRows, Utf8Check

BLOCK_BYTES = 64 * 1024
MAX_RECORD_BYTES = 16 * 1024 * 1024


class YamlRows(RecordRows):
    """A list of mappings, or a mapping whose only key holds that list."""

    def _read(self) -> Iterator[Row]:
        self._stream = _CheckedStream(self, self.source.stream())
        try:
            yield from self._read_events(yaml.parse(self._stream, Loader=fast_loader()))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
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
            line = event.start_mark.line + 1
            builder.repeated_key = None
            record = builder.build(event)
            key = builder.repeated_key
            yield self.row(line, record, "" if key is None else f"the field {key!r} is repeated")
            self._stream.record_bytes = 0
        if is_empty:
            raise self._error(event.start_mark, "an empty list")
        event = next(events)
        if self._in_mapping:
            if not isinstance(event, ev.MappingEndEvent):
                raise self._error(event.start_mark, f"{self._root_names} must be the only key")
            event = next(events)
        if not isinstance(event := next(events), ev.StreamEndEvent):
            raise self._error(event.start_mark, "a second document in the file")

    def _read_opening(self, events: Iterator[Any]) -> Any:
        """Read up to the first item of the list."""
        expected = f"neither a list nor a mapping whose only key is {self._root_names}"
        while isinstance(event := next(events), ev.StreamStartEvent | ev.DocumentStartEvent):
            pass
        self._in_mapping = isinstance(event, ev.MappingStartEvent)
        if self._in_mapping:
            key = next(events)
            if not isinstance(key, ev.ScalarEvent) or key.value not in self.roots:
                raise self._error(key.start_mark, expected)
            event = next(events)
        if not isinstance(event, ev.SequenceStartEvent):
            raise self._error(event.start_mark, expected)
        return event

    def _error(self, mark: Any, message: str) -> ContentError:
        return self.error(mark.line + 1, message, column=mark.column + 1)


class _CheckedStream:
    """What the YAML parser reads: refuse other encodings, and records that would fill the memory."""

    def __init__(self, rows: YamlRows, stream: BinaryIO) -> None:
        self.record_bytes = 0  # read since the last record
        self._rows = rows
        self._stream = stream
        self._check = Utf8Check(rows)

    def read(self, size: int = BLOCK_BYTES, /) -> bytes:
        """Read a block, which may end inside a line or a character."""
        if self.record_bytes > MAX_RECORD_BYTES:
            message = f"a record of more than {MAX_RECORD_BYTES:,} bytes ends after this line"
            raise self._rows.error(self._check.line, message)
        raw = self._stream.read(size)
        self._check.decode(raw)
        self.record_bytes += len(raw)
        return raw
