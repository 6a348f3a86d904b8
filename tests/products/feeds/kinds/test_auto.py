"""`--from auto`: names in any form and known spellings are understood, and no other value is changed."""

import csv
import io
import json
import pickle
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.api.products import Product
from ads_cli.commands.products.options import SOURCES, ProductFeedOptions
from ads_cli.products.feeds.kinds import KINDS, built_in
from ads_cli.products.feeds.kinds.reading import ASSEMBLIES, FROM
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from tests.conftest import PRODUCT
from tests.effort import tries
from tests.products.feeds.kinds import attribute_feeds
from tests.products.feeds.kinds.shop import shop

# The spellings that docs/feeds.md states, beside any case, spaces, dashes, underscores and schema.org.
STATED = {
    "availability": {
        "backorder": "available for order",
        "madetoorder": "available for order",
        "presale": "preorder",
        "limitedavailability": "in stock",
        "onlineonly": "in stock",
        "soldout": "out of stock",
    },
    "condition": {
        "newcondition": "new",
        "usedcondition": "used",
        "refurbishedcondition": "refurbished",
        "usedlikenew": "used",
        "usedgood": "used",
        "usedfair": "used",
    },
    "gender": {},
    "age_group": {},
}
CHOICES = PRODUCT_SCHEMA.choices


def feed(*records: dict[str, str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, dict.fromkeys(name for record in records for name in record))
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


def sent(adsctl, service, text: str, *words: str, name: str = "feed.csv") -> list[dict]:
    before = {*service.stored}
    adsctl.file(name, text)
    adsctl("products", "push", name, *words)
    return [product for product in service.emulator.data.products() if product["id"] not in before]


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        *(
            (s, "in stock")
            for s in ("In Stock", "in_stock", "InStock", "IN-STOCK", "https://schema.org/InStock")
        ),
        ("http://www.schema.org/OutOfStock", "out of stock"),
        ("backorder", "available for order"),
        ("https://schema.org/BackOrder", "available for order"),
        ("Available For Order", "available for order"),
        ("PreOrder", "preorder"),
    ],
)
def test_an_availability_as_others_spell_it_is_understood(adsctl, service, spelled, meant):
    (product,) = sent(adsctl, service, feed(PRODUCT | {"availability": spelled}))
    assert product["availability"] == meant


def test_a_kind_is_recognized_by_any_column_that_begins_so(adsctl):
    adsctl.file("feed.csv", feed(PRODUCT | {"applink.ios_url": "shop://mug"}))
    assert "read as a Meta catalog feed" in adsctl("products", "check", "feed.csv").stderr


def test_one_other_spelling_among_many_is_a_mistake_and_not_a_kind(adsctl):
    rows = [
        PRODUCT | {"id": f"sku-{n}", "availability": "in_stock" if n == 3 else "in stock"} for n in range(9)
    ]
    adsctl.file("feed.csv", feed(*rows))
    done = adsctl("products", "check", "feed.csv", "-o", "table", code=3)
    assert "'in_stock' is not one of" in done.stdout and "read as" not in done.stderr
    adsctl("products", "check", "feed.csv", "--from", "google")


def test_names_in_any_form_are_understood(adsctl, service):
    names = {
        "id": "ID",
        "image_link": "Image Link",
        "link": "g:link",
        "brand": "BRAND",
        "description": "Description",
    }
    record = {names.get(name, name): value for name, value in PRODUCT.items()}
    record |= {
        "google product category": "Home",
        "item-group-id": "mugs",
        "identifier exists": "no",
        "Shipping": "x",
    }
    adsctl.file("feed.csv", feed(record))
    done = adsctl("products", "check", "feed.csv")
    assert (
        done.stderr
        == "feed.csv: read as a Google Merchant Center feed (--from google); if it is not: --from generic\n"
    )
    (product,) = sent(adsctl, service, feed(record))
    assert product["store_product_category"] == "Home" and product["item_group_id"] == "mugs"


def test_the_keys_of_json_are_understood_too(adsctl, service):
    record = {"offerType": "x", "imageLink": PRODUCT["image_link"], "googleProductCategory": "Home"} | PRODUCT
    del record["image_link"]
    (product,) = sent(adsctl, service, json.dumps([record]), name="feed.json")
    assert product["image_link"] == PRODUCT["image_link"] and product["store_product_category"] == "Home"


def test_a_feed_with_the_names_of_the_specification_is_no_kind(adsctl):
    adsctl.file("feed.csv", feed(PRODUCT | {"google_product_category": "Home"}))
    assert adsctl("products", "check", "feed.csv").stderr == ""


def test_a_field_by_its_own_name_is_read_before_one_that_a_kind_knows(adsctl, service):
    (product,) = sent(adsctl, service, feed(PRODUCT | {"Brand": "Other", "identifier_exists": "no"}))
    assert product["brand"] == PRODUCT["brand"]


