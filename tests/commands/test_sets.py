"""Product sets, and lists of products: named and shown as their owner knows them."""

import json

import pytest

from tests.commands.test_changes import read_terminal
from tests.conftest import feed

LISTED = ("catalog", "sets", "list", "-o", "json")


def shown(adsctl, *words: str, width: int = 80) -> list[str]:
    """Return the lines that a person sees."""
    return read_terminal(adsctl.terminal("--profile", "local", "-q", *words, width=width)).splitlines()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("product_type CONTAINS Home > Shoes", [("product_type", "CONTAINS", "Home > Shoes")]),
        (
            "price LESS_THAN 50;  inventory GREATER_THAN 0 ",
            [("price", "LESS_THAN", "50"), ("inventory", "GREATER_THAN", "0")],
        ),
        ('[{"attribute": "price", "operator": "LESS_THAN", "value": "5"}]', [("price", "LESS_THAN", "5")]),
    ],
)
def test_the_conditions_of_a_set_are_written_as_words_or_json(adsctl, filters, expected):
    words = ("catalog", "sets", "create", "--name", "Mine", "--type", "FILTERED", "--filters", filters)
    created = json.loads(adsctl.local(*words, "-o", "json").stdout)
    assert [tuple(condition.values()) for condition in created["filters"]] == expected


def test_a_mistake_in_the_words_of_a_condition_is_named(adsctl):
    words = ("catalog", "sets", "create", "--name", "Mine", "--type", "FILTERED", "--filters")
    said = adsctl.local(*words, "price UNDER 5", code=2).stderr
    assert "filters[0].operator: 'UNDER' is not one of GREATER_THAN" in said
    assert "filters[0].value: is required" in adsctl.local(*words, "price LESS_THAN", code=2).stderr


def test_other_nested_options_say_that_they_take_json(adsctl):
    said = adsctl.local("audiences", "combine", "--name", "x", "--segments", "mine", code=2).stderr
    assert "'mine' is not JSON" in said and "Expecting value" not in said


def test_a_set_shows_what_is_in_it(adsctl):
    adsctl.file("feed.csv", feed(3, product_type="Shoes"))
    adsctl.local("products", "push", "feed.csv")
    words = ("catalog", "sets", "create", "--name", "All shoes", "--type", "FILTERED", "--filters")
    adsctl.local(*words, "product_type CONTAINS Shoes")
    text = " ".join(" ".join(shown(adsctl, "catalog", "sets", "get", "All shoes", width=50)).split())
    assert "filters product_type CONTAINS Shoes" in text and "product_ids sku-1, sku-2, sku-3" in text


def test_a_set_of_products_that_are_not_there_names_their_ids(adsctl):
    words = ("catalog", "sets", "create", "--name", "Mine", "--type", "MANUAL", "--products", "NO-1,NO-2")
    said = adsctl.local(*words, code=5).stderr
    assert "the catalog has no products with the ids 'NO-1', 'NO-2'" in said and "keys" not in said
    assert "Mine" not in adsctl.local(*LISTED).stdout


def test_a_list_of_products_begins_with_the_ids_of_their_feed(adsctl):
    adsctl.file("feed.csv", feed(2))
    adsctl.local("products", "push", "feed.csv")
    for words in (("list",), ("get", "sku-1", "sku-2")):
        lines = shown(adsctl, "products", *words)
        assert lines[0].split()[0] == "ID" and lines[0].split()[-1] == "PRODUCT_KEY", words
        assert lines[1].startswith("sku-1 ")


def test_variants_are_listed_where_they_are_asked_for(adsctl):
    adsctl.file("feed.csv", feed(5))
    adsctl.local("products", "push", "feed.csv")
    adsctl.file("mugs.csv", feed(3, item_group_id="mugs"))
    adsctl.local("products", "push", "mugs.csv")
    few = json.loads(adsctl.local("products", "list", "-o", "json").stdout)
    words = ("products", "list", "--variants", "-o", "json")
    every = [product["id"] for product in json.loads(adsctl.local(*words).stdout)]
    assert len(few) == 3 and sorted(every) == [f"sku-{n}" for n in range(1, 6)]
    assert len(json.loads(adsctl.local(*words, "--limit", 4).stdout)) == 4
    [hidden] = json.loads(adsctl.local(*words, "--where", "id=sku-3").stdout)
    assert hidden["id"] == "sku-3"
    assert "--variants shows" in read_terminal(adsctl.terminal("-p", "local", "products", "list"))
    assert "--envelope" in adsctl.local(*words, "--envelope", code=2).stderr


def test_records_inside_of_a_cell_are_named(adsctl):
    lines = shown(adsctl, "audiences", "targeted", "Customers", width=120)
    assert lines[0].split()[0] == "CAMPAIGN_NAME" and "Visits to the shop (9d4c1)" in "".join(lines)


def test_a_catalog_is_named_by_its_name(adsctl):
    """Whatever takes the id of a catalog takes its name, in commands, in dry runs and in questions."""
    adsctl.file("feed.csv", feed(2))
    named = ("--catalog", "nordlicht shop")
    adsctl.local("products", "push", "feed.csv", *named)
    assert len(json.loads(adsctl.local("products", "list", *named, "-o", "json").stdout)) == 2
    assert "/product_catalogs/7310248000000000001/" in adsctl.local(
        "products", "push", "feed.csv", *named, "--dry-run"
    ).stderr  # fmt: skip
    said = adsctl.local("products", "list", "--catalog", "Nordlicht", code=5).stderr
    assert "there is no catalog named 'Nordlicht'; did you mean 'Nordlicht Shop'?" in said
    asked = adsctl.local("catalog", "delete", "Nordlicht Shop", code=12).stderr
    assert "Delete the catalog Nordlicht Shop (7310248000000000001)" in asked
