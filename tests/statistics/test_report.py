"""`--report`: a page about the rows, in one file that loads nothing."""

import base64
import json
import re
import subprocess

import pytest

from tests.report.reading import Read, read
from tests.statistics.rows import number, total

WEEK = ("--since", "14d", "--until", "7d", "--entity", "LINE_ITEM", "--all")
METRICS = ("--metrics", "impressions,clicks,billed_charge_local")


def page(stats, *words: str, command: str = "get") -> Read:
    done = stats.adsctl("stats", command, *words, "--report", "o.html", "-o", "none")
    assert "o.html: a page about this run" in done.stderr
    return read(stats.adsctl.home / "o.html")


@pytest.mark.parametrize("command", ["get", "export"])
def test_a_page_says_what_was_asked_and_what_it_comes_to(stats, command):
    text = page(stats, *WEEK, *METRICS, command=command).text
    rows = stats.get(*WEEK, *METRICS)
    assert "9 line items, 3 to 9 Jun 2026, by day" in text and "ALL_ON_PLATFORM" not in text
    assert f"Spend {total(rows, 'billed_charge_local'):,.2f} EUR" in text
    assert f"Impressions {total(rows, 'impressions'):,.0f}" in text
    assert f"Clicks {total(rows, 'clicks'):,.0f}" in text
    day = [row for row in rows if row["start"].startswith("2026-06-05")]
    assert f"2026-06-05 {total(day, 'impressions'):,.0f}" in text
    assert f"2026-06-05 {total(day, 'billed_charge_local'):,.2f} " in text


def test_a_page_about_rows_that_are_added_up_says_by_what(stats):
    text = page(stats, *WEEK, *METRICS, "--group-by", "campaign,currency").text
    assert "3 to 9 Jun 2026, by campaign and currency" in text and "by day" not in text


def test_a_table_has_a_row_for_each_entity_that_sorts_by_numbers(stats):
    shown = page(stats, *WEEK, *METRICS)
    rows = stats.get(*WEEK, *METRICS)
    keys = {float(value) for value in shown.attributes("data-sort")}
    for id in {row["entity_id"] for row in rows}:
        of = [row for row in rows if row["entity_id"] == id]
        assert id in shown.text and of[0]["name"] in shown.text
        charged = round(total(of, "billed_charge_local"), 6)
        assert not any(number(row["impressions"]) for row in of) or any(
            abs(key - charged) < 1e-6 for key in keys
        )


def test_every_day_is_drawn_and_a_total_has_no_time(stats):
    shown = page(stats, "--since", "90d", "--until", "4d", "--all", *METRICS, command="export")
    charts = [json.loads(data) for data in shown.attributes("data-lines")]
    assert [chart["title"] for chart in charts] == ["Spend, EUR", "Impressions", "Clicks"]
    assert all(
        len(line["numbers"]) == len(chart["times"]) == 86 for chart in charts for line in chart["lines"]
    )
    text = page(stats, *WEEK, *METRICS, "--granularity", "TOTAL").text
    assert "Over time" not in text and "Share by line item" in text


def test_a_page_shows_the_change_against_the_period_before_or_the_one_that_is_named(stats):
    rows = stats.get(*WEEK, *METRICS, "--compare", "previous", "--group-by", "entity")
    (now, before) = (number(rows[0][f"impressions{end}"]) for end in ("", "_before"))
    change = f"{100 * (now / before - 1):+,.1f} %".replace("-", "\N{MINUS SIGN}")
    shown = page(stats, *WEEK, *METRICS)
    assert f"Impressions {now:,.0f} {change} (was {before:,.0f})" in shown.text
    assert "Compared with the week before, 27 May to 2 Jun 2026" in shown.text
    chart = json.loads([*shown.attributes("data-lines")][1])
    assert [line["isEarlier"] for line in chart["lines"]] == [False, True]
    assert [line["label"] for line in chart["lines"]] == ["3 to 9 Jun 2026", "the week before"]
    assert [round(sum(line["numbers"])) for line in chart["lines"]] == [now, before]
    year = page(stats, *WEEK, *METRICS, "--compare", "year").text
    assert "Compared with the year before, 3 to 9 Jun 2025" in year
    alone = page(stats, *WEEK, *METRICS, "--compare", "none").text
    assert "Compared with" not in alone and "(was" not in alone


