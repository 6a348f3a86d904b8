"""Remove white space that nobody sees: around values, double and non-breaking; and control characters."""

import re
from collections.abc import Sequence
from typing import Any

from .fix import FIELD_TYPES, MULTILINE, Edit, edit

NON_BREAKING = "\xa0\u2007\u202f"
INVISIBLE = "\u200b\u2060\ufeff"  # but not the joiners of emoji and of Persian words
IS_VISIBLE = bytes(code >= 0x20 and code != 0x7F for code in range(256))  # translation table of bytes
C1_CONTROLS = re.compile("[\x7f-\x9f]")
SPACES = re.compile(f"[ \t\r\x0b\x0c\x85{NON_BREAKING}]+")
NO_CHARACTERS = re.compile("[\ud800-\udfff\ufffe\uffff]")  # halves of one, and what is none
REMOVED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{INVISIBLE}]|{NO_CHARACTERS.pattern}")
LINE_END = re.compile("\r\n?|\x85|\u2028|\u2029")
BLANK_LINES = re.compile("\n{3,}")


def clean_line(text: str) -> str:
    """Return a text in one line, with single spaces."""
    return SPACES.sub(" ", REMOVED.sub("", text).replace("\n", " ")).strip(" ")


def clean_lines(text: str) -> str:
    """Return a text with its lines, each with single spaces; of several blank lines one is kept."""
    lines = "\n".join(map(clean_line, LINE_END.sub("\n", text).split("\n")))
    return BLANK_LINES.sub("\n\n", lines).strip("\n")


class Whitespace:
    """Removes white space that nobody sees."""

    name = "whitespace"
    rules = tuple(FIELD_TYPES)

    def may_apply(self, text: str, values: dict[str, Any]) -> bool:
        """Look for what is removed; a space at either end of a value is one of two in `text`."""
        if text.rfind("  ") >= 0:  # twice as fast as `in`
            return True
        data = text.encode("utf-8", "surrogatepass")
        if 0 in (visible := data.translate(IS_VISIBLE)):
            lines = values.get(MULTILINE, "")
            if visible.count(0) != lines.count("\n") or clean_lines(lines) != lines:
                return True
        if text.isascii():
            return False
        return (
            any(odd in text for odd in NON_BREAKING + INVISIBLE)
            or (b"\xc2" in data and C1_CONTROLS.search(text) is not None)
            or NO_CHARACTERS.search(text) is not None
        )

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Clean every text of a product."""
        edits: list[Edit] = []
        for field, value in list(values.items()):
            if isinstance(value, str) and field in FIELD_TYPES:
                cleaned = clean_lines(value) if field == MULTILINE else clean_line(value)
                if cleaned != value:
                    edits.append(edit(values, field, cleaned))
        return edits