def test_generic_reads_nothing_but_the_names_of_the_specification(adsctl):
    adsctl.file("feed.csv", feed(PRODUCT | {"availability": "in_stock", "tax": "x"}))
    done = adsctl("products", "check", "feed.csv", "--from", "generic", "-o", "table", code=3)
    assert "'in_stock' is not one of" in done.stdout and "'tax'" in done.stderr


def test_a_kind_that_does_not_exist_is_told_with_the_nearest(adsctl):
    adsctl.file("feed.csv", feed(PRODUCT))
    done = adsctl("products", "check", "feed.csv", "--from", "shopfy", code=2)
    assert "--from: 'shopfy' is not one of auto, generic, shopify" in done.stderr
    assert "did you mean 'shopify'?" in done.stderr


def test_a_column_that_is_not_sent_is_told_with_the_option_that_sends_it(adsctl):
    adsctl.file("feed.csv", feed(PRODUCT | {"product_types": "Home", "margin": "1", "nothing": ""}))
    done = adsctl("products", "check", "feed.csv")
    assert "'product_types' is not sent; to send it: --map product_types=product_type" in done.stderr
    assert "not sent: 'margin'" in done.stderr and "nothing" not in done.stderr


def test_an_empty_column_is_known_to_be_empty_only_after_the_last_row(adsctl):
    rows = [PRODUCT | {"id": f"sku-{n}", "late": "x" if n == 2999 else "", "never": ""} for n in range(3000)]
    adsctl.file("feed.csv", feed(*rows))
    done = adsctl("products", "check", "feed.csv")
    assert "'late'" in done.stderr and "never" not in done.stderr


NAMES = st.sampled_from(sorted({*PRODUCT_SCHEMA.known} - {"product_key", "item_group_key"}))
FORMS = st.sampled_from([str, str.upper, str.title, lambda s: s.replace("_", " "), lambda s: "g:" + s])
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
VALUES = {
    field: st.one_of(TEXTS, st.sampled_from([*values, *STATED[field], *map(str.title, values)]))
    for field, values in CHOICES.items()
}


@st.composite
def records(draw) -> dict[str, tuple[str, str]]:
    """Draw a field with the form of its name and a value, for some fields."""
    fields = draw(st.sets(NAMES, max_size=12)) | {"id", "title", "link"}
    return {field: (draw(FORMS)(field), draw(VALUES.get(field, TEXTS))) for field in sorted(fields)}


@settings(max_examples=tries(25, 300))
@given(record=records(), source=st.sampled_from(["auto", "google", "meta", "pinterest"]))
def test_no_value_is_changed_but_for_the_stated_spellings(tmp_path_factory, record, source):
    path = tmp_path_factory.mktemp("feed") / "feed.jsonl"
    path.write_text(json.dumps(dict(record.values())), encoding="utf-8")
    rows = ProductFeedOptions(source_kind=source).open_feed(FakeCall(), str(path)).rows
    (row,) = rows
    for field, (name, value) in record.items():
        read = row.values.get(field, row.values.get(name))
        assert read == value or read == stated(field, value)


def stated(field: str, value: str) -> str | None:
    key = value.removeprefix("https://schema.org/").casefold()
    for separator in " _-\t\xa0":
        key = key.replace(separator, "")
    key = key.removeprefix("g:").removeprefix("c:")
    names = {choice.replace(" ", ""): choice for choice in CHOICES.get(field, ())}
    return (names | STATED.get(field, {})).get(key)


class FakeCall:
    """What opening a file asks of an invocation."""

    class settings:
        get = staticmethod(lambda name: None)

    class messages:
        say = staticmethod(lambda text: None)

    def remote_access(self, max_bytes):
        raise AssertionError("no feed is remote")


@pytest.mark.parametrize("kind", ["google", "meta"])
def test_worker_processes_read_a_table_as_the_same_kind(adsctl, kind):
    path = adsctl.file("feed.csv", attribute_feeds.write(kind, shop(20)))
    rows = ProductFeedOptions().open(FakeCall(), str(path))
    expected = [(row.values, row.left_out) for row in rows]
    (block,) = rows.table.blocks(10_000_000)
    copy = pickle.loads(pickle.dumps(rows))
    assert [(row.values, row.left_out) for row in copy.parse_block(block)] == expected


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_names_fields_and_values_that_exist(name):
    kind = built_in(name)
    given_fields = {
        *kind.columns.values(),
        *kind.values,
        *kind.joined,
        *kind.options,
    }
    assert given_fields <= {*PRODUCT_SCHEMA.known} and {*kind.hints} <= {*PRODUCT_SCHEMA.known}
    for field, values in kind.values.items():
        assert {*values} == {*CHOICES[field]}
    assert {*CHOICES} == {*kind.values}
    assert kind.assembly in ("", *ASSEMBLIES) and kind.recognized_by and kind.title


def test_help_names_every_kind():
    assert {*SOURCES} == {*FROM}
    assert get_args(Product.__annotations__["condition"]) == CHOICES["condition"]
