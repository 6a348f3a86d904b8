"""JSON and JSON lines; numbers stay the text they are written as, until a declared type converts them."""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any

from ..rows import Documents, Row, decoding_error, decoding_error_in

LONGEST = 16 * 1024 * 1024  # bytes of a line, characters of an item
CHUNK = 64 * 1024
SPACE = " \t\r\n"


class Repeated(ValueError):
    """An object names a field twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise Repeated(f"the field {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)


def half_character(written: str, value: Any) -> str:
    """Say so where a value, as it was written, holds one half of a surrogate pair."""
    if "\\u" in written:  # nothing else makes one, and most texts have none
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return "holds one half of a character that is written as two \\u escapes"
    return ""


class JsonLines(Documents):
    """An object for each line."""

    def _read(self) -> Iterator[Row]:
        stream, line, found = self.source.stream(), 0, False
        while raw := stream.readline(LONGEST):
            line += 1
            if len(raw) == LONGEST:
                raise self.at(line, f"a line of more than {LONGEST:,} bytes")
            try:
                text = raw.decode().strip()
            except UnicodeDecodeError:
                raise decoding_error(self, line, raw) from None
            if not text:
                continue
            found = True
            yield self._record(line, text)
        if not found:
            raise self.at(max(line, 1), "no record in the file")

    def _record(self, line: int, text: str) -> Row:
        try:
            value = DECODER.decode(text)
            return self.row(line, value, half_character(text, value))
        except json.JSONDecodeError as error:
            return Row(line, {}, f"not JSON at column {error.colno}: {error.msg}")
        except (Repeated, RecursionError) as error:
            return Row(line, {}, str(error))


class JsonRows(Documents):
    """A list of objects, or a mapping whose only key holds that list; read item by item."""

    def _read(self) -> Iterator[Row]:
        text = _Text(self)
        self._open(text)
        if text.next() == "]":
            raise self.at(text.line, "an empty list")
        while True:
            yield self._item(text)
            sign = text.next()
            text.take(1)
            if sign == "]":
                break
            if sign != ",":
                raise self._broken(text, "a comma or the end of the list")
        if self._wrapped:
            if text.next() != "}":
                raise self._broken(text, f"the end of the mapping, since {self.root} is its only key")
            text.take(1)
        if text.next():
            raise self._broken(text, "the end of the file")

    def _open(self, text: "_Text") -> None:
        """Find the list."""
        self._wrapped = text.next() == "{"
        if self._wrapped:
            text.take(1)
            name = "" if text.next() == "}" else text.item()
            if name not in self.roots or text.next() != ":":
                raise self.at(text.line, f"neither a list nor a mapping whose only key is {self.root}")
            text.take(1)
        if text.next() != "[":
            raise self.at(text.line, f"neither a list nor a mapping whose only key is {self.root}")
        text.take(1)

    def _item(self, text: "_Text") -> Row:
        text.next()
        line = text.line
        try:
            value = text.item()
            return self.row(line, value, half_character(text.written, value))
        except Repeated as error:
            raise self.at(line, f"record {self.records + 1}: {error}") from None

    def _broken(self, text: "_Text", expected: str) -> Exception:
        seen = text.next()
        if not seen:
            return self.at(text.line, "the file is cut off in the middle")
        return self.at(text.line, f"{text.peek(20)!r} where {expected} should be")


class _Text:
    """The text of a document, as much of it as is needed, and the line it has come to."""

    def __init__(self, rows: JsonRows) -> None:
        self.line = 1
        self._rows = rows
        self._stream = rows.source.stream()
        self._decoder = getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._ended = False
        self.written = ""  # the text of the last item
        self._passed = 0  # characters of the current line that are no longer in `_text`

    def next(self) -> str:
        """Pass over white space and give the next sign; "" at the end of the file."""
        while True:
            while self._at < len(self._text):
                sign = self._text[self._at]
                if sign not in SPACE:
                    return sign
                self.take(1)
            if not self._more(CHUNK):
                return ""

    def take(self, count: int) -> None:
        """Pass over some characters."""
        self.line += self._text.count("\n", self._at, self._at + count)
        self._at += count

    def peek(self, count: int) -> str:
        """Show what comes."""
        return self._text[self._at : self._at + count]

    def item(self) -> Any:
        """Decode one value; a value that may go on is read on, twice as much each time."""
        wanted = CHUNK
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:
                    self.written = self._text[self._at : end]
                    self.take(end - self._at)
                    return value
            except json.JSONDecodeError as error:
                # What is wrong long before the end of the text stays wrong, however much is read.
                if self._ended or (error.pos < len(self._text) - 20 and "Unterminated" not in error.msg):
                    raise self._told(error) from None
            except RecursionError:
                raise self._rows.at(self.line, "nested too deeply") from None
            if len(self._text) - self._at > LONGEST:
                raise self._rows.at(self.line, f"an item of more than {LONGEST:,} characters")
            self._more(wanted)
            wanted *= 2

    def _told(self, error: json.JSONDecodeError) -> Exception:
        line = self.line + self._text.count("\n", self._at, error.pos)
        if error.pos >= len(self._text.rstrip()) or "Unterminated" in error.msg:
            return self._rows.at(line, "the file is cut off in the middle")
        begin = self._text.rfind("\n", 0, error.pos)
        column = error.pos - begin if begin >= 0 else self._passed + error.pos + 1
        return self._rows.at(line, f"not JSON: {error.msg}", column=column)

    def _more(self, count: int) -> bool:
        """Read on; tell whether there was anything."""
        if self._ended:
            return False
        raw = self._stream.read(count)
        self._ended = not raw
        try:
            fresh = self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            line = self.line + self._text.count("\n", self._at)
            raise decoding_error_in(self._rows, line, error) from None
        if "\0" in fresh:
            raise self._rows.at(self.line, "a NUL byte; this is no text file, or a damaged one")
        begin = self._text.rfind("\n", 0, self._at)
        self._passed = self._at - begin - 1 if begin >= 0 else self._passed + self._at
        self._text, self._at = self._text[self._at :] + fresh, 0
        return bool(fresh) or not self._ended
