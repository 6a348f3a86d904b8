"""The temporary databases of a comparison."""

import gc
import sys
from contextlib import closing

import pytest

from ads_cli.errors import StateError
from ads_cli.products.sync import create_database, select, temporary_folder, write
from ads_cli.products.sync.listed_products import ListedProducts


def test_a_reading_that_a_signal_has_left_says_nothing(tmp_path, monkeypatch):
    gc.collect()  # what other tests have left may say something
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    db = create_database(tmp_path / "some.db", "CREATE TABLE ids (id)")
    write(db, "INSERT INTO ids VALUES (?)", [(1,), (2,)])
    reading = select(db, "SELECT id FROM ids WHERE id IN ({})", [1, 2])
    assert next(reading) == (1,)
    db.close()
    del reading
    gc.collect()
    assert said == []


def test_a_full_disk_ends_a_comparison_with_what_to_do():
    records = [{"id": str(number), "title": "x" * 5000} for number in range(100)]
    with pytest.raises(StateError, match="full") as raised, temporary_folder() as folder:
        db = create_database(folder / "small.db", "PRAGMA max_page_count = 30")
        listing = ListedProducts(folder / "small.db", db)
        db.execute("CREATE TABLE products (number INTEGER PRIMARY KEY, a, b, c, d, e, f)")
        listing.add(records)
    assert "set TMPDIR to a folder on a larger disk" in raised.value.hint


def test_a_value_that_no_feed_can_hold_changes_no_other_one_of_its_product(tmp_path):
    images = ["https://a.example", "https://b.example"]
    with closing(ListedProducts.create(tmp_path / "listing.db")) as listing:
        listing.add([{"id": "1", "title": "\ud800", "additional_image_link": images, "brand": ["\ud800", 1]}])
        listing.finish()
        found = listing.find(["1"])["1"].values
    assert found == {"title": "?", "additional_image_link": images, "brand": "?,1"}
