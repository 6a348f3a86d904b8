"""Writers of CSV, TSV, JSON, JSON Lines, YAML, workbooks, and RSS with the elements of shopping feeds."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import IO, Any, TextIO, cast

from ...api.names import FIELDS
from ...errors import ContentError
from ...output.records import csv_rows
from ...output.text import as_flow_yaml, cell
from .. import SEPARATORS
from ..registry import FeedFormat, load


class RowWriter(ABC):
    """Writes rows to a text stream."""

    def __init__(self, stream: IO[str], columns: Sequence[str]) -> None:
        self.stream = stream
        self.columns = columns
        self.count = 0
        self._begin()

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row."""
        self._write(values)
        self.count += 1

    def close(self) -> None:  # noqa: B027 - most formats need no end
        """Complete the document; the stream stays open."""

    def _begin(self) -> None:  # noqa: B027 - most formats need no beginning
        """Write what precedes the first row."""

    @abstractmethod
    def _write(self, values: Mapping[str, Any]) -> None:
        """Write one row; `count` rows precede it."""


def open_writer(stream: IO[str], format: FeedFormat, columns: Sequence[str]) -> RowWriter:
    """Write rows with the writer of a format."""
    assert format.writer, f"{format.name} has no writer"
    writer: RowWriter = load(format.writer)(stream, columns)
    return writer


class CsvWriter(RowWriter):
    """A header and a line for each row."""

    delimiter = ","

    def _begin(self) -> None:
        self._write_cells = csv_rows(self.stream, self.delimiter)
        self._write_cells(self.columns)

    def _write(self, values: Mapping[str, Any]) -> None:
        self._write_cells([cell(values.get(column)) for column in self.columns])


class TsvWriter(CsvWriter):
    """CSV with tabs."""

    delimiter = "\t"


class JsonLinesWriter(RowWriter):
    """An object in each line."""

    def _write(self, values: Mapping[str, Any]) -> None:
        self.stream.write(f"{_as_json(values)}\n")


class JsonWriter(RowWriter):
    """A list of objects."""

    def _write(self, values: Mapping[str, Any]) -> None:
        self.stream.write((",\n" if self.count else "[\n") + _as_json(values))

    def close(self) -> None:
        """End the list."""
        self.stream.write("\n]\n" if self.count else "[]\n")


class YamlWriter(RowWriter):
    """A list of mappings, each in the syntax of JSON, which YAML includes."""

    def _write(self, values: Mapping[str, Any]) -> None:
        self.stream.write(f"- {as_flow_yaml(values)}\n")

    def close(self) -> None:
        """Write an empty list if there are no rows."""
        if not self.count:
            self.stream.write("[]\n")


class XlsxWriter(RowWriter):
    """A sheet whose texts stay texts: the reader returns them as they were."""

    def _begin(self) -> None:
        from ...output.workbook import open_workbook

        self._open = ExitStack()
        binary = cast(TextIO, self.stream).buffer
        self._sheet = self._open.enter_context(open_workbook(binary)).add_sheet("rows", self.columns)

    def _write(self, values: Mapping[str, Any]) -> None:
        self._sheet.write(values.get(column) for column in self.columns)

    def close(self) -> None:
        """Write the workbook, which is made of all rows."""
        self._open.close()


def _as_json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)


BEGIN_RSS = """\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
<channel>
<title>Products</title>
<link/>
<description/>
"""
END_RSS = "</channel>\n</rss>\n"
OF_RSS = ("title", "link", "description")  # elements without a prefix
CATEGORY = "store_product_category"
NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HINT = "products convert --fix whitespace removes such characters; csv and jsonl hold them"


class NotXmlError(ValueError):
    """A text has a character that no document in XML may contain."""


class XmlWriter(RowWriter):
    """An item for each row, which the reader returns equal. Raise ContentError for what XML cannot hold."""

    def _begin(self) -> None:
        self.stream.write(BEGIN_RSS)

    def _write(self, values: Mapping[str, Any]) -> None:
        try:
            elements = [line for column in self.columns for line in _elements(column, values.get(column))]
        except NotXmlError as error:
            raise ContentError(f"record {self.count + 1:,} cannot be written: {error}", hint=HINT) from None
        self.stream.write(f"<item>\n{''.join(elements)}</item>\n")

    def close(self) -> None:
        """End the channel."""
        self.stream.write(END_RSS)


def _elements(column: str, value: Any) -> Iterator[str]:
    """Yield the elements of a value: one of each item of a list."""
    from xml.sax.saxutils import escape

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
    from xml.sax.saxutils import quoteattr

    name = FIELDS[CATEGORY] if column == CATEGORY else column
    if NAME.fullmatch(name):
        return f"g:{name}", f"g:{name}"
    return f"g:attribute name={quoteattr(_checked(name, name))}", "g:attribute"


def _checked(text: str, column: str) -> str:
    if match := NOT_XML.search(text):
        raise NotXmlError(f"{column!r} has the character U+{ord(match[0]):04X}, which XML cannot hold")
    return text
