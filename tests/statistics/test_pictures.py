"""Statistics on a terminal: pictures; every other way to show them has the rows."""

import re

import pytest
from rich.cells import cell_len

from ads_cli.output.table_view import header
from tests.effort import THOROUGH
from tests.statistics.rows import number, rows_in, total

WEEK = ("--since", "2026-06-10", "--until", "2026-06-17", "--all")
METRICS = ("--metrics", "impressions,clicks,billed_charge_local")
HAMBURG = "8wku3"
PICTURE = re.compile("[▁▂▃▄▅▆▇█]")


def drawn(adsctl, *words: str, width: int = 80, **env: str) -> list[str]:
    """The lines that a terminal shows."""
    chosen = [*WEEK[: -1 if "--ids" in words else None], *words]
    given = {"NO_COLOR": "1"} | env
    child = adsctl.terminal("-q", "-p", "local", "stats", "get", *chosen, width=width, **given)
    shown = child.read().replace("\r\n", "\n")
    child.close()
    assert child.exitstatus == 0, shown
    return shown.splitlines()


def rows(adsctl, *words: str) -> list[dict[str, str]]:
    return rows_in(adsctl.local("stats", "get", *WEEK, *words, "-o", "csv").stdout)


EVERY = [(granularity, width) for granularity in ("TOTAL", "DAY", "HOUR") for width in (40, 80, 200)]
FEW = [("TOTAL", 40), ("DAY", 80), ("HOUR", 200), ("HOUR", 40)]


@pytest.mark.parametrize(("granularity", "width"), EVERY if THOROUGH else FEW)
def test_every_metric_of_every_entity_fits_the_terminal_with_its_total(adsctl, granularity, width):
    shown_rows = rows(adsctl, "--entity", "LINE_ITEM")
    lines = drawn(adsctl, "--entity", "LINE_ITEM", "--granularity", granularity, width=width)
    assert all(cell_len(line) <= width for line in lines)
    text = "\n".join(lines)
    assert "line items, 10 to 16 Jun 2026" in " ".join(lines[:2])
    for column in [*shown_rows[0]][13:]:
        assert (header(column) in text) == any(number(row[column]) for row in shown_rows)
    assert f"{total(shown_rows, 'impressions'):,.0f}" not in text  # unless asked for
    of_one = [row for row in shown_rows if row["entity_id"] == "9d4c2"]
    assert f"{total(of_one, 'impressions'):,.0f}" in text
    assert f"{total(of_one, 'billed_charge_local'):,.2f} EUR" in text
    assert PICTURE.search(text)


def test_a_line_is_a_day_each_and_the_total_is_the_last(adsctl):
    shown_rows = rows(adsctl, *METRICS)
    lines = drawn(adsctl, *METRICS, "--totals")
    (hamburg,) = [line for line in lines if line.startswith("Hamburg knows us")]
    pictures = re.findall("[▁▂▃▄▅▆▇█]+", hamburg)
    assert list(map(len, pictures)) == [7, 7, 7] and all("█" in picture for picture in pictures)
    (summed,) = [line for line in lines if line.startswith("Total")]
    assert f"{total(shown_rows, 'impressions'):,.0f} " in summed
    assert f"{total(shown_rows, 'billed_charge_local'):,.2f} EUR" in summed
    assert lines[lines.index(summed) + 1 :][0] == ""
    (note,) = [line for line in lines if line.startswith("No numbers: ")]
    assert "People who knit" in note and not any(line.startswith("People who knit") for line in lines)


def test_a_total_is_a_bar_as_long_as_its_part_of_the_largest(adsctl):
    lines = drawn(adsctl, *METRICS, "--granularity", "TOTAL", width=200)
    bars = {line[:16]: [len(bar) for bar in re.findall("█+", line)] for line in lines if "█" in line}
    assert bars["Hamburg knows us"] == [25, 25, 25]
    assert 1 < bars["Spring collectio"][0] < 6


def test_a_campaign_is_named_where_it_differs_and_fits(adsctl):
    words = ("--entity", "LINE_ITEM", "--metrics", "impressions")
    campaign = {row["name"]: row["campaign"] for row in rows(adsctl, *words) if number(row["impressions"])}
    assert len(campaign) > 3
    wide = drawn(adsctl, *words, width=200)
    for name, of in campaign.items():
        assert any(re.match(rf"{re.escape(name)} +{re.escape(of)} +[0-9]", line) for line in wide)


def test_colors_say_nothing_alone(adsctl):
    colored = drawn(adsctl, *METRICS, "--color", "always", NO_COLOR="")
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", "\n".join(colored)))
    assert styles == {"0", "1"}  # bold headings, legible on any ground
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in colored] == drawn(adsctl, *METRICS)


def test_an_ascii_terminal_gets_ascii_pictures(adsctl):
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    text = "\n".join(drawn(adsctl, *METRICS, width=60, **plain))
    assert text.isascii() and "\\u" not in text and "@@" in text


def test_names_cannot_write_to_the_terminal(adsctl):
    adsctl.local("campaigns", "update", HAMBURG, "--name", "a\x1b[31mred\x9b2J\u202e[bold]椅子🪑", "--yes")
    text = "\n".join(drawn(adsctl, *METRICS, width=200))
    assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text
    assert "a\\x1b[31mred\\x9b2J\\u202e[bold]椅子🪑" in text


@pytest.mark.parametrize("words", [("--columns", "name,start,clicks"), ("--query", "[].clicks")])
def test_rows_are_shown_where_they_are_asked_for(adsctl, words):
    text = "\n".join(drawn(adsctl, *METRICS, *words))
    assert not PICTURE.search(text)
    assert words[0] == "--query" or "2026-06-16  " in text


@pytest.mark.parametrize("format", ["table", "json", "tsv"])
def test_a_format_is_the_same_on_a_terminal_and_in_a_pipe(adsctl, format):
    words = ("--metrics", "clicks", "--ids", HAMBURG, "-o", format)
    shown = drawn(adsctl, *words, width=200)
    piped = adsctl.local("stats", "get", *WEEK[:-1], *words, COLUMNS="200").stdout
    assert shown == piped.splitlines() and ("2026-06-16  " if format == "table" else "2026-06-16T00") in piped


def test_a_table_of_80_columns_has_numbers(adsctl):
    header, first, *_ = drawn(adsctl, "--entity", "LINE_ITEM", *METRICS, "-o", "table")
    assert header.split()[:5] == ["NAME", "START", "IMPRESSIONS", "CLICKS", "SPEND"]
    assert re.fullmatch(
        r"Visits to the shop +2026-06-10 +[0-9]+ +[0-9]+ +[0-9.]+ EUR +LINE_ITEM", first.rstrip()
    )
    header, *_ = drawn(adsctl, "-o", "table")
    assert re.match("NAME +START +SPEND +IMPRESSIONS +CLICKS ", header)
