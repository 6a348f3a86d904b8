"""Make texts plain: without invisible white space and control characters, and without HTML."""

import re
from collections.abc import Sequence
from html import unescape
from html.entities import html5
from typing import Any
from urllib.parse import quote

from ....api.addresses import ENTITY, holds_several, is_address
from ....api.products import find_html_tag, html_tag_starts
from ....feeds import CONTROL_CHARACTER, WHITESPACE
from ....feeds.spreadsheet_cells import without_escape
from ..addresses import BREAKS, IMAGES, INVISIBLE, LINKS
from .fix import FIELD_TYPES, MULTILINE, TEXT_FIELDS, Edit, edit_texts

NON_BREAKING = "\xa0\u2007\u202f"
LINE_SEPARATORS = "\u2028\u2029"
SPACES = re.compile(f"[ \t\n\r\x0b\x0c\x85{NON_BREAKING}{LINE_SEPARATORS}]+")
NO_CHARACTERS = re.compile("[\ud800-\udfff\ufffe\uffff]")  # halves of one, and what is none
NON_BREAKING_SPACE = re.compile(f"[{NON_BREAKING}]")
REMOVED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f{INVISIBLE}]|{NO_CHARACTERS.pattern}")
LINE_END = re.compile(f"\r\n?|[\x85{LINE_SEPARATORS}]")
BLANK_LINES = re.compile("\n{3,}")
# What a text has wherever `_cleaned` changes it: nearly none has any.
UNCLEAN = re.compile(
    f"[\x00-\x1f\x7f-\x9f{NON_BREAKING}{LINE_SEPARATORS}{INVISIBLE}]|{NO_CHARACTERS.pattern}|  |\\A | \\Z"
)


def clean_line(text: str) -> str:
    """Return a text in one line, with single spaces."""
    return SPACES.sub(" ", REMOVED.sub("", text)).strip(" ")


def clean_lines(text: str) -> str:
    """Return a text with its lines, each with single spaces; of several blank lines one is kept."""
    lines = "\n".join(map(clean_line, LINE_END.sub("\n", text).split("\n")))
    return BLANK_LINES.sub("\n\n", lines).strip("\n")


# Fields that name records: with other characters inside they name others.
IDS = ("id", "item_group_id", "product_key", "item_group_key")
AROUND_IDS = (
    "".join(map(chr, (*range(0x21), *range(0x7F, 0xA0)))) + NON_BREAKING + INVISIBLE + LINE_SEPARATORS
)
NOT_IN_IDS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f]|{NO_CHARACTERS.pattern}")


def clean_id(text: str) -> str:
    """Return an id without what surrounds it, and without the controls that XML cannot hold."""
    return NOT_IN_IDS.sub("", text).strip(AROUND_IDS)


def clean_address(text: str) -> str:
    """Return an address without what surrounds it, and without line breaks; its blanks stay."""
    if holds_several(text):
        return clean_line(text)
    return NON_BREAKING_SPACE.sub(" ", REMOVED.sub("", BREAKS.sub("", LINE_END.sub("\n", text)))).strip(" ")


class Whitespace:
    """Removes invisible white space."""

    name = WHITESPACE
    rules = (CONTROL_CHARACTER, *FIELD_TYPES)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Clean every text of a product."""
        fields = [field for field in values if field in FIELD_TYPES]
        return edit_texts(values, fields, _cleaned)


def _cleaned(field: str, text: str) -> str:
    if not UNCLEAN.search(text):
        return text
    if field in IDS:
        return clean_id(text)
    if field in (*LINKS, IMAGES):
        return clean_address(text)
    return clean_lines(text) if field == MULTILINE else clean_line(text)


class Spreadsheet:
    """Removes the apostrophes that exporters write before `=`, `+`, `-` and `@`."""

    name = "spreadsheet"
    rules = ("escaped_text",)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Remove the apostrophe of each text."""
        return edit_texts(values, (*IDS, *TEXT_FIELDS), _unescaped_cell)


def _unescaped_cell(field: str, text: str) -> str:
    while (rest := without_escape(text)) != text:
        text = _cleaned(field, rest)
    return text


# Tags as a browser reads them: `>` in a quoted value does not end one, and a quote that is never closed does
# not count. Nothing is matched twice, so that hostile text costs linear time. The parser of Python's library
# reads such tags differently from one patch version to the next.
TAG = re.compile(
    r"""
    <(/?) ([a-zA-Z][^\t\n\f\r />]*+)
    (?>(?: [\t\n\f\r /]++
      | [^\t\n\f\r />] [^\t\n\f\r />=]*+  # the name of an attribute, which may begin with "="
        (?>(?: [\t\n\f\r ]*+ = [\t\n\f\r ]*+ (?: "[^"]*+" | '[^']*+' | [^\t\n\f\r "'>][^\t\n\f\r >]*+ ) )?)
    )*) >
    """,
    re.VERBOSE,
)
RAW_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE) for name in ("script", "style")}
BLOCKS = """
address article aside blockquote br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5
h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul
"""
SEPARATORS = dict.fromkeys(BLOCKS.split(), "\n") | {"td": " ", "th": " "}


