"""`stats report`: one page over the rows of several accounts, from files."""

import json

import pytest

from tests.report.reading import Read, read
from tests.statistics.rows import number, total

WEEK = ("--since", "2026-05-11", "--until", "2026-05-18", "--all")
METRICS = ("--metrics", "impressions,clicks,spend")
HOUR = '{"entity": "CAMPAIGN", "entity_id": "a", "clicks": %d, "start": "%s", "end": "%s"}\n'


@pytest.fixture
def exported(stats):
    """Rows of an account in euro, and as if of others in yen and in euro of another time zone."""
    words = ("stats", "get", *WEEK, *METRICS, "--compare", "previous", "-o", "jsonl")
    text = stats.adsctl(*words).stdout
    stats.adsctl.file("a.jsonl", text)
    stats.adsctl.file(
        "b.jsonl", text.replace("18ce54d4x5t", "b").replace('"EUR"', '"JPY"').replace("8wk", "9wk")
    )
    stats.adsctl.file(
        "c.jsonl", text.replace("18ce54d4x5t", "c").replace("+02:00", "-05:00").replace("8wk", "7wk")
    )
    return [json.loads(line) for line in text.splitlines()]


def page(stats, *words: str) -> Read:
    stats.adsctl("stats", "report", *words, "--report", "o.html", "--force")
    return read(stats.adsctl.home / "o.html")


def test_amounts_of_accounts_are_added_up_by_currency(stats, exported):
    shown = page(stats, "a.jsonl", "b.jsonl", "c.jsonl", "--title", "All shops")
    spend, clicks = total(exported, "spend"), total(exported, "clicks")
    assert "All shops" in shown.text and "Statistics of" not in shown.text
    assert f"Spend {2 * spend:,.2f} EUR" in shown.text and f"Spend {spend:,.0f} JPY" in shown.text
    assert f"Clicks {3 * clicks:,.0f}" in shown.text
    assert f"(was {3 * total(exported, 'clicks_before'):,.0f})" in shown.text
    assert shown.text.count("Click rate ") >= 1 and all(
        id in shown.text for id in ("18ce54d4x5t", " b ", " c ")
    )
    charts = [json.loads(data) for data in shown.attributes("data-lines")]
    assert {chart["title"] for chart in charts} == {"Spend, EUR", "Spend, JPY", "Impressions", "Clicks"}
    assert all(len(chart["times"]) == 7 for chart in charts)  # days of each account, side by side


def test_accounts_are_in_order_within_a_currency_and_told_apart_by_it(stats, exported):
    text = (stats.adsctl.home / "b.jsonl").read_text()
    stats.adsctl.file("d.jsonl", text.replace('"JPY"', '"EUR"').replace("9wk", "6wk"))
    text = page(stats, "a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl").text.partition("By account")[2]
    spend = total(exported, "spend")
    rows = [f"Nordlicht Shop {spend:,.2f} EUR", f"c {spend:,.2f} EUR", f"b (EUR) {spend:,.2f} EUR"]
    at = [text.index(row) for row in (*rows, f"b (JPY) {spend:,.0f} JPY")]
    assert at == sorted(at)


def test_accounts_are_called_by_the_names_that_this_machine_knows(stats, exported):
    shown = page(stats, "a.jsonl", "b.jsonl")
    accounts = shown.text.partition("By account")[2].partition("By campaign")[0]
    assert "Id Nordlicht Shop" in accounts and "18ce54d4x5t" in accounts
    assert "Statistics of Nordlicht Shop (18ce54d4x5t)" in page(stats, "a.jsonl").text


def test_files_of_every_format_make_the_same_page(stats):
    pages = []
    for extension in ("csv", "tsv", "jsonl"):
        stats.adsctl("stats", "export", f"o.{extension}", *WEEK, *METRICS, "--totals")
        pages.append(page(stats, f"o.{extension}").text.partition(" Made ")[0])
    assert pages[0] == pages[1] == pages[2] and "Spend" in pages[0]


