"""Rules of texts that have signs of spreadsheets or of HTML; other rows are not held against them."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...api.addresses import ENTITY, is_address
from ...api.problems import Problem, quoted
from ...api.products import find_html_tag
from ...feeds.spreadsheet_cells import CHANGED, ERROR, has_lost_digits, is_error, without_escape
from .addresses import IMAGES, LINKS
from .fixes.fix import MULTILINE, TEXT_FIELDS
from .fixes.texts import IDS, character_of, first_reference, to_text

NUMBERS = (*IDS, "mpn")  # a GTIN has a rule of its own


def broken_sign_rules(values: Mapping[str, Any]) -> list[Problem]:
    """Return what spreadsheets and HTML have left in the values of a product."""
    texts = ((field, values.get(field)) for field in (*IDS, *TEXT_FIELDS, *LINKS, IMAGES))
    return [problem for field, text in texts if isinstance(text, str) for problem in _problems(field, text)]


def _problems(field: str, text: str) -> Iterator[Problem]:
    if field in LINKS or field == IMAGES:
        entities = ENTITY.findall(text) if field == IMAGES or is_address(text) else []
        if entity := next((match for match in entities if match[1] == "#" or character_of(match)), ""):
            yield Problem(field, f"has {entity!r}, an entity of HTML", "warning", "plain_address")
    elif is_error(text):
        yield Problem(field, f"{quoted(text)} {ERROR}", rule="spreadsheet_error")
    elif field in NUMBERS and has_lost_digits(text):
        yield Problem(field, f"{quoted(text)} {CHANGED}", rule="lost_digits")
    elif without_escape(text) != text:
        message = f"{quoted(text)} begins with the apostrophe of an exporter"
        yield Problem(field, message, "warning", "escaped_text")
    if field in TEXT_FIELDS and ("&" in text or "<" in text) and (markup := _markup(field, text)):
        yield Problem(field, f"contains HTML ({markup}), which is shown as it is", "warning", "html_text")


def _markup(field: str, text: str) -> str:
    """Return a tag or reference that a fix turns into text; nothing where `plain_text` names one."""
    is_multiline = field == MULTILINE
    tag = find_html_tag(text)
    if (tag and is_multiline) or to_text(text, multiline=is_multiline) == text:
        return ""
    return tag[:30] or first_reference(text) or "<!--"
