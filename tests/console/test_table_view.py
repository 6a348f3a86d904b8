"""A table shows money as money and times as people read them; every other format is as it was sent."""

import csv
import json

import pytest

from ads_cli.console.table_view import header, shown

DAY = "daily_budget_amount_local_micro"


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (DAY, "daily_budget"),
        ("bid_amount_local_micro", "bid"),
        ("credit_limit_local_micro", "credit_limit"),
        ("effective_status", "status"),
        ("audience_size", "size"),
        ("reasons_not_targetable", "why_not"),
        ("name", "name"),
    ],
)
def test_a_column_has_a_short_header(column, expected):
    assert header(column) == expected


@pytest.mark.parametrize(
    ("column", "record", "expected"),
    [
        (DAY, {DAY: 12_500_000, "currency": "EUR"}, "12.50 EUR"),
        (DAY, {DAY: 50_000_000_000, "currency": "VND"}, "50,000 VND"),
        (DAY, {DAY: 12_000_000, "currency": "JPY"}, "12 JPY"),
        (DAY, {DAY: 12_500_000, "currency": "KWD"}, "12.500 KWD"),
        (DAY, {DAY: 12_500_000}, "12.50"),
        (DAY, {DAY: None, "currency": "EUR"}, None),
        ("created_at", {"created_at": "2026-03-01T08:10:00Z"}, "2026-03-01"),
        ("start_time", {"start_time": "2026-03-01T08:10:00Z"}, "2026-03-01 08:10"),
        ("end_time", {"end_time": "2026-03-01T00:00:00Z"}, "2026-03-01"),
        ("end_time", {"end_time": "soon"}, "soon"),
        ("name", {"name": "x"}, "x"),
        ("permissions", {"permissions": ["AD_MANAGER", "ANALYST"]}, "AD_MANAGER, ANALYST"),
        ("reasons_not_targetable", {"reasons_not_targetable": []}, ""),
        ("line_items", {"line_items": [{"id": "x"}]}, [{"id": "x"}]),
        ("audience_size", {"audience_size": {"min": 410, "max": 12500}}, "410 to 12,500"),
        ("audience_size", {"audience_size": 2350}, 2350),
        ("audience_size", {"audience_size": {"min": None, "max": "x"}}, {"min": None, "max": "x"}),
    ],
)
def test_a_value_is_shown_for_people(column, record, expected):
    assert shown(column, record) == expected


def test_campaigns_are_legible_at_eighty_columns(adsctl):
    child = adsctl.terminal("-p", "local", "-q", "campaigns", "list", width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0 and max(map(len, lines)) <= 80
    (headings,) = [line for line in lines if "DAILY_BUDGET" in line]
    assert headings.split() == ["ID", "NAME", "STATUS", "DAILY_BUDGET", "TOTAL_BUDGET", "CREATED_AT"]
    (spring,) = [line for line in lines if "8wku2" in line]
    for cell in ("Spring collecti", "RUNNING", "60.00 EUR", "2,400.00 EUR", "2025-11-15"):
        assert cell in spring
    (winter,) = [line for line in lines if "8wkt0" in line]
    assert "EXPIRED" in winter


def shown_lines(adsctl, *words: str) -> list[str]:
    """Return what a terminal of 80 columns shows."""
    child = adsctl.terminal("-p", "local", "-q", *words, width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0
    return lines


def test_a_heading_names_its_column(adsctl):
    done = adsctl.local("campaigns", "list", "--columns", "NAME,daily_budget,status", "--limit", "1")
    assert done.stdout.splitlines()[0] == "name\tdaily_budget\teffective_status"


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_amounts_of_files_are_in_units_with_the_decimals_of_their_currency(remote, httpserver, format):
    names = {"EUR": 12_500_000, "JPY": 1200_000_000, "KWD": 1_250_000, "USD": 1_234_500_000, "GBP": None}
    listed = [{"id": code, "currency": code, DAY: value} for code, value in names.items()]
    httpserver.expect_request("/12/accounts/18ce54/campaigns").respond_with_json({"data": listed})
    words = ("-A", "18ce54", "campaigns", "list", "-o", format, "--columns")
    rows = [line.replace("\t", ",") for line in remote(*words, "id,daily_budget").stdout.splitlines()]
    assert rows == ["id,daily_budget", "EUR,12.50", "JPY,1200", "KWD,1.250", "USD,1234.50", "GBP,"]
    both = remote(*words, f"{DAY},daily_budget_amount").stdout.splitlines()[1].replace("\t", ",")
    assert both == "12500000,12.50"


def test_amounts_in_units_are_sent_as_they_were_shown(adsctl):
    table = adsctl.local("campaigns", "get", "8wku2", "8wku3", "-o", "csv", "--columns", "id,daily_budget")
    assert "8wku2,60.00" in table.stdout
    edited = adsctl.file("budgets.csv", table.stdout.replace("60.00", "61.50"))
    adsctl.local("campaigns", "update", "-f", edited)
    after = adsctl.local("campaigns", "get", "8wku2", "-o", "csv", "--columns", DAY)
    assert after.stdout.splitlines() == [DAY, "61500000"]


def test_ids_and_statuses_are_never_cut(adsctl):
    lines = shown_lines(adsctl, "promoted", "posts", "list")
    assert lines[1].split() == ["7pt01", "9d4c1", "1790415000000000001", "ACTIVE", "ACCEPTED", "false"]


def test_one_record_that_is_wider_than_the_terminal_has_a_line_for_each_column(adsctl):
    lines = [line.split(maxsplit=1) for line in shown_lines(adsctl, "line-items", "get", "9d4c1")]
    assert ["name", "Visits to the shop"] in lines and ["objective", "WEBSITE_CLICKS"] in lines
    assert ["daily_budget", "20.00 EUR"] in lines and ["start_time", "2026-03-01 08:00"] in lines


def test_audiences_are_legible_at_eighty_columns(adsctl):
    child = adsctl.terminal("-p", "local", "-q", "audiences", "list", width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0 and max(map(len, lines)) <= 80
    (headings,) = [line for line in lines if "WHY_NOT" in line]
    assert headings.split() == ["ID", "NAME", "SIZE", "TARGETABLE", "WHY_NOT"]
    shown = {line.split()[0]: line for line in lines if line.startswith("1nm")}
    assert (
        "Left a full basket in the app" in shown["1nmw2"]
        and "Readers" in shown["1nmu0"]
        and " 412 " in shown["1nmu0"]
    )
    assert " 64 " in shown["1nmu7"] and "false" in shown["1nmu7"] and "TOO_SMALL" in shown["1nmu7"]
    assert "PROCESSING, TOO_SMALL" in shown["1nmv2"] and "TOO_SMALL" not in shown["1nmth"]


@pytest.mark.parametrize("output", ["json", "jsonl", "tsv", "csv"])
def test_other_formats_have_the_amount_as_it_was_sent(adsctl, output):
    text = adsctl.local("campaigns", "get", "8wku2", "-o", output).stdout
    if output in ("json", "jsonl"):
        record = json.loads(text)
    else:
        (record,) = csv.DictReader(text.splitlines(), delimiter="," if output == "csv" else "\t")
    assert str(record[DAY]) == "60000000" and record["created_at"] == "2025-11-15T09:30:00Z"
