"""The end of a check: the command to type next, tried on the feed."""

import itertools
import json
import shlex

import pytest

from ads_cli.commands.products.check_end import OF_CHECK
from tests.command_tree import COMMANDS
from tests.conftest import PRODUCT

FOREIGN = """\
SKU;Product Name;Long Description;Product URL;Image URL;Stock Qty;Regular Price;Manufacturer
a1;Lamp;<p>A lamp</p>;http://shop.example/a1;https://a.example/a.jpg, https://a.example/b.jpg;3;12,50 €;Acme
a2;Sofa;;http://shop.example/a2;https://cdn.example/c.jpg;0;1.250,00 €;Acme
"""


def rows(*changes: dict) -> str:
    products = [PRODUCT | {"id": f"sku-{number}"} | change for number, change in enumerate(changes, 1)]
    return json.dumps(
        [{key: value for key, value in product.items() if value is not None} for product in products]
    )


def advice(adsctl, *words: str) -> tuple[list[str], str]:
    """Check a feed that is not valid; return the command to type next, and what it says of it."""
    said = adsctl("products", "check", *words, code=3).stderr
    (line,) = (line for line in said.splitlines() if line.startswith("try: adsctl "))
    command, _, outcome = line.removeprefix("try: adsctl ").partition("  # ")
    return shlex.split(command), outcome


def test_a_check_ends_in_a_command_that_does_what_it_says(adsctl):
    adsctl.file("feed.csv", FOREIGN)
    command, outcome = advice(adsctl, "feed.csv")
    assert outcome == "2 of 2 rows valid, 0 left out"
    done = adsctl(*command, "-o", "json")
    assert json.loads(done.stdout)["valid"] == 2
    assert "try:" not in done.stderr


def test_options_that_a_push_does_not_have_are_left_out():
    check, push = (
        {
            name: bool(parameter.metavar)
            for parameter in COMMANDS[f"products {verb}"].parameters
            for name in parameter.names
        }
        for verb in ("check", "push")
    )
    assert {name: check[name] for name in check.keys() - push.keys() | {"--failed-out"}} == OF_CHECK


def test_what_only_the_owner_knows_is_left_open_and_named(adsctl):
    adsctl.file("feed.json", rows({"price": "12.50", "link": "/p/1", "brand": None}, {}))
    command, outcome = advice(adsctl, "feed.json")
    assert "--default 'brand=…'" in shlex.join(command) and outcome == "2 of 2 rows valid, 0 left out"
    report = json.loads(adsctl("products", "check", "feed.json", "-o", "json", code=3).stdout)
    assert report["try"] == {
        "command": shlex.join(["adsctl", *command[:3], "-o", "json", *command[3:]]),
        "choices": ["brand"],
        "valid": 2,
        "rows": 2,
        "left_out": 0,
        "merged": 0,
        "shortened": 0,
        "emptied": 0,
    }


def test_values_that_are_certain_are_taken_from_the_feed(adsctl):
    adsctl.file("feed.json", rows({"price": "12.50", "link": "/p/1"}, {}))
    command, _ = advice(adsctl, "feed.json")
    currency, address = PRODUCT["price"].split()[1], PRODUCT["link"]
    assert command[3:] == ["--currency", currency, "--base-url", "/".join(address.split("/")[:3])]


def test_a_column_of_currencies_completes_prices(adsctl):
    adsctl.file("feed.json", rows({"price": "9.50", "Currency": "CHF"}, {"price": "8", "Currency": "CHF"}))
    assert advice(adsctl, "feed.json")[0][3:] == ["--currency", "CHF"]
    adsctl.file("feed.json", rows({"price": "9.50", "Currency": "CHF"}, {"price": "8", "Currency": "SEK"}))
    assert advice(adsctl, "feed.json")[0][3:] == ["--set", "price={price} {Currency}"]


def test_options_that_were_typed_stay_and_those_of_a_recipe_count(adsctl):
    adsctl.file("feed.json", rows({"price": "12,50", "description": "<b>x</b>", "title": "a" * 200}))
    adsctl.file("shop.yaml", "currency: EUR\nfix: html\n")
    command, outcome = advice(adsctl, "feed.json", "--recipe", "shop.yaml")
    assert command[4:] == ["shop.yaml", "--fix", "html,length,price"]
    assert outcome == "1 of 1 row valid, 0 left out, 1 shortened"
    command, _ = advice(adsctl, "feed.json", "--fix", "html", "--currency", "EUR")
    assert command[-2:] == ["--fix", "length,price"]
    adsctl(*command)