def without_tags(html: str) -> str:
    """Return the text of HTML without comments: a line for each block, those of items with a dash.

    References stay as they are.
    """
    pieces: list[str] = []
    dash, at = "", 0
    html = html.replace("\n", " ")
    end = html.rfind(">") + 1  # nor is a quote closed after it that begins in a tag
    for start in html_tag_starts(html):
        if start < at or not (tag := TAG.match(html, start, end)):
            continue  # within another tag or a script
        text = html[at:start]
        if dash and text.strip():
            pieces.append(dash)
            dash = ""
        slash, name = tag[1], tag[2].lower()
        pieces += [text, SEPARATORS.get(name, "")]
        if name == "li":
            dash = "" if slash else "- "
        at = tag.end()
        if name in RAW_END and not slash:
            closing = RAW_END[name].search(html, at, end)
            at = closing.start() if closing else len(html)
    rest = html[at:]
    pieces += [dash * bool(rest.strip()), rest]
    return "\n".join(filter(None, map(clean_line, "".join(pieces).split("\n"))))


def character_of(reference: str) -> str:
    """Return the character that a reference stands for; empty if it stands for none."""
    return unescape(reference) if reference[1] == "#" else html5.get(reference[1:], "")


MAX_PASSES = 4  # what was escaped is HTML once it is unescaped; nobody escapes it more often
# HTML reads some references without a semicolon; of these, a name that is no accented letter may be a word.
LETTER = "[a-zA-Z]{1,2}(?:acute|cedil|circ|grave|lig|ring|slash|tilde|uml)|szlig"
REFERENCE = re.compile(rf"{ENTITY.pattern}|&(?:#[0-9]{{2,7}}|{LETTER})(?![a-zA-Z0-9=])")
# Marks of CDATA, and what word processors leave: <![if !supportLists]>, <?xml:namespace prefix = o />.
DECLARATION = re.compile(r"<!\[CDATA\[|\]\]>|<[!?][a-zA-Z\[][^<>]*>")

# What escaped text has that is markup: the end of an element, or one that has none. Text about HTML has
# single tags, as in `the &lt;table&gt; element`.
ELEMENT = re.compile(r"</[a-zA-Z]|<(?:br|hr|img|wbr)[\t\n\f\r />]", re.IGNORECASE)


class Html:
    """Turns HTML into plain text."""

    name = "html"
    rules = ("plain_text", "html_text", "plain_address")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Convert every text that has markup."""
        edits = edit_texts(
            values, TEXT_FIELDS, lambda field, text: to_text(text, multiline=field == MULTILINE)
        )
        return [*edits, *edit_texts(values, (*LINKS, IMAGES), _without_entities)]


def _without_entities(field: str, text: str) -> str:
    return ",".join(map(to_address, text.split(",")))


OUTSIDE_ADDRESSES = re.compile(r"[\s\"<>\\]")


def to_address(text: str) -> str:
    """Return an address without entities: `%22` for `&quot;`. What is escaped too often is left alone."""
    if "&" not in text:
        return text
    plain = text.strip()
    was_address = is_address(plain)
    for _ in range(MAX_PASSES):
        before, plain = plain, _unescaped(plain, ENTITY)
        if was_address:
            plain = OUTSIDE_ADDRESSES.sub(lambda match: quote(match[0]), plain)
            if not is_address(plain):
                return text
        if plain == before:
            return text if plain == text.strip() else plain
    return text


def to_text(markup: str, *, multiline: bool) -> str:
    """Return the text of HTML; one without markup is returned as it is, such as `5 < 6 & more`.

    What was escaped more often than anybody does is left alone.
    """
    text = markup
    for _ in range(MAX_PASSES + 1):
        if not _has_markup(text):
            return text
        before, text = text, _without_markup(text)
        text = clean_lines(text) if multiline else clean_line(text)
        if text == before:
            return text
    return markup


def _has_markup(text: str) -> bool:
    return ("<" in text or "&" in text) and (
        bool(find_html_tag(text)) or _has_comment(text) or bool(first_reference(text))
    )


def first_reference(text: str) -> str:
    """Return the first reference that stands for a character; empty if there is none."""
    return next(filter(character_of, REFERENCE.findall(text)), "")


def _has_comment(text: str) -> bool:
    start = text.find("<!--")
    return start >= 0 and text.find("-->", start + 4) >= 0


def _without_markup(markup: str) -> str:
    """Remove comments and tags, and put characters for references, once."""
    text = DECLARATION.sub("", _without_comments(markup))
    if find_html_tag(text):
        text = without_tags(text)
    plain = _unescaped(text)
    if plain != text and find_html_tag(plain) and not ELEMENT.search(plain):
        return _unescaped(text, but="<>")
    return plain


def _unescaped(text: str, references: re.Pattern[str] = REFERENCE, *, but: str = "") -> str:
    """Put characters for references, except for those to some."""

    def character(reference: re.Match[str]) -> str:
        character = character_of(reference[0])
        return reference[0] if not character or character in but else character

    return references.sub(character, text)


def _without_comments(markup: str) -> str:
    kept, end = [], 0
    while (start := markup.find("<!--", end)) >= 0 and (close := markup.find("-->", start + 4)) >= 0:
        kept.append(markup[end:start])
        end = close + 3
    return "".join([*kept, markup[end:]])
