"""The text of HTML, as a browser shows it; imported late, since html.parser is slow to import."""

from html import unescape
from html.entities import html5
from html.parser import HTMLParser

from .whitespace import clean_line

DROPPED = frozenset({"script", "style"})
CELLS = frozenset({"td", "th"})
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)


class TextParser(HTMLParser):
    """Collects the lines of a document: one for each block, those of items with a dash."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines = [""]
        self._dash = ""
        self._dropped = 0  # depth of elements whose content is no text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, or leave the content out."""
        self._dropped += tag in DROPPED
        self._separate(tag)
        if tag == "li":
            self._dash = "- "

    def handle_endtag(self, tag: str) -> None:
        """Begin a line, or end what is left out."""
        self._dropped -= self._dropped > 0 and tag in DROPPED
        self._separate(tag)
        if tag == "li":
            self._dash = ""

    def handle_data(self, data: str) -> None:
        """Add to the line; line ends of the source are spaces."""
        if self._dropped:
            return
        if self._dash and data.strip():
            self._lines[-1] += self._dash
            self._dash = ""
        self._lines[-1] += data.replace("\n", " ")

    def _separate(self, tag: str) -> None:
        if tag in BLOCKS:
            self._lines.append("")
        elif tag in CELLS:
            self._lines[-1] += " "

    @property
    def text(self) -> str:
        """The lines that have text."""
        return "\n".join(filter(None, map(clean_line, self._lines)))


def text_of(html: str) -> str:
    """Return the text of a document or a fragment."""
    parser = TextParser()
    parser.feed(html)
    parser.close()
    return parser.text


def character_of(reference: str) -> str:
    """Return the character that a reference stands for; empty if it stands for none."""
    return unescape(reference) if reference[1] == "#" else html5.get(reference[1:], "")