def test_what_is_certain_is_advised_although_a_field_is_left_that_only_a_person_can_name(adsctl):
    adsctl.file("feed.json", rows({"id": None, "condition": None, "price": "12,50 EUR"}))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--fix", "price", "--default", "condition=new"]
    assert outcome.startswith("0 of 1 row valid")


def test_rows_with_one_id_that_differ_are_decided_by_keep(adsctl):
    adsctl.file("feed.json", rows({"id": "a"}, {"id": "a", "title": "Other"}, {"id": "b"}, {"id": "b"}))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--keep", "first"]
    assert outcome == "2 of 4 products are left out; 2 of 2 rows valid"
    said = adsctl(
        "products", "check", "feed.json", "--fix", "duplicates", code=3, ADSCTL_OUTPUT="table"
    ).stdout
    assert "they differ: --set id=… tells them apart, --keep first or --keep last takes one of them" in said


SHOPIFY = "Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Option2 Name,Option2 Value,\
Variant SKU,Variant Price,Image Src\n"
WOOCOMMERCE = "ID,Type,SKU,Name,Description,In stock?,Regular price,Categories,Images,Brands\n"
PLAIN = "id,title,description,availability,condition,price,link,image_link,brand"
OF_PLAIN = "d,in stock,new,9 EUR,https://s.example/p,https://s.example/1.jpg,Acme"
REPEATED = {
    "a SKU within a handle": (
        SHOPIFY
        + "tee,Tee,T.,Acme,Size,S,,,T,9,/1.jpg\ntee,,,,,M,,,T,9,\nmug,Mug,M.,Acme,Size,S,,,U,9,/2.jpg\n",
        "{Variant SKU}-{Option1 Value}",
        ["T-S", "T-M", "U-S"],
    ),
    "a SKU of several handles": (
        SHOPIFY + "tee,Tee,T.,Acme,Size,S,,,T,9,/1.jpg\nmug,Mug,M.,Acme,Size,S,,,T,9,/2.jpg\n",
        "{Handle}-{Option1 Value}",
        ["tee-S", "mug-S"],
    ),
    "a part that some products lack": (
        SHOPIFY + "tee,Tee,T.,Acme,Color,Red,Size,S,T,9,/1.jpg\ntee,,,,,Red,,M,T,9,\n"
        "tee,,,,,Blue,,M,T,9,\nmug,Mug,M.,Acme,Title,Default Title,,,,9,/2.jpg\n",
        "{Handle}-{Option1 Value}{Option2 Value}",
        ["tee-RedS", "tee-RedM", "tee-BlueM", "mug-Default Title"],
    ),
    "of WooCommerce": (
        WOOCOMMERCE + "1,simple,T,Tee,T.,1,9,S,/1.jpg,Acme\n2,simple,T,Mug,M.,1,9,S,/2.jpg,Acme\n",
        "{ID}",
        ["1", "2"],
    ),
    "beside a column that has one for each": (
        f"{PLAIN},variant_id,size\n7,Tee,{OF_PLAIN},a,S\n7,Tee,{OF_PLAIN},b,M\n8,Mug,{OF_PLAIN},c,\n",
        "{variant_id}",
        ["a", "b", "c"],
    ),
    "of sizes": (
        f"{PLAIN},Größen,sku\n7,Tee,{OF_PLAIN},S,x\n7,Tee,{OF_PLAIN},M,x\n8,Mug,{OF_PLAIN},L,y\n",
        "{id}-{Größen}",
        ["7-S", "7-M", "8-L"],
    ),
}


@pytest.mark.parametrize("case", REPEATED)
def test_where_rows_share_an_id_one_that_keeps_all_of_them_is_advised(adsctl, case):
    content, template, ids = REPEATED[case]
    adsctl.file("feed.csv", content)
    shop = ("--currency", "EUR", "--default", "condition=new", "--base-url", "https://s.example")
    command, outcome = advice(adsctl, "feed.csv", *shop)
    assert command[-2:] == ["--set", f"id={template}"]
    assert outcome == f"{len(ids)} of {len(ids)} rows valid, 0 left out, with other ids"
    command[1] = "convert"
    adsctl(*command[:3], "out.json", *command[3:])
    assert [record["id"] for record in json.loads((adsctl.home / "out.json").read_text())] == ids


