"""YAML, read event by event: scalars stay text, and nothing can explode."""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml
from yaml import events as ev

from ..rows import Documents, Row, decoding_error_in

DEEPEST = 32
BLOCK = 64 * 1024
LONGEST = 16 * 1024 * 1024  # bytes of a record
ABSENT = ("", "null", "Null", "NULL", "~")
Events = Iterator[Any]


class YamlRows(Documents):
    """A list of mappings, or a mapping whose only key holds that list."""

    def _read(self) -> Iterator[Row]:
        stream = self.source.stream()
        try:
            self._stream = _Checked(self, stream)
            yield from self._rows(yaml.parse(self._stream, Loader=_loader()))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            raise self.at(line, f"not YAML: {error.problem or error.context}", column=column) from None
        except yaml.reader.ReaderError as error:
            line = 1 + self.source.stream().read(error.position).count(b"\n")
            what = f"not YAML: {error.reason} (character 0x{error.character:02X})"
            raise self.at(line, what, hint="remove the character") from None

    def _rows(self, events: Events) -> Iterator[Row]:
        event = self._open(events)
        found = False
        while not isinstance(event := next(events), ev.SequenceEndEvent):
            found = True
            self._problem = ""
            line = event.start_mark.line + 1
            record = self._value(event, events, 1)
            yield self.row(line, record, self._problem)
            self._stream.since = 0
        if not found:
            raise self._at(event, "an empty list")
        event = next(events)
        if self._wrapped:
            if not isinstance(event, ev.MappingEndEvent):
                raise self._at(event, f"{self.root} must be the only key")
            event = next(events)
        if not isinstance(event := next(events), ev.StreamEndEvent):
            raise self._at(event, "a second document in the file")

    def _open(self, events: Events) -> Any:
        """Find the list."""
        while isinstance(event := next(events), ev.StreamStartEvent | ev.DocumentStartEvent):
            pass
        self._wrapped = isinstance(event, ev.MappingStartEvent)
        if self._wrapped:
            key = next(events)
            if not isinstance(key, ev.ScalarEvent) or key.value not in self.roots:
                raise self._at(key, f"neither a list nor a mapping whose only key is {self.root}")
            event = next(events)
        if not isinstance(event, ev.SequenceStartEvent):
            raise self._at(event, f"neither a list nor a mapping whose only key is {self.root}")
        return event

    def _value(self, event: Any, events: Events, depth: int) -> Any:
        """Build one value; anchors, aliases and tags are refused."""
        if isinstance(event, ev.AliasEvent) or event.anchor is not None:
            raise self._at(event, "anchors and aliases are not read; write the value out")
        if event.tag is not None and event.tag != "!":
            raise self._at(event, f"the tag {event.tag} is not read; write a plain value")
        if depth > DEEPEST:
            raise self._at(event, f"nested more than {DEEPEST} deep")
        if isinstance(event, ev.ScalarEvent):
            return None if event.implicit[0] and event.value in ABSENT else event.value
        if isinstance(event, ev.SequenceStartEvent):
            found = []
            while not isinstance(event := next(events), ev.SequenceEndEvent):
                found.append(self._value(event, events, depth + 1))
            return found
        return self._mapping(events, depth)

    def _mapping(self, events: Events, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(event := next(events), ev.MappingEndEvent):
            if not isinstance(event, ev.ScalarEvent):
                raise self._at(event, "a key must be text")
            value = self._value(next(events), events, depth + 1)
            if event.value in found:
                self._problem = f"the field {event.value!r} stands twice"
            found[event.value] = value
        return found

    def _at(self, event: Any, message: str) -> Exception:
        mark = event.start_mark
        return self.at(mark.line + 1, message, column=mark.column + 1)


class _Checked:
    """What the parser reads: UTF-8, and no record so long that it fills the memory."""

    def __init__(self, rows: YamlRows, stream: BinaryIO) -> None:
        self.since = 0  # bytes read since the last record
        self._rows = rows
        self._stream = stream
        self._line = 1
        self._decoder = getincrementaldecoder("utf-8")()

    def read(self, size: int = BLOCK, /) -> bytes:
        """Read a block, which may end anywhere."""
        if self.since > LONGEST:
            raise self._rows.at(self._line, f"a record of more than {LONGEST:,} bytes ends after here")
        raw = self._stream.read(size)
        try:
            self._decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            raise decoding_error_in(self._rows, self._line, error) from None
        self.since += len(raw)
        self._line += raw.count(b"\n")
        return raw


def _loader() -> Any:
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)
