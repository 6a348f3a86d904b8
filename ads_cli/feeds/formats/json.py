"""JSON and JSON Lines. Numbers stay the text that was written, until a declared type converts them."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ...errors import ContentError
from ...output.text import shell_command
from ..decoding import Utf8Check
from ..row import Row
from ..rows import MAX_LINE_BYTES, RecordRows

MAX_ITEM_CHARACTERS = 16 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
WHITE_SPACE = re.compile(r"[ \t\r\n]*+")


class RepeatedFieldError(ValueError):
    """An object names a field twice."""


def _to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        repeated = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise RepeatedFieldError(f"the field {repeated!r} is repeated")
    return values


DECODER = json.JSONDecoder(object_pairs_hook=_to_dict, parse_int=str, parse_float=str, parse_constant=str)


def surrogate_problem(text: str, value: Any) -> str:
    """Describe the problem of a value with a lone surrogate; "" if there is none."""
    if "\\u" in text:  # only an escape can produce one
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return "contains a lone surrogate"
    return ""


class JsonLinesRows(RecordRows):
    """An object in each line."""

    def _read(self) -> Iterator[Row]:
        stream, line = self.source.stream(), 0
        while raw := stream.readline(MAX_LINE_BYTES):
            line += 1
            if len(raw) == MAX_LINE_BYTES:
                raise self.error(line, f"a line of more than {MAX_LINE_BYTES:,} bytes")
            try:
                text = raw.decode().strip()
            except UnicodeDecodeError:
                raise self.decoding_error(line, raw) from None
            if text:
                yield self._parse(line, text)
        self.if_empty = max(line, 1), "the file contains no records"

    def _parse(self, line: int, text: str) -> Row:
        try:
            value = DECODER.decode(text)
            return self.row(line, value, surrogate_problem(text, value))
        except json.JSONDecodeError as error:
            return Row(line, {}, f"not JSON at column {error.colno}: {error.msg}")
        except RecursionError:
            return Row(line, {}, "nested too deeply")
        except RepeatedFieldError as error:
            return Row(line, {}, str(error))


class JsonRows(RecordRows):
    """A list of objects, or a mapping whose only key holds that list. It is read item by item."""

    def _read(self) -> Iterator[Row]:
        text = _TextStream(self)
        in_mapping = self._read_opening(text)
        if text.next_character() == "]":
            raise self.error(text.line, "an empty list")
        while True:
            yield self._read_item(text)
            character = text.next_character()
            if character not in (",", "]"):
                raise self._unexpected(text, "a comma or the end of the list")
            text.skip(1)
            if character == "]":
                break
        if in_mapping:
            if text.next_character() != "}":
                raise self._unexpected(
                    text, f"the end of the mapping, since {self._root_names} is its only key"
                )
            text.skip(1)
        if text.next_character():
            raise self._unexpected(text, "the end of the file")

    def _read_opening(self, text: "_TextStream") -> bool:
        """Read up to the first item of the list; tell whether the list is in a mapping."""
        expected = f"neither a list nor a mapping whose only key is {self._root_names}"
        in_mapping = text.next_character() == "{"
        if in_mapping:
            text.skip(1)
            key = "" if text.next_character() == "}" else text.decode_item()
            if key not in self.roots or text.next_character() != ":":
                raise self.error(text.line, expected, hint=self._nested_records())
            text.skip(1)
        if text.next_character() != "[":
            raise self.error(text.line, expected)
        text.skip(1)
        return in_mapping

    def _nested_records(self) -> str:
        """Say which list within a mapping seems to be the one of records: that with the most objects."""
        with suppress(ContentError, RepeatedFieldError):
            text = _TextStream(self)
            text.next_character()
            sizes = {path: len(records) for path, records in _lists_of_objects(text.decode_item())}
            if sizes:
                command = shell_command(["jq", max(sizes, key=sizes.__getitem__)])
                return f"give the list of its records alone, as made by: {command} FILE > products.json"
        return ""

    def _read_item(self, text: "_TextStream") -> Row:
        text.next_character()
        line = text.line
        try:
            value = text.decode_item()
            return self.row(line, value, surrogate_problem(text.item_text, value))
        except RepeatedFieldError as error:
            raise self.error(line, f"record {self.records + 1}: {error}") from None

    def _unexpected(self, text: "_TextStream", expected: str) -> ContentError:
        if not text.next_character():
            return self.error(text.line, "the file is cut off in the middle")
        return self.error(text.line, f"{text.peek(20)!r} where {expected} should be")


def _lists_of_objects(value: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield each list of objects in nested mappings, with its path as jq takes it."""
    if isinstance(value, dict):
        for key, nested in value.items():
            yield from _lists_of_objects(nested, f"{path}.{key if NAME.fullmatch(key) else json.dumps(key)}")
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        yield path, value


