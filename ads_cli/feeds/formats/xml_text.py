"""The text of an XML document: its encoding, and characters that should have been escaped."""

import io
import re
from codecs import lookup
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from ...errors import UsageError
from ...output.text import counted
from ..decoding import EMPHASIS, UTF_8, Utf8Check, as_utf_8, check_encoding, is_utf_8
from ..rows import FileRows
from . import UTF_16_XML

if TYPE_CHECKING:
    from xml.parsers import expat

CHUNK_BYTES = 64 * 1024
DECLARATION = re.compile(rb"""\s*+<\?xml\s[^>]*?encoding\s*+=\s*+["']([\w.:-]+)["']""")
DECLARATION_BYTES = 1024
# Three kinds of tokens: sections in which an "&" is literal, a reference to a control, and an "&" that begins
# no reference of XML.
TOKEN = re.compile(
    rb"<!\[CDATA\[|<!--|<\?|&(?:#(?:"
    rb"(?=[0-9])0*+([1-8]?|1[124-9]|2[0-9]|3[01]|6553[45])"
    rb"|x(?=\w)0*+([1-8bBcCeEfF]?|1[0-9a-fA-F]|[fF]{3}[eEfF])"
    rb");|(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)([A-Za-z][A-Za-z0-9]{1,30};)?)"
)
ENDS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}
MAX_TOKEN_BYTES = 40
# What XML does not allow, in references neither, and characters for private use that expat reads instead.
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
STAND_INS = {
    chr(code): chr(0xF0000 + number)
    for number, code in enumerate((*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF))
}
CONTROLS = {ord(stand_in): control for control, stand_in in STAND_INS.items()}


class XmlText:
    """The document as chunks of UTF-8, without what precedes its declaration."""

    def __init__(self, rows: FileRows) -> None:
        self.lines_before = 0  # blank lines, which must not precede the declaration
        self._rows = rows
        raw = cast("io.BufferedReader[Any]", rows.source.stream())
        self._stream = as_utf_8(raw, self._encoding(raw), rows.source.label)

    def chunks(self) -> Iterator[bytes]:
        """Read the document; raise ContentError where it is not in its encoding."""
        check, is_start = Utf8Check(self._rows.decoding_error_in), True
        while chunk := self._stream.read(CHUNK_BYTES):
            check.decode(chunk)
            if is_start:
                text = chunk.lstrip()
                self.lines_before += chunk.count(b"\n", 0, len(chunk) - len(text))
                is_start, chunk = not text, text
            yield chunk

    def _encoding(self, raw: "io.BufferedReader[Any]") -> str:
        """Return the encoding that --encoding, the first bytes or the declaration tells."""
        head, named = raw.peek(DECLARATION_BYTES)[:DECLARATION_BYTES], self._rows.source.encoding
        if named.endswith(EMPHASIS) or not is_utf_8(named):
            return named
        if encoding := UTF_16_XML.get(head[:2]):
            return encoding
        declared = match[1].decode() if (match := DECLARATION.match(head)) else UTF_8
        try:
            check_encoding(declared)
        except UsageError:
            hint = "name the encoding that it has, for example --encoding cp1252"
            raise self._rows.error(1, f"the declared encoding {declared!r} is not known", hint=hint) from None
        # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
        declares_utf_8 = lookup(declared).name in (UTF_8, "ascii") or declared.lower().startswith(
            ("utf-16", "utf-32")
        )
        if declares_utf_8:
            return UTF_8
        hint = f"correct its declaration, or add --encoding {UTF_8}{EMPHASIS}"
        self._rows.source.check_encoding(declared, hint)
        return declared


def deferred(chunks: Iterator[bytes], parser: "expat.XMLParserType") -> Iterator[bytes]:
    """Join chunks until they are as long as the tag that is open, which a parser reads again with each.

    This is the reparse deferral of expat 2.6, for older versions too.
    """
    held: list[bytes] = []
    parsed = size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= parsed - parser.CurrentByteIndex:
            parsed += size
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


class XmlRepair:
    """Escapes what should have been: an "&" that begins no reference, entities of HTML, and controls."""

    def __init__(self) -> None:
        self.ampersands = self.controls = 0
        self.entities: Counter[str] = Counter()

    @property
    def notes(self) -> list[str]:
        """Say what was repaired."""
        notes = []
        if self.ampersands:
            number = "is read as it is" if self.ampersands == 1 else "are read as they are"
            notes.append(f"{self.ampersands:,} & that should be &amp; {number}")
        if self.entities:
            names = ", ".join(f"&{name}" for name, _ in self.entities.most_common(5))
            count = counted(self.entities.total(), "entity of HTML is", "entities of HTML are")
            notes.append(f"{count} read as characters: {names}")
        return notes

    def repair(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the chunks with both escaped."""
        data, end = b"", b""  # `end` of a section that is not markup
        for chunk in chunks:
            data = CONTROL.sub(self._stand_in, data + chunk)
            repaired, data, end = self._repair(data, end, len(data) - MAX_TOKEN_BYTES)
            if repaired:
                yield repaired
        yield self._repair(data, end, len(data))[0]

    def _repair(self, data: bytes, end: bytes, limit: int) -> tuple[bytes, bytes, bytes]:
        """Repair what begins before `limit`. Return it, the rest, and the end of the section that is open."""
        parts: list[bytes] = []
        position = 0
        while position < limit:
            if end:
                stop = data.find(end, position)
                if stop < 0:
                    break
                stop, end = stop + len(end), b""
                parts.append(data[position:stop])
                position = stop
                continue
            match = TOKEN.search(data, position)
            if match is None or match.start() >= limit:
                break
            token = match[0]
            parts.append(data[position : match.start()])
            end = ENDS.get(token, b"")
            parts.append(token if end else self._escape(match))
            position = match.end()
        limit = max(limit, position)
        return b"".join([*parts, data[position:limit]]), data[limit:], end

    def _stand_in(self, control: re.Match[bytes]) -> bytes:
        self.controls += 1
        return STAND_INS[control[0].decode()].encode()

    def _escape(self, match: re.Match[bytes]) -> bytes:
        from html.entities import html5

        decimal, hexadecimal, name = match[1], match[2], (match[3] or b"").decode()
        if decimal is not None or hexadecimal is not None:
            self.controls += 1
            code = int(decimal or b"0") if hexadecimal is None else int(hexadecimal or b"0", 16)
            return STAND_INS[chr(code)].encode()
        if name in html5:
            self.entities[name] += 1
            return "".join(f"&#{ord(character)};" for character in html5[name]).encode()
        self.ampersands += 1
        return b"&amp;" + name.encode()
