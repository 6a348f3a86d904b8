"""A table shows money as money and times as people read them; every other format is as it was sent."""

import csv
import json
import re

import pexpect
import pytest

from ads_cli.output.table_view import header, shown, style
from ads_cli.output.text import path_once, wrapped

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
        ("start_time", {"start_time": "2026-03-01T08:10:00Z"}, "2026-03-01 08:10 UTC"),
        ("end_time", {"end_time": "2026-03-01T00:00:00Z"}, "2026-03-01"),
        ("end_time", {"end_time": "soon"}, "soon"),
        ("name", {"name": "x"}, "x"),
        ("permissions", {"permissions": ["AD_MANAGER", "ANALYST"]}, "AD_MANAGER, ANALYST"),
        ("reasons_not_targetable", {"reasons_not_targetable": []}, ""),
        ("line_items", {"line_items": [{"id": "x"}]}, "x"),
        ("line_items", {"line_items": [{"id": "x", "name": "Y"}, {"name": "Z"}]}, "Y (x); Z"),
        ("audience_size", {"audience_size": {"min": 410, "max": 12500}}, "410 to 12,500"),
        ("audience_size", {"audience_size": 2350}, "2,350"),
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
    assert headings.split() == ["NAME", "STATUS", "DAILY_BUDGET", "TOTAL_BUDGET", "ID"]
    (spring,) = [line for line in lines if "8wku2" in line]
    for cell in ("Spring collection  ", "RUNNING", "60.00 EUR", "2,400.00 EUR"):
        assert cell in spring
    (winter,) = [line for line in lines if "8wkt0" in line]
    assert "EXPIRED" in winter


def test_one_record_without_a_value_is_shown_by_its_columns(adsctl):
    words = ("campaigns", "get", "8wku2")
    record = json.loads(adsctl("-p", "local", *words, "-o", "json").stdout)
    empty = [name for name, value in record.items() if value is None]
    assert len(empty) > 1
    columns = ",".join(empty[:2])
    child = adsctl.terminal("-p", "local", "-q", *words, "--columns", columns, width=20, NO_COLOR="1")
    lines = [line.strip() for line in child.read().replace("\r\n", "\n").splitlines()]
    child.close()
    assert child.exitstatus == 0
    assert [*filter(None, lines)] == [*map(header, empty[:2])]


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
    columns = "id,entity_status,approval_status,line_item_id,post_id"
    lines = shown_lines(adsctl, "promoted", "posts", "list", "--columns", columns)
    assert lines[1].split() == ["7pt01", "ACTIVE", "ACCEPTED", "9d4c1", "1790415000000000001"]


def test_one_record_that_is_wider_than_the_terminal_has_a_line_for_each_column(adsctl):
    lines = [line.split(maxsplit=1) for line in shown_lines(adsctl, "line-items", "get", "9d4c1")]
    assert ["name", "Visits to the shop"] in lines and ["objective", "WEBSITE_CLICKS"] in lines
    assert ["daily_budget", "20.00 EUR"] in lines and ["start_time", "2026-03-01 09:00 CET"] in lines


def test_audiences_are_legible_at_eighty_columns(adsctl):
    child = adsctl.terminal("-p", "local", "-q", "audiences", "list", width=80, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0 and max(map(len, lines)) <= 80
    (headings,) = [line for line in lines if "WHY_NOT" in line]
    assert headings.split() == ["NAME", "SIZE", "TARGETABLE", "WHY_NOT", "ID"]
    shown = {line.split()[-1]: line for line in lines if "1nm" in line}
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


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ("effective_status", "RUNNING", "green"),
        ("effective_status", "FUNDING_PROBLEM", "red"),
        ("approval_status", "REJECTED", "red"),
        ("entity_status", "PAUSED", "yellow"),
        ("status", "not ready", "yellow"),
        ("status", "DELETED", "dim"),
        ("outcome", "failed", "red"),
        ("deleted", "true", "dim"),
        ("deleted", "false", ""),
        ("daily_budget_amount_local_micro", "40.00 EUR", "cyan"),
        ("name", "PAUSED", ""),
        ("status", "Brand new", ""),
    ],
)
def test_a_state_has_a_color_beside_its_word(column, text, expected):
    assert style(column, text) == expected


def test_states_are_colored_on_a_terminal_only_and_keep_their_words(adsctl):
    table = ("campaigns", "list", "-o", "table")
    plain = adsctl.local(*table).stdout
    colored = adsctl.local(*table, "--color", "always").stdout
    assert "\x1b" not in plain and "\x1b[31mFUNDING_PROBLEM" in colored and "\x1b[32mRUNNING" in colored
    assert [line.split() for line in re.sub(r"\x1b\[[0-9;]*m", "", colored).splitlines()] == [
        line.split() for line in plain.splitlines()
    ]
    assert "\x1b" not in adsctl.local(*table, "--color", "always", "-o", "tsv").stdout


FOUND = """feed.csv:10: id: 'a' is repeated
    2 rows: lines 10, 13
feed.csv:3: price: '44,90 EUR' is not allowed: a number, a space and a currency code
12 rows"""


def test_a_message_shows_a_path_once_and_breaks_lines_between_words():
    shown = wrapped(path_once(FOUND), 40).splitlines()
    assert shown[:3] == ["feed.csv:", "  10: id: 'a' is repeated", "    2 rows: lines 10, 13"]
    assert shown[3:] == [
        "  3: price: '44,90 EUR' is not allowed:",
        "      a number, a space and a currency",
        "      code",
        "12 rows",
    ]
    line = FOUND.splitlines()[0]
    assert path_once(line) == line and path_once(f"{line}\nb.csv:1: x") == f"{line}\nb.csv:1: x"


def test_a_command_in_a_message_stays_whole():
    hint = "resume it with: adsctl products push 'my feed.csv' --resume; or begin it again"
    assert wrapped(hint, 30).splitlines() == [
        "resume it with:", "    adsctl products push 'my feed.csv' --resume;", "    or begin it again",
    ]  # fmt: skip
    tried = "try: adsctl products check feed.csv --fix html,price --currency EUR"
    assert wrapped(tried, 20) == tried


@pytest.mark.parametrize("width", [80, 200])
def test_nothing_is_wider_than_a_terminal_or_wrapped_in_a_pipe(adsctl, width):
    adsctl.file("feed.csv", f"id,title,price\n1,{'long title ' * 30},12\n2,mug,free of charge\n")
    session = adsctl.terminal("products", "check", "feed.csv", "-q", width=width)
    session.expect(pexpect.EOF)
    lines = [line for line in session.before.splitlines() if not line.startswith("try: ")]
    assert max(map(len, lines)) <= width and sum("feed.csv:" in line for line in lines) == 2
    piped = adsctl("products", "check", "feed.csv", "-q", "-o", "table", code=3).stdout
    assert piped.count("feed.csv:2: ") > 1
