"""products delete: by keys or by ids, from the command line or a file, and in words that fit."""

import json
import re

import pytest

from tests.conftest import PRODUCT, feed

GONE = "no product of this catalog has the key"


@pytest.fixture
def catalog(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    service.emulator.data.add_products(PRODUCT | {"id": f"sku-{n}"} for n in range(1, 31))
    return service


def keys_by_id(service) -> dict[str, str]:
    return {product["id"]: product["product_key"] for product in service.emulator.data.products()}


def test_a_key_that_does_not_exist_is_named(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    by_key = ("--by", "key", "--yes")
    said = adsctl("products", "delete", key, "nobody", "none", *by_key, code=9).stderr
    assert f"'nobody': rejected: {GONE} nobody" in said and "command line" not in said
    assert f"'none': rejected: {GONE} none" in said
    verbose = adsctl("products", "delete", "nobody", *by_key, "-v", code=9).stderr
    assert f"'nobody': rejected: {GONE} nobody" in verbose


def test_keys_that_are_wrong_alike_are_listed(adsctl, catalog):
    said = adsctl("products", "delete", "a?", "b?", "c", "--by", "key", "--yes", code=3).stderr
    assert "2 rows: 'a?', 'b?'" in said and len(catalog.stored) == 30


def test_a_repeated_delete_says_that_the_catalog_has_no_such_keys(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    adsctl("products", "delete", key, "--yes")
    again = adsctl("products", "delete", key, "--yes", "-o", "json", code=9)
    assert json.loads(again.stdout)["failed"] == 1 and f"{GONE} {key}" in again.stderr
    hint = json.loads(again.stderr.splitlines()[-1])["error"]["hint"]
    assert "deleted before" in hint and "--by id" in hint


def test_a_key_that_is_repeated_on_the_command_line_is_named(adsctl, catalog):
    said = adsctl("products", "delete", "k1", "k2", "k1", "--yes", code=2).stderr
    assert "'k1' is repeated" in said
    assert len(catalog.stored) == 30


@pytest.mark.parametrize(
    "header", ["product_key", '"product_key"', "\ufeffproduct_key", "Product_Key", "Product Key"]
)
def test_a_header_of_keys_is_not_deleted(adsctl, catalog, header):
    key = keys_by_id(catalog)["sku-3"]
    adsctl.file("gone.csv", f"{header}\n{key}\n")
    done = adsctl("products", "delete", "--from", "gone.csv", "--yes", "-o", "json", code=None)
    if done.returncode == 0:
        assert json.loads(done.stdout)["deleted"] == 1 and len(catalog.stored) == 29
    else:
        assert done.returncode == 3 and f"--map '{header}=product_key'" in done.stderr
        adsctl("products", "delete", "--from", "gone.csv", "--map", f"{header}=product_key", "--yes")


def test_one_column_of_something_else_is_not_taken_for_keys(adsctl, catalog):
    adsctl.file("gone.csv", "title\nsku-3\n")
    said = adsctl("products", "delete", "--from", "gone.csv", "--yes", code=3).stderr
    assert "no column 'product_key'" in said and len(catalog.stored) == 30


@pytest.mark.parametrize(
    "content",
    ["id\nsku-3\n", '"id"\nsku-3\n', "sku-3\n", "title,id\nx,sku-3\n", None, "id,product_key\nx,{}\n"],
)
def test_names_are_taken_for_ids_or_keys_by_what_they_are(adsctl, catalog, content):
    key, named = keys_by_id(catalog)["sku-3"], ["sku-3"]
    if content:
        adsctl.file("gone.csv", content.format(key))
        named = ["--from", "gone.csv"]
    adsctl("products", "delete", *named, "--yes")
    assert len(catalog.stored) == 29 and "sku-3" not in catalog.stored


def test_the_question_names_the_catalog_and_the_first_products(adsctl, catalog):
    said = adsctl("products", "delete", *(f"sku-{n}" for n in range(1, 8)), code=12).stderr
    [shop] = json.loads(adsctl("catalog", "list", "-o", "json").stdout)
    asked = f"Delete 7 products from the catalog {shop['name']} ({shop['id']}), for good: "
    assert asked in said and f"'sku-1' ({PRODUCT['title']})" in said and "and 2 more" in said


def test_progress_says_what_is_done(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    child = adsctl.terminal("products", "delete", key, "--yes", TERM="xterm")
    shown = child.read()
    child.close()
    assert "Deleting products" in shown and "Pushing" not in shown


def test_the_question_comes_from_the_declaration_and_counts(adsctl, catalog):
    said = adsctl("products", "delete", "a", "b", "--by", "key", code=12).stderr
    assert "Delete 2 products from the catalog " in said and f"({catalog.emulator.catalog}), for good" in said


@pytest.mark.parametrize("content", ["id\nsku-1\nsku-2\n", "sku-1\nsku-2\n", "title,id\nx,sku-1\ny,sku-2\n"])
def test_products_are_deleted_by_the_ids_of_their_feed(adsctl, catalog, content):
    adsctl.file("gone.csv", content)
    words = ("products", "delete", "--from", "gone.csv", "--by", "id", "-o", "json")
    assert "would send 2 rows in 1 request" in adsctl(*words, "--dry-run").stderr
    assert "Delete 2 products from the catalog" in adsctl(*words, code=12).stderr
    assert json.loads(adsctl(*words, "--yes").stdout)["deleted"] == 2
    assert len(catalog.stored) == 28 and not {"sku-1", "sku-2"}.intersection(catalog.stored)


def test_ids_that_are_not_in_the_catalog_are_named(adsctl, catalog):
    words = ("products", "delete", "--by", "id", "sku-1", "sku-x", "sku-2", "sku-y", "--yes", "-o", "json")
    done = adsctl(*words, "--failed-out", "unknown.csv", code=9)
    summary = json.loads(done.stdout)
    assert (summary["deleted"], summary["failed"], len(catalog.stored)) == (2, 2, 28)
    assert "2 of 4 ids not in the catalog: 'sku-x', 'sku-y'" in done.stderr
    assert "2 rows: 'sku-x', 'sku-y'" in done.stderr
    assert "sku-y" in (adsctl.home / "unknown.csv").read_text()
    again = adsctl(*words, code=9)
    assert json.loads(again.stdout)["failed"] == 4 and "deleted before" in again.stderr
    assert json.loads(again.stdout)["requests"] == 1  # the listing


def test_the_question_counts_the_products_that_are_there(adsctl, catalog):
    words = ("products", "delete", "--by", "id", "sku-x", "sku-y")
    said = adsctl(*words, "sku-1", code=12).stderr
    assert "Delete 1 product from the catalog" in said and len(catalog.stored) == 30
    said = adsctl(*words, code=9).stderr
    assert "not confirmed" not in said and "'sku-x' is not in the catalog" in said


def test_variants_that_the_listing_hides_are_deleted_by_id(adsctl, catalog):
    adsctl.file("variants.csv", feed(20, item_group_id="mugs"))
    adsctl("products", "push", "variants.csv")
    adsctl("products", "delete", "--by", "id", "sku-20", "sku-25", "--yes")
    assert len(catalog.stored) == 28 and not {"sku-20", "sku-25"}.intersection(catalog.stored)


@pytest.mark.parametrize("fault", ["reset-after", "reset", "truncate"])
def test_a_delete_by_id_that_was_stopped_is_resumed(adsctl, catalog, fault):
    adsctl.file("gone.csv", "".join(f"sku-{n}\n" for n in range(1, 31)))
    words = (
        "products",
        "delete",
        "--from",
        "gone.csv",
        "--by",
        "id",
        "--yes",
        "-o",
        "json",
        "--concurrency",
        "1",
    )
    catalog.fail(f"DELETE * {fault} times=1")
    adsctl(*words, "--max-attempts", "1", code=8)
    catalog.fail()
    assert json.loads(adsctl(*words, "--resume").stdout)["deleted"] == 30
    assert catalog.stored == []


def test_deleted_ids_are_sent_again_by_the_next_push_of_changes(adsctl, catalog):
    adsctl("products", "push", "feed.csv", "--changed")
    adsctl("products", "delete", "--by", "id", "sku-7", "--yes")
    done = adsctl("products", "push", "feed.csv", "--changed", "-o", "json")
    assert json.loads(done.stdout)["created"] == 1 and len(catalog.stored) == 30


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("gone.csv", "Product Key,title\nk1,x\n"),
        ("gone.csv", "name,other\nk1,x\n"),
        ("gone.csv", "product_key,title\nk1,caf\xe9\n".encode("latin-1")),
        ("gone.csv", "product_key,title\nk1,x\nk1,y\n"),
        ("gone.csv", "product_key,title\na/b,x\n"),
        ("gone.csv", "id\nsku-1\n"),
        ("gone.csv", "nobody\n"),
        ("gone.xyz", "a,b\n"),
        ("gone.csv", ""),
    ],
)
def test_every_option_that_a_message_names_exists(adsctl, catalog, name, content):
    adsctl.file(name, content)
    said = adsctl("products", "delete", "--from", name, "--yes", code=None).stderr
    offered = adsctl("products", "delete", "--help").stdout + adsctl("help", "options").stdout
    assert all(option in offered for option in re.findall(r"--[a-z-]+", said))
