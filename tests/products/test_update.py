"""products update: an id and some columns change what they name, and nothing else."""

import csv
import json
import signal

import pytest

from tests.conftest import PRODUCT, feed
from tests.products.stopping import stop_at

BOTH = pytest.mark.parametrize("service_name", ["generic", "x"])
FULL = {
    "brand": "Nordlicht",
    "gtin": "4006381333931",
    "sale_price": "9.00 EUR",
    "color": "blue",
    "inventory": "5",
}


@pytest.fixture
def catalog(service):
    products = (PRODUCT | FULL | {"id": f"sku-{n}", "inventory": 5} for n in range(1, 61))
    service.emulator.data.add_products(products)
    return service


def prices(changed: dict[int, str], rows: int = 60) -> str:
    """Write the prices of some products; those that are not changed are as they are."""
    lines = [f"sku-{n},{changed.get(n, '12.50 EUR')}" for n in range(1, rows + 1)]
    return "\n".join(["id,price", *lines]) + "\n"


def update(adsctl, content: str, *words: str, name: str = "part.csv", code: int = 0):
    adsctl.file(name, content)
    done = adsctl("products", "update", name, *words, "-o", "json", code=code)
    return (json.loads(done.stdout) if done.stdout else None), done.stderr


def sent(service) -> list[str]:
    return [id for put in service.puts for id in put]


@BOTH
def test_only_what_differs_is_sent_and_every_other_field_stays(adsctl, catalog):
    before = {product["id"]: product for product in catalog.emulator.data.products()}
    summary, _ = update(adsctl, prices({3: "13.00 EUR", 50: "14 EUR", 51: "12.5 EUR"}))
    assert (summary["rows"], summary["updated"], summary["skipped"], summary["failed"]) == (60, 2, 58, 0)
    assert sent(catalog) == ["sku-3", "sku-50"]
    after = {product["id"]: product for product in catalog.emulator.data.products()}
    assert after == before | {
        "sku-3": before["sku-3"] | {"price": "13.00 EUR"},
        "sku-50": before["sku-50"] | {"price": "14 EUR"},
    }
    summary, _ = update(adsctl, prices({3: "13.00 EUR", 50: "14 EUR"}))
    assert summary["batches"] == summary["updated"] == 0 and len(catalog.puts) == 1


def test_an_id_that_the_catalog_lacks_is_rejected_and_the_others_are_sent(adsctl, catalog):
    content = "stock,id,price,note\n3,sku-x,1 EUR,a\n4,sku-2,13 EUR,b\n5,sku-y,1 EUR,c\n"
    summary, said = update(adsctl, content, "--failed-out", "failed.csv", code=9)
    assert (summary["updated"], summary["invalid"]) == (1, 2) and sent(catalog) == ["sku-2"]
    assert "part.csv:2: 'sku-x' is not in the catalog\n    2 rows: lines 2, 4" in said
    failed = list(csv.DictReader((adsctl.home / "failed.csv").read_text().splitlines()))
    assert [row["id"] for row in failed] == ["sku-x", "sku-y"]
    assert list(failed[0]) == ["stock", "id", "price", "note", "_line", "_error"]
    assert failed[1]["_error"] == "'sku-y' is not in the catalog"
    assert len(catalog.stored) == 60


@BOTH
def test_a_mistake_in_the_file_stops_it_unless_invalid_rows_are_skipped(adsctl, catalog):
    content = "id,price\nsku-1,13 EUR\nsku-2,cheap\nsku-3,9 EUR\nsku-x,1 EUR\n"
    said = update(adsctl, content, code=3)[1]
    assert "part.csv:3: price: 'cheap' is not allowed" in said and catalog.puts == []
    assert (
        "part.csv:4: sale_price: 9.00 EUR is not lower than the price 9 EUR" in said
    )  # that the catalog has
    summary, _ = update(adsctl, content, "--skip-invalid", code=9)
    assert (summary["updated"], summary["invalid"]) == (1, 3) and sent(catalog) == ["sku-1"]


def test_a_value_that_reads_like_a_missing_product_is_a_mistake_in_the_file(adsctl, catalog):
    content = "id,condition\nsku-1,is not in the catalog\nsku-2,used\nsku-x,used\n"
    said = update(adsctl, content, code=3)[1]
    assert "condition: 'is not in the catalog' is not one of" in said and catalog.puts == []


@BOTH
def test_an_empty_cell_empties_its_field(adsctl, catalog):
    summary, _ = update(adsctl, "id,sale_price,color\nsku-1,,blue\nsku-2,8 EUR,\nsku-3,9.00 EUR,blue\n")
    assert summary["updated"] == 2
    stored = {id: catalog.emulator.data.product(id) for id in ("sku-1", "sku-2", "sku-3")}
    assert "sale_price" not in stored["sku-1"] and stored["sku-1"]["color"] == "blue"
    assert stored["sku-2"]["sale_price"] == "8 EUR" and "color" not in stored["sku-2"]
    assert stored["sku-3"]["sale_price"] == "9.00 EUR"


def test_a_required_field_cannot_be_emptied(adsctl, catalog):
    said = update(adsctl, "id,price,color\nsku-1,,red\n", code=3)[1]
    assert "part.csv:2: price: is required" in said and "title" not in said and catalog.puts == []


@BOTH
def test_what_a_record_does_not_have_stays(adsctl, catalog):
    lines = [{"id": "sku-1", "price": "13 EUR"}, {"id": "sku-2", "sale_price": "8 EUR", "color": None}]
    summary, _ = update(adsctl, "\n".join(map(json.dumps, lines)), name="part.jsonl")
    assert summary["updated"] == 2
    first, second = map(catalog.emulator.data.product, ("sku-1", "sku-2"))
    assert (first["price"], first["sale_price"]) == ("13 EUR", "9.00 EUR")
    assert (second["sale_price"], second["color"]) == ("8 EUR", "blue")


