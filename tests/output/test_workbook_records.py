"""A workbook is ready for a client: money, rates and dates in cells of their type, and nothing empty."""

from datetime import datetime
from decimal import Decimal
from io import BytesIO

import openpyxl
import pytest

from ads_cli.output.workbook_records import write_records

WEEK = ("--since", "2026-11-16", "--until", "2026-11-23", "--ids", "8wku2,8wku3")
METRICS = ("--metrics", "spend,ctr,clicks,video_total_views", "--compare", "previous", "--totals")


def sheet(content) -> list[dict[str, openpyxl.cell.Cell]]:
    head, *rows = openpyxl.load_workbook(content).active.iter_rows()
    return [{name.value: cell for name, cell in zip(head, row, strict=True)} for row in rows]


def written(records, columns, **options) -> list[dict[str, openpyxl.cell.Cell]]:
    stream = BytesIO()
    write_records(stream, records, columns, name="rows", **options)
    stream.seek(0)
    return sheet(stream)


@pytest.mark.parametrize(
    "words",
    [("stats", "get", *WEEK, *METRICS, "--to", "o.xlsx"), ("stats", "export", "o.xlsx", *WEEK, *METRICS)],
)
def test_statistics_for_a_client_have_money_percents_dates_a_filter_and_bold_totals(adsctl, words):
    adsctl.local(*words)
    path = adsctl.home / "o.xlsx"
    rows = sheet(path)
    assert openpyxl.load_workbook(path).sheetnames == ["16 to 22 Nov 2026"]
    *days, total = rows
    assert len(days) == 14
    first = days[0]
    assert first["spend"].number_format == r'#,##0.00\ "EUR"' and isinstance(first["spend"].value, float)
    assert first["ctr"].number_format == "0.00%" and 0 < first["ctr"].value < 0.2
    assert first["clicks"].number_format == "#,##0"
    assert first["spend_change"].number_format == "+0.0%;-0.0%;0.0%"
    change = first["spend"].value / first["spend_before"].value - 1
    assert first["spend_change"].value == pytest.approx(change)
    assert first["start"].value == datetime(2026, 11, 16) and first["start"].number_format == "yyyy-mm-dd"
    for name in rows[0]:
        assert any(row[name].value is not None for row in rows), name
    assert not [name for name in rows[0] if name.startswith("video")]
    assert [*rows[0]][-2:] == ["account", "campaign_id"]
    assert total["name"].value == "Total" and total["spend"].font.bold and not first["spend"].font.bold
    assert total["spend"].value == pytest.approx(sum(day["spend"].value for day in days))
    # The total is not among the rows that a filter hides or sorts.
    assert openpyxl.load_workbook(path).active.auto_filter.ref.endswith("15")


def test_sums_of_groups_are_named_beside_what_names_the_groups(adsctl):
    adsctl.local("stats", "get", *WEEK, *METRICS, "--group-by", "campaign", "--to", "o.xlsx")
    *rows, total = sheet(adsctl.home / "o.xlsx")
    assert total["campaign"].value == "Total" and {row["campaign"].value for row in rows} == {
        "Spring collection",
        "Hamburg knows us",
    }
    assert not {"entity", "name"} & {*total}


def test_an_amount_has_the_decimals_of_its_currency_and_more_only_below_its_smallest_coin():
    amounts = {"EUR": "2.52116", "JPY": "1200", "KWD": "1.25", "USD": "0.0042"}
    records = [{"currency": code, "spend": Decimal(text)} for code, text in amounts.items()]
    formats = [row["spend"].number_format for row in written(records, ["currency", "spend"])]
    assert formats == [
        r'#,##0.00\ "EUR"', r'#,##0\ "JPY"', r'#,##0.000\ "KWD"', r'#,##0.000000\ "USD"',
    ]  # fmt: skip


def test_times_with_a_clock_stay_times_and_columns_that_were_chosen_stay():
    times = {"a": "2026-11-16T00:00:00+01:00", "b": "2026-11-16T08:00:00+01:00"}
    records = [{"id": id, "start": time} for id, time in times.items()]
    rows = written(records, ["id", "start", "note"], keeps_columns=True)
    assert [*rows[0]] == ["id", "start", "note"]
    assert {row["start"].number_format for row in rows} == {"yyyy-mm-dd hh:mm"}
    assert [*written(records, ["id", "start", "note"])[0]] == ["start", "id"]


def test_nothing_at_all_has_its_columns():
    stream = BytesIO()
    write_records(stream, [], ["id", "name"], name="rows")
    stream.seek(0)
    assert [cell.value for cell in next(openpyxl.load_workbook(stream).active.iter_rows())] == ["name", "id"]
