"""Recipes that read the columns and values of a feed of one's own."""

import json

import pytest

from tests.conftest import EXAMPLES, PRODUCT
from tests.products.feeds.kinds.shop import SHOP_OPTIONS

FOREIGN = """\
Artikelnummer,titel,beschreibung,Verfügbarkeit,Zustand,preis,url,bild,bild2,marke,lager
A-1,Becher,Ein Becher.,lieferbar,neu,12.50,/becher,https://cdn.example/1.jpg,https://cdn.example/2.jpg,Nord,7
A-2,Krug,Ein Krug.,ausverkauft,neu,22.50,/krug,https://cdn.example/3.jpg,,Nord,0
"""
RECIPE = """\
columns:
  artikelnummer: id
  titel: title
  beschreibung: description
  Verfügbarkeit: availability
  zustand: condition
  preis: price
  url: link
  bild: image_link
  marke: brand
joined:
  additional_image_link: [bild2]
ignored: [lager]
values:
  availability: {in stock: [lieferbar], out of stock: [ausverkauft]}
  condition: {new: [neu]}
default:
  custom_label_0: "Lager {lager}"
currency: EUR
base_url: https://shop.example
"""


@pytest.fixture
def at_home(adsctl):
    adsctl.file("foreign.csv", FOREIGN)
    adsctl.file("recipe.yaml", RECIPE)
    return adsctl


def test_a_recipe_reads_a_foreign_feed_with_no_other_option(at_home, service):
    done = at_home("products", "push", "foreign.csv", "--recipe", "recipe.yaml", "--strict")
    assert "warning" not in done.stderr
    products = {product["id"]: product for product in service.emulator.data.products()}
    assert (
        products["A-1"]["price"] == "12.50 EUR" and products["A-1"]["link"] == "https://shop.example/becher"
    )
    assert products["A-1"]["availability"] == "in stock" and products["A-2"]["availability"] == "out of stock"
    assert products["A-1"]["additional_image_link"] == "https://cdn.example/2.jpg"
    assert products["A-2"]["custom_label_0"] == "Lager 0" and products["A-1"]["condition"] == "new"


@pytest.mark.parametrize("own", [[], ["https://cdn.example/1.jpg"]])
def test_the_items_of_a_list_are_joined_one_by_one(adsctl, service, own):
    more = ["https://cdn.example/2.jpg", "https://cdn.example/3.jpg"]
    product = PRODUCT | {"additional_image_link": own, "more": more}
    adsctl.file("feed.json", json.dumps([product]))
    adsctl.file("recipe.yaml", "joined: {additional_image_link: [more]}")
    adsctl("products", "push", "feed.json", "--recipe", "recipe.yaml")
    (joined,) = service.emulator.data.products()
    assert joined["additional_image_link"] == ",".join(own + more)


def test_options_take_precedence_over_a_recipe(at_home, service):
    words = ["--map", "Artikelnummer=mpn", "--set", "id=x{Artikelnummer}", "--currency", "CHF"]
    at_home("products", "push", "foreign.csv", "--recipe", "recipe.yaml", *words)
    products = {product["id"]: product for product in service.emulator.data.products()}
    assert products["xA-1"]["mpn"] == "A-1" and products["xA-1"]["price"] == "12.50 CHF"


def test_a_profile_names_the_recipe_so_that_a_cron_line_stays_short(at_home, service):
    at_home("profile", "set", "default", "recipes.foreign*=recipe.yaml")
    (at_home.home / "elsewhere").mkdir()
    at_home("products", "check", at_home.home / "foreign.csv")
    shown = at_home("profile", "show", "-o", "csv").stdout
    assert f"recipes,foreign*={at_home.home / 'recipe.yaml'}" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colums: {a: id}", "recipe.yaml: unknown key 'colums'; did you mean 'columns'?"),
        ("columns: {a: titel}", "recipe.yaml: columns: a: unknown field 'titel'; did you mean 'title'?"),
        ("columns: [a]", "recipe.yaml: columns: Expected `object`, got `array`"),
        ("values: {availabilty: {}}", "recipe.yaml: values: unknown field 'availabilty'"),
        ("like: shopfy", "recipe.yaml: like: 'shopfy' is not a kind of feed; did you mean 'shopify'?"),
        ("set: {lnk: x}", "recipe.yaml: set: 'lnk' is not a known field; did you mean 'link'?"),
        ("joined: {tags: [a]}", "recipe.yaml: joined: unknown field 'tags'"),
        ("recognized_by: [[id]]", "recipe.yaml: unknown key 'recognized_by'"),
        ("[1]", "recipe.yaml: must be a mapping of options"),
        ("columns: {a: &b id}", "anchors and aliases are not read"),
    ],
)
def test_a_mistake_in_a_recipe_is_told_with_the_nearest_name(at_home, text, message):
    at_home.file("recipe.yaml", text)
    assert message in at_home("products", "check", "foreign.csv", "--recipe", "recipe.yaml", code=3).stderr


