"""A file of campaigns as a workbook (.xlsx): a sheet for each list, whose rows name the record above them."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from io import BytesIO
from typing import Any

from ..config.strict_yaml import LinedMapping
from ..errors import ContentError
from ..spelling import comma_list, suggestion
from .kinds import LISTS, kinds_in
from .model import KEYS, MAX_RECORDS, FileField, FileProblem, Stored, fields_by_key, file_fields

ABOUT = "file"  # the sheet with the account and the scope
SHEETS = ("campaigns", *LISTS)
# Columns that name the record above.
PARENTS = {"line_items": "campaign", **dict.fromkeys(LISTS[1:], "line_item")}
REMARK = "#"  # columns and sheets that begin with it are not read
NAME = "# name"  # what a criterion targets
NULL = "null"  # removes an optional value: an empty cell leaves it as it is


def as_workbook(campaigns: Sequence[Stored], about: Mapping[str, Any]) -> bytes:
    """Write campaigns with all below them: the same records are the same bytes."""
    from ..output.workbook import open_workbook

    records = {name: list[Stored]() for name in SHEETS}
    _collect(campaigns, records)
    stream = BytesIO()
    with open_workbook(stream) as book:
        sheet = book.add_sheet(ABOUT, ("key", "value"))
        for item in about.items():
            sheet.write(item)
        for name, rows in records.items():
            fields = {field.name: field for kind in kinds_in(name) for field in file_fields(kind).values()}
            parent = [PARENTS[name]] if name in PARENTS else []
            remarks = [NAME] if name == "targeting" else []
            sheet = book.add_sheet(
                name, [*parent, "id", "key", *(field.key for field in fields.values()), *remarks]
            )
            for row in rows:
                shown = row.values()
                cells = [_cell(field, shown.get(field.key)) for field in fields.values()]
                above = [row.parent.id if row.parent else None] if parent else []
                sheet.write([*above, row.id, None, *cells, *([row.name] if remarks else [])])
    return stream.getvalue()


def _collect(records: Sequence[Stored], groups: dict[str, list[Stored]]) -> None:
    for record in records:
        groups[record.kind.list_name].append(record)
        for key in record.kind.below:
            _collect(record.below.get(key, ()), groups)


def _cell(field: FileField, value: Any) -> Any:
    """Return what a cell has of a value: an amount is a number, an id and a time are texts."""
    if field.is_money and isinstance(value, str):
        return Decimal(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else value


class _Row(int):
    """The number of a row, which names its sheet too."""

    sheet: str

    def __new__(cls, sheet: str, number: int) -> "_Row":
        row = super().__new__(cls, number)
        row.sheet = sheet
        return row

    def __str__(self) -> str:
        return f"{self.sheet}!{int(self)}"

    def __format__(self, spec: str) -> str:
        return str(self)


def read_workbook(content: bytes, label: str) -> tuple[LinedMapping, list[FileProblem]]:
    """Return what a text file with the same records has, and its mistakes. Raise ContentError."""
    reader = _WorkbookReader(content, label)
    return reader.document(), reader.problems


class _WorkbookReader:
    """Makes the document of a file out of the rows of its sheets."""

    def __init__(self, content: bytes, label: str) -> None:
        self._content, self._label = content, label
        self.problems: list[FileProblem] = []

    def document(self) -> LinedMapping:
        """Return what a text file with the same records has."""
        names = self._sheet_names()
        for name in names:
            if name not in (ABOUT, *SHEETS) and not name.startswith(REMARK):
                correction = suggestion(name, SHEETS)
                self._note(_Row(name, 1), f"the sheet {name!r} is not one of {', '.join(SHEETS)}{correction}")
        document = LinedMapping()
        for row in self._rows(ABOUT) if ABOUT in names else ():
            if key := row.get("key"):
                document[key], document.lines[key] = row.get("value"), row.line
        if unknown := [key for key in document if key not in KEYS[:-1]]:
            self._note(document.lines[unknown[0]], f"{unknown[0]!r} is not one of {', '.join(KEYS[:-1])}")
        for key in unknown:
            del document[key]
        if "campaigns" not in names:
            raise ContentError(
                f"{self._label}: has no sheet 'campaigns'", hint="'campaigns pull FILE.xlsx' makes one"
            )
        lists = {name: [*self._rows(name)] for name in SHEETS if name in names}
        document["campaigns"] = lists["campaigns"]
        for name, rows in lists.items():
            if name in PARENTS:
                self._place(name, rows, lists.get("campaigns" if name == "line_items" else "line_items", []))
        return document

    def _place(self, name: str, rows: list[LinedMapping], parents: list[LinedMapping]) -> None:
        """Put rows into the lists of the records that they name."""
        column = PARENTS[name]
        by_word: dict[str, list[LinedMapping]] = {}
        for parent in parents:
            parent[name] = []
            for word in dict.fromkeys(filter(None, (parent.get(key) for key in ("id", "key", "name")))):
                by_word.setdefault(str(word), []).append(parent)
        for row in rows:
            word = row.pop(column, None)
            places = by_word.get(str(word), [])
            if len(places) == 1:
                places[0][name].append(row)
            elif word is None:
                self._note(
                    row.line, f"{column}: is required: the id, key or name of its {column.replace('_', ' ')}"
                )
            else:
                what = "several rows are" if places else "no row is"
                self._note(row.line, f"{column}: {what} {word!r}; name the id or the key of one")

    def _note(self, line: int, text: str) -> None:
        self.problems.append(FileProblem(line, "", text))

    def _sheet_names(self) -> list[str]:
        from ..feeds.formats.workbook import WorkbookError, sheet_names

        try:
            return sheet_names(BytesIO(self._content))
        except WorkbookError as error:
            raise ContentError(f"{self._label}: {error}", hint=error.hint) from None

    def _rows(self, name: str) -> Iterator[LinedMapping]:
        """Yield the rows below the head of a sheet, as records."""
        from ..feeds.formats.workbook import WorkbookError, merged_cells, read_sheet

        heads: list[str] = []
        try:
            for cells in merged_cells(BytesIO(self._content), name):
                self._note(_Row(name, 1), f"the cells {cells} are merged; unmerge them")
            for values_of_row in read_sheet(BytesIO(self._content), name, MAX_RECORDS):
                line = _Row(name, values_of_row.number)
                if not heads:
                    heads = self._heads(values_of_row.cells, line)
                    continue
                for cell, text in values_of_row.errors.items():
                    self._note(line, f"the cell {cell} is {text}")
                row = LinedMapping()
                row.line = line
                for at, text in enumerate(values_of_row.cells):
                    head = heads[at] if at < len(heads) else ""
                    if head.startswith(REMARK) or (not text.strip() and head != "value"):
                        continue
                    where = f"the cell {_column(at)}{values_of_row.number}"
                    if not head:
                        self._note(line, f"{where} has no heading")
                    elif at in values_of_row.rounded:
                        self._note(
                            line, f"{where} is a number that the spreadsheet has rounded; make it a text"
                        )
                    else:
                        try:
                            row[head], row.lines[head] = _value(name, head, text), line
                        except ValueError as error:
                            self._note(line, f"{where} {error}")
                if row:
                    yield row
        except WorkbookError as error:
            raise ContentError(f"{self._label}: the sheet {name!r}: {error}", hint=error.hint) from None

    def _heads(self, cells: list[str], line: _Row) -> list[str]:
        heads = [text.strip() for text in cells]
        for head in {head for head in heads if head and heads.count(head) > 1}:
            self._note(line, f"the heading {head!r} is there twice")
        return heads


def _value(name: str, head: str, text: str) -> Any:
    """Return a value as a text file has it: days without a time, lists of files.

    Raises ValueError, which says what is wrong with the cell, for what a text file cannot have.
    """
    fields = [field for kind in kinds_in(name) if (field := fields_by_key(kind).get(head))]
    if text == NULL and any(field.is_removable for field in fields):
        return None
    if any(field.type.is_time for field in fields):
        if text.replace(".", "").isdecimal():
            raise ValueError(f"is the number {text}, not a time: write 2031-12-01T08:00:00Z")
        return text.removesuffix("T00:00:00")
    return comma_list(text) if (name, head) == ("ads", "media") else text


def _column(at: int) -> str:
    """Name a column of a sheet: 0 is A, 26 is AA."""
    name = ""
    while at >= 0:
        name, at = chr(ord("A") + at % 26) + name, at // 26 - 1
    return name
