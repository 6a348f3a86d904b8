"""Remove white space that nobody sees: around values, double and non-breaking; and control characters."""

import re
from collections.abc import Sequence
from typing import Any

from .fix import FIELD_TYPES, MULTILINE, Edit, edit

NON_BREAKING = "\xa0\u2007\u202f"
INVISIBLE = "\u200b\u2060\ufeff"  # but not the joiners of emoji and of Persian words
CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code != ord("\n"))
C1_CONTROLS = re.compile("[\x7f-\x9f]")
SPACES = re.compile(f"[ \t\r\x0b\x0c\x85{NON_BREAKING}]+")
REMOVED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{INVISIBLE}]")
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
    help = "removes outer, double and non-breaking spaces, and control characters"
    mends = tuple(FIELD_TYPES)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Clean every text of a product."""
        try:
            # Two adjacent spaces are a double space, or one at either end of a value.
            text = " ".join(["", *values.values(), ""])
        except TypeError:  # numbers, lists: of a format that has more than text
            pass
        else:
            if not _may_be_unclean(text, values):
                return ()
        edits = []
        for field, value in list(values.items()):
            if isinstance(value, str) and field in FIELD_TYPES:
                cleaned = clean_lines(value) if field == MULTILINE else clean_line(value)
                if cleaned != value:
                    edits.append(edit(values, field, cleaned))
        return edits


def _may_be_unclean(text: str, values: dict[str, Any]) -> bool:
    if "  " in text:
        return True
    data = text.encode("utf-8", "surrogatepass")
    if len(data.translate(None, CONTROLS)) != len(data):
        return True
    if "\n" in text:
        lines = values.get(MULTILINE, "")
        if lines.count("\n") != text.count("\n") or clean_lines(lines) != lines:
            return True
    if text.isascii():
        return False
    return any(odd in text for odd in NON_BREAKING + INVISIBLE) or (
        b"\xc2" in data and C1_CONTROLS.search(text) is not None
    )
