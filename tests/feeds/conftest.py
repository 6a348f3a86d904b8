"""Write a feed into a folder and read its rows."""

from pathlib import Path

import pytest

from ads_cli.errors import ContentError
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.rows import Rows

KNOWN = ("id", "title", "image_link")


class FeedFolder:
    """A folder of feeds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def rows(self, name: str, content: str | bytes, *, encoding: str = "utf-8", **rename: str) -> Rows:
        source = open_source(self.write(name, content), None, encoding)
        return read_rows(source, roots=("products",), known=KNOWN, rename=rename)

    def read(self, name: str, content: str | bytes, **options: str) -> list[tuple[int, dict, str]]:
        return [(row.line, row.values, row.problem) for row in self.rows(name, content, **options)]

    def values(self, name: str, content: str | bytes, **options: str) -> list[dict]:
        return [row.values for row in self.rows(name, content, **options)]

    def error(self, name: str, content: str | bytes, **options: str) -> str:
        """Read a feed that is refused; return the message and the hint."""
        with pytest.raises(ContentError) as caught:
            list(self.rows(name, content, **options))
        return caught.value.message.replace(f"{self.folder}/", "") + " | " + caught.value.hint


@pytest.fixture
def feeds(tmp_path: Path) -> FeedFolder:
    return FeedFolder(tmp_path)