def test_a_row_that_is_in_two_files_counts_once(stats, exported):
    shown = page(stats, "a.jsonl", "a.jsonl")
    assert f"Clicks {total(exported, 'clicks'):,.0f}" in shown.text
    assert "Statistics of Nordlicht Shop (18ce54d4x5t)" in shown.text


def test_days_are_in_order_whatever_the_order_of_the_files(stats, exported):
    rows = (stats.adsctl.home / "a.jsonl").read_text().splitlines(keepends=True)
    whole = page(stats, "a.jsonl")
    days = next(json.loads(data)["times"] for data in whole.attributes("data-lines"))
    for name, is_late in (("early.jsonl", False), ("late.jsonl", True)):
        of = [row for row in rows if (json.loads(row)["start"][:10] >= days[3]) is is_late]
        stats.adsctl.file(name, "".join(of))
    parts = page(stats, "late.jsonl", "early.jsonl")
    assert days == sorted(days)
    assert all(json.loads(data)["times"] == days for data in parts.attributes("data-lines"))


def test_a_day_counts_once_though_the_clock_was_changed_between_two_exports(stats, exported):
    text = (stats.adsctl.home / "a.jsonl").read_text()
    stats.adsctl.file("winter.jsonl", text.replace("+02:00", "+01:00"))
    shown = page(stats, "a.jsonl", "winter.jsonl")
    assert f"Clicks {total(exported, 'clicks'):,.0f}" in shown.text


def test_an_hour_that_the_clock_repeats_is_two(stats):
    summer, winter, after = (
        f"2026-10-25T0{time}:00:00+0{offset}:00" for time, offset in ((2, 2), (2, 1), (3, 1))
    )
    stats.adsctl.file("o.jsonl", HOUR % (4, winter, after) + HOUR % (3, summer, winter))
    assert "Clicks 7" in page(stats, "o.jsonl").text


@pytest.mark.parametrize(
    ("summer", "winter"),
    [
        (("25T02:00+02:00", "25T03:00+02:00"), ("25T02:00+01:00", "25T03:00+01:00")),
        (("24T00:00+02:00", "24T01:00+02:00"), ("24T00:00+01:00", "24T01:00+01:00")),
    ],
)
def test_hours_of_two_offsets_do_not_overlap(stats, summer, winter):
    rows = [
        HOUR % (clicks, *(f"2026-10-{time}" for time in hour)) for clicks, hour in ((3, summer), (4, winter))
    ]
    stats.adsctl.file("o.jsonl", rows[0])
    stats.adsctl.file("p.jsonl", rows[1])
    assert "Clicks 7" in page(stats, "p.jsonl", "o.jsonl").text


def test_hours_that_overlap_whatever_their_offset_are_refused(stats):
    first = HOUR % (3, "2026-10-24T00:00+02:00", "2026-10-24T01:00+02:00")
    second = HOUR % (4, "2026-10-23T23:30+01:00", "2026-10-24T00:30+01:00")
    stats.adsctl.file("o.jsonl", first + second)
    assert (
        "rows of a overlap" in stats.adsctl("stats", "report", "o.jsonl", "--report", "o.html", code=3).stderr
    )


def test_files_may_name_a_column_differently(stats):
    stats.adsctl.file("a.jsonl", ROW % '1, "account": "a1", "billed_charge_local": 10.5')
    stats.adsctl.file("b.jsonl", ROW % '1, "account": "a2", "spend": 20.5')
    for files in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        assert "Spend 31.00" in page(stats, *files).text


def test_files_of_two_services_may_name_an_entity_differently(stats):
    row = ROW.replace("CAMPAIGN", "%s") % ("PROMOTED_POST", '3, "account": "a1", "post_id": "5"')
    stats.adsctl.file("a.jsonl", row)
    other = row.replace("POST", "TWEET").replace("post_id", "tweet_id").replace("a1", "a2")
    stats.adsctl.file("b.jsonl", other)
    assert "Clicks 6" in page(stats, "a.jsonl", "b.jsonl").text


