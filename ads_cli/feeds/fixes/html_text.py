"""The text of HTML, as a browser shows it; imported late, for the table of character references."""

import re
from html import unescape
from html.entities import html5

from .whitespace import clean_line

# Where a browser sees a tag to end: `>` in a quoted value does not end it; a quote that is never closed is
# no quote. Nothing is matched twice, so that hostile text costs linear time. The parser of Python's library
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


def text_of(html: str) -> str:
    """Return the text of HTML without comments: a line for each block, those of items with a dash.

    References stay as they are.
    """
    pieces: list[str] = []
    dash, at = "", 0
    html = html.replace("\n", " ")
    end = html.rfind(">") + 1  # no tag follows; nor is a quote closed there that begins in one
    while tag := TAG.search(html, at, end):
        text = html[at : tag.start()]
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