def test_a_page_beside_rows_changes_no_row(stats):
    words = ("stats", "get", *WEEK, *METRICS, "-o", "csv")
    assert stats.adsctl(*words, "--report", "o.html").stdout == stats.adsctl(*words).stdout


def test_campaigns_have_derived_metrics_of_their_sums(stats):
    text = page(stats, *WEEK, *METRICS).text
    words = ("--group-by", "campaign", "--metrics", "ctr,cpc,cpm,spend")
    for row in stats.get(*WEEK, *words):
        if number(row["spend"]):
            rate, click, thousand = (number(row[name]) for name in ("ctr", "cpc", "cpm"))
            assert f"{100 * rate:,.2f} % {click:,.2f} EUR {thousand:,.2f} EUR" in text
            assert row["campaign"] in text


PICTURES = {
    "logo.png": b"\x89PNG\r\n\x1a\n" + bytes(20),
    "logo.jpg": b"\xff\xd8\xff\xe0" + bytes(20),
    "logo.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.ran = 1</script></svg>',
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_page_has_a_title_and_a_logo_inside(stats, name):
    stats.adsctl.file(name, PICTURES[name])
    shown = page(stats, *WEEK, *METRICS, "--title", "June <b>at</b> Nordlicht", "--logo", name)
    assert "June <b>at</b> Nordlicht" in shown.text
    (source,) = shown.attributes("src")
    assert base64.b64decode(source.partition(",")[2]) == PICTURES[name]
    (policy,) = (value for value in shown.attributes("content") if "default-src" in str(value))
    assert "img-src data:;" in policy and "default-src 'none'" in policy and "unsafe" not in policy


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--title", "x"), "--title: there is no page"),
        (("--logo", "logo.txt", "--report", "o.html"), "logo.txt is not a picture"),
        (("--logo", "none.png", "--report", "o.html"), "none.png: no such file"),
        (("--logo", "big.png", "--report", "o.html"), "larger than 1,000,000 bytes"),
        (("--logo", "bomb.svg", "--report", "o.html"), "bomb.svg is not a picture"),
        (("--logo", "wide.svg", "--report", "o.html"), "wide.svg is not a picture"),
        (("--logo", "unmarked.svg", "--report", "o.html"), "unmarked.svg is not a picture"),
        (("--logo", "none.svg", "--report", "o.html"), "none.svg is not a picture"),
        (("--logo", "jis.svg", "--report", "o.html"), "jis.svg is not a picture"),
    ],
)
def test_a_logo_that_is_no_picture_is_refused_before_anything_is_asked(
    stats, service, monkeypatch, words, message
):
    stats.adsctl.file("logo.txt", "logo")
    stats.adsctl.file("big.png", PICTURES["logo.png"] + bytes(1_000_000))
    bomb = b'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'
    stats.adsctl.file("bomb.svg", bomb)
    wide = b'<?xml version="1.0" encoding="utf-16"?>' + bomb
    stats.adsctl.file("wide.svg", wide.decode().encode("utf-16"))
    stats.adsctl.file("unmarked.svg", bomb.decode().encode("utf-16-le"))
    for name, encoding in (("none.svg", b"foo"), ("jis.svg", b"shift_jis")):
        declared = b'<?xml version="1.0" encoding="%s"?>' % encoding
        stats.adsctl.file(name, declared + b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    asked = []
    monkeypatch.setattr(service, "answer", lambda *request: asked.append(request))
    assert message in stats.adsctl("stats", "get", *WEEK, *words, code=2).stderr
    assert asked == []


def test_nothing_of_a_name_becomes_an_element(stats):
    stats.adsctl("campaigns", "update", "8wku3", "--name", "<script>x</script>\x1b[31m", "--yes")
    shown = page(stats, "--since", "7d", "--ids", "8wku3")
    assert "<script>x</script>\\x1b[31m" in shown.text
    assert [tag for tag, _ in shown.tags].count("script") == 1
    assert not [value for name in ("src", "href") for value in shown.attributes(name) if ":" in str(value)]


def test_an_empty_answer_is_a_page_too(stats):
    text = page(stats, "--since", "2010-01-01", "--until", "2010-01-03", "--ids", "8wku3").text
    assert "Nothing was spent or counted in this time." in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("get", "--raw", "--report", "o.html"), "--report cannot be used with --raw"),
        (("get", "--report", "no/o.html"), "--report: the folder no does not exist"),
        (("get", "--report", "mine.html"), "mine.html exists and is not a page that adsctl wrote"),
        (("export", "o.csv", "--report", "./o.csv"), "o.csv is named twice"),
        (("get", "--plot", "o.svg", "--report", "o.svg"), "o.svg is named twice"),
        (("get", "--into", "sqlite:o.db", "--report", "o.db"), "o.db is named twice"),
    ],
)
def test_what_cannot_be_written_is_refused(stats, words, message):
    stats.adsctl.file("mine.html", "mine")
    assert message in stats.adsctl("stats", *words, *WEEK, code=2).stderr
    assert (stats.adsctl.home / "mine.html").read_text() == "mine"


