"""Text in any encoding, as UTF-8; and what is said of a line that is in none, or of too many blank ones."""

import codecs
import io
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from ..errors import ContentError, UsageError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
UTF_8 = "utf-8"


def check_encoding(encoding: str) -> None:
    """Raise UsageError unless `encoding` is a text encoding."""
    try:
        # codecs.lookup also accepts codecs between bytes, such as hex.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding: {encoding!r} is not a known encoding", hint="for example cp1252 or latin-1"
        ) from None


def as_utf_8(stream: "Buffered", encoding: str, label: str) -> BinaryIO:
    """Convert a stream to UTF-8 without a byte order mark; a byte order mark outranks `encoding`."""
    start = stream.peek(4)[:4]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _transcoded(stream, "utf-16", label)
    if start.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    elif codecs.lookup(encoding).name != UTF_8:
        return _transcoded(stream, encoding, label)
    return cast(BinaryIO, stream)


class _Transcoded(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, raw: BinaryIO, encoding: str, label: str) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._label = label
        self._encoding = encoding
        self._line = 1
        self._ended = False
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._pending and not self._ended:
            raw = self._raw.read(64 * 1024)
            self._ended = not raw
            try:
                self._pending = self._decoder.decode(raw, self._ended).encode()
            except UnicodeError as error:
                raise self._explain(error) from None
            self._line += self._pending.count(b"\n")
        content, self._pending = self._pending[: len(buffer)], self._pending[len(buffer) :]
        buffer[: len(content)] = content
        return len(content)

    def _explain(self, error: UnicodeError) -> ContentError:
        """Make the error of bytes that are not in the encoding; name their line."""
        line = self._line
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].decode(self._encoding, "ignore").count("\n")
        reason = getattr(error, "reason", error)
        return ContentError(
            f"{self._label}:{line}: not {self._encoding}: {reason}", hint="name its --encoding"
        )


def _transcoded(raw: BinaryIO, encoding: str, label: str) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Transcoded(raw, encoding, label), BUFFER_BYTES))


MAX_BLANK_LINES = 1024 * 1024  # in a row, as many as a sheet of Excel has, which may write all of them
# A line of delimiters and empty quotes is blank in CSV; the zeros are those of UTF-16.
BLANK = re.compile(rb"""[ \t\r\n,;|"\0]*+""")


class FewBlankLines(io.RawIOBase):
    """The content of a stream; raise ContentError at too many blank lines in a row."""

    def __init__(self, stream: "Buffered", label: str, line_at: Callable[[int], int]) -> None:
        self._stream = stream
        self._label = label
        self._line_at = line_at  # the number of the line at a position
        self._size = 0  # bytes that have been read
        self._blank_lines = 0  # in the blocks up to here in which nothing else is
        self._begin = 0  # of these blocks, in bytes

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read a block; only blocks in which nothing else is are counted, so that others cost nothing."""
        size = self._stream.readinto1(buffer)
        with memoryview(buffer) as view, view[:size] as block:
            is_blank = BLANK.fullmatch(block)
            lines = bytes(block).count(b"\n") if is_blank else 0
        self._size += size
        if is_blank and size:
            self._blank_lines += lines
            if self._blank_lines > MAX_BLANK_LINES:
                raise self._error()
        else:
            self._blank_lines, self._begin = 0, self._size
        return size

    def _error(self) -> ContentError:
        line = self._line_at(self._begin)
        return ContentError(
            f"{self._label}:{line}: more than {MAX_BLANK_LINES:,} blank lines in a row",
            hint="remove them",
        )


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
