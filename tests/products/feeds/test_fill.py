"""--set, --default, --currency, --base-url and --split: what arrives in the catalog."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.feeds.transforms import Template
from tests.products.feeds.conftest import FORMATS, OPTIONS

ADDITIONAL = "additional_image_link"


@pytest.fixture
def pushed(exports, service):
    """Push one row, changed, with options; return the product."""

    def push(change: dict, *options: str, name: str = "feed.csv") -> dict:
        exports.write(change, name=name)
        exports.adsctl("products", "push", name, *OPTIONS, *options)
        return service.emulator.data.product("sku-1")

    return push


@pytest.fixture
def converted(exports):
    """Convert one row, changed, with options; return what a push would send."""

    def convert(change: dict, *options: str, name: str = "feed.csv") -> dict:
        exports.write(change, name=name)
        exports.adsctl("products", "convert", name, "out.json", "--force", *OPTIONS, *options)
        (product,) = json.loads((exports.adsctl.home / "out.json").read_text())
        return product

    return convert


@pytest.mark.parametrize("name", FORMATS)
def test_a_feed_becomes_products_by_options_alone(pushed, name):
    product = pushed({}, name=name)
    assert product["link"] == "https://shop.example/p/mug"
    assert product["image_link"] == "https://shop.example/mug.jpg"
    assert product["title"] == "Nordlicht Mug"
    assert product["price"] == "12.50 EUR"


@pytest.mark.parametrize(
    ("template", "title"),
    [
        ("{Name}", "Mug"),
        ("{ Name } of {brand}", "Mug of Nordlicht"),
        ("{Name} {{new}}", "Mug {new}"),
        ("{Name}{Extra}", "Mug"),
        ("Ünïcode", "Ünïcode"),
        ("a=b", "a=b"),
        ("{price} & 50%", "12.50 & 50%"),  # before the currency, and nothing is quoted
    ],
)
def test_a_template_takes_columns_as_the_file_or_a_field_names_them(converted, template, title):
    assert converted({"Extra": ""}, "--set", f"title={template}")["title"] == title


@pytest.mark.parametrize("name", ["feed.jsonl", "feed.xml"])
def test_a_list_is_joined_in_a_template(converted, name):
    assert converted({"Tag": ["a", "b"]}, "--set", "title={Tag}", name=name)["title"] == "a, b"


def test_set_replaces_and_default_only_fills(converted):
    assert converted({"title": "Own"}, "--default", "title=Other")["title"] == "Own"
    assert converted({"title": "Own"}, "--set", "title=Other")["title"] == "Other"


def test_a_template_whose_columns_are_all_empty_gives_nothing(converted):
    options = ("--set", "mpn=M-{Extra}", "--set", "color={Extra}")
    product = converted({"Extra": "", "color": "red"}, *options)
    assert (product.get("mpn"), product.get("color")) == (None, None)


def test_set_to_nothing_empties_a_field_and_default_fills_it_then(converted):
    options = ("--set", "title={Extra}", "--default", "title={Name}")
    assert converted({"Extra": "", "title": "Own"}, *options)["title"] == "Nordlicht Mug"


def test_a_later_set_reads_what_an_earlier_one_filled(converted):
    assert converted({}, "--set", "mpn=M-{Handle}", "--set", "title=No. {mpn}")["title"] == "No. M-mug"


def test_the_names_of_service_x_are_understood_in_templates_and_fields(converted):
    options = ("--set", "google_product_category=Kitchen", "--set", "title={google_product_category}")
    assert converted({}, *options)["title"] == "Kitchen"


@pytest.mark.parametrize(
    ("price", "completed"),
    [("12", "12 EUR"), (" 12.50 ", "12.50 EUR"), ("7.00 USD", "7.00 USD")],
)
def test_currency_completes_bare_prices_only(converted, price, completed):
    assert converted({"price": price})["price"] == completed


def test_currency_completes_the_sale_price_too(converted):
    assert converted({"sale_price": "9.95"})["sale_price"] == "9.95 EUR"


@pytest.mark.parametrize("price", ["44,90", "1.234,56", "1 234.00", "1'234.00"])
def test_a_completed_price_is_not_otherwise_changed(exports, price):
    exports.write({"price": price})
    (finding,) = exports.check(*OPTIONS, code=3)["findings"]
    assert f"{f'{price} EUR'!r} is not allowed" in finding["problem"]


@pytest.mark.parametrize(
    ("link", "completed"),
    [
        ("/a.jpg", "https://shop.example/a.jpg"),
        ("a b.jpg", None),
        ("//cdn.example/a.jpg", "https://cdn.example/a.jpg"),
        ("HTTPS://cdn.example/a.jpg", "HTTPS://cdn.example/a.jpg"),
        ("http://cdn.example/a.jpg", "http://cdn.example/a.jpg"),
        ("?image=1", "https://shop.example/?image=1"),
        ("www.shop.example/a.jpg", None),  # whether that is a host is not guessed
        ("//[", None),
    ],
)
def test_base_url_completes_relative_addresses_only(exports, converted, link, completed):
    if completed:
        assert converted({"image_link": link})["image_link"] == completed
    else:
        exports.write({"image_link": link})
        assert [finding["field"] for finding in exports.check(*OPTIONS, code=3)["findings"]] == ["image_link"]


@pytest.mark.parametrize(
    ("base", "completed"),
    [
        ("https://shop.example/de", "https://shop.example/de/p/1"),
        ("https://shop.example/de/", "https://shop.example/de/p/1"),
    ],
)
def test_the_path_of_base_url_is_a_folder(converted, base, completed):
    product = converted({}, "--set", "link=p/1", "--set", "mobile_link=/m", "--base-url", base)
    assert product["link"] == completed
    assert product["mobile_link"] == "https://shop.example/m"


def test_base_url_completes_each_of_the_additional_images(converted):
    images = "/a.jpg,https://cdn.example/b.jpg, c.jpg"
    completed = "https://shop.example/a.jpg,https://cdn.example/b.jpg,https://shop.example/c.jpg"
    assert converted({ADDITIONAL: images})[ADDITIONAL] == completed


def test_split_keeps_the_first_image_and_adds_the_others(converted):
    images = "/a.jpg ; /b.jpg;;https://cdn.example/w_40,h_30/c.jpg;"
    product = converted({"image_link": images, ADDITIONAL: "/d.jpg"}, "--split", "image_link=;")
    assert product["image_link"] == "https://shop.example/a.jpg"
    assert product[ADDITIONAL].split(",") == [
        "https://shop.example/b.jpg",
        "https://cdn.example/w_40%2Ch_30/c.jpg",
        "https://shop.example/d.jpg",
    ]


def test_split_takes_a_list_of_json_apart(converted):
    change = {"image_link": ["/a.jpg", "/b.jpg"]}
    product = converted(change, "--split", "image_link=,", name="feed.jsonl")
    assert product[ADDITIONAL] == "https://shop.example/b.jpg"


def test_split_names_a_column_as_the_file_does_and_joins_additional_images(converted):
    options = ("--map", "Pictures=additional_image_link", "--split", "Pictures=|")
    assert converted({"Pictures": "/a.jpg|/b.jpg"}, *options)[ADDITIONAL] == (
        "https://shop.example/a.jpg,https://shop.example/b.jpg"
    )


def test_split_keeps_the_first_part_of_any_other_field(converted):
    product = converted({"product_type": "A > B, C > D"}, "--split", "product_type=,")
    assert product["product_type"] == "A > B"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "titel={Name}"], "--set: 'titel' is not a known field; did you mean 'title'?"),
        (["--set", "title"], "--set: 'title' is not FIELD=TEMPLATE"),
        (["--set", "title={Nam}"], "--set: no column 'Nam'; did you mean 'Name'?"),
        (["--default", "title={Nam}"], "--default: no column 'Nam'; did you mean 'Name'?"),
        (["--set", "title={Name"], "'{' is not part of a {column}; write {{ for a brace"),
        (["--set", "title=Name}"], "'}' is not part of a {column}; write }} for a brace"),
        (["--set", "title={}"], "'{' is not part of a {column}"),
        (["--currency", "EURO"], "--currency: 'EURO' is not a currency of ISO 4217"),
        (["--currency", ""], "--currency: '' is not a currency of ISO 4217"),
        (["--base-url", "shop.example"], "--base-url: 'shop.example' is not the address of a folder"),
        (["--base-url", "https://"], "is not the address of a folder"),
        (["--base-url", "https://[x"], "is not the address of a folder"),
        (["--split", "image_link"], "--split: 'image_link' is not FIELD=SEP"),
        (["--split", "imagelink=;"], "--split: no column 'imagelink'; did you mean 'image_link'?"),
    ],
)
@pytest.mark.parametrize("name", ["feed.csv", "feed.jsonl"])
def test_a_wrong_option_is_refused(exports, options, said, name):
    exports.write({}, name=name)
    assert said in exports.refused(*options, name=name)


@given(st.text(), st.text())
def test_a_template_without_columns_is_its_text(before, after):
    text = f"{before}{{{{{after}".replace("{", "{{").replace("}", "}}")
    assert Template.parse(text).render({}) == text.replace("{{", "{").replace("}}", "}")


@given(st.lists(st.tuples(st.text(st.characters(exclude_characters="{}")), st.sampled_from("abc"))))
def test_a_template_is_filled_in_once(parts):
    values = {"a": "{b}", "b": "", "c": "{{"}
    text = "".join(f"{literal}{{{column}}}" for literal, column in parts)
    filled = "".join(literal + values[column] for literal, column in parts)
    nothing = parts and not any(values[column] for _, column in parts)
    assert Template.parse(text).render(values) == ("" if nothing else filled)


@pytest.mark.parametrize("name", ["feed.jsonl", "feed.yaml", "feed.xml"])
def test_a_mapped_column_that_no_record_has_is_told_of(exports, name):
    exports.write({"Farbe": "red"}, name=name)
    report = exports.check(*OPTIONS, "--map", "Farbe=color", "--map", "Grosse=size", name=name)
    assert "--map: no record has 'Grosse'" in report["warnings"]
    report = exports.check(*OPTIONS, "--map", "Frabe=color", name=name)
    assert "--map: no record has 'Frabe'; did you mean 'Farbe'?" in report["warnings"]