def test_a_few_repeated_ids_of_a_plain_table_are_mistakes_and_change_no_other_id(adsctl):
    lines = [f"{number},Mug {number},{OF_PLAIN},s{number}" for number in range(30)]
    adsctl.file("feed.csv", "\n".join([f"{PLAIN},sku", *lines, f"3,Jug,{OF_PLAIN},s99"]))
    command, outcome = advice(adsctl, "feed.csv")
    assert command[3:] == ["--keep", "first"]
    assert outcome == "1 of 31 products is left out; 30 of 30 rows valid"


def test_advice_says_how_many_rows_are_merged_or_lose_a_value(adsctl):
    adsctl.file("feed.json", rows({"id": "a"}, {"id": "a"}, {"gtin": "not-a-number", "brand": "Acme"}))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--fix", "duplicates,gtin"]
    assert outcome == "2 of 2 rows valid, 0 left out, 1 merged, 1 emptied"


def test_a_column_with_one_address_for_all_products_is_not_their_link(adsctl):
    lines = [
        f"{number},Mug,{OF_PLAIN}".replace("https://s.example/p", "https://s.example/") for number in range(3)
    ]
    adsctl.file("feed.csv", "\n".join([PLAIN.replace(",link", ",website"), *lines]))
    assert advice(adsctl, "feed.csv")[0][3:] == ["--default", "link=https://…"]


def test_nothing_is_suggested_where_no_option_helps(adsctl):
    adsctl.file("feed.json", rows({"sale_price": "99999 EUR"}))
    assert "try:" not in adsctl("products", "check", "feed.json", code=3).stderr


@pytest.mark.parametrize("separator", ["|", ";", ", ", " "])
def test_a_column_with_a_list_of_images_is_suggested_with_what_splits_it(adsctl, separator):
    links = separator.join(["https://a.example/1.jpg", "https://a.example/2.jpg"])
    adsctl.file("feed.json", rows({"image_link": None, "images_link": links}))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--map", "images_link=image_link", "--split", f"image_link={separator}"]
    assert outcome == "1 of 1 row valid, 0 left out"
    adsctl(*command)


def test_a_list_of_one_image_is_split_and_no_address_is_asked_for(adsctl):
    adsctl.file("feed.json", rows({"image_link": ["https://a.example/1.jpg"]}, {}))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--split", "image_link=,"] and outcome == "2 of 2 rows valid, 0 left out"
    adsctl(*command)


def test_a_column_is_offered_as_one_field_and_a_cost_as_no_price(adsctl):
    names = {"title": "designation", "price": "cost price", "id": "id_product", "description": None}
    header = [names.get(name, name) for name in PRODUCT if names.get(name, name)]
    cells = [value for name, value in PRODUCT.items() if names.get(name, name)]
    adsctl.file("feed.tsv", "\t".join(header) + "\n" + "\t".join(cells) + "\n")
    command = advice(adsctl, "feed.tsv")[0]
    assert [word for word in command if word.endswith(("=title", "=description", "=price", "=id"))] == [
        "id_product=id",
        "designation=title",
    ]


def test_an_address_with_commas_is_no_list(adsctl):
    adsctl.file("feed.json", rows({"image_link": "https://a.example/w,300/a.jpg", "description": "<b>x</b>"}))
    assert advice(adsctl, "feed.json")[0][3:] == ["--fix", "html"]


def test_a_column_whose_values_no_option_makes_valid_is_not_suggested(adsctl):
    adsctl.file("feed.json", rows({"gender": None, "genders": "gentlemen"}))
    assert "--map" not in adsctl("products", "check", "feed.json").stderr


def test_a_missing_description_can_be_the_title(adsctl):
    header = [name for name in PRODUCT if name != "description"]
    adsctl.file(
        "feed.tsv", "\n".join("\t".join(each) for each in (header, [PRODUCT[name] for name in header]))
    )
    done = adsctl("products", "check", "feed.tsv", code=3, ADSCTL_OUTPUT="table")
    assert "fill the field with --default 'description={title}'" in done.stdout
    assert advice(adsctl, "feed.tsv")[0][3:] == ["--default", "description={title}"]