@pytest.mark.parametrize("granularity", ["HOUR", "TOTAL"])
def test_rows_of_times_that_overlap_are_refused(stats, exported, granularity):
    words = (*WEEK, *METRICS, "--granularity", granularity)
    stats.adsctl("stats", "export", "other.csv", *words)
    for files in (("a.jsonl", "other.csv"), ("other.csv", "a.jsonl")):
        refused = stats.adsctl("stats", "report", *files, "--report", "o.html", code=3).stderr
        assert "overlap" in refused and "2026-05-1" in refused and "--granularity" in refused


def test_a_post_in_several_campaigns_is_counted_once(stats):
    words = (*WEEK[:-1], "--entity", "PROMOTED_POST", "--ids", "7pt03,7pt05", "--metrics", "clicks")
    stats.adsctl("stats", "export", "posts.csv", *words)
    rows = stats.get(*words)
    assert f"Clicks {sum(number(row['clicks']) for row in rows) / 2:,.0f}" in page(stats, "posts.csv").text


ROW = (
    '{"entity": "CAMPAIGN", "start": "2026-06-01T00:00", "end": "2026-06-02T00:00", "entity_id": "a",'
    ' "clicks": %s}\n'
)


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        ("{}\n", 3, "record 1 is not a row of statistics"),
        ("[1]\n", 3, "record 1 is not a row of statistics"),
        (ROW % '1, "currency": ["EUR"]', 3, "record 1 is not a row of statistics"),
        (ROW % '1, "name": {}', 3, "record 1 is not a row of statistics"),
        ("{\n", 3, "cannot be read"),
        ("[" * 200_000 + "\n", 3, "o.jsonl cannot be read: a line is nested too deeply"),
        ('{"entity": "CAMPAIGN", "start": "2026-06-01T00:00"}\n', 3, "record 1 is not that of an entity"),
        (
            '{"entity": "CAMPAIGN", "start": "x", "end": "y", "entity_id": "a"}\n',
            3,
            "a time that cannot be read",
        ),
        ("", 3, "no rows in"),
        (ROW % '"Infinity"', 3, "'Infinity' stands where a number of clicks is expected"),
        (ROW % "NaN", 3, "nan stands where a number of clicks is expected"),
        (ROW % -1, 3, "-1 stands where a number of clicks is expected"),
        (ROW % "0.5", 3, "stands where a number of clicks is expected"),
        (ROW % 10**13, 3, "stands where a number of clicks is expected"),
        (ROW % "1e999999", 3, "stands where a number of clicks is expected"),
        (ROW.replace("2026-06-01", "0001-01-01") % 1 + ROW % 1, 3, "rows of a overlap at"),
    ],
)
def test_what_is_not_rows_is_refused(stats, content, code, message):
    stats.adsctl.file("o.jsonl", content)
    done = stats.adsctl("stats", "report", "o.jsonl", "--report", "o.html", code=code)
    assert message in done.stderr and not (stats.adsctl.home / "o.html").exists()


def test_an_amount_below_0_is_said_and_stands_on_the_page(stats):
    stats.adsctl.file("o.jsonl", ROW % '1, "billed_charge_local": -1.5, "currency": "EUR"')
    done = stats.adsctl("stats", "report", "o.jsonl", "--report", "o.html")
    assert "below 0 in some rows: billed_charge_local" in done.stderr
    assert "Below 0 in some rows: billed_charge_local." in (stats.adsctl.home / "o.html").read_text()


def test_a_line_with_more_cells_than_columns_is_refused(stats):
    stats.adsctl.file("o.csv", "entity,entity_id,start,clicks\nCAMPAIGN,a,2026-06-01,5,6\n")
    done = stats.adsctl("stats", "report", "o.csv", "--report", "o.html", code=3)
    assert "o.csv: record 1 is not a row of statistics" in done.stderr


def test_rows_of_two_kinds_of_entities_and_other_files_are_refused(stats, exported):
    text = (stats.adsctl.home / "a.jsonl").read_text()
    stats.adsctl.file("b.jsonl", text.replace('"CAMPAIGN"', '"LINE_ITEM"'))
    done = stats.adsctl("stats", "report", "a.jsonl", "b.jsonl", "--report", "o.html", code=3)
    assert "rows of CAMPAIGN and LINE_ITEM, which cannot be added up" in done.stderr
    assert (
        "ends in none of .csv"
        in stats.adsctl("stats", "report", "a.txt", "--report", "o.html", code=2).stderr
    )
    assert "no such file" in stats.adsctl("stats", "report", "n.csv", "--report", "o.html", code=2).stderr


