"""Keyword insights are a chart on a terminal, and plain data everywhere else."""

import json
import re
from io import StringIO

import pexpect
import pytest
from rich.cells import cell_len

from ads_cli.output.charts import ChartRow, bar, draw, lines, sparkline

SEARCH = ("audiences", "keywords", "--keywords", "mug,teapot", "--start-time", "2026-03-01T10:00Z")
DAYS = (*SEARCH, "--granularity", "DAY", "--end-time", "2026-03-08T10:00Z")
HOURS = (*SEARCH, "--granularity", "HOUR", "--end-time", "2026-03-03T10:00Z")


def on_a_terminal(person, *words, width, **env):
    start = person.command if "LANG" in env else person.forked  # Python reads it when it starts
    program, *arguments = start("-q", "-p", "local", *words)
    child = pexpect.spawn(
        *(program, arguments),
        env=person.environment | {"TERM": "xterm"} | env,
        cwd=str(person.home),
        dimensions=(50, width),
        encoding="utf-8",
        timeout=30,
    )
    shown = child.read().replace("\r\n", "\n")
    child.close()
    assert child.exitstatus == 0, shown
    return shown


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize(("width", "words"), [(40, DAYS), (60, HOURS), (80, DAYS), (200, HOURS)])
def test_a_chart_fits_a_terminal_of_any_width(adsctl, words, width):
    data = json.loads(adsctl("-p", "local", *words, "-o", "json").stdout)
    shown = plain(on_a_terminal(adsctl, *words, width=width))
    assert all(cell_len(line) <= width for line in shown.splitlines())
    assert all(keyword in shown for keyword in data["related_keywords"])
    totals = [int(number.replace(",", "")) for number in re.findall(r"03-\d\d .*?([\d,]+)(?:\s|$)", shown)]
    assert sum(totals) == sum(data["post_volume"])
    assert "█" in shown


def test_a_chart_without_color_has_no_escape_sequences(adsctl):
    assert "\x1b" in on_a_terminal(adsctl, *DAYS, width=80)
    assert "\x1b" not in on_a_terminal(adsctl, *DAYS, width=80, NO_COLOR="1")


def test_an_ascii_terminal_gets_an_ascii_chart(adsctl):
    shown = on_a_terminal(
        adsctl, *HOURS, width=80, LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert plain(shown).isascii() and "\\u" not in shown and "@" in shown


def test_other_formats_columns_and_queries_show_plain_data(adsctl):
    for shape in (("-o", "tsv"), ("--columns", "post_volume"), ("--query", "post_volume")):
        assert "█" not in on_a_terminal(adsctl, *DAYS, *shape, width=80)
    assert adsctl("-p", "local", *DAYS).stdout.startswith("related_keywords\tpost_volume\n")


@pytest.mark.parametrize("data", [{}, {"post_volume": []}, {"post_volume": None, "related_keywords": None}])
def test_a_chart_without_numbers_says_so(remote, httpserver, data):
    httpserver.expect_request("/12/insights/keywords/search").respond_with_json({"data": data})
    shown = on_a_terminal(remote, *DAYS, "--profile", "default", width=60)
    assert "no numbers" in shown


@pytest.mark.parametrize("width", range(1, 60, 7))
def test_bars_are_drawn_in_proportion(width):
    assert lines([], width) == []
    first, second = lines([ChartRow("a", [10]), ChartRow("b", [5])], width)
    assert first.count("█") >= second.count("█") > 0 or width < 14
    (blocks,) = lines([ChartRow("a", [None, 0, 1, 8])], 60)
    assert blocks == "a    ▁█  9"


def test_a_number_is_never_cut():
    rows = [ChartRow("03-01", [1234567]), ChartRow("03-02", [7])]
    for width in range(1, 60):
        stream = StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("COLUMNS", str(width))
            draw(stream, "Posts", rows, "Keywords", [], color=False)
        assert "1,234,567" in stream.getvalue() or width < len("1,234,567")


def test_lines_are_aligned_whatever_letters_their_labels_have():
    wide, narrow = lines([ChartRow("東京の春", [5]), ChartRow("abc", [10])], 40)
    assert cell_len(wide) == cell_len(narrow) == 40
    assert cell_len(wide[: wide.index("█")]) == narrow.index("█")


def test_every_number_above_zero_is_seen():
    assert sparkline([None, 0, -3, 1, 10**6], 10**6) == "   ▁█"
    assert [bar(number, 10, 20) for number in (None, 0, -3, 10)] == ["", "", "", "█" * 20]
