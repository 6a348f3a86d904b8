"""Workbooks as people keep them: titles above the header, several sheets, failed formulas."""

import io
import json
import re
import zipfile
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

import openpyxl
import pytest

from ads_cli.errors import ContentError, UsageError
from ads_cli.feeds import MAX_DECOMPRESSED_BYTES
from ads_cli.feeds.formats import workbook as reader
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.source import ReadOptions
from tests.conftest import PRODUCT

FEED = "feed.xlsx"


def workbook(*sheets: Iterable[list], hidden: int = -1) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"Sheet {number}")
        sheet.sheet_state = "hidden" if number == hidden else "visible"
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def values(feeds, content: bytes, **options) -> list[dict]:
    source = open_source(feeds.write(FEED, content), options=ReadOptions(**options))
    return [row.values for row in read_rows(source, roots=(), known=("id", "title"), rename={})]


def test_a_workbook_is_pushed(adsctl, service):
    rows = [[*PRODUCT], *([*(PRODUCT | {"id": f"sku-{n}"}).values()] for n in range(30))]
    adsctl.file(FEED, workbook(rows))
    assert json.loads(adsctl("products", "push", FEED, "-o", "json").stdout)["created"] == 30


def test_cells_are_the_text_that_a_person_would_type(feeds):
    cells = {
        "id": (4012345678901, "4012345678901"),
        "title": (" a\nb ", " a\nb "),
        "price": (19.9, "19.9"),
        "tiny": (1e-7, "0.0000001"),
        "huge": (1e21, "1000000000000000000000"),
        "day": (date(2026, 7, 1), "2026-07-01"),
        "moment": (datetime(2026, 7, 1, 12, 30), "2026-07-01T12:30:00"),
        "clock": (time(12, 30), "12:30:00"),
        "length": (timedelta(hours=30, minutes=5), "30:05:00"),
        "yes": (True, "true"),
        "no": (False, "false"),
        "text": ("00123", "00123"),
    }
    content = workbook([[*cells], [value for value, _ in cells.values()]])
    assert values(feeds, content) == [{name: text for name, (_, text) in cells.items()}]


def test_rows_have_the_numbers_of_the_sheet_and_empty_ones_are_skipped(feeds):
    content = workbook([[], [], ["id", "title"], [1, "a"], [], [None, " "], [2, None]])
    assert feeds.read(FEED, content) == [(4, {"id": "1", "title": "a"}, ""), (7, {"id": "2"}, "")]


def test_the_header_is_the_row_with_the_most_known_columns(feeds):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Export of our shop"],
        ["id means the number"],
        ["id", "title", "", "x"],
        [1, "a", "b", "c"],
    ):
        sheet.append(row)
    sheet.merge_cells("A1:D1")
    stream = io.BytesIO()
    book.save(stream)
    rows = feeds.rows(FEED, stream.getvalue())
    assert [row.values for row in rows] == [{"id": "1", "title": "a", "x": "c"}]
    assert rows.columns == ("id", "title", "x") and rows.notes == ["2 rows skipped before the header"]


