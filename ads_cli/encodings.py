"""Texts in encodings: what they say, and where each of its characters is."""

import re
from bisect import bisect
from collections.abc import Callable, Iterator
from unicodedata import category, normalize

# One character as URLs (%41, %C3%A4), JSON (\u0041, \n), Python (\x41) and HTML (&#65; &amp;) write it.
HEX, FOLLOWING = "[0-9A-Fa-f]", "%[89ABab][0-9A-Fa-f]"
ENCODED = (
    r"(?=[%\\&])(?:"  # what all begin with, which is found fast
    rf"(?P<percent>%[0-7]{HEX}|%[CDcd]{HEX}{FOLLOWING}|%[Ee]{HEX}(?:{FOLLOWING}){{2}}|%[Ff]{HEX}(?:{FOLLOWING}){{3}})"
    rf"|(?<!\\)\\++(?:u(?P<json>{HEX}{{4}})|x(?P<repr>{HEX}{{2}})|[nrt])"
    rf"|&(?:#(?P<decimal>[0-9]{{1,7}})|#[xX](?P<hex>{HEX}{{1,6}})|(?P<name>amp|lt|gt|quot|apos));)"
)
ENCODED_ASCII = r"%[2-7]|\\u00[2-7]|\\x[2-7]|&(?:#|amp;|lt;|gt;|quot;|apos;)"  # where such a character begins
NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
# What a text may be encoded in, beside what secrets may be; accents and invisible characters are left out.
INVISIBLE = ("Cf", "Me", "Mn")  # categories of Unicode
ENCODED_TEXT = (
    rf"{ENCODED}|[%\\]u\{{?(?P<unicode>{HEX}{{2,6}})\}}?|=(?P<quoted>[0-9A-F]{{2}})|=\r?\n|(?<!\\)\\++(?=[!-/:-@\[-`{{-~])"
    rf"|(?<!\\)\\++(?P<octal>[0-7]{{3}})|(?P<entity>&(?:#\d{{1,7}}|#[xX]{HEX}{{1,6}}|[A-Za-z]\w{{1,30}};))"
    rf"|(?P<wide>[^\x00-\x7f])"
)
MIN_FOUND_ANYWHERE = 6  # characters; a shorter text is found where it is a word


class Rewritten:
    """A text in which some parts were replaced by one character or none, and where each came from.

    Its parts follow each other without a gap. Each is as long as in its source, or is one character that an
    encoding stood for. What was replaced by nothing has no part.
    """

    def __init__(self, text: str, source: "Rewritten | None" = None) -> None:
        self.text = text
        self._source = source
        self._starts: list[int] = []  # of the parts, and the end of the last one
        self._sources: list[tuple[int, int]] = []  # where each part begins and ends in the source

    def rewritten(self, pattern: str, replace: Callable[[re.Match[str]], str]) -> "Rewritten | None":
        """Return the text with what a pattern finds replaced; None if it finds nothing."""
        pieces: list[str] = []
        result, length, end = Rewritten("", self), 0, 0
        for match in re.finditer(pattern, self.text):
            start, stop = match.span()
            for piece, source in ((self.text[end:start], (end, start)), (replace(match), (start, stop))):
                if piece:
                    pieces.append(piece)
                    result._starts.append(length)
                    result._sources.append(source)
                    length += len(piece)
            end = stop
        if not end:
            return None
        result.text = "".join([*pieces, self.text[end:]])
        result._starts += length, len(result.text)
        result._sources.append((end, len(self.text)))
        return result

    def find(self, searched: str) -> Iterator[tuple[int, int]]:
        """Yield where a text is, a short one only as a word."""
        start = self.text.find(searched)
        while start >= 0:
            stop = start + len(searched)
            around = self.text[max(start - 1, 0) : start] + self.text[stop : stop + 1]
            if len(searched) >= MIN_FOUND_ANYWHERE or not re.search(r"\w", around):
                yield start, stop
            start = self.text.find(searched, stop)

    def place(self, start: int, stop: int) -> tuple[int, int]:
        """Return where the characters from `start` to `stop` are in the text that was the first source."""
        if self._source is None:
            return start, stop
        first, last = (bisect(self._starts, position) - 1 for position in (start, stop - 1))
        before, after = start - self._starts[first], self._starts[last + 1] - stop  # within these parts
        return self._source.place(self._sources[first][0] + before, self._sources[last][1] - after)


def decoded_character(match: re.Match[str]) -> str:
    """Return the character that an encoded one means."""
    if match["name"]:
        return NAMED[match["name"]]
    if octets := match["percent"]:
        return bytes.fromhex(octets.replace("%", "")).decode(errors="replace")[:1]
    digits = match["json"] or match["repr"] or match["hex"]
    code = int(digits, 16) if digits else int(match["decimal"] or ord("\n"))
    return chr(code) if code <= 0x10FFFF else ""


def plain_character(match: re.Match[str]) -> str:
    """Return the character that an encoded one means, a plain one for a wide one, or the same text."""
    from html import unescape

    if match["wide"] and category(match["wide"]) in INVISIBLE:
        return ""
    if match["wide"] or match["entity"]:
        text = normalize("NFKC", match["wide"]) if match["wide"] else unescape(match["entity"])
        return text if len(text) == 1 else match[0]
    if digits := match["unicode"] or match["quoted"]:
        return chr(int(digits, 16)) if int(digits, 16) <= 0x10FFFF else ""
    if match["octal"]:
        return chr(int(match["octal"], 8))
    is_removed = match[0][0] not in "%\\&" or re.fullmatch(r"\\+", match[0])
    return "" if is_removed else decoded_character(match)
