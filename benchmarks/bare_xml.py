"""The floor of reading XML: expat, and a dict of each item; lxml's iterparse takes 1.1 times as long.

Usage: python bare_xml.py FILE
"""

import sys
from pathlib import Path
from typing import Any
from xml.parsers import expat


def main(path: str) -> None:
    """Make a dict of each item."""
    item: dict[str, str] | None = None
    texts: list[str] = []

    def start(tag: str, attributes: Any) -> None:
        nonlocal item
        if tag == "item":
            item = {}
        texts.clear()

    def end(tag: str) -> None:
        nonlocal item
        if tag == "item":
            item = None
        elif item is not None:
            item[tag] = "".join(texts)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = texts.append
    with Path(path).open("rb") as file:
        parser.ParseFile(file)


if __name__ == "__main__":
    main(sys.argv[1])
