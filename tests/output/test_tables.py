"""A table shows what was asked for, whatever the width of the terminal, and says what it leaves out."""

import re
from decimal import Decimal
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.output.column_types import NUMBERS, type_of
from ads_cli.output.figures import amount_text, change_text, fixed, percent_text
from ads_cli.output.table import write_table
from ads_cli.output.table_view import columns_for_people, shown

NAMES = ("Spring collection", "Hamburg knows us")
ALL = ("--ids", "8wku2,8wku3", "--since", "7d", "--granularity", "TOTAL", "-o", "table")


def lines_of(adsctl, *words: str, width: int = 80) -> list[str]:
    child = adsctl.terminal("-p", "local", *words, width=width, NO_COLOR="1")
    lines = [line.rstrip() for line in child.read().replace("\r\n", "\n").splitlines()]
    child.close()
    assert child.exitstatus == 0, lines
    return lines


def written(records, columns, width: int, monkeypatch, **options) -> tuple[list[str], list[str]]:
    """Return the lines of a table on a terminal of a width, and the columns that it leaves out."""
    monkeypatch.setenv("COLUMNS", str(width))
    stream = StringIO()
    stream.isatty = lambda: True
    hidden = write_table(stream, records, columns, color=False, is_one=False, **options)
    return stream.getvalue().splitlines(), [*hidden]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("daily_budget_amount_local_micro", "micro"),
        ("conversion_purchases_sale_amount", "micro"),
        ("billed_charge_local", "amount"),
        ("spend_before", "amount"),
        ("cpc_change", "amount"),
        ("cost_per_conversion", "amount"),
        ("ctr", "percent"),
        ("conversion_rate_change", "percent"),
        ("roas", "ratio"),
        ("impressions", "count"),
        ("retweets_before", "count"),
        ("conversion_purchases_order_quantity", "count"),
        ("video_views_25", "count"),
        ("created_at", "time"),
        ("line_item_id", "id"),
        ("name", "text"),
        ("last_change", "text"),
    ],
)
def test_a_column_has_the_type_of_its_field(column, expected):
    assert type_of(column) == expected


@pytest.mark.parametrize(
    ("column", "record", "expected"),
    [
        ("spend", {"spend": Decimal("2.52116"), "currency": "EUR"}, "2.52 EUR"),
        ("spend", {"spend": "1234.5", "currency": "JPY"}, "1,234 JPY"),
        ("cpc", {"cpc": 0.0042, "currency": "EUR"}, "0.0042 EUR"),
        ("spend", {"spend": Decimal("-0.000000001"), "currency": "EUR"}, "0.000000 EUR"),
        ("spend", {"spend": 0, "currency": "EUR"}, "0.00 EUR"),
        ("spend", {"spend": "", "currency": "EUR"}, ""),
        ("ctr", {"ctr": Decimal("0.0145")}, "1.45 %"),
        ("ctr", {"ctr": -1e-9}, "0.00 %"),
        ("roas", {"roas": 3.14159}, "3.14"),
        ("impressions", {"impressions": 31724}, "31,724"),
        ("spend_change", {"spend": 90, "spend_before": 120, "spend_change": -30}, "-25.0 %"),
        ("spend_change", {"spend": 120, "spend_before": 120, "spend_change": 0}, "0.0 %"),
        ("ctr_change", {"ctr": "0.02", "ctr_before": "0.01", "ctr_change": "0.01"}, "+100.0 %"),
        ("spend_change", {"spend": 3, "spend_before": 0, "spend_change": 3}, ""),
        ("conversion_purchases_sale_amount",
         {"conversion_purchases_sale_amount": 12_500_000, "currency": "EUR"}, "12.50 EUR"),
        ("start", {"start": "2026-11-23T00:00:00+01:00"}, "2026-11-23"),
        ("start", {"start": "2026-11-23T08:00:00+01:00"}, "2026-11-23 08:00"),
        ("end", {"end": "2026-11-30T00:00:00+01:00"}, "2026-11-29"),
        ("end", {"end": "2026-11-30"}, "2026-11-29"),
        ("end", {"end": "2026-11-30T08:00:00+01:00"}, "2026-11-30 08:00"),
        ("end", {"end": "0001-01-01"}, "0001-01-01"),
    ],
)  # fmt: skip
def test_a_number_is_shown_in_its_unit(column, record, expected):
    assert shown(column, record) == expected


