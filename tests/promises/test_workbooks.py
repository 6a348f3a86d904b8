"""Workbooks: wherever a file is written, .xlsx is one of its formats, with types."""

import io
import json
import subprocess
import tracemalloc
from datetime import date, datetime
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from ads_cli.errors import ContentError
from ads_cli.output import workbook
from ads_cli.output.workbook import open_workbook
from ads_cli.output.workbook_records import time_of, write_records
from tests.conftest import EXAMPLES
from tests.workbooks import cells_of, frozen, records_of, sheet_of

LOCAL = ("--profile", "local")


def test_a_list_is_written_with_times_amounts_booleans_and_a_frozen_head(adsctl):
    adsctl(*LOCAL, "campaigns", "list", "-o", "xlsx", "--to", "campaigns.xlsx")
    path = adsctl.home / "campaigns.xlsx"
    listed = {
        load["id"]: load for load in json.loads(adsctl(*LOCAL, "campaigns", "list", "-o", "json").stdout)
    }
    found = {each["id"]: each for each in records_of(path)}
    assert found.keys() == listed.keys() and frozen(path) == "A2"
    for id, row in found.items():
        assert row["created_at"] == datetime.fromisoformat(listed[id]["created_at"]).replace(tzinfo=None)
        assert row["daily_budget_amount_local"] == (
            (listed[id]["daily_budget_amount_local_micro"] or 0) / 10**6 or ""
        )
        assert row["deleted"] is listed[id]["deleted"]
    formats = {cell.number_format for cell in cells_of(path)}
    assert {r'#,##0.00\ "EUR"', "yyyy-mm-dd hh:mm"} <= formats


def test_an_amount_of_more_digits_than_a_number_keeps_is_a_text(adsctl):
    words = ("--daily-budget-amount-local-micro", "1234567890123456", "--yes")
    adsctl(*LOCAL, "campaigns", "update", "8wkt0", *words)
    adsctl(*LOCAL, "campaigns", "get", "8wkt0", "--to", "c.xlsx")
    (campaign,) = records_of(adsctl.home / "c.xlsx")
    assert campaign["daily_budget_amount_local"] == "1234567890.123456"


def test_a_workbook_of_a_list_needs_a_file_and_is_no_other_format(adsctl):
    for words, said in {
        ("-o", "xlsx"): "needs a file",
        ("--to", "c.csv"): "does not end in .xlsx",
        ("-o", "csv", "--to", "c.xlsx"): "writes a workbook",
        ("--to", "nowhere/c.xlsx"): "the folder nowhere does not exist",
    }.items():
        done = adsctl(*LOCAL, "campaigns", "list", *words, code=2)
        assert said in done.stderr and not done.stdout
    assert "needs a file" in adsctl(*LOCAL, "campaigns", "list", code=2, ADSCTL_OUTPUT="xlsx").stderr
    assert adsctl(*LOCAL, "campaigns", "list", "--to", "c.xlsx", ADSCTL_OUTPUT="json").stdout == ""
    assert adsctl(*LOCAL, "campaigns", "list", "-o", "xlsx", "--to", "d.xlsx").stdout == ""


def test_a_file_that_exists_is_replaced_only_where_that_is_confirmed(adsctl):
    path = adsctl.file("c.xlsx", "mine")
    assert "Replace c.xlsx" in adsctl(*LOCAL, "campaigns", "list", "--to", "c.xlsx", code=12).stderr
    assert path.read_text() == "mine"
    adsctl(*LOCAL, "campaigns", "list", "--to", "c.xlsx", "--columns", "nonsense", "--yes", code=2)
    assert path.read_text() == "mine"
    adsctl(*LOCAL, "campaigns", "list", "--to", "c.xlsx", "--yes")
    assert sheet_of(path)[0][0] == "name"


def test_columns_a_query_and_one_record_are_written_too(adsctl):
    done = adsctl(*LOCAL, "campaigns", "list", "--to", "c.xlsx", "--columns", "name,id")
    assert "c.xlsx: the result of this command" in done.stderr and not done.stdout
    assert sheet_of(adsctl.home / "c.xlsx")[0] == ["name", "id"]
    adsctl(*LOCAL, "campaigns", "list", "--to", "q.xlsx", "--query", "[].{n: name}")
    assert sheet_of(adsctl.home / "q.xlsx")[0] == ["n"]
    adsctl(*LOCAL, "campaigns", "get", "8wku2", "--to", "g.xlsx")
    assert len(sheet_of(adsctl.home / "g.xlsx")) == 2
    adsctl(*LOCAL, "campaigns", "list", "--to", "t.xlsx", "--query", "[].name")
    assert len(sheet_of(adsctl.home / "t.xlsx")) > 2


def test_a_command_without_records_says_that_it_wrote_no_file(adsctl):
    done = adsctl("products", "check", EXAMPLES / "products.csv", "--to", "c.xlsx", code=2)
    assert "c.xlsx was not written, since this command shows no records" in done.stderr


