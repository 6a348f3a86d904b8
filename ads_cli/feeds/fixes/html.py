"""Turn HTML into plain text: tags, comments and character references."""

import re
from collections.abc import Sequence
from typing import Any

from ...api.products import find_html_tag
from .fix import MULTILINE, TEXT_FIELDS, Edit, edit
from .whitespace import clean_line, clean_lines

MAX_PASSES = 4  # what was escaped, perhaps twice, is HTML once it is unescaped
REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
# Marks of CDATA, and what word processors leave: <![if !supportLists]>, <?xml:namespace prefix = o />.
DECLARATION = re.compile(r"<!\[CDATA\[|\]\]>|<[!?][a-zA-Z\[][^<>]*>")


class Html:
    """Turns HTML into plain text."""

    name = "html"
    rules = ("plain_text",)

    def may_apply(self, text: str, values: dict[str, Any]) -> bool:
        """Look for a tag or a reference; many addresses have `&` and no `;`."""
        return "<" in text or ("&" in text and ";" in text)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Convert every text that has markup."""
        edits: list[Edit] = []
        for field in TEXT_FIELDS:
            value = values.get(field)
            if value and isinstance(value, str) and ("<" in value or "&" in value):
                text = to_text(value, multiline=field == MULTILINE)
                if text != value:
                    edits.append(edit(values, field, text))
        return edits


def to_text(markup: str, *, multiline: bool) -> str:
    """Return the text of HTML; one without markup is returned as it is, such as `5 < 6 & more`.

    What was escaped more often than anybody does is left alone.
    """
    text = markup
    for _ in range(MAX_PASSES):
        if not _has_markup(text):
            return text
        text = _without_markup(text)
        text = clean_lines(text) if multiline else clean_line(text)
    return markup if _has_markup(text) else text


def _has_markup(text: str) -> bool:
    return (
        find_html_tag(text) is not None or _has_comment(text) or any(map(_character, REFERENCE.findall(text)))
    )


def _has_comment(text: str) -> bool:
    start = text.find("<!--")
    return start >= 0 and text.find("-->", start + 4) >= 0


def _without_markup(markup: str) -> str:
    """Remove comments and tags, and put characters for references, once."""
    text = DECLARATION.sub("", _without_comments(markup))
    if find_html_tag(text):
        from .html_text import text_of

        text = text_of(text)
    return REFERENCE.sub(lambda reference: _character(reference[0]) or reference[0], text)


def _without_comments(markup: str) -> str:
    kept, end = [], 0
    while (start := markup.find("<!--", end)) >= 0 and (close := markup.find("-->", start + 4)) >= 0:
        kept.append(markup[end:start])
        end = close + 3
    return "".join([*kept, markup[end:]])


def _character(reference: str) -> str:
    from .html_text import character_of

    return character_of(reference)