def test_a_failed_formula_is_a_problem_of_its_row_that_names_the_cell(feeds):
    book = openpyxl.Workbook()
    for row in (["id", "title", "price"], [1, "a", "#N/A"], [2, "#REF!", "#DIV/0!"], [3, "c", 5]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    first, second, third = feeds.read(FEED, stream.getvalue())
    assert first == (2, {"id": "1", "title": "a"}, "the cell C2 is #N/A")
    assert second == (3, {"id": "2"}, "the cell B3 is #REF!, the cell C3 is #DIV/0!")
    assert third == (4, {"id": "3", "title": "c", "price": "5"}, "")


def with_cell(content: bytes, cell: str, xml: str) -> bytes:
    """Replace the XML of a cell in the first sheet."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for part in old.infolist():
            data = old.read(part).decode()
            if part.filename == "xl/worksheets/sheet1.xml":
                data, count = re.subn(rf'<c r="{cell}".*?</c>', xml, data)
                assert count == 1
            new.writestr(part, data)
    return changed.getvalue()


NOT_STORED = "is a formula without a stored value; open the workbook in a spreadsheet and save it"


FORMULAS = {
    '<c r="{}"><f>A3&amp;"x"</f><v></v></c>': None,
    '<c r="{}"><f>A3&amp;"x"</f><v/></c>': None,
    '<c r="{}" t="str"><f>A3&amp;"x"</f></c>': None,
    "<c r='{}' t='n' s='1'><f t='shared' si='0'/></c>": None,
    '<c t="e" r="{}"><f>A3</f></c>': None,
    '<c r="{}" t="str"><f>""</f><v></v></c>': {},
    '<c r="{}" t="str"><f>A3</f><v>x</v></c>': {"title": "x"},
    '<c r="{}"><f>A3</f><v>0</v></c>': {"title": "0"},
    '<c r="{}" s="1"><v/></c>': {},
}


def test_a_formula_is_its_value_and_without_a_stored_one_a_problem_of_its_row(feeds):
    content = workbook([["id", "title"], *([line, "a"] for line in range(2, 12))])
    expected = [(2, {"id": "2", "title": "a"}, "")]
    for line, (formula, stored) in enumerate(FORMULAS.items(), 3):
        content = with_cell(content, f"B{line}", formula.format(f"B{line}"))
        problem = f"the cell B{line} {NOT_STORED}" if stored is None else ""
        expected.append((line, {"id": str(line)} | (stored or {}), problem))
    assert feeds.read(FEED, content) == expected


ROUNDED = "has more than 15 digits: the spreadsheet has rounded this number; make the column text"
LONG_NUMBERS = [10**15, 1234567890123456, -(10**17), 12345678901234567890]


def test_a_number_that_the_spreadsheet_has_rounded_is_a_problem_of_its_row(feeds):
    titles = [*LONG_NUMBERS, 999_999_999_999_999, *map(str, LONG_NUMBERS)]
    sheet = [["x"], [], ["", "", "id", "title"], *(["", "", 1, title] for title in titles)]
    rows = feeds.read(FEED, workbook(sheet))
    assert [line for line, _, _ in rows] == [*range(4, 13)]
    assert all(problem.startswith(f"'title' {ROUNDED}") for _, _, problem in rows[:4])
    whole = [(values, problem) for _, values, problem in rows[4:]]
    assert whole == [({"id": "1", "title": str(title)}, "") for title in titles[4:]]


def test_many_digits_behind_the_point_and_columns_that_are_not_used_are_no_problem(feeds):
    content = workbook([["id", "title", "Order"], [1, 0.1 + 0.2, 12345678901234567890]])
    assert feeds.read(FEED, content)[0][2] == ""


TWO = [["id"], [1]], [["id"], [2]]


def test_a_sheet_is_named_or_numbered(feeds):
    content = workbook(*TWO)
    for sheet, id in (("Sheet 0", "1"), ("Sheet 1", "2"), ("1", "1"), ("2", "2")):
        rows = reader.read_sheet(io.BytesIO(content), sheet, 10)
        assert [row.cells for row in rows] == [["id"], [id]]
    assert values(feeds, content, sheet="Sheet 1") == [{"id": "2"}]


def test_sheets_to_choose_from_are_listed(feeds):
    content = workbook(*TWO)
    for sheet, words in ((None, "has 2 sheets"), ("3", "no sheet '3'"), ("x", "'x'")):
        with pytest.raises(reader.WorkbookError, match=words) as refused:
            list(reader.read_sheet(io.BytesIO(content), sheet, 10))
        assert "--sheet with one of 'Sheet 0', 'Sheet 1'" in refused.value.hint and refused.value.is_usage
    with pytest.raises(UsageError, match="has 2 sheets") as caught:
        values(feeds, content)
    assert "--sheet with one of 'Sheet 0', 'Sheet 1'" in caught.value.hint


def test_hidden_and_empty_sheets_are_not_chosen(feeds):
    assert values(feeds, workbook(*TWO, hidden=0)) == [{"id": "2"}]
    assert values(feeds, workbook([], TWO[0], [])) == [{"id": "1"}]


def test_the_sheet_option_is_of_every_command_that_reads(adsctl):
    adsctl.file(FEED, workbook(*([[*PRODUCT], [*(PRODUCT | {"id": id}).values()]] for id in "ab")))
    assert "add --sheet with one of" in adsctl("products", "check", FEED, code=2).stderr
    checked = adsctl("products", "check", FEED, "--sheet", "2", "--max-rows", "1", "-o", "json")
    assert json.loads(checked.stdout)["valid"] == 1


def test_more_rows_than_are_loaded_at_once_are_asked_for(feeds):
    content = workbook([["id"], *([number] for number in range(30))])
    assert len(values(feeds, content, max_rows=30)) == 30
    with pytest.raises(ContentError, match="'Sheet 0' has more than 29 rows") as caught:
        values(feeds, content, max_rows=29)
    assert "--max-rows" in caught.value.hint


@pytest.mark.parametrize("content", [[], [["id", "title"]], [["id", "title"], ["ID ", "Title"]]])
def test_a_sheet_without_rows_is_refused(feeds, content):
    assert feeds.error(FEED, workbook(content)).startswith("feed.xlsx:1: ")


def test_the_columns_that_failed_out_adds_are_ignored_in_a_workbook(feeds):
    assert values(feeds, workbook([["id", "_line", "_error"], [1, 7, "x"]])) == [{"id": "1"}]


def test_a_workbook_in_another_archive_or_with_another_name_is_read(feeds):
    content = workbook(TWO[0])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("products.xlsx", content)
    for name in ("feed.zip", "feed.csv", "feed"):
        rows = feeds.rows(name, archive.getvalue() if name == "feed.zip" else content)
        assert [row.values for row in rows] == [{"id": "1"}]


def test_a_workbook_that_is_cut_off_or_damaged_is_refused(feeds):
    content = workbook([["id", "title"], *([number, "x" * 50] for number in range(200))])
    assert "not a complete" in feeds.error(FEED, content[: len(content) // 2])
    damaged = bytearray(content)
    start = content.index(b"xl/worksheets/sheet1.xml") + 200
    damaged[start : start + 50] = bytes(50)
    for incomplete in (content[:100], content[:-5], bytes(damaged)):
        with pytest.raises(reader.WorkbookError, match="not a complete"):
            list(reader.read_sheet(io.BytesIO(incomplete), None, 1000))


def test_an_encrypted_or_older_workbook_is_told(feeds):
    error = feeds.error(FEED, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    assert "encrypted, or in the older format .xls" in error


def test_a_workbook_that_is_a_bomb_is_refused(feeds, monkeypatch):
    content = workbook([["id"], *([number] for number in range(300))])
    monkeypatch.setattr(reader, "MAX_DECOMPRESSED_BYTES", 1000)
    with pytest.raises(reader.WorkbookError, match="decompresses to"):
        list(reader.read_sheet(io.BytesIO(content), None, 1000))
    assert MAX_DECOMPRESSED_BYTES > 1 << 30


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        (200_000, 16_384, "takes more memory than its rows may"),
        (20, 16_384, "spans 20 rows x 16,384 columns"),
    ],
)
def test_a_cell_far_from_the_table_does_not_fill_the_memory(feeds, row, column, reason):
    book = openpyxl.Workbook()
    book.active.append(["id", "title"])
    book.active.append(["a", "b"])
    book.active.cell(row, column, "x")
    stream = io.BytesIO()
    book.save(stream)
    source = open_source(feeds.write(FEED, stream.getvalue()), options=ReadOptions(max_rows=1000))
    with pytest.raises(ContentError, match=reason):
        list(read_rows(source, roots=(), known=("id",), rename={}))
