"""Text in any encoding, as UTF-8; and what is said of a line that is in none, or of too many blank ones."""

import codecs
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..errors import ContentError, UsageError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
PIECE_BYTES = 64 * 1024
UTF_8 = "utf-8"
MARK = "\ufeff"  # the byte order mark; within a text, where files that begin with it were joined
MARKS = re.compile(rb"(?m:^)(?:\xef\xbb\xbf)++")


def check_encoding(encoding: str) -> None:
    """Raise UsageError unless `encoding` is a text encoding."""
    try:
        # codecs.lookup also accepts codecs between bytes, such as hex.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding: {encoding!r} is not a known encoding", hint="for example cp1252 or latin-1"
        ) from None


class PieceStream(io.RawIOBase):
    """A stream of the pieces of bytes that an iterator yields."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = filter(None, pieces)
        self._rest = memoryview(b"")  # of the piece that is being read
        self.size = 0  # bytes that have been read

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read from one piece; 0 is the end."""
        if not self._rest:
            self._rest = memoryview(next(self._pieces, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        self.size += count
        return count


def as_utf_8(stream: "Buffered", encoding: str, label: str) -> BinaryIO:
    """Convert a stream to UTF-8 without byte order marks; one at its beginning outranks `encoding`."""
    start = stream.peek(4)[:4]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        pieces = _utf_8_pieces(stream, "utf-16", label)
    elif start.startswith(codecs.BOM_UTF8) or codecs.lookup(encoding).name == UTF_8:
        pieces = iter(partial(stream.read, PIECE_BYTES), b"")
    else:
        pieces = _utf_8_pieces(stream, encoding, label)
    return io.BufferedReader(PieceStream(_without_marks(pieces)), BUFFER_BYTES)


def _without_marks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield UTF-8 without the marks at the beginning of the text and of lines, where files were joined."""
    held, is_line_begun = b"", False  # `held`: the first bytes of a mark at the beginning of a line
    for piece in pieces:
        data = held + piece
        if codecs.BOM_UTF8 in data:
            begin = (data.find(b"\n") + 1 or len(data)) if is_line_begun else 0
            data = data[:begin] + MARKS.sub(b"", data[begin:])
        last = data.rfind(b"\n") + 1
        is_mark = len(data) - last < len(codecs.BOM_UTF8) and codecs.BOM_UTF8.startswith(data[last:])
        held = data[last:] if is_mark and (last or not is_line_begun) else b""
        is_line_begun = not held and (len(data) > last or (is_line_begun and not last))
        yield data[: len(data) - len(held)]
    yield held


def _utf_8_pieces(stream: "Buffered", encoding: str, label: str) -> Iterator[bytes]:
    """Yield a text as UTF-8; raise ContentError for a line that is not in the encoding."""
    decoder, line, is_end = codecs.getincrementaldecoder(encoding)(), 1, False
    while not is_end:
        raw = stream.read(PIECE_BYTES)
        is_end = not raw
        try:
            piece = decoder.decode(raw, is_end).encode()
        except UnicodeError as error:
            if isinstance(error, UnicodeDecodeError):
                with suppress(UnicodeError):  # of a codec that ignores no error, such as idna
                    line += error.object[: error.start].decode(encoding, "ignore").count("\n")
            reason = getattr(error, "reason", error)
            message = f"{label}:{line}: not {encoding}: {reason}"
            raise ContentError(message, hint="name its --encoding") from None
        line += piece.count(b"\n")
        yield piece


MAX_BLANK_LINES = 1024 * 1024  # in a row, as many as a sheet of Excel has, which may write all of them
# A line of delimiters and empty quotes is blank in CSV; the zeros are those of UTF-16.
BLANK = re.compile(rb"""[ \t\r\n,;|"\0]*+""")


def few_blank_lines(stream: "Buffered", label: str, line_at: Callable[[int], int]) -> Iterator[bytes]:
    """Yield the content of a stream; raise ContentError at too many blank lines in a row.

    Only blocks in which nothing else is are counted, so that others cost nothing. `line_at` returns the
    number of the line at a position.
    """
    blank_lines = 0  # in the blocks up to here in which nothing else is
    begin = end = 0  # of these blocks, in bytes
    while block := stream.read1(PIECE_BYTES):
        end += len(block)
        if not BLANK.fullmatch(block):
            blank_lines, begin = 0, end
        elif (blank_lines := blank_lines + block.count(b"\n")) > MAX_BLANK_LINES:
            message = f"{label}:{line_at(begin)}: more than {MAX_BLANK_LINES:,} blank lines in a row"
            raise ContentError(message, hint="remove them")
        yield block


class NotUtf8Error(ContentError):
    """A line is not UTF-8; `encoding` is the one that it seems to be in, empty where that is unclear."""

    encoding = ""


NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
MAX_FOREIGN = 0.5  # of the letters of a line in a Latin script, that ASCII does not have
SHIFT_JIS = "shift_jis"  # its bytes in another script would be halves of kana
KANA, HALF_WIDTH = re.compile("[\u3041-\u30fe]"), re.compile("[\uff61-\uff9f]")
# Letters of Polish before another one, which in cp1252 would be ¹, ³, ¿, ± or the like within a word; and ść.
POLISH = re.compile(rb"[a-z\xe6\xea\xf1\xf3][\xb3\xbf\xb9][a-z]|[\x9c\xb6]\xe6", re.I)  # ł, ż, ą of cp1250
ISO_POLISH = re.compile(rb"[a-z\xe6\xea\xf1\xf3][\xb1\xb6\xbc][a-z]|\xb6\xe6", re.I)  # ą, ś, ź of ISO 8859-2
SEARCHED_BYTES = 64 * 1024  # for these: the first line in Polish may have only letters of both encodings
OTHER_SCRIPTS = "cp1251, shift_jis, gb18030, euc-kr or utf-16"


class ProbableEncoding(NamedTuple):
    """The encoding that a line seems to be in."""

    name: str
    text: str  # of the line
    is_clear: bool

    @classmethod
    def of(cls, line: bytes, head: bytes) -> "ProbableEncoding":
        """Find it by the line, and by the beginning of the file."""
        for name in (SHIFT_JIS, _latin_encoding(head), "latin-1"):
            with suppress(UnicodeDecodeError):
                text = line.decode(name).strip()
                if name == SHIFT_JIS:
                    if KANA.search(text) and not HALF_WIDTH.search(text):
                        return cls(name, text, is_clear=True)
                    continue
                letters = [*filter(str.isalpha, text)]
                foreign = sum(not letter.isascii() for letter in letters)
                return cls(name, text, is_clear=foreign <= MAX_FOREIGN * len(letters))
        raise AssertionError  # every byte is a character of latin-1


def _latin_encoding(head: bytes) -> str:
    if not POLISH.search(head):
        return "cp1252"
    return "iso8859-2" if ISO_POLISH.search(head) else "cp1250"
