"""`--plot`: the rows as a picture, SVG or PNG."""

from collections import deque
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from PIL import Image

from ads_cli.statistics.chart_data import ChartData
from ads_cli.statistics.plot import plotted
from ads_cli.statistics.rows import SEGMENT_KEYS, StatsTable
from tests.statistics.lying import lie
from tests.statistics.rows import number, total
from tests.statistics.test_chart_data import campaign, gathered
from tests.statistics.test_currencies import LINE_ITEMS, yen  # noqa: F401
from tests.statistics.test_sums import AGES, two_of_one_name

TEXT = "{http://www.w3.org/2000/svg}text"
WEEK = ("--since", "7d", "--entity", "LINE_ITEM", "--all")
METRICS = ("--metrics", "impressions,billed_charge_local")
SALES = "conversion_purchases_sale_amount"  # in micro-units


def plot(stats, *words: str, file: str = "o.svg", command: str = "get", code: int = 0, **env: str):
    return stats.adsctl("stats", command, "--plot", file, *words, "-o", "none", code=code, **env)


def texts(stats, file: str = "o.svg") -> list[str]:
    root = ElementTree.parse(stats.adsctl.home / file).getroot()
    return ["".join(element.itertext()).strip() for element in root.iter(TEXT)]


def test_each_metric_has_a_chart_with_a_line_for_each_entity(stats):
    done = plot(stats, *WEEK, *METRICS)
    assert "o.svg: a picture of the rows" in done.stderr
    shown = texts(stats)
    assert any("line items, 10 to 16 Jun 2026, by day" in text for text in shown)
    assert "impressions" in shown and "billed_charge_local (EUR)" in shown
    assert "2026-06-10" in shown and "2026-06-16" in shown
    named = {row["name"] for row in stats.get(*WEEK, *METRICS) if number(row["impressions"])}
    assert len(named) > 3
    assert named <= set(shown)


def test_a_total_is_drawn_as_bars_with_their_numbers(stats):
    words = (*WEEK, *METRICS, "--granularity", "TOTAL")
    plot(stats, *words)
    shown = texts(stats)
    for row in stats.get(*words):
        if number(row["billed_charge_local"]):
            assert f"{number(row['impressions']):,.0f}" in shown
            assert f"{number(row['billed_charge_local']):,.2f} EUR" in shown


def test_the_same_rows_give_the_same_picture(stats):
    for file in ("a.svg", "b.svg"):
        plot(stats, *WEEK, *METRICS, "--until", "4d", file=file)
    assert (stats.adsctl.home / "a.svg").read_bytes() == (stats.adsctl.home / "b.svg").read_bytes()


def test_png_needs_no_display(stats):
    plot(stats, *WEEK, *METRICS, file="o.png", DISPLAY="", MPLBACKEND="")
    with Image.open(stats.adsctl.home / "o.png") as image:
        assert image.format == "PNG" and image.width > 800
        assert len(image.getcolors(1_000_000) or []) > 10


@pytest.mark.parametrize("file", ["o.svg", "o.png"])
def test_names_of_any_script_are_drawn_as_they_are(stats, file):
    hostile = "$x$ </text><script>1</script> 椅子🪑 كرسي \x1b[31m\u202e\ufffe"
    stats.adsctl("campaigns", "update", "8wku3", "--name", hostile, "--yes")
    done = plot(stats, "--since", "7d", "--ids", "8wku3", *METRICS, file=file)
    assert "Glyph" not in done.stderr and "Warning" not in done.stderr
    if file == "o.svg":
        expected = "$x$ </text><script>1</script> 椅子🪑 كرسي \\x1b[31m\\u202e\ufffd"
        assert expected in texts(stats)


