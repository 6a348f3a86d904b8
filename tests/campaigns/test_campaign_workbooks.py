"""Campaigns in a workbook: edited in a spreadsheet, applied, and wrong cells told by their names."""

import json
from datetime import datetime

import openpyxl
import pytest

from tests.emulator.seeded import HAMBURG, SPRING, WINTER

ITEM = {
    "campaign": "Made in a sheet",
    "name": "Item",
    "objective": "WEBSITE_CLICKS",
    "product_type": "PROMOTED_POSTS",
    "placements": "ALL_ON_PLATFORM",
    "bid_strategy": "AUTO",
    "start_time": datetime(2031, 12, 1),
}


class Book:
    """A pulled workbook, as a spreadsheet edits it."""

    def __init__(self, adsctl, *words: str) -> None:
        self.adsctl, self.path = adsctl, adsctl.home / "shop.xlsx"
        adsctl("-q", "campaigns", "pull", "shop.xlsx", *words)
        self.book = openpyxl.load_workbook(self.path)

    def cell(self, sheet: str, heading: str, id: str | int):
        rows = [*self.book[sheet].iter_rows()]
        at = [cell.value for cell in rows[0]].index(heading)
        ids = [cell.value for cell in rows[0]].index("id")
        row = next(row for row in rows if row[ids].value == id) if isinstance(id, str) else rows[id - 1]
        return row[at]

    def add(self, sheet: str, **values: object) -> None:
        head = [cell.value for cell in self.book[sheet][1]]
        self.book[sheet].append([values.get(name) for name in head])

    def plan(self, *words: str, code: int = 10):
        self.book.save(self.path)
        return self.adsctl("-q", "campaigns", "plan", "shop.xlsx", "-o", "json", *words, code=code)


def test_a_workbook_is_stable_and_differs_in_nothing(adsctl, service):
    adsctl("campaigns", "pull", "shop.xlsx")
    before = (adsctl.home / "shop.xlsx").read_bytes()
    adsctl("campaigns", "pull", "shop.xlsx")
    assert (adsctl.home / "shop.xlsx").read_bytes() == before
    assert json.loads(adsctl("-q", "campaigns", "plan", "shop.xlsx", "-o", "json").stdout) == []
    names = openpyxl.load_workbook(adsctl.home / "shop.xlsx").sheetnames
    assert names == ["file", "campaigns", "line_items", "targeting", "ads", "tracking_tags"]
    (adsctl.home / "shop.xlsx").write_bytes(before + b" ")
    assert "--force" in adsctl("campaigns", "pull", "shop.xlsx", code=2).stderr


@pytest.mark.parametrize("service_name", ["x"])
def test_what_was_edited_in_a_spreadsheet_is_applied(adsctl, service, service_name):
    book = Book(adsctl)
    book.cell("campaigns", "daily_budget", WINTER).value = 41.5
    book.add("campaigns", name="Made in a sheet", funding_instrument_id="4a1n0", daily_budget=10)
    book.add("line_items", **ITEM)
    book.add("targeting", line_item="Item", targeting_type="LANGUAGE", targeting_value="de")
    book.add("ads", line_item="Item", post="1790415000000000010")
    changes = json.loads(book.plan().stdout)
    actions = [(record["action"], record["kind"]) for record in changes]
    kinds = ("campaign", "line_item", "targeting", "ad")
    assert actions == [("update", "campaign"), *(("create", kind) for kind in kinds)]
    assert changes[0]["after"] == {"daily_budget": "41.50"}
    adsctl("-q", "campaigns", "plan", "shop.xlsx", "--out", "shop.plan", code=10)
    adsctl("campaigns", "apply", "shop.plan", "--yes")
    assert json.loads(book.plan(code=0).stdout) == []
    assert "--write-ids" in adsctl("campaigns", "apply", "shop.xlsx", "--write-ids", code=2).stderr


def test_rows_that_are_removed_are_deleted_with_prune_alone(adsctl, service):
    book = Book(adsctl)
    row = book.cell("ads", "id", "7pt01").row
    book.book["ads"].delete_rows(row)
    book.plan(code=0)
    (change,) = json.loads(book.plan("--prune").stdout)
    assert (change["action"], change["kind"], change["id"]) == ("delete", "ad", "7pt01")
    del book.book["ads"]
    assert json.loads(book.plan("--prune", code=0).stdout) == [], "a list that is not there is left alone"


def test_a_text_null_removes_a_value_and_an_empty_cell_leaves_it(adsctl, service):
    book = Book(adsctl)
    book.cell("campaigns", "total_budget", SPRING).value = None
    book.plan(code=0)
    book.cell("campaigns", "total_budget", SPRING).value = "null"
    (change,) = json.loads(book.plan().stdout)
    assert change["after"] == {"total_budget": None} and change["id"] == SPRING


def test_wrong_cells_are_told_all_at_once_by_sheet_and_cell(adsctl, service):
    book = Book(adsctl)
    sheet = book.book["line_items"]
    book.add("line_items", **ITEM | {"campaign": HAMBURG, "start_time": 46357})
    book.add("line_items", **ITEM | {"campaign": "Nobody"})
    book.add("line_items", **ITEM | {"campaign": None})
    book.cell("campaigns", "daily_budget", HAMBURG).value = "=5+5"
    book.cell("campaigns", "total_budget", WINTER).value = "many"
    book.cell("ads", "post", "7pt06").value = 1790415000000000010
    sheet.merge_cells("B3:C3")
    book.book.create_sheet("line_item")
    last = sheet.max_row
    message = book.plan(code=3).stderr
    for line in (
        f"shop.xlsx:line_items!{last - 2}: the cell ",
        "is the number 46357, not a time: write 2031-12-01T08:00:00Z",
        f"shop.xlsx:line_items!{last - 1}: campaign: no row is 'Nobody'",
        f"shop.xlsx:line_items!{last}: campaign: is required",
        "is a formula without a stored value",
        "total_budget: ",
        "is a number that the spreadsheet has rounded; make it a text",
        "the cells B3:C3 are merged",
        "the sheet 'line_item' is not one of campaigns, line_items",
    ):
        assert line in message, line


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"PK\x03\x04nothing", "not a complete xlsx file"), (b"\xd0\xcf\x11\xe0", "shop.xlsx")],
)
def test_what_is_no_workbook_is_told(adsctl, service, content, message):
    adsctl.file("shop.xlsx", content)
    assert message in adsctl("campaigns", "plan", "shop.xlsx", code=3).stderr


def test_names_that_no_row_may_mean_twice_need_an_id(adsctl, service):
    book = Book(adsctl)
    for _ in range(2):
        book.add("campaigns", name="Twice", funding_instrument_id="4a1n0", daily_budget=1)
    book.add("line_items", **ITEM | {"campaign": "Twice"})
    book.cell("campaigns", "key", book.book["campaigns"].max_row).value = "second"
    message = book.plan(code=3).stderr
    assert "campaign: several rows are 'Twice'" in message
    book.cell("line_items", "campaign", book.book["line_items"].max_row).value = "second"
    book.plan()