class _TextStream:
    """The text of a document, of which only the part around the current item is in memory."""

    def __init__(self, rows: JsonRows) -> None:
        self.line = 1
        self.item_text = ""  # of the last item
        self._rows = rows
        self._stream = rows.source.stream()
        self._check = Utf8Check(rows.decoding_error_in)
        self._text = ""
        self._position = 0  # in `_text`
        self._ended = False
        self._dropped = 0  # characters of the current line that are no longer in `_text`

    def next_character(self) -> str:
        """Skip white space and return the next character without consuming it; "" at the end."""
        while True:
            if blank := WHITE_SPACE.match(self._text, self._position):
                self.skip(blank.end() - self._position)
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read_more(CHUNK_BYTES):
                return ""

    def skip(self, count: int) -> None:
        """Consume characters."""
        self.line += self._text.count("\n", self._position, self._position + count)
        self._position += count

    def peek(self, count: int) -> str:
        """Return the next characters without consuming them."""
        return self._text[self._position : self._position + count]

    def decode_item(self) -> Any:
        """Decode one value. If it may continue after the text in memory, read on, twice as much each time."""
        size = CHUNK_BYTES
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._position)
                if end < len(self._text) or self._ended:
                    self.item_text = self._text[self._position : end]
                    self.skip(end - self._position)
                    return value
            except json.JSONDecodeError as error:
                # An error well before the end of the text does not depend on what follows.
                if self._ended or (error.pos < len(self._text) - 20 and "Unterminated" not in error.msg):
                    raise self._syntax_error(error) from None
            except RecursionError:
                raise self._rows.error(self.line, "nested too deeply") from None
            if len(self._text) - self._position > MAX_ITEM_CHARACTERS:
                raise self._rows.error(self.line, f"an item of more than {MAX_ITEM_CHARACTERS:,} characters")
            self._read_more(size)
            size *= 2

    def _syntax_error(self, error: json.JSONDecodeError) -> ContentError:
        line = self.line + self._text.count("\n", self._position, error.pos)
        if error.pos >= len(self._text.rstrip()) or "Unterminated" in error.msg:
            return self._rows.error(line, "the file is cut off in the middle")
        line_start = self._text.rfind("\n", 0, error.pos)
        column = error.pos - line_start if line_start >= 0 else self._dropped + error.pos + 1
        return self._rows.error(line, f"not JSON: {error.msg}", column=column)

    def _read_more(self, size: int) -> bool:
        """Read on; return False at the end."""
        if self._ended:
            return False
        raw = self._stream.read(size)
        self._ended = not raw
        text = self._check.decode(raw)
        if "\0" in text:
            raise self._rows.error(self.line, "a NUL byte; the file is damaged or not a text file")
        line_start = self._text.rfind("\n", 0, self._position)
        dropped = self._position - line_start - 1
        self._dropped = dropped if line_start >= 0 else self._dropped + self._position
        self._text, self._position = self._text[self._position :] + text, 0
        return bool(text) or not self._ended
