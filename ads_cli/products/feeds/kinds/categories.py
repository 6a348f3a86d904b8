"""The categories that a document lists before its products, which name them by number."""

from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

from ....errors import ContentError
from ....feeds.formats.xml import XmlRows
from ....feeds.formats.xml_records import local_name
from ....feeds.formats.xml_text import XmlText
from ....feeds.rows import Rows

CATEGORY, PRODUCTS = "category", ("offers", "offer")  # elements of YML
LEVEL = " > "
MAX_LEVELS = 20
MAX_CATEGORIES = 100_000


class _EndError(Exception):
    """Ends the reading."""


class _Categories:
    """Collects the name of each category, and the number of the one that it is in."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.parents: dict[str, str] = {}
        self._number = ""  # of the category that is open

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Begin a category; the products end the reading."""
        name = local_name(tag)
        if name in PRODUCTS or len(self.names) >= MAX_CATEGORIES:
            raise _EndError
        self._number = attributes.get("id", "") if name == CATEGORY else ""
        if self._number and (parent := attributes.get("parentId")):
            self.parents[self._number] = parent

    def text(self, text: str) -> None:
        """Add a text to the name of the category that is open."""
        if self._number:
            self.names[self._number] = self.names.get(self._number, "") + text

    def end(self, _tag: str) -> None:
        """End a category."""
        self._number = ""

    def path(self, number: str) -> str:
        """Return the names from the root down to a category."""
        levels: list[str] = []
        while (name := self.names.get(number, "").strip()) and len(levels) < MAX_LEVELS:
            levels.append(name)
            number = self.parents.get(number, "")
        return LEVEL.join(reversed(levels))


def category_paths(rows: Rows) -> dict[str, str]:
    """Return the path of each category of a document by its number; what is damaged ends the list."""
    if not isinstance(rows, XmlRows):
        return {}

    def refuse_entities(_name: str, _system: Any, _public: Any, declares: int) -> None:
        if declares:
            raise _EndError

    categories = _Categories()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = categories.start, categories.end
    parser.CharacterDataHandler = categories.text
    parser.StartDoctypeDeclHandler = refuse_entities
    try:
        for chunk in XmlText(rows).chunks():
            parser.Parse(chunk, False)
    except (_EndError, expat.ExpatError, ContentError):
        pass  # the reading that follows reports it
    return {number: path for number in categories.names if (path := categories.path(number))}