@pytest.mark.parametrize(
    "words", ["help exit-codes", "help products push", "help", "completion bash", "skill"]
)
def test_a_command_that_prints_a_text_writes_no_file_and_says_so(adsctl, words):
    assert "c.xlsx was not written" in adsctl(*words.split(), "--to", "c.xlsx", code=2).stderr
    assert "c.csv was not written" in adsctl("--to", "c.csv", *words.split(), code=2).stderr


@pytest.mark.parametrize("words", ["help fields products", "help endpoints", "help metrics"])
def test_the_lists_of_help_are_written_to_a_workbook(adsctl, words):
    adsctl(*words.split(), "-o", "xlsx", "--to", "c.xlsx")
    shown = adsctl(*words.split(), "-o", "csv").stdout.splitlines()
    assert sheet_of(adsctl.home / "c.xlsx")[0] == shown[0].split(",")
    assert len(sheet_of(adsctl.home / "c.xlsx")) > 20


@pytest.mark.parametrize(
    "words", [("export", "s.xlsx"), ("export", "--to", "s.xlsx"), ("get", "--to", "s.xlsx")]
)
def test_statistics_have_numbers_amounts_and_days(adsctl, words):
    chosen = ("--since", "2026-06-05", "--until", "2026-06-07", "--ids", "8wku3")
    asked = (*chosen, "--metrics", "impressions,billed_charge_local", "--totals")
    adsctl(*LOCAL, "stats", *words, *asked)
    first, *_ = shown = records_of(adsctl.home / "s.xlsx")
    piped = json.loads(adsctl(*LOCAL, "stats", "get", *asked, "-o", "json").stdout)
    assert [row["impressions"] for row in shown] == [row["impressions"] for row in piped]
    assert [row["billed_charge_local"] for row in shown] == [row["billed_charge_local"] for row in piped]
    assert first["start"] in (date(2026, 6, 5), datetime(2026, 6, 5)) and first["entity_id"] == "8wku3"


def test_a_feed_comes_back_from_a_workbook_as_it_was(adsctl):
    adsctl("products", "convert", EXAMPLES / "products.csv", "feed.xlsx")
    adsctl("products", "convert", "feed.xlsx", "again.csv")
    adsctl("products", "convert", EXAMPLES / "products.csv", "once.csv")
    assert (adsctl.home / "again.csv").read_text() == (adsctl.home / "once.csv").read_text()
    rows = records_of(adsctl.home / "feed.xlsx")
    assert all(isinstance(row["id"], str) for row in rows) and frozen(adsctl.home / "feed.xlsx") == "A2"


def test_rejected_rows_go_to_a_workbook_and_the_next_run_may_replace_it(adsctl):
    adsctl.file("feed.csv", "id,title\n=1+1,a\n2,b\n")
    for _ in range(2):
        adsctl("products", "check", "feed.csv", "--failed-out", "bad.xlsx", code=3)
        assert [row["id"] for row in records_of(adsctl.home / "bad.xlsx")] == ["=1+1", "2"]
        assert all(row["_error"] for row in records_of(adsctl.home / "bad.xlsx"))
    adsctl.file("other.csv", "id\n1\n")
    adsctl("products", "convert", "bad.xlsx", "mine.xlsx", "--skip-invalid", code=None)


def test_standard_output_takes_a_workbook_where_it_is_no_terminal(adsctl):
    words = ("products", "convert", EXAMPLES / "products.csv", "-", "--format-out", "xlsx")
    path = adsctl.home / "piped.xlsx"
    with path.open("wb") as file:
        subprocess.run(adsctl.forked(*words), env=adsctl.environment, stdout=file, check=True)
    assert sheet_of(path)[0][0] == "id"


def test_a_terminal_shows_no_workbook(adsctl):
    shown = adsctl.terminal("products", "convert", EXAMPLES / "products.csv", "-", "--format-out", "xlsx")
    shown.expect("xlsx cannot be shown on a terminal")


def written(*rows, columns=("a", "b")):
    stream = io.BytesIO()
    with open_workbook(stream) as book:
        sheet = book.add_sheet("rows", columns)
        for row in rows:
            sheet.write(row)
    return stream.getvalue()


def test_values_are_cells_of_their_types(tmp_path):
    path = tmp_path / "types.xlsx"
    rows = [
        (Decimal("12.50"), "12.50"),
        (Decimal("1234"), 10**15),
        (True, [1, {"x": "y"}]),
        (date(2026, 3, 1), datetime(2026, 3, 1, 8, 30, 15)),
        (date(1900, 2, 28), float("nan")),
        (Decimal("1234567890.123456"), Decimal("1E+15")),
        (None, "=1+1"),
    ]
    path.write_bytes(written(*rows))
    cells = [(cell.value, cell.data_type, cell.number_format) for cell in cells_of(path)]
    assert cells == [
        (12.5, "n", "#,##0.00"),
        ("12.50", "s", "General"),
        (1234, "n", "#,##0"),
        ("1000000000000000", "s", "General"),
        (True, "b", "General"),
        ('[1,{"x":"y"}]', "s", "General"),
        (datetime(2026, 3, 1), "d", "yyyy-mm-dd"),
        (datetime(2026, 3, 1, 8, 30, 15), "d", "yyyy-mm-dd hh:mm:ss"),
        ("1900-02-28", "s", "General"),
        ("NaN", "s", "General"),
        ("1234567890.123456", "s", "General"),
        ("1000000000000000", "s", "General"),
        (None, "n", "General"),
        ("=1+1", "s", "General"),
    ]


