"""The lines of pictures: what they are called, and which are added up."""

from collections import deque
from collections.abc import Collection
from io import StringIO

import pytest

from ads_cli.commands.stats.view import draw_statistics
from ads_cli.statistics.chart_data import ChartData
from ads_cli.statistics.rows import SEGMENT_KEYS, StatsTable


def gathered(*rows: tuple[dict[str, str], int], currencies: Collection[str] = ()) -> ChartData:
    """Return the data of rows with impressions; each says what its keys are."""
    keys = (tuple(known.get(name) for name in SEGMENT_KEYS) for known, _ in rows)
    numbers = ((impressions,) for _, impressions in rows)
    data = ChartData(("impressions",), currencies)
    deque(data.watch(StatsTable(SEGMENT_KEYS, ("impressions",), map(tuple.__add__, keys, numbers))).rows, 0)
    return data


def campaign(id: str, name: str, segment: str = "", currency: str = "EUR") -> dict[str, str]:
    known = {"entity": "CAMPAIGN", "entity_id": id, "name": name, "campaign": name, "campaign_id": id}
    return known | {"segment": segment, "segment_value": segment, "currency": currency}


def line_item(id: str, campaign_id: str, campaign_name: str) -> dict[str, str]:
    known = {"entity": "LINE_ITEM", "entity_id": id, "name": f"Line {id}", "line_item_id": id}
    return known | {"campaign": campaign_name, "campaign_id": campaign_id}


def sums(lines) -> list[tuple[str, int]]:
    return [(line.label, line.totals["impressions"]) for line in lines]


def test_the_sum_of_the_segments_of_a_campaign_has_its_name():
    data = gathered(
        (campaign("a", "A", "Women"), 3), (campaign("a", "A", "Men"), 4), (campaign("b", "B", "Women"), 2)
    )
    assert sums(data.by_campaign()) == [("A", 7), ("B", 2)]
    assert sums(data.lines) == [("A, Women", 3), ("A, Men", 4), ("B, Women", 2)]


@pytest.mark.parametrize(
    "rows",
    [
        [(campaign("a", "Same", "Women"), 3), (campaign("b", "Same", "Women"), 2)],
        [(line_item("1", "a", "Same"), 3), (line_item("2", "b", "Same"), 2)],
    ],
)
def test_campaigns_of_one_name_are_told_apart_by_their_ids(rows):
    assert sums(gathered(*rows).by_campaign()) == [("Same (a)", 3), ("Same (b)", 2)]


def test_a_campaign_whose_name_rows_do_not_have_is_called_by_its_id():
    row = {"placement": "ALL_ON_PLATFORM", "campaign_id": "a"}
    assert sums(gathered((row, 3)).by_campaign()) == [("a", 3)]


def test_lines_of_one_name_are_told_apart_by_their_currencies():
    placement = {"placement": "ALL_ON_PLATFORM"}
    rows = (placement | {"currency": "EUR"}, 3), (placement | {"currency": "JPY"}, 4)
    named = [("ALL_ON_PLATFORM (EUR)", 3), ("ALL_ON_PLATFORM (JPY)", 4)]
    assert sums(gathered(*rows, currencies=["EUR", "JPY"]).lines) == named


def test_a_line_is_called_the_same_whatever_was_asked_before():
    rows = (campaign("1", "A"), 3), (campaign("2", "A", currency="JPY"), 4)
    first, second = (gathered(*rows, currencies=["EUR", "JPY"]) for _ in range(2))
    labels = [[line.label for line in part.lines] for part in first.by_currency()]
    assert [line.label for line in second.lines] == ["A (1)", "A (2)"]
    assert [line.label for line in second.lines] == ["A (1)", "A (2)"]
    assert labels == [[line.label for line in part.lines] for part in second.by_currency()]
    assert labels == [["A (1)"], ["A (2)"]]


def test_what_was_read_of_a_table_is_noted():
    data = ChartData(("impressions",), ())
    row = (*(campaign("a", "A").get(name) for name in SEGMENT_KEYS), 3)
    assert next(iter(data.watch(StatsTable(SEGMENT_KEYS, ("impressions",), [row])).rows)) == row
    assert sums(data.lines) == [("A", 3)]


def test_a_line_with_numbers_of_an_earlier_period_alone_is_not_drawn():
    columns = ("impressions", "impressions_before")
    data = ChartData(columns[:1], ())
    rows = [
        (*(campaign(name, name).get(key) for key in SEGMENT_KEYS), *numbers)
        for name, numbers in (("now", (5, 2)), ("before", (0, 7)))
    ]
    deque(data.watch(StatsTable(SEGMENT_KEYS, columns, rows)).rows, 0)
    assert [line.label for line in data.largest("impressions", 9)] == ["now"]
    drawn = StringIO()
    draw_statistics(drawn, data, "Impressions", with_total=False, color=False)
    assert "before" in drawn.getvalue().splitlines()[-1]  # among those that have nothing