def test_several_files_are_tried_together(adsctl):
    adsctl.file("a.json", rows({"price": "12,50 EUR"}))
    adsctl.file("b.json", rows({"id": "other", "description": "<p>x</p>"}))
    command, outcome = advice(adsctl, "a.json", "b.json")
    assert command[4:] == ["--fix", "html,price"] and outcome == "2 of 2 rows valid, 0 left out"


def test_standard_input_is_tried_without_reading_it_again(adsctl):
    said = adsctl(
        "products", "check", "-", "--format", "json", input=rows({"price": "12,50 EUR"}), code=3
    ).stderr
    assert "--fix price  # 1 of 1 row valid, 0 left out" in said


def test_a_large_feed_is_tried_on_its_first_rows(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.commands.products.advice.MAX_TRIED_ROWS", 3)
    adsctl.file("feed.json", rows(*[{"price": "12,50 EUR"}] * 5))
    assert advice(adsctl, "feed.json")[1] == "3 of the first 3 rows valid, 0 left out"


@pytest.mark.parametrize("wrong", [0, 4])
def test_a_few_mistakes_of_a_large_feed_are_fixed_and_not_left_out(adsctl, monkeypatch, wrong):
    monkeypatch.setattr("ads_cli.commands.products.advice.MAX_TRIED_ROWS", 3)
    changes: list[dict] = [{} for _ in range(5)]
    changes[wrong] = {"price": "12,50 EUR"}
    adsctl.file("feed.json", rows(*changes))
    command, outcome = advice(adsctl, "feed.json")
    assert command[3:] == ["--fix", "price"] and outcome == "3 of the first 3 rows valid, 0 left out"


def test_rows_are_tried_for_no_longer_than_the_check_took(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.commands.products.advice.MIN_TRIED_ROWS", 2)
    monkeypatch.setattr("ads_cli.commands.products.advice.perf_counter", itertools.count().__next__)
    adsctl.file("feed.json", rows(*[{"price": "12,50 EUR"}] * 4, {"id": "sku-1"}))
    assert advice(adsctl, "feed.json")[1] == "2 of the first 2 rows valid, 0 left out"


@pytest.mark.parametrize("separator", ["|", ";", ","])
def test_a_list_of_images_that_looks_like_one_address_is_split(adsctl, separator):
    links = separator.join(["https://a.example/1.jpg", "https://a.example/2.jpg"])
    adsctl.file("feed.json", rows({"image_link": links, "description": "<b>x</b>"}))
    assert advice(adsctl, "feed.json")[0][3:] == ["--fix", "html", "--split", f"image_link={separator}"]
    relative = separator.join(["/1.jpg", "/2.jpg"])
    adsctl.file("feed.json", rows({"image_link": None, "images": relative, "link": "/p"}))
    assert f"image_link={separator}" in advice(adsctl, "feed.json", "--base-url", "https://a.example")[0]


UNKNOWN = {"condition": None, "price": None, "image_link": None, "photo_main": PRODUCT["image_link"]}
LACKING = {
    "feed.json": rows(UNKNOWN, UNKNOWN),
    "feed.xml": "<shop>"
    + "".join(
        f"<product>{''.join(f'<{key}>{value}</{key}>' for key, value in each.items())}</product>"
        for each in json.loads(rows(UNKNOWN, UNKNOWN))
    )
    + "</shop>",
}


@pytest.mark.parametrize("name", ["feed.json", "feed.xml"])
def test_a_field_that_no_record_has_is_advised_as_one_that_no_column_gives(adsctl, name):
    adsctl.file(name, LACKING[name])
    command, outcome = advice(adsctl, name)
    assert command[3:] == [
        *("--default", "condition=new", "--default", "price=…", "--map", "photo_main=image_link"),
    ]
    assert outcome == "2 of 2 rows valid, 0 left out"
    found = json.loads(adsctl("products", "check", name, "-o", "json", code=3).stdout)["findings"]
    assert [each["field"] for each in found] == ["condition", "price", "image_link"]
    assert found[2]["problem"] == "no record has it; is 'photo_main' meant? --map 'photo_main=image_link'"


def test_a_field_that_some_records_have_is_a_mistake_of_the_others(adsctl):
    adsctl.file("feed.json", rows({}, {"condition": None}))
    (found,) = json.loads(adsctl("products", "check", "feed.json", "-o", "json", code=3).stdout)["findings"]
    assert (found["problem"], found["lines"]) == ("is required", [1])


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("Position", "0", "condition"),
        ("PRODUCT", "Kettle, with a gift", "product_type"),
    ],
)
def test_a_similar_column_that_cannot_be_meant_is_not_suggested(adsctl, name, value, field):
    adsctl.file("feed.json", rows({field: None, name: value}, {field: None, name: value}))
    done = adsctl("products", "check", "feed.json", "-o", "json", code=None)
    assert f"{name}={field}" not in done.stdout + done.stderr


