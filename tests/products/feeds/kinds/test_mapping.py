"""Mapping files: the columns and values of a feed of one's own, and a first draft of it."""

import json

import pytest

from tests.conftest import EXAMPLES, PRODUCT
from tests.products.feeds.kinds.shop import SHOP_OPTIONS, shop

FOREIGN = """\
Artikelnummer,titel,beschreibung,Verfügbarkeit,Zustand,preis,url,bild,bild2,marke,lager
A-1,Becher,Ein Becher.,lieferbar,neu,12.50,/becher,https://cdn.example/1.jpg,https://cdn.example/2.jpg,Nord,7
A-2,Krug,Ein Krug.,ausverkauft,neu,22.50,/krug,https://cdn.example/3.jpg,,Nord,0
"""
MAPPING = """\
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
    adsctl.file("mapping.yaml", MAPPING)
    return adsctl


def test_a_mapping_reads_a_foreign_feed_with_no_other_option(at_home, service):
    done = at_home("products", "push", "foreign.csv", "--mapping", "mapping.yaml", "--strict")
    assert "warning" not in done.stderr
    found = {each["id"]: each for each in service.emulator.data.products()}
    assert found["A-1"]["price"] == "12.50 EUR" and found["A-1"]["link"] == "https://shop.example/becher"
    assert found["A-1"]["availability"] == "in stock" and found["A-2"]["availability"] == "out of stock"
    assert found["A-1"]["additional_image_link"] == "https://cdn.example/2.jpg"
    assert found["A-2"]["custom_label_0"] == "Lager 0" and found["A-1"]["condition"] == "new"


@pytest.mark.parametrize("own", [[], ["https://cdn.example/1.jpg"]])
def test_the_items_of_a_list_are_joined_one_by_one(adsctl, service, own):
    more = ["https://cdn.example/2.jpg", "https://cdn.example/3.jpg"]
    product = PRODUCT | {"additional_image_link": own, "more": more}
    adsctl.file("feed.json", json.dumps([product]))
    adsctl.file("mapping.yaml", "joined: {additional_image_link: [more]}")
    adsctl("products", "push", "feed.json", "--mapping", "mapping.yaml")
    (found,) = service.emulator.data.products()
    assert found["additional_image_link"] == ",".join(own + more)


def test_options_take_precedence_over_a_mapping(at_home, service):
    words = ["--map", "Artikelnummer=mpn", "--set", "id=x{Artikelnummer}", "--currency", "CHF"]
    at_home("products", "push", "foreign.csv", "--mapping", "mapping.yaml", *words)
    found = {each["id"]: each for each in service.emulator.data.products()}
    assert found["xA-1"]["mpn"] == "A-1" and found["xA-1"]["price"] == "12.50 CHF"


def test_a_profile_names_the_mapping_so_that_a_cron_line_stays_short(at_home, service):
    at_home("profile", "set", "default", "mapping=mapping.yaml")
    (at_home.home / "elsewhere").mkdir()
    at_home("products", "check", at_home.home / "foreign.csv")
    shown = at_home("profile", "show", "-o", "csv").stdout
    assert f"mapping,{at_home.home / 'mapping.yaml'}" in shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("colums: {a: id}", "mapping.yaml: unknown key 'colums'; did you mean 'columns'?"),
        ("columns: {a: titel}", "mapping.yaml: columns: a: unknown field 'titel'; did you mean 'title'?"),
        ("columns: [a]", "mapping.yaml: columns: Expected `object`, got `array`"),
        ("values: {availabilty: {}}", "mapping.yaml: values: unknown field 'availabilty'"),
        ("like: shopfy", "mapping.yaml: like: 'shopfy' is not a kind of feed; did you mean 'shopify'?"),
        ("set: {lnk: x}", "mapping.yaml: set: unknown field 'lnk'; did you mean 'link'?"),
        ("default: {lnk: x}", "mapping.yaml: default: unknown field 'lnk'"),
        ("joined: {tags: [a]}", "mapping.yaml: joined: unknown field 'tags'"),
        ("recognized_by: [[id]]", "mapping.yaml: unknown key 'recognized_by'"),
        ("[1]", "mapping.yaml: must be a mapping with "),
        ("columns: {a: &b id}", "anchors and aliases are not read"),
    ],
)
def test_a_mistake_in_a_mapping_is_told_with_the_nearest_name(at_home, text, told):
    at_home.file("mapping.yaml", text)
    assert told in at_home("products", "check", "foreign.csv", "--mapping", "mapping.yaml", code=3).stderr


def test_a_mapping_that_is_not_there_is_an_error_of_the_option(at_home):
    done = at_home("products", "check", "foreign.csv", "--mapping", "none.yaml", code=2)
    assert "--mapping: none.yaml cannot be read: No such file or directory" in done.stderr


def test_a_column_of_a_mapping_that_the_feed_does_not_have_is_told(at_home):
    at_home.file("mapping.yaml", MAPPING.replace("  titel: title", "  title: title\n  titl: title"))
    done = at_home("products", "check", "foreign.csv", "--mapping", "mapping.yaml", code=3)
    assert "mapping.yaml: foreign.csv has no column 'title'; did you mean 'titel'?, 'titl'" in done.stderr


@pytest.mark.parametrize("source", ["auto", "shopify"])
def test_a_column_of_map_that_an_export_does_not_have_is_an_error(adsctl, source):
    words = ["products", "check", EXAMPLES / "shopify.csv", "--from", source, "--map", "Vendr=brand"]
    assert "has no column 'Vendr'" in adsctl(*words, code=2).stderr


def test_an_export_can_be_converted_and_is_then_no_export_any_more(adsctl, service):
    adsctl("products", "convert", EXAMPLES / "shopify.csv", "feed.xml", *SHOP_OPTIONS)
    adsctl("products", "push", "feed.xml", "--from", "generic", "--strict")
    again = adsctl("products", "push", EXAMPLES / "shopify.csv", *SHOP_OPTIONS, "-o", "json")
    assert '"unchanged": 9' in again.stdout


def test_a_draft_says_what_is_meant_and_what_is_missing_and_is_a_mapping(at_home):
    table = PRODUCT | {"image url": PRODUCT["image_link"], "availability": "lieferbar", "margin": "4,20"}
    del table["image_link"], table["condition"]
    header = ",".join(table)
    at_home.file("feed.csv", header + "\n" + ",".join(f'"{value}"' for value in table.values()) + "\n")
    at_home("products", "check", "feed.csv", "--write-mapping", "draft.yaml", code=3)
    draft = (at_home.home / "draft.yaml").read_text()
    assert '"image url": image_link' in draft and '- "margin"  # as in "4,20"' in draft
    assert "# condition: A VALUE" in draft and '"in stock": []  # not understood: "lieferbar"' in draft
    corrected = draft.replace('"in stock": []', '"in stock": [lieferbar]')
    at_home.file(
        "draft.yaml",
        corrected.replace("# default:", "default:").replace("# condition: A VALUE", "condition: new"),
    )
    done = at_home("products", "check", "feed.csv", "--mapping", "draft.yaml")
    assert "not known" not in done.stderr


def test_a_draft_of_an_export_names_the_kind_that_it_is_like(at_home):
    from tests.products.feeds.kinds import shopify_export

    at_home.file("export.csv", shopify_export.write(shop(5)))
    at_home("products", "check", "export.csv", "--write-mapping", "draft.yaml", code=3)
    draft = (at_home.home / "draft.yaml").read_text()
    assert "like: shopify\n" in draft and "# condition: A VALUE" in draft and "columns:" not in draft
    at_home.file(
        "draft.yaml",
        draft.replace("# default:", "default:").replace("# condition: A VALUE", "condition: new"),
    )
    words = ["--mapping", "draft.yaml", "--currency", "EUR", "--base-url", "https://shop.example"]
    told = at_home("products", "check", "export.csv", *words, code=None).stdout
    assert "condition" not in told and "price" not in told


@pytest.mark.parametrize("odd", ["\x7f", "\x85", "\u2028", "\ufffe"])
def test_a_draft_can_be_read_whatever_characters_a_feed_has(at_home, odd):
    row = PRODUCT | {f"mar{odd}gin": f"4{odd}columns: 5", "availability": f"da{odd}colour: red"}
    at_home.file("feed.json", json.dumps([row]))
    at_home("products", "check", "feed.json", "--write-mapping", "draft.yaml", code=3)
    assert (
        "draft.yaml"
        not in at_home("products", "check", "feed.json", "--mapping", "draft.yaml", code=3).stderr
    )


def test_a_draft_says_how_a_profile_names_it_and_that_there_are_more_values(at_home):
    rows = [PRODUCT | {"id": f"sku-{n}", "availability": f"stage {n}"} for n in range(21)]
    at_home.file("feed.json", json.dumps(rows))
    words = ("products", "check", "feed.json", "--write-mapping", "my draft.yaml")
    assert "--mapping 'my draft.yaml'" in at_home(*words, code=3).stderr
    draft = (at_home.home / "my draft.yaml").read_text()
    assert "adsctl profile set PROFILE 'mapping=my draft.yaml'\n" in draft
    assert '"stage 19", …\n' in draft and "stage 20" not in draft


def test_a_draft_replaces_no_file_unless_told_to(at_home):
    words = [
        "products",
        "check",
        "foreign.csv",
        "--mapping",
        "mapping.yaml",
        "--write-mapping",
        "mapping.yaml",
    ]
    assert "--force" in at_home(*words, code=12).stderr
    assert (at_home.home / "mapping.yaml").read_text() == MAPPING
    at_home(*words, "--force")
    assert (at_home.home / "mapping.yaml").read_text().startswith("# How adsctl reads foreign.csv")


def test_the_mapping_of_the_examples_reads_a_feed_with_its_columns(adsctl):
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
    done = adsctl("products", "check", "feed.csv", "--mapping", EXAMPLES / "mapping.yaml", "-o", "json")
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
    check = ("products", "check", name, "--mapping", "map.yaml", "-o", "json")
    for words in ((), ("--map", f"{column}=custom_label_0")):
        report = json.loads(at_home(*check, *words, code=None).stdout)
        assert report["left_out"] == 1, words


@pytest.mark.parametrize("option", ["--mapping", "--recipe"])
def test_a_mapping_that_its_group_may_change_is_warned_of_once(at_home, option):
    at_home.file("other.csv", FOREIGN.replace("A-", "B-"))
    (at_home.home / "mapping.yaml").chmod(0o664)
    said = at_home("products", "check", "foreign.csv", "other.csv", option, "mapping.yaml").stderr
    assert said.count("mapping.yaml can be changed by its group") == 1


def test_a_default_that_is_typed_counts_more_than_that_of_a_mapping(at_home, service):
    words = ("--mapping", "mapping.yaml", "--default", "custom_label_0=typed", "--default", "color=red")
    at_home("products", "push", "foreign.csv", *words)
    found = [each for each in service.emulator.data.products() if each["id"].startswith("A-")]
    assert [(each["custom_label_0"], each["color"]) for each in found] == [("typed", "red")] * 2
