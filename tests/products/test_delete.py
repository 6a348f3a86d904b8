"""products delete: by keys or by ids, from the command line or a file, and in words that fit."""

import json
import re

import pytest

from tests.conftest import feed

GONE = "no product of this catalog has the key"


@pytest.fixture
def catalog(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    adsctl("products", "push", "feed.csv")
    return service


def keys_by_id(service) -> dict[str, str]:
    return {product["id"]: product["product_key"] for product in service.emulator.data.products()}


def test_a_key_that_does_not_exist_is_named(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    said = adsctl("products", "delete", key, "nobody", "none", "--yes", code=9).stderr
    assert f"'nobody': rejected: {GONE} nobody" in said and "command line" not in said
    assert f"'none': rejected: {GONE} none" in said
    verbose = adsctl("products", "delete", "nobody", "--yes", "-v", code=9).stderr
    assert f"'nobody': rejected: {GONE} nobody" in verbose


def test_keys_that_are_wrong_alike_are_listed(adsctl, catalog):
    said = adsctl("products", "delete", "a?", "b?", "c", "--yes", code=3).stderr
    assert "2 rows: 'a?', 'b?'" in said and len(catalog.stored) == 30


def test_a_repeated_delete_says_that_the_catalog_has_no_such_keys(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    adsctl("products", "delete", key, "--yes")
    again = adsctl("products", "delete", key, "--yes", "-o", "json", code=9)
    assert json.loads(again.stdout)["failed"] == 1 and f"{GONE} {key}" in again.stderr
    hint = json.loads(again.stderr.splitlines()[-1])["error"]["hint"]
    assert "deleted before" in hint


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


@pytest.mark.parametrize("header", ["id", '"id"', "ID", "title"])
def test_one_column_of_something_else_is_not_taken_for_keys(adsctl, catalog, header):
    adsctl.file("gone.csv", f"{header}\nsku-3\n")
    said = adsctl("products", "delete", "--from", "gone.csv", "--yes", code=3).stderr
    assert "no column 'product_key'" in said and len(catalog.stored) == 30


def test_progress_says_what_is_done(adsctl, catalog):
    key = keys_by_id(catalog)["sku-3"]
    child = adsctl.terminal("products", "delete", key, "--yes", TERM="xterm")
    shown = child.read()
    child.close()
    assert "Deleting products" in shown and "Pushing" not in shown


def test_the_question_comes_from_the_declaration_and_counts(adsctl, catalog):
    said = adsctl("products", "delete", "a", "b", code=12).stderr
    assert f"Delete 2 products from the catalog {catalog.emulator.catalog}, for good" in said


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
