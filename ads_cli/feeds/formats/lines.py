"""Text read line by line: the base of CSV, and files with a value in each line."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ..rows import FileRows, Row, decoding_error

MAX_LINE_BYTES = 16 * 1024 * 1024


class TextRows(FileRows):
    """Rows of a format that is read line by line."""

    _line = 0  # the last line that was read

    def _lines(self, stream: BinaryIO) -> Iterator[str]:
        """Decode line by line, so that errors name their line."""
        self._line = 0
        while raw := stream.readline(MAX_LINE_BYTES):
            yield self._decode(raw)

    def _decode(self, raw: bytes) -> str:
        """Decode the next line."""
        self._line += 1
        if b"\0" in raw:
            raise self.error(self._line, "a NUL byte; the file is damaged or not a text file")
        if len(raw) >= MAX_LINE_BYTES:
            raise self.error(self._line, f"a line of more than {MAX_LINE_BYTES:,} bytes")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise decoding_error(self, self._line, raw) from None


class LineRows(TextRows):
    """A value in each line, of the only known field; a line with the field's name is a header."""

    def _read(self) -> Iterator[Row]:
        (name,) = self.known
        self.columns = (name,)
        is_empty = True
        for line in self._lines(self.source.stream()):
            if (value := line.strip()) and value != name:
                is_empty = False
                yield Row(self._line, {name: value})
        if is_empty:
            raise self.error(1, "the file contains no values")


class ArgumentRows(LineRows):
    """Values from the command line, each of which names itself in messages."""

    def _read(self) -> Iterator[Row]:
        self._values: dict[int, str] = {}
        for row in super()._read():
            (self._values[row.line],) = row.values.values()
            yield row

    def place(self, line: int, record: int) -> str:
        """Return the value."""
        return repr(self._values[line])

    def places(self, lines: Sequence[int], records: Sequence[int]) -> str:
        """List the values."""
        return ", ".join(self.place(line, line) for line in lines)
