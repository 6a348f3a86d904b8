"""Read a page of --report as text."""

from html.parser import HTMLParser
from pathlib import Path

VOID = ("meta", "img", "link", "br", "input")


class Read(HTMLParser):
    """The elements of a page, their attributes, and the texts of those that a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All texts, apart by single spaces."""
        return " ".join(" ".join(self.texts).split())

    def attributes(self, name: str) -> list[str | None]:
        """Return the values of an attribute, wherever it is."""
        return [attributes[name] for _, attributes in self.tags if name in attributes]


def read(path: Path) -> Read:
    return Read(path.read_text())