@given(st.decimals(-1000, 1000, allow_nan=False, places=9), st.sampled_from(["EUR", "JPY", "KWD", ""]))
def test_no_number_is_minus_zero_and_no_amount_is_hidden_by_rounding(value, currency):
    texts = [amount_text(value, currency), percent_text(value), fixed(value, 2), change_text(value, 7)]
    assert [text for text in texts if re.fullmatch(r"[+-]0[.0]*( .*)?", text)] == []
    if abs(value) >= Decimal("0.000001"):
        assert re.search("[1-9]", texts[0])


def test_what_tells_rows_apart_is_first_then_numbers_and_ids_last():
    columns = (
        "entity",
        "entity_id",
        "name",
        "campaign",
        "start",
        "end",
        "account",
        "currency",
        "clicks",
        "spend",
    )
    base = {"entity": "CAMPAIGN", "account": "x", "currency": "EUR", "start": "2026-11-23T00:00+01:00"}
    records = [
        base | {"name": n, "campaign": n, "entity_id": i, "clicks": 1, "spend": 2} for n, i in ("ab", "cd")
    ]
    ordered = columns_for_people(columns, records, "entity_id")
    assert ordered[:3] == ["name", "spend", "clicks"] and ordered[-2:] == ["entity_id", "account"]
    assert "currency" not in ordered and "end" not in ordered  # the amounts have it; nothing has an end
    asked = columns_for_people(columns, records, "entity_id", asked=("clicks", "spend"))
    assert asked[:3] == ["name", "clicks", "spend"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_what_was_asked_for_is_shown_on_a_terminal_of_any_width(monkeypatch, width):
    asked = ("impressions", "clicks", "spend", "ctr", "cpc", "cpm", "engagements")
    record = dict.fromkeys(asked, 1) | {"currency": "EUR", "placement": "ALL_ON_PLATFORM"}
    records = [record | {"name": name, "spend": 123456} for name in NAMES]
    lines, hidden = written(
        records, ("placement", "name", "currency", *asked), width, monkeypatch, asked=asked
    )
    assert max(map(len, lines)) <= width and not {*asked} & {*hidden}
    headings = [word for line in lines if line.startswith("NAME") for word in line.split()]
    assert [*dict.fromkeys(headings)][1 : len(asked) + 1] == [name.upper() for name in asked]
    assert "…" not in "".join(line for line in lines if "123,456" in line).removeprefix(NAMES[0])[20:]
    assert len([line for line in lines if "123,456.00 EUR" in line]) == 2
    assert ("placement" in hidden) == (width < 200)


def test_chosen_columns_stay_in_their_order_even_without_a_value(monkeypatch):
    lines, hidden = written(
        [{"id": "1", "name": "a"}], ("id", "note", "name"), 80, monkeypatch, is_chosen=True
    )
    assert lines[0].split() == ["ID", "NOTE", "NAME"] and hidden == []


def test_empty_columns_are_not_shown_and_what_does_not_fit_is_named(adsctl):
    lines = lines_of(adsctl, "campaigns", "list")
    shown_, said = "\n".join(lines), " ".join(" ".join(lines).split())
    assert "Spring collection  RUNNING" in shown_  # a name is whole before another column is shown
    assert "not shown: created_at, entity_status, why_not, funding_instrument; -o json, --columns" in said
    assert "or a wider terminal shows them" in said and "DELETED" not in shown_
    assert "not shown" not in " ".join(lines_of(adsctl, "campaigns", "list", width=200))


@pytest.mark.parametrize("width", [80, 200])
def test_a_comparison_shows_each_metric_with_its_change_in_percent(adsctl, width):
    words = ("stats", "get", *ALL, "--metrics", "spend,ctr,cpc", "--compare", "previous", "--totals", "-q")
    lines = lines_of(adsctl, *words, width=width)
    heading = next(line for line in lines if "NAME" in line)
    assert heading.split()[:7] == ["NAME", "SPEND", "CHANGE", "CTR", "CHANGE", "CPC", "CHANGE"]
    number, change = r" +[\d,]+\.\d\d", r" +[+-]?\d+\.\d %"
    row = rf"{{}}{number} EUR{change}{number} %{change}{number} EUR{change}"
    for name in (*NAMES, "Total"):
        assert sum(bool(re.match(row.format(name), line)) for line in lines) == 1
    ends = {line.index(" EUR") for line in lines if " EUR" in line}
    assert len(ends) == 1  # amounts are aligned right


def test_what_pays_is_called_by_its_description(adsctl):
    heading, visa, *_ = lines_of(adsctl, "funding-instruments", "list", "-q")
    assert heading.split()[0] == "DESCRIPTION" and heading.split()[-1] == "ID"
    assert visa.startswith("Visa ending in 4242  ") and "CREDIT_LIMIT" in heading


def test_sums_of_groups_are_named_beside_what_names_the_groups(adsctl):
    words = ("stats", "get", *ALL, "--metrics", "spend,impressions,clicks,ctr,cpc", "--totals", "-q")
    for column, names in {"campaign": NAMES, "start": ("2026-11-",), "campaign_id": ("8wku2",)}.items():
        heading, *rows = lines_of(adsctl, *words, "--group-by", column)
        assert column.upper() in heading.split() and "ENTITY" not in heading
        for name in (*names, "Total"):
            assert any(name in row for row in rows), rows


def test_the_last_day_of_a_period_is_in_it_as_on_pages(adsctl):
    words = ("stats", "get", "--ids", "8wku2", "--since", "2026-11-16", "--until", "2026-11-23")
    words += ("--metrics", "spend", "-q")
    whole = lines_of(adsctl, *words, "--granularity", "TOTAL", "--columns", "name,start,end")
    assert whole[-1].split()[-2:] == ["2026-11-16", "2026-11-22"]
    heading, first, *_ = lines_of(adsctl, *words, "--sort", "start")
    assert heading.split()[:3] == ["NAME", "START", "SPEND"] and not {"END", "CAMPAIGN"} & {*heading.split()}
    assert "2026-11-16" in first
    chosen = lines_of(adsctl, *words, "--columns", "start,end,spend")
    assert chosen[1].split()[:2] == ["2026-11-16", "2026-11-16"]
    hours = lines_of(adsctl, *words, "--granularity", "HOUR", "--columns", "start,end")
    assert hours[24].split() == ["2026-11-16", "23:00", "2026-11-17", "00:00"]
    assert "2026-11-17" in adsctl.local(*words, "--columns", "start,end", "-o", "csv").stdout.splitlines()[1]


def test_times_are_those_of_the_account_and_marked(adsctl):
    # 08:00 UTC; the account is in Berlin.
    words = ("line-items", "list", "--columns", "id,start_time", "-q")
    assert "9d4c1  2026-03-01 09:00 CET" in lines_of(adsctl, *words)
    piped = adsctl.local(*words, "-o", "tsv").stdout
    assert "9d4c1\t2026-03-01T08:00:00Z" in piped


def test_each_number_of_statistics_has_a_type():
    assert {type_of(f"{name}{end}") for name in ("spend", "clicks") for end in ("_before", "_change")} < {
        *NUMBERS
    }


def test_a_zone_is_asked_for_once_and_by_a_terminal_only(adsctl):
    words = ("line-items", "get", "9d4c1", "--columns", "start_time", "--debug", "-o", "table")
    account = r"GET \S+/accounts/18ce54d4x5t(\s|$)"

    def requests(text: str) -> int:
        return len(re.findall(account, text))

    piped = adsctl.local(*words)
    assert requests(piped.stderr) == 0 and "2026-03-01 08:00 UTC" in piped.stdout
    first, second = ("\n".join(lines_of(adsctl, *words, width=400)) for _ in range(2))
    assert (requests(first), requests(second)) == (1, 0)
    assert all("2026-03-01 09:00 CET" in text for text in (first, second))