@BOTH
def test_either_name_of_a_column_and_every_option_of_a_feed_serve(adsctl, catalog):
    content = "Artikel;Preis;google_product_category\nsku-1;13,50;Home\nsku-2;14,50;Home\n"
    words = ("--map", "Artikel=id", "--map", "Preis=price", "--currency", "EUR", "--fix", "price")
    summary, _ = update(adsctl, content, *words, "--where", "Artikel=sku-1")
    assert (summary["updated"], summary["left_out"]) == (1, 1)
    product = catalog.emulator.data.product("sku-1")
    assert (product["price"], product["store_product_category"]) == ("13.50 EUR", "Home")


@BOTH
def test_a_variant_that_the_listing_hides_is_updated(adsctl, catalog):
    adsctl.file("variants.csv", feed(20, item_group_id="mugs", **FULL))
    adsctl("products", "push", "variants.csv", "--concurrency", "1")
    catalog.puts.clear()
    catalog.lists = 0
    assert update(adsctl, prices({30: "13 EUR"})[0:9] + "sku-30,13 EUR\n")[0]["updated"] == 1
    assert catalog.lists == 1  # no group is asked for where nothing is missing
    summary, _ = update(adsctl, "id,price\nsku-1,13 EUR\nsku-15,14 EUR\nsku-16,12.50 EUR\n")
    assert (summary["updated"], summary["skipped"]) == (2, 1) and catalog.lists == 1 + 2
    assert catalog.emulator.data.product("sku-15")["price"] == "14 EUR"


def test_a_variant_that_the_service_never_lists_is_told_from_no_product(adsctl, catalog):
    adsctl.file("variants.csv", feed(3, item_group_id="mugs", **FULL))
    adsctl("products", "push", "variants.csv", "--concurrency", "1")
    catalog.fail("GET * hide-variants")
    summary, said = update(adsctl, "id,price\nsku-2,13 EUR\nsku-9,13 EUR\n", code=9)
    assert "'sku-2' is not in the catalog, or is a variant that the service does not list" in said
    assert (summary["updated"], summary["invalid"]) == (1, 1)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_an_update_that_was_stopped_is_resumed_and_sends_nothing_twice(adsctl, service, signum):
    adsctl.file("feed.csv", feed(200))
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    service.puts.clear()
    adsctl.file("feed.csv", prices(dict.fromkeys(range(1, 201), "13 EUR"), rows=200))
    stop_at(adsctl, service, 3, signum, "--concurrency", "1", command="update")
    service.puts.clear()
    again = adsctl("products", "update", "feed.csv", "--resume", "--concurrency", "1", "-o", "json")
    summary = json.loads(again.stdout)
    assert "resuming job" in again.stderr
    # The last batch may have been applied without an answer: then it is listed as it should be.
    assert summary["updated"] in (175, 200) and summary["updated"] + summary["skipped"] == 200
    assert not {f"sku-{n}" for n in range(1, 76)}.intersection(sent(service))
    assert {product["price"] for product in service.emulator.data.products()} == {"13 EUR"}
    (job,) = [
        record
        for record in json.loads(adsctl("jobs", "list", "-o", "json").stdout)
        if record["action"] == "update"
    ]
    assert job["state"] == "ended"


def test_a_row_that_the_service_rejects_is_told(adsctl, catalog):
    catalog.fail("PUT * partial")
    summary, said = update(adsctl, prices({1: "13 EUR", 2: "13 EUR"}), "--failed-out", "failed.csv", code=9)
    assert (summary["updated"], summary["failed"]) == (1, 1) and "part.csv:2: rejected: " in said
    assert (adsctl.home / "failed.csv").read_text().startswith("id,price,_line,_error\nsku-1,13 EUR,2,")


def test_the_memory_of_changes_knows_what_an_update_has_changed(adsctl, service):
    content = feed(60)
    adsctl.file("feed.csv", content)
    adsctl("products", "push", "feed.csv", "--changed")
    update(adsctl, prices({3: "13.00 EUR"}))
    service.puts.clear()
    adsctl.file(
        "feed.csv",
        content.replace("12.50", "13.00", 3),
    )
    adsctl("products", "push", "feed.csv", "--changed")
    assert sorted(sent(service)) == ["sku-1", "sku-2"]  # the update has sent the third
    adsctl.file("feed.csv", content)
    adsctl("products", "push", "feed.csv", "--changed")
    assert {product["price"] for product in service.emulator.data.products()} == {"12.50 EUR"}


def test_a_dry_run_shows_what_would_change(adsctl, catalog):
    adsctl.file("part.csv", prices({3: "13.00 EUR"}))
    done = adsctl("products", "update", "part.csv", "--dry-run", "-o", "json")
    (change,) = json.loads(done.stdout)
    assert (change["action"], change["id"]) == ("update", "sku-3")
    assert change["fields"] == {"price": {"old": "12.50 EUR", "new": "13.00 EUR"}} and catalog.puts == []


def test_a_file_without_ids_is_refused_before_the_catalog_is_listed(adsctl, catalog):
    catalog.lists = 0
    assert "part.csv: no column 'id'" in update(adsctl, "sku,price\nsku-1,1 EUR\n", code=3)[1]
    assert catalog.lists == 0
    assert "part.csv:3: has no id" in update(adsctl, "id,price\nsku-1,13 EUR\n,13 EUR\n", code=3)[1]
    assert "'sku-1' is also on line 3" in update(adsctl, "id,price\nsku-1,1 EUR\nsku-1,2 EUR\n", code=3)[1]
    assert catalog.puts == []