def test_the_same_rows_are_the_same_bytes():
    assert written(("a", 1)) == written(("a", 1)) != written(("a", 2))


def test_more_rows_or_columns_than_a_sheet_holds_are_refused(monkeypatch):
    monkeypatch.setattr(workbook, "MAX_ROWS", 4)
    assert written(*[("a", 1)] * 3)
    with pytest.raises(ContentError, match="more rows than the 3 that a sheet"):
        written(*[("a", 1)] * 4)
    with pytest.raises(ContentError, match="16,385 columns"):
        written(columns=["x"] * 16_385)


def test_an_error_writes_nothing_and_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    stream = io.BytesIO()
    with pytest.raises(KeyError), open_workbook(stream) as book:
        book.add_sheet("rows", ["a"]).write(["x"])
        raise KeyError
    assert stream.getvalue() == b"" and not [*tmp_path.iterdir()]


def test_memory_does_not_grow_with_rows():
    written(("a", 1))  # loads the library

    def peak(rows: int) -> int:
        tracemalloc.start()
        with open_workbook(io.BytesIO()) as book:
            sheet = book.add_sheet("rows", ["a", "b"])
            for number in range(rows):
                sheet.write((f"text {number}", number))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    few = peak(200)
    assert peak(4000) - few < 300_000


def test_a_time_is_that_of_its_own_clock_and_everything_else_stays_text():
    assert time_of("2026-03-01") == date(2026, 3, 1)
    assert time_of("2026-03-01T08:00:00+01:00").replace(tzinfo=None) == datetime(2026, 3, 1, 8)
    for text in ("2026", "2026-13-01", "2026-03-01 x", "20260301", "", None, 5):
        assert time_of(text) == text


def rows_written(records, columns, name="rows") -> list[list]:
    stream = io.BytesIO()
    write_records(stream, records, columns, name=name)
    stream.seek(0)
    return [list(row) for row in load_workbook(stream).active.values]


def test_the_average_of_amounts_that_a_query_makes_is_an_amount_too(adsctl):
    query = "[{avg_budget_micro: avg([?daily_budget_amount_local_micro].daily_budget_amount_local_micro)}]"
    adsctl(*LOCAL, "campaigns", "list", "--to", "b.xlsx", "--query", query)
    (row,) = records_of(adsctl.home / "b.xlsx")
    found = json.loads(adsctl(*LOCAL, "campaigns", "list", "-o", "json", "--query", query).stdout)
    assert row["avg_budget"] == pytest.approx(found[0]["avg_budget_micro"] / 10**6)


@pytest.mark.parametrize(
    ("micros", "amount"),
    [
        (1_500_000, 1.5),
        (-1_500_000, -1.5),
        (1_500_000.0, 1.5),
        (1.5, 0.0000015),
        (Decimal("1500000.5"), 1.5000005),
        ("-1500000", -1.5),
        ("+1500000.0", 1.5),
        ([1_500_000, "x"], '[1.5,"x"]'),
        ({"EUR": 1_500_000}, '{"EUR":1.5}'),
        ("n/a", "n/a"),
        (float("inf"), "Infinity"),
        (Decimal("Infinity"), "Infinity"),
        (True, True),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_micro_units_are_amounts_whatever_their_type(micros, amount):
    assert rows_written([{"bid_micro": micros}], ["bid_micro"]) == [["bid"], [amount]]


def test_micro_units_beside_their_amounts_keep_their_name_and_value():
    columns = ["bid_micro", "bid"]
    assert rows_written([{"bid_micro": 1_500_000, "bid": "1.50"}], columns) == [columns, [1_500_000, "1.50"]]


def test_a_week_stays_the_text_it_is():
    for text in ("2026-W01-1", "2026-W01-1T10:00"):
        assert time_of(text) == text


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a/b", "a_b"), ("'x'", "_x_"), ("[a]:*?\\", "_a_____"), ("", "Sheet1"), ("😀" * 31, "😀" * 15),
     ("x" * 30 + "'y", "x" * 30 + "_")],
)  # fmt: skip
def test_a_sheet_has_a_name_that_a_workbook_may_have(name, shown):
    stream = io.BytesIO()
    with open_workbook(stream) as book:
        book.add_sheet(name, ["a"])
    stream.seek(0)
    assert load_workbook(stream).sheetnames == [shown]