def test_what_an_export_is_read_from_already_is_not_read_once_more_as_it_is(adsctl):
    adsctl.file(
        "feed.csv",
        WOOCOMMERCE
        + '1,simple,T,Tee,T.,1,9,S,"https://s.example/1.jpg, https://s.example/2.jpg",Acme\n'
        + "2,simple,U,Mug,,backorder,,S,,Acme\n3,simple,V,Jug,J.,,9,S,https://s.example/3.jpg,Acme\n",
    )
    shop = ("--currency", "EUR", "--default", "condition=new", "--base-url", "https://s.example")
    command, outcome = advice(adsctl, "feed.csv", *shop)
    assert "--map" not in command
    assert outcome.startswith("2 of 3 rows valid")


def test_an_id_is_made_of_a_title_only_where_nothing_else_differs(adsctl):
    header, shop = (
        SHOPIFY,
        ("--currency", "EUR", "--default", "condition=new", "--base-url", "https://s.example"),
    )
    rows = "tee,Tee,T.,Acme,,,,,T,9,/1.jpg\nmug,Mug,M.,Acme,,,,,T,9,/2.jpg\n"
    adsctl.file("feed.csv", header + rows)
    command, outcome = advice(adsctl, "feed.csv", *shop)
    assert command[-1] == "id={Handle}"
    assert outcome == "2 of 2 rows valid, 0 left out, with other ids"
    rows = "tee,Tee,T.,Acme,,,,,T,9,/1.jpg\ntee,Tee long,T.,Acme,,,,,T,9,/2.jpg\n"
    adsctl.file("feed.csv", header + rows)
    command, outcome = advice(adsctl, "feed.csv", *shop)
    assert command[-1] == "id={Variant SKU}-{title}"
    assert outcome == "2 of 2 rows valid, 0 left out, with other ids, which change with the title"


GERMAN = """\
Artikelnummer;Bezeichnung;Beschreibung;Preis;Angebotspreis;Lagerbestand;EAN;Link;Bild;Zustand;Verfügbarkeit;Marke;Farbe
00001;Stuhl;Aus Eiche;1.200,50 €;{};3;4006381333931;https://shop.example/1;https://shop.example/1.jpg;neu;auf Lager;Eiche;Braun
00002;Tisch;Aus Eiche;90,00 €;;0;4006381333931;https://shop.example/2;https://shop.example/2.jpg;neu;ausverkauft;Eiche;Weiß
"""  # noqa: E501 - a row is a line


def test_columns_that_no_product_needs_are_sent_by_the_advice_too(adsctl):
    """A feed without its sale prices or its stock is another feed."""
    adsctl.file("feed.csv", GERMAN.format("1.100,00 €"))
    command, outcome = advice(adsctl, "feed.csv")
    assert outcome == "2 of 2 rows valid, 0 left out"
    options = {*itertools.pairwise(command)}
    further = ("Angebotspreis=sale_price", "Lagerbestand=inventory", "EAN=gtin", "Farbe=color")
    assert options >= {("--map", name) for name in further}
    assert "not sent" not in adsctl(*command).stderr


def test_a_column_that_makes_rows_invalid_is_not_advised(adsctl):
    adsctl.file("feed.csv", GERMAN.format("2.000,00 €"))  # a sale price above the price
    command, outcome = advice(adsctl, "feed.csv")
    assert outcome == "2 of 2 rows valid, 0 left out" and "Lagerbestand=inventory" in command
    assert "Angebotspreis=sale_price" not in command