def test_more_than_ten_lines_are_the_ten_largest_and_the_others(stats):
    words = ("--since", "14d", "--until", "4d", "--entity", "LINE_ITEM", "--all", "--segment-by", "AGE")
    plot(stats, *words, "--metrics", "impressions", command="export")
    shown = texts(stats)
    rows = stats.export(*words, "--metrics", "impressions")
    sums: dict[str, float] = {}
    for row in rows:
        label = f"{row['name']}, {row['segment']}"
        sums[label] = sums.get(label, 0) + number(row["impressions"])
    ordered = sorted(filter(sums.get, sums), key=sums.__getitem__, reverse=True)
    assert len(ordered) > 11
    assert set(ordered[:10]) <= set(shown) and not set(ordered[10:]) & set(shown)
    assert f"{len(ordered) - 10} others" in shown


def test_the_metrics_that_were_asked_for_are_drawn_and_no_others(stats):
    plot(stats, *WEEK, "--metrics", "ctr,cpc,clicks")
    shown = texts(stats)
    assert {"ctr", "cpc (EUR)", "clicks"} <= set(shown) and "impressions" not in shown
    assert any(text.endswith(" %") for text in shown)


def test_the_bars_of_ratios_have_the_numbers_of_the_rows(stats):
    words = (*WEEK, "--metrics", "ctr,spend", "--granularity", "TOTAL")
    plot(stats, *words)
    shown = texts(stats)
    for row in stats.get(*words):
        if row["ctr"] and number(row["ctr"]):
            assert f"{100 * number(row['ctr']):,.2f} %" in shown
            assert f"{number(row['spend']):,.2f} EUR" in shown


def test_only_the_rows_that_are_shown_are_drawn(stats):
    words = (*WEEK, *METRICS, "--granularity", "TOTAL", "--sort", "-impressions", "--top", "2")
    plot(stats, *words)
    top = {row["name"] for row in stats.get(*words)}
    names = {row["name"] for row in stats.get(*WEEK, *METRICS)}
    assert len(top) == 2 and names & {*texts(stats)} == top


def test_sorted_rows_are_drawn_in_the_order_of_time(stats):
    plot(stats, *WEEK, *METRICS, "--sort", "-impressions")
    days = [text for text in texts(stats) if text.startswith("2026-06-")]
    assert days[:4] == ["2026-06-10", "2026-06-12", "2026-06-14", "2026-06-16"]


def test_the_earlier_period_is_not_drawn_which_is_said(stats):
    done = plot(stats, *WEEK, *METRICS, "--compare", "previous")
    assert "note: o.svg has no numbers of the earlier period" in done.stderr
    assert not any("before" in text or "change" in text for text in texts(stats))
    assert "note: " not in plot(stats, *WEEK, *METRICS, "--force").stderr


def test_ratios_of_the_others_have_no_sum_which_is_said(stats):
    words = ("--since", "14d", "--until", "4d", "--entity", "LINE_ITEM", "--all", "--segment-by", "AGE")
    plot(stats, *words, "--metrics", "ctr,impressions", command="export")
    shown = texts(stats)
    others = next(text for text in shown if text.endswith(" others") and "ctr" not in text)
    assert f"ctr, without {others}" in shown and "impressions" in shown


def test_long_names_are_told_apart_by_what_they_end_with(stats):
    words = ("--since", "7d", "--entity", "CAMPAIGN", "--all", *METRICS)
    ids = {row["entity_id"] for row in stats.get(*words) if number(row["impressions"])}
    for id in ids:
        name = f"Spring sale of all garden furniture in every country where there is a shop, {id}"
        stats.adsctl("campaigns", "update", id, "--name", name + "-north", "--yes")
    plot(stats, *words)
    shown = texts(stats)
    assert len(ids) > 1 and all(any(text.endswith(f"{id}-north") for text in shown) for id in ids)


def test_a_picture_beside_a_file_or_a_table_of_rows(stats):
    plot(stats, "o.csv", *WEEK, *METRICS, command="export")
    plot(stats, *WEEK, *METRICS, "--into", "sqlite:o.db", file="p.svg")
    assert (stats.adsctl.home / "o.csv").stat().st_size and (stats.adsctl.home / "o.db").stat().st_size
    assert texts(stats) and texts(stats, "p.svg")


