"""A writer of RSS with the elements of shopping feeds, which the reader returns equal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ...api.names import FIELDS
from ...errors import ContentError
from ...output.text import cell
from .writers import RowWriter
from .xml_records import SEPARATORS

BEGIN = """\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
<channel>
<title>Products</title>
<link/>
<description/>
"""
END = "</channel>\n</rss>\n"
OF_RSS = ("title", "link", "description")  # elements without a prefix
CATEGORY = "store_product_category"
NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HINT = "products convert --fix whitespace removes such characters; every other format holds them"


class NotXmlError(ValueError):
    """A text has a character that no document in XML may contain."""


class XmlWriter(RowWriter):
    """An item for each row; a character that XML does not allow is a ContentError."""

    def _begin(self) -> None:
        self.stream.write(BEGIN)

    def _write(self, values: Mapping[str, Any]) -> None:
        try:
            elements = [line for column in self.columns for line in _elements(column, values.get(column))]
        except NotXmlError as error:
            raise ContentError(f"record {self.count + 1:,} cannot be written: {error}", hint=HINT) from None
        self.stream.write(f"<item>\n{''.join(elements)}</item>\n")

    def close(self) -> None:
        """End the channel."""
        self.stream.write(END)


def _elements(column: str, value: Any) -> Iterator[str]:
    """Yield the elements of a value: one of each item of a list."""
    for item in _items(column, value):
        begin, end = _tags(column)
        if isinstance(item, Mapping):
            children = "".join(line for name, child in item.items() for line in _elements(str(name), child))
            yield f"<{begin}>\n{children}</{end}>\n"
        elif (text := _checked(cell(item), column)).strip():
            kept = ' xml:space="preserve"' if text != text.strip() else ""
            yield f"<{begin}{kept}>{escape(text, {chr(13): '&#13;'})}</{end}>\n"


def _items(column: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str) and (separator := SEPARATORS.get(column)):
        return [item.strip() for item in value.split(separator)]
    return value if isinstance(value, list) else [value]


def _tags(column: str) -> tuple[str, str]:
    """Return what is in the start tag and in the end tag of a column."""
    if column in OF_RSS:
        return column, column
    name = FIELDS[CATEGORY] if column == CATEGORY else column
    if NAME.fullmatch(name):
        return f"g:{name}", f"g:{name}"
    return f"g:attribute name={quoteattr(_checked(name, name))}", "g:attribute"


def _checked(text: str, column: str) -> str:
    if found := NOT_XML.search(text):
        raise NotXmlError(f"{column!r} has the character U+{ord(found[0]):04X}, which XML cannot hold")
    return text
