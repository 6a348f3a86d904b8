"""Which field a column is meant as, and what makes its values valid."""

import pytest

from ads_cli.api.problems import CHOICE, Problem
from ads_cli.products.feeds.addresses import list_separator
from ads_cli.products.feeds.fixes.fix import FIELD_TYPES
from ads_cli.products.feeds.hints import (
    SYNONYMS,
    FixAdvisor,
    column_for,
    fields_of_columns,
    options_for,
    template_of_nested,
)

FIELDS = [*FIELD_TYPES]
WORDS = [(field, word) for field, words in SYNONYMS.items() for word in words]


@pytest.mark.parametrize(("field", "word"), WORDS, ids=[word for _, word in WORDS])
def test_each_word_is_meant_as_its_field_and_as_no_other(field, word):
    assert fields_of_columns([word], FIELDS) == {word: field} == fields_of_columns([word, "x9"], FIELDS)
    assert [other for other in SYNONYMS if column_for(other, [word])] == [field]


@pytest.mark.parametrize("column", ["cost price", "net price", "buy price", "old price", "Preis netto"])
def test_a_price_that_is_not_paid_is_offered_as_none(column):
    assert fields_of_columns([column], FIELDS) == {} and column_for("price", [column]) is None


@pytest.mark.parametrize(
    ("column", "field"),
    [
        ("id_product", "id"),
        ("g:prix", "price"),
        ("g:titel", "title"),
        ("Preis (EUR)", "price"),
        ("Bild 1", "image_link"),
        ("g:colour", "color"),
        ("g:additional_images_link", "additional_image_link"),
        ("titles", "title"),
    ],
)
def test_columns_are_meant_as_fields_however_shops_write_them(column, field):
    assert fields_of_columns([column], FIELDS) == {column: field}


def test_a_column_is_meant_as_one_field():
    columns = ["designation", "prix", "marque", "lien"]
    assert fields_of_columns(columns, FIELDS) == {
        "designation": "title",
        "prix": "price",
        "marque": "brand",
        "lien": "link",
    }


@pytest.mark.parametrize(
    ("field", "value", "template"),
    [
        (
            "sale_price",
            {"amount": 9.5, "currencyCode": "EUR"},
            "{sale_price.amount} {sale_price.currencyCode}",
        ),
        ("sale_price", {"value": "9.5"}, "{sale_price.value}"),
        ("brand", {"name": "Acme"}, "{brand.name}"),
        ("gtin", {"value": "1"}, "{gtin.value}"),
        ("gtin", {"code": "1"}, None),
    ],
)
def test_a_nested_value_has_a_template(field, value, template):
    assert template_of_nested(field, {field: [value]}) == template


@pytest.mark.parametrize(
    ("value", "separator"),
    [
        (["https://a.example/1.jpg"], ","),
        (["https://a.example/1.jpg", "https://a.example/2.jpg"], ","),
        ([], None),
        ([{"src": "https://a.example/1.jpg"}], ","),
        ([{"alt": "a mug"}], None),
        ("https://a.example/w_5,h_5/1.jpg,https://a.example/w_5,h_5/2.jpg", ","),
        ("/media/my photo.jpg", None),
        ("https://a.example/1.jpg", None),
        ("/1.jpg|/2.jpg", "|"),
    ],
)
def test_what_separates_the_addresses_of_a_list(value, separator):
    assert list_separator(value) == separator


def test_a_list_of_one_image_is_split_and_needs_no_address():
    assert options_for("image_link", ["https://a.example/1.jpg"]) == ["--split", "image_link=,"]
    further = ["--split", "additional_image_link=,"]
    assert options_for("additional_image_link", ["https://a.example/1.jpg"]) == further
    assert options_for("additional_image_link", "https://a.example/1.jpg, https://a.example/2.jpg") == []
    assert options_for("image_link", ["/1.jpg"]) == ["--split", "image_link=,", "--base-url", "https://…"]


def advised(field: str, rule: str, **values: str) -> str:
    return FixAdvisor().advise(Problem(field, "is wrong", rule=rule), {field: "", **values}).fix


def test_the_fix_that_is_for_the_fewest_rules_is_advised():
    assert advised("availability", CHOICE, availability="in stock ") == "availability", "and not whitespace"
    assert advised("title", "plain_text", title="<b>Lamp</b>") == "html"


def test_a_fix_that_changes_another_field_only_is_not_advised():
    images = "additional_image_link"
    assert advised(images, "image_url", **{images: "//a.example/1.jpg"}) == "https"
    assert advised(images, "image_url", **{images: "/1.jpg", "link": "//a.example/1"}) == ""
