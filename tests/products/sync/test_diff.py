"""products diff: what is compared, what differs, and what is never deleted."""

import pytest

from tests.conftest import PRODUCT, feed

BOTH = pytest.mark.parametrize("service_name", ["generic", "x"])
GROUP = {"item_group_id": "mugs"}


@BOTH
def test_a_feed_and_its_catalog_do_not_differ_after_a_push(differ):
    differ.feed({"id": "a"}, {"id": "b", "price": "9.00 EUR"})
    assert differ.actions() == {"create": ["a", "b"]}
    differ.push()
    assert differ.diff("--prune") == [] and "2 unchanged" in differ.said


@BOTH
def test_every_difference_is_a_record_with_old_and_new_values(differ):
    differ.catalog({"id": "a", "color": "red"}, {"id": "b"}, {"id": "c"})
    differ.feed({"id": "a", "color": "blue", "price": "9.00 EUR"}, {"id": "new"}, {"id": "b"})
    updated, created, deleted = differ.diff("--prune")
    assert updated == {
        "action": "update",
        "id": "a",
        "product_key": differ.stored("a")["product_key"],
        "fields": {
            "price": {"old": "12.50 EUR", "new": "9.00 EUR"},
            "color": {"old": "red", "new": "blue"},
        },
    }
    assert (created["action"], created["id"], created["product_key"]) == ("create", "new", None)
    plain = {name: value for name, value in PRODUCT.items() if name != "id"}
    assert created["fields"] == {name: {"old": None, "new": value} for name, value in plain.items()}
    assert (deleted["action"], deleted["id"]) == ("delete", "c")
    assert deleted["product_key"] == differ.stored("c")["product_key"]
    assert deleted["fields"]["title"] == {"old": PRODUCT["title"], "new": None}
    assert "1 to create, 1 to update, 1 to delete, 1 unchanged" in differ.said


@BOTH
def test_without_prune_nothing_is_deleted(differ):
    differ.catalog({"id": "a"}, {"id": "b"})
    differ.feed({"id": "a"})
    assert differ.diff() == []


@BOTH
def test_values_are_compared_as_the_service_means_them(differ):
    differ.catalog(
        {
            "id": "a",
            "price": "10.00 EUR",
            "additional_image_link": "https://i.example/1.jpg,https://i.example/2.jpg",
            "sale_price": "9.5 EUR",
            "sale_price_effective_date": "2026-12-01T00:00Z/2026-12-24T22:59Z",
        }
    )
    differ.feed(
        {
            "id": "a",
            "price": "10.0 EUR",
            "additional_image_link": "https://i.example/1.jpg, https://i.example/2.jpg",
            "sale_price": "9.50 EUR",
            "sale_price_effective_date": "2026-12-01T01:00+01:00/2026-12-24T23:59+01:00",
        }
    )
    assert differ.diff() == []


@BOTH
def test_only_fields_that_the_feed_has_are_compared(differ):
    differ.catalog({"id": "a", "color": "red", "inventory": 3}, {"id": "b"})
    differ.feed({"id": "a"}, {"id": "b"})
    assert differ.diff() == []


@BOTH
def test_a_column_that_a_row_leaves_empty_empties_the_field(differ):
    differ.catalog({"id": "a", "color": "red"}, {"id": "b"})
    differ.feed({"id": "a"}, {"id": "b", "color": "blue"})  # an element that only one record has
    updates = {record["id"]: record["fields"] for record in differ.diff()}
    assert updates == {
        "a": {"color": {"old": "red", "new": None}},
        "b": {"color": {"old": None, "new": "blue"}},
    }
    differ.adsctl.file("feed.csv", feed(1, id="a", color="").replace("sku-1", "a"))
    (record,) = differ.diff(file="feed.csv")
    assert record["fields"] == {"color": {"old": "red", "new": None}}


@BOTH
def test_a_field_that_an_option_fills_is_compared(differ):
    differ.catalog({"id": "a", "color": "red"})
    differ.feed({"id": "a"})
    (record,) = differ.diff("--set", "color=blue")
    assert record["fields"] == {"color": {"old": "red", "new": "blue"}}


@BOTH
def test_the_wire_names_of_a_service_are_read_in_feed_and_listing(differ):
    differ.catalog({"id": "a", "store_product_category": "Home"})
    differ.feed({"id": "a", "google_product_category": "Garden"})
    (record,) = differ.diff()
    assert record["fields"] == {"store_product_category": {"old": "Home", "new": "Garden"}}


