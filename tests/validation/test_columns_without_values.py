"""Columns that are empty in every row are not told of, and finding them costs no further reading."""

import pytest

from ads_cli.feeds.formats.writers import open_writer
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.registry import find_writable
from ads_cli.feeds.source import Source
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.validation.validator import BlockRunner
from tests.conftest import PRODUCT
from tests.feed_plans import plan_of

ROWS = 2500
FORMATS = ("feed.csv", "feed.jsonl", "feed.yaml")


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """Check a feed with a value in a column of some rows, by number; return warnings and readings."""
    readings = []
    stream = Source.stream
    monkeypatch.setattr(Source, "stream", lambda self: readings.append(self) or stream(self))
    monkeypatch.setattr(BlockRunner, "block_bytes", 64 * 1024)

    def check(name: str, *rows: int) -> tuple[list[str], int]:
        path = tmp_path / name
        with path.open("w") as file:
            writer = open_writer(file, find_writable(name), [*PRODUCT, "Shelf"])
            for number in range(ROWS):
                shelf = "7" if number in rows else ""
                writer.write(PRODUCT | {"id": f"sku-{number}", "Shelf": shelf})
            writer.close()
        readings.clear()
        feed = read_rows(open_source(str(path)), roots=(), known=PRODUCT_SCHEMA.known)
        report = plan_of(feed).file.report
        return report.notes, len(readings)

    return check


@pytest.mark.parametrize("name", FORMATS)
def test_a_column_without_values_is_not_told_of_and_costs_no_further_reading(checked, name):
    assert checked(name) == ([], 1)


@pytest.mark.parametrize(
    ("name", "number"), [*zip(FORMATS, [0, 1700, ROWS - 1], strict=True), ("feed.csv", 1700)]
)
def test_a_column_with_one_value_is_told_of(checked, name, number):
    assert checked(name, number) == (["1 column is not known and not sent: 'Shelf'"], 1)