def test_rows_of_ratios_alone_are_refused_and_not_shown_as_nothing(stats):
    rows = stats.adsctl("stats", "get", *WEEK, "--metrics", "ctr,cpc", "-o", "csv").stdout
    stats.adsctl.file("o.csv", rows)
    message = stats.adsctl("stats", "report", "o.csv", "--report", "o.html", code=3).stderr
    assert "no numbers that can be added up in o.csv" in message and "--metrics spend,clicks" in message
    assert not (stats.adsctl.home / "o.html").exists()


def test_files_without_a_row_are_named(stats):
    for name, text in (("empty.csv", ""), ("header.csv", "entity,entity_id,start\n"), ("empty.jsonl", "")):
        stats.adsctl.file(name, text)
        message = stats.adsctl("stats", "report", name, "--report", "o.html", code=3).stderr
        assert f"no rows in {name}" in message and "name files that" in message


def rows_of(stats, name: str, *rows: dict) -> None:
    """Write a file of rows, each of a campaign on the first of June unless it says otherwise."""
    day = {"start": "2026-06-01T00:00", "end": "2026-06-02T00:00", "currency": "EUR", "account": "a1"}
    usual = {"entity": "CAMPAIGN", **day}
    lines = (usual | {"name": row["entity_id"], "campaign_id": row["entity_id"]} | row for row in rows)
    stats.adsctl.file(name, "".join(f"{json.dumps(line)}\n" for line in lines))


SALES = "conversion_purchases_sale_amount"  # in micro-units


def test_what_was_sold_is_shown_in_units_of_the_currency(stats):
    days = [{"start": f"2026-06-0{day}T00:00", "end": f"2026-06-0{day + 1}T00:00"} for day in (1, 2)]
    rows_of(stats, "sold.jsonl", *({"entity_id": "a", SALES: 119_800_000} | day for day in days))
    shown = page(stats, "sold.jsonl")
    assert "Conversion purchases sale amount 239.60 EUR" in shown.text and ",000,000" not in shown.text
    (chart,) = map(json.loads, shown.attributes("data-lines"))
    assert chart["title"] == "Conversion purchases sale amount, EUR"
    assert chart["lines"][0]["numbers"] == [119.8, 119.8] and "2026-06-01 119.80 " in shown.text
    paid = {"entity_id": "a", SALES: 119_800_000, "conversion_purchases_post_view": 2, "spend": 50.0}
    rows_of(stats, "paid.jsonl", paid)
    text = page(stats, "paid.jsonl").text
    assert "a 50.00 EUR 25.00 EUR 2.40 " in text  # for a purchase, and the return on what was spent
    assert "a 50.00 EUR 25.00 EUR 2.40 2 119.80 EUR" in text  # in the table of all rows


def test_nothing_has_changed_where_only_some_files_say_what_was_before(stats):
    rows_of(stats, "a.jsonl", {"entity_id": "a", "impressions": 2000, "impressions_before": 2000})
    rows_of(stats, "b.jsonl", {"entity_id": "b", "impressions": 10_000})
    for files in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        text = page(stats, *files).text
        assert "Nothing is compared: some of the rows were written without --compare." in text
        assert "Impressions 12,000" in text and "was 2,000" not in text and "Compared with" not in text
    alone = page(stats, "a.jsonl").text
    assert "Impressions 2,000 0.0 % (was 2,000)" in alone and "Compared with an earlier period" in alone


def test_what_was_not_counted_before_is_compared_with_nothing(stats):
    """The service has no number where nothing was counted."""
    rows = ({"entity_id": "a", "impressions_before": 1000}, {"entity_id": "b", "impressions_before": None})
    rows_of(stats, "o.jsonl", *({"impressions": 1000} | row for row in rows))
    assert "Impressions 2,000 +100.0 % (was 1,000)" in page(stats, "o.jsonl").text