def test_nothing_to_draw_is_said(stats):
    plot(stats, "--since", "2010-01-01", "--until", "2010-01-03", "--ids", "8wku3")
    assert any(text.endswith("no numbers") for text in texts(stats))


def test_an_existing_file_is_replaced_by_force_only(stats):
    stats.adsctl.file("o.svg", "mine")
    assert "--force" in plot(stats, *WEEK, *METRICS, code=12).stderr
    assert (stats.adsctl.home / "o.svg").read_text() == "mine"
    plot(stats, *WEEK, *METRICS, "--force")
    assert texts(stats)


@pytest.mark.parametrize(
    ("file", "words", "message"),
    [
        ("o.gif", (), "o.gif: the name ends in neither .svg nor .png"),
        ("no/o.svg", (), "--plot: the folder no does not exist"),
        ("o.svg", ("--raw",), "--plot cannot be used with --raw"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_is_asked(stats, service, file, words, message):
    service.fail("* /12/* status=500")
    assert message in plot(stats, *WEEK, *words, file=file, code=2).stderr


def test_two_segments_of_one_name_are_two_lines(stats, service, monkeypatch):
    lie(service, monkeypatch, two_of_one_name)
    plot(stats, *AGES, command="export")
    shown = "\n".join(texts(stats))
    assert "Buy now (o1x1k)" in shown and "Buy now (o1x1l)" in shown


def test_what_was_sold_is_drawn_in_units_of_the_currency(stats):
    words = ("--since", "14d", "--until", "7d", "--all", "--metrics", "conversion_purchases")
    sold = total(stats.get(*words), SALES) / 10**6
    plot(stats, *words, "--granularity", "TOTAL", "--group-by", "entity")
    assert f"{sold:,.2f} EUR" in texts(stats)


def test_amounts_of_two_currencies_have_two_charts(stats, yen):  # noqa: F811
    plot(stats, *LINE_ITEMS, *METRICS)
    assert {"billed_charge_local (EUR)", "billed_charge_local (JPY)"} <= {*texts(stats)}


def test_a_picture_has_no_chart_of_a_currency_in_which_nothing_is_spent_any_more():
    columns = ("billed_charge_local", "impressions", "billed_charge_local_before", "impressions_before")
    data = ChartData(columns[:2], ["EUR", "JPY"])
    rows = [
        (
            *(
                {**campaign(currency, "A", currency=currency), "start": day}.get(name)
                for name in SEGMENT_KEYS
            ),
            *sums,
        )
        for day in ("2026-06-01", "2026-06-02")
        for currency, sums in (("EUR", (5, 9, 4, 9)), ("JPY", (None, 9, 7, 9)))
    ]
    deque(data.watch(StatsTable(SEGMENT_KEYS, columns, rows)).rows, 0)
    picture = plotted(data, "Spend", "svg").decode()
    assert "billed_charge_local (EUR)" in picture and "billed_charge_local (JPY)" not in picture


def test_a_ratio_that_only_small_lines_have_is_not_drawn():
    data = ChartData(("impressions", "ctr"), ())
    rows = [
        (*({**campaign(f"{id}", f"{id}"), "start": day}.get(name) for name in SEGMENT_KEYS), *numbers)
        for day in ("2026-06-01", "2026-06-02")
        for id, numbers in enumerate([(9, None)] * 12 + [(1, Decimal("0.5"))])
    ]
    deque(data.watch(StatsTable(SEGMENT_KEYS, ("impressions", "ctr"), rows)).rows, 0)
    picture = plotted(data, "Clicks", "svg").decode()
    assert ">impressions<" in picture and ">ctr" not in picture


def test_lines_whose_long_names_differ_in_their_middle_are_told_apart_by_their_ids():
    rows = [(campaign(id, f"{'a' * 60}{id}{'b' * 60}"), 3) for id in ("one", "two")]
    picture = plotted(gathered(*rows), "Impressions", "svg").decode()
    assert "(one)<" in picture and "(two)<" in picture