def test_a_column_of_a_recipe_that_the_feed_does_not_have_is_told(at_home):
    at_home.file("recipe.yaml", RECIPE.replace("  titel: title", "  title: title\n  titl: title"))
    done = at_home("products", "check", "foreign.csv", "--recipe", "recipe.yaml", code=3)
    assert "recipe.yaml: foreign.csv has no column 'title'; did you mean 'titel'?, 'titl'" in done.stderr


@pytest.mark.parametrize("source", ["auto", "shopify"])
def test_a_column_of_map_that_an_export_does_not_have_is_an_error(adsctl, source):
    words = ["products", "check", EXAMPLES / "shopify.csv", "--from", source, "--map", "Vendr=brand"]
    assert "has no column 'Vendr'" in adsctl(*words, code=2).stderr


def test_an_export_can_be_converted_and_is_then_no_export_any_more(adsctl, service):
    adsctl("products", "convert", EXAMPLES / "shopify.csv", "feed.xml", *SHOP_OPTIONS)
    adsctl("products", "push", "feed.xml", "--from", "generic", "--strict")
    again = adsctl("products", "push", EXAMPLES / "shopify.csv", *SHOP_OPTIONS, "-o", "json")
    assert '"unchanged": 9' in again.stdout


def test_the_recipe_of_the_examples_reads_a_feed_with_its_columns(adsctl):
    columns = {
        "Artikelnummer": "A-1",
        "Bezeichnung": "Becher",
        "Text": "Ein Becher.",
        "Verfügbarkeit": "auf Lager",
        "Zustand": "neu",
        "Preis": "12.50",
        "Adresse": "/becher",
        "Bild": "https://cdn.example/1.jpg",
        "Bild 3": "https://cdn.example/3.jpg",
        "Marke": "Nordlicht",
        "Warengruppe": "Küche",
        "Lagerort": "B12",
    }
    adsctl.file("feed.csv", ";".join(columns) + "\n" + ";".join(columns.values()) + "\n")
    done = adsctl("products", "check", "feed.csv", "--recipe", EXAMPLES / "recipe.yaml", "-o", "json")
    assert "not sent" not in done.stderr and '"valid": 1' in done.stdout


@pytest.mark.parametrize("name", ["feed.csv", "feed.jsonl"])
@pytest.mark.parametrize("column", ["Listed", "brand"])
def test_rows_are_left_out_by_a_column_that_is_also_read_as_a_field(at_home, name, column):
    rows = [PRODUCT | {"id": f"sku-{n}", column: value} for n, value in enumerate(("yes", "Draft", "yes"))]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    if name.endswith("csv"):
        text = "\n".join(
            ",".join(f'"{cell}"' for cell in row) for row in ([*rows[0]], *map(dict.values, rows))
        )
    at_home.file(name, text)
    at_home.file("map.yaml", f"left_out: {{{column}: [DRAFT]}}\n")
    check = ("products", "check", name, "--recipe", "map.yaml", "-o", "json")
    for words in ((), ("--map", f"{column}=custom_label_0")):
        report = json.loads(at_home(*check, *words, code=None).stdout)
        assert report["left_out"] == 1, words


def test_a_recipe_that_its_group_may_change_is_warned_of_once(at_home):
    at_home.file("other.csv", FOREIGN.replace("A-", "B-"))
    (at_home.home / "recipe.yaml").chmod(0o664)
    said = at_home("products", "check", "foreign.csv", "other.csv", "--recipe", "recipe.yaml").stderr
    assert said.count("recipe.yaml can be changed by its group") == 1


def test_a_default_that_is_typed_counts_more_than_that_of_a_recipe(at_home, service):
    words = ("--recipe", "recipe.yaml", "--default", "custom_label_0=typed", "--default", "color=red")
    at_home("products", "push", "foreign.csv", *words)
    products = [product for product in service.emulator.data.products() if product["id"].startswith("A-")]
    assert [(product["custom_label_0"], product["color"]) for product in products] == [("typed", "red")] * 2