@pytest.mark.parametrize("now", [0, None])
def test_what_fell_to_nothing_is_on_the_page(stats, now):
    before = {"entity_id": "a", "impressions_before": 2000, "spend_before": 80.5, "clicks_before": 40}
    rows_of(stats, "o.jsonl", before | {"impressions": now, "spend": now, "clicks": now})
    text = page(stats, "o.jsonl").text
    assert "Nothing was spent" not in text and "Share by" not in text
    assert "Impressions 0 −100.0 % (was 2,000)" in text
    assert "Spend 0.00 EUR −100.0 % (was 80.50 EUR)" in text
    assert "a 0.00 EUR −100.0 % 0 0" in text  # in the table of campaigns


def test_a_chart_says_that_its_shares_are_more_than_the_whole(stats):
    entity = {"entity": "PROMOTED_POST", "post_id": "5", "clicks": 30}
    rows = ({"entity_id": id, "campaign_id": f"of {id}"} for id in ("a", "b"))
    rows_of(stats, "twice.jsonl", *(entity | row for row in rows))
    text = page(stats, "twice.jsonl").text
    assert "a 30 100 % b 30 100 %" in text
    assert "A post in several campaigns is a part of each, and counts once in the whole." in text
    rows_of(stats, "once.jsonl", entity | {"entity_id": "a"})
    assert "is a part of each" not in page(stats, "once.jsonl").text


def test_ratios_are_compared_and_what_leads_is_first(stats):
    spent = {"a": (1.0, 4.0), "b": (30.0, 16.0), "c": (6.0, 20.0), "d": (3.0, 20.0)}
    rows = (
        {
            "entity_id": id,
            "spend": now,
            "impressions": 1000,
            "clicks": 10,
            "spend_before": before,
            "impressions_before": 4000,
            "clicks_before": 5,
        }
        for id, (now, before) in spent.items()
    )
    rows_of(stats, "o.jsonl", *rows)
    text = page(stats, "o.jsonl").text
    assert "Click rate 1.00 % +700.0 % (was 0.12 %)" in text
    assert "Cost per click 1.00 EUR −66.7 % (was 3.00 EUR)" in text
    shares, _, campaigns = text.partition("By campaign")
    at = [campaigns.index(f"{id} {spent[id][0]:.2f} EUR") for id in "bcda"]
    assert at == sorted(at)
    assert "b 30.00 EUR 75 % c 6.00 EUR 15 % d 3.00 EUR 8 % a 1.00 EUR 2 %" in shares  # a bar for each


def exported_to(stats, name: str, *words: str) -> None:
    chosen = ("--since", "2026-05-11", "--until", "2026-05-18", "--metrics", "impressions,spend", "--force")
    stats.adsctl("stats", "export", name, *chosen, *words)