def test_what_matters_most_is_the_first_column_of_numbers(stats):
    page(stats, *WEEK)
    totals = (stats.adsctl.home / "o.html").read_text().partition(">By line item<")[2]
    headings = totals.split('scope="col" class="number">')[1:]
    names = [heading.partition("<")[0] for heading in headings]
    assert names[:4] == ["Spend", "Change of spend", "Impressions", "Clicks"] and "Engagements" in names[4:]


@pytest.mark.parametrize("command", ["get", "export"])
def test_a_page_is_written_however_it_ends(stats, service, command):
    page(stats, *WEEK, command=command)
    service.fail("* /12/stats/* status=500")
    words = (command, *WEEK, "--max-attempts", "1", "--report", "o.html", "-o", "none")
    done = stats.adsctl("stats", *words, code=8)
    assert "o.html: a page about this run" in done.stderr
    text = read(stats.adsctl.home / "o.html").text
    assert "The statistics could not be read" in text and "fault on demand: status 500" in text
    assert "line items, 3 to 9 Jun 2026, by day" in text
    assert "impressions" not in text  # part of the numbers would pass for all


def test_a_page_is_about_all_rows_though_nobody_reads_them(adsctl):
    chosen = ("--since", "2026-05-01", "--until", "2026-05-11", "--entity", "LINE_ITEM", "--all")
    words = ("stats", "export", *chosen, "--granularity", "HOUR", *METRICS)
    outputs = []
    for name, reader in (("all.html", "cat"), ("first.html", "head -1")):
        adsctl.installed("-p", "local")
        line = (
            f"bin/adsctl {' '.join(words)} -o csv --report {name} | {reader} > rows; echo ${{PIPESTATUS[0]}}"
        )
        done = subprocess.run(
            ["bash", "-c", line], cwd=adsctl.home, env=adsctl.environment, capture_output=True
        )
        outputs.append(done.stdout.decode().strip())
        assert b"error" not in done.stderr
    assert outputs == ["0", "141"]
    pages = [read(adsctl.home / name).text.partition(" Made ")[0] for name in ("all.html", "first.html")]
    assert pages[0] == pages[1] and "Impressions" in pages[0]


def test_a_page_says_that_it_is_about_one_platform(stats):
    words = (
        "--since",
        "3d",
        "--ids",
        "8wku3",
        "--metrics",
        "clicks",
        "--report",
        "o.html",
        "--platform",
        "1",
    )
    stats.export(*words, "--title", "November")
    assert "by day, only of the platform 1" in read(stats.adsctl.home / "o.html").text


def test_campaigns_are_in_one_table_with_what_has_no_numbers(stats):
    text = page(stats, *WEEK[:-3], "--all", *METRICS).text
    assert text.count("Campaign Spend Change of spend Impressions Clicks Click rate") == 1
    assert "Share by campaign" in text and "Totals" not in text and "CAMPAIGN" not in text
    assert text.count("People who knit no numbers") == 1
    assert text.index("Hamburg knows us") < text.index("People who knit no numbers")


def test_segments_and_placements_are_said_in_words(stats):
    words = (*WEEK, *METRICS, "--segment-by", "AGE", "--placement", "SPOTLIGHT")
    text = page(stats, *words, command="export").text
    assert "Segments by age" in text and "Shown in spotlight" in text
    assert "SPOTLIGHT" not in text and "LINE_ITEM" not in text


def test_a_page_for_a_client_names_the_account_and_is_made_at_its_time(stats):
    text = page(stats, *WEEK, *METRICS, "--title", "Last week").text
    assert "Nordlicht Shop, " in text and "Last week" in text
    assert re.search(r"Made [0-9-]+ [0-9:]+ CES?T", text)