@pytest.mark.parametrize("words", [["--skip-invalid"], ["--skip-invalid", "--where", "brand=Nordlicht"]])
def test_a_product_whose_row_is_invalid_is_not_deleted(differ, words):
    differ.catalog({"id": "a"}, {"id": "b"}, {"id": "twice"}, {"id": "gone"}, {"id": "5"})
    invalid = {"id": "b", "price": "cheap"}
    differ.feed({"id": "a"}, invalid, {"id": "twice"}, {"id": "twice", "title": "Mug 2"}, {"id": "5"})
    assert differ.actions("--prune", *words, code=9) == {"delete": ["gone"]}
    assert "3 of 5 rows invalid and not compared" in differ.said


def test_a_feed_with_invalid_rows_is_not_compared(differ):
    differ.catalog({"id": "b"})
    differ.feed({"id": "b", "price": "cheap"})
    differ.diff("--failed-out", "failed.jsonl", code=3)
    assert "nothing was compared; correct the file" in differ.said
    assert '"price": "cheap"' in (differ.adsctl.home / "failed.jsonl").read_text()


def test_warnings_are_errors_where_they_are_to_be(differ):
    differ.catalog({"id": "b"})
    differ.feed({"id": "b", "gtin": "9783999738837"})
    assert differ.actions() == {"update": ["b"]}
    differ.diff("--strict", code=3)


def test_skipped_rows_are_written_where_they_are_asked_for(differ):
    differ.feed({"id": "a"}, {"id": "b", "price": "cheap"})
    assert differ.actions("--skip-invalid", "--failed-out", "failed.csv", code=9) == {"create": ["a"]}
    assert "cheap" in (differ.adsctl.home / "failed.csv").read_text()
    assert "rows invalid and not compared" in differ.said and "not sent" not in differ.said


@pytest.mark.parametrize("row", [{"id": None}, {"id": ["a"]}, {"id": {"a": 1}}])
def test_a_row_whose_id_cannot_be_read_forbids_to_prune(differ, row):
    differ.catalog({"id": "a"})
    differ.feed({"id": "b"}, row)
    differ.diff("--prune", "--skip-invalid", code=3)
    assert "feed.jsonl:2: no id can be read" in differ.said
    assert differ.actions("--skip-invalid", code=9) == {"create": ["b"]}


def test_a_row_that_cannot_be_read_forbids_to_prune(differ):
    differ.catalog({"id": "a"})
    differ.adsctl.file("feed.csv", ",".join(PRODUCT) + "\na,b\n" + ",".join(PRODUCT) + ",x,y,z\n")
    differ.diff("--prune", "--skip-invalid", code=3, file="feed.csv")


@pytest.mark.parametrize("words", [[], ["--where", "brand=Other"]])
def test_an_empty_feed_deletes_nothing(differ, words):
    differ.catalog({"id": "a"})
    differ.feed({"id": "a"})
    if not words:
        differ.adsctl.file("feed.jsonl", "")
    differ.diff("--prune", *words, code=3)
    assert "--prune" in differ.said or not words


def test_rows_that_where_leaves_out_are_not_in_the_feed(differ):
    differ.catalog({"id": "a"}, {"id": "b"})
    differ.feed({"id": "a"}, {"id": "b", "brand": "Other"})
    assert differ.actions("--where", "brand=Nordlicht", "--prune") == {"delete": ["b"]}


def test_one_of_several_rows_with_the_same_id_counts(differ):
    differ.catalog({"id": "a"})
    differ.feed({"id": "a", "title": "One"}, {"id": "a", "title": "Two"})
    (record,) = differ.diff("--keep", "last", "--prune")
    assert record["fields"] == {"title": {"old": PRODUCT["title"], "new": "Two"}}


def test_what_fixes_change_is_compared_as_it_would_be_sent(differ):
    differ.catalog({"id": "a", "price": "9.90 EUR"})
    differ.feed({"id": "a", "price": "9,90 EUR"})
    assert differ.diff("--fix", "price") == []


def test_several_files_are_one_feed(differ):
    differ.catalog({"id": "a"}, {"id": "b"}, {"id": "c"})
    differ.feed({"id": "a"}, name="one.jsonl")
    differ.feed({"id": "b"}, name="two.jsonl")
    assert differ.actions("two.jsonl", "--prune", code=2) == {}
    done = differ.adsctl("products", "diff", "one.jsonl", "two.jsonl", "--prune", "-o", "ids", code=10)
    assert done.stdout == "c\n"