@pytest.mark.parametrize(
    ("options", "others"),
    [
        (["--ids", "8wku2"], ["--segment-by", "AGE"]),
        (["--segment-by", "AGE"], ["--segment-by", "GENDER"]),
        (["--granularity", "TOTAL"], ["--segment-by", "AGE"]),
    ],
    ids=["the whole and its parts", "parts of two kinds", "the whole of a week and parts of its days"],
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_people_count_once_whatever_parts_of_them_are_in_two_files(stats, options, others, is_reversed):
    exported_to(stats, "a.csv", *options, *([] if "--ids" in options else ["--ids", "8wku2"]))
    exported_to(stats, "b.csv", *others, "--ids", "8wku2")
    files = ["b.csv", "a.csv"] if is_reversed else ["a.csv", "b.csv"]
    refused = stats.adsctl("stats", "report", *files, "--report", "o.html", code=3)
    assert "8wku2" in refused.stderr and not (stats.adsctl.home / "o.html").exists()


def test_the_whole_and_its_parts_in_one_file_are_refused(stats):
    exported_to(stats, "a.jsonl", "--ids", "8wku2")
    exported_to(stats, "b.jsonl", "--ids", "8wku2", "--segment-by", "AGE")
    both = "".join((stats.adsctl.home / name).read_text() for name in ("a.jsonl", "b.jsonl"))
    stats.adsctl.file("both.jsonl", both)
    refused = stats.adsctl("stats", "report", "both.jsonl", "--report", "o.html", code=3)
    assert "--segment-by" in refused.stderr


def test_a_part_that_left_the_corrected_answer_leaves_the_page(stats):
    exported_to(stats, "a.jsonl", "--ids", "8wku2", "--segment-by", "AGE")
    rows = [json.loads(line) for line in (stats.adsctl.home / "a.jsonl").read_text().splitlines()]
    kept = [row for row in rows if row["segment_value"] != "AGE_13_TO_24"]
    assert 0 < total(kept, "impressions") < total(rows, "impressions")
    stats.adsctl.file("corrected.jsonl", "".join(json.dumps(row) + "\n" for row in kept))
    assert f"Impressions {total(kept, 'impressions'):,.0f} " in page(stats, "a.jsonl", "corrected.jsonl").text


def test_a_name_that_begins_with_a_quote_hides_no_row(stats):
    stats.adsctl("campaigns", "update", "8wku2", "--name", '"Sale', "--yes")
    pages = []
    for name in ("a.csv", "a.tsv"):
        exported_to(stats, name, "--entity", "LINE_ITEM", "--all")
        pages.append(page(stats, name).text.partition(" Made ")[0])
    assert pages[0] == pages[1] and '"Sale' in pages[0]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_a_line_that_was_cut_off_is_refused(stats, name):
    exported_to(stats, name, "--ids", "8wku2")
    text = (stats.adsctl.home / name).read_text()
    stats.adsctl.file(name, text[: text.rindex("EUR")])
    refused = stats.adsctl("stats", "report", name, "--report", "o.html", code=3)
    assert "record 7 is not a row of statistics" in refused.stderr


@pytest.mark.parametrize("others", ["8wku3", "8wku2"], ids=["of another campaign", "that correct some days"])
def test_a_ratio_is_of_rows_that_have_both_its_numbers(stats, others):
    exported_to(stats, "a.csv", "--ids", "8wku2")
    exported_to(stats, "b.csv", "--since", "2026-05-14", "--ids", others, "--metrics", "spend")
    done = stats.adsctl("stats", "report", "a.csv", "b.csv", "--report", "o.html", "-q")
    text = read(stats.adsctl.home / "o.html").text
    assert "Cost per" not in text and "Impressions " not in text and "Spend " in text
    for words in (done.stderr, text):
        assert "eft out, since not all of the files have it: impressions" in words


def test_files_that_have_no_number_in_common_are_refused(stats):
    exported_to(stats, "a.csv", "--ids", "8wku2", "--metrics", "impressions")
    exported_to(stats, "b.csv", "--ids", "8wku3", "--metrics", "spend")
    refused = stats.adsctl("stats", "report", "a.csv", "b.csv", "--report", "o.html", code=3)
    assert "the same --metrics" in refused.stderr


def test_hours_stay_hours_where_the_clock_leaves_one_out(stats):
    night = ("--since", "2026-03-28T23:00", "--until", "2026-03-29T06:00", "--granularity", "HOUR")
    exported_to(stats, "a.csv", "--ids", "8wku3", *night)
    text = page(stats, "a.csv").text
    assert "by hour" in text and "2026-03-29 03:00" in text


def test_an_account_without_numbers_is_listed(stats):
    rows_of(stats, "a.jsonl", {"entity_id": "a", "account": "acct1", "impressions": 2000})
    rows_of(stats, "b.jsonl", {"entity_id": "b", "account": "acct2", "impressions": None})
    stats.adsctl.file("acct3.jsonl", "")  # an account without campaigns has no rows
    text = page(stats, "a.jsonl", "b.jsonl", "acct3.jsonl").text
    assert "Statistics of 3 accounts" in text
    accounts = text.partition("By account")[2].partition("By campaign")[0]
    assert "acct1 2,000" in accounts and "acct2 no numbers acct3 no numbers" in accounts
