"""`products convert`: what push would send of a feed, in any format that can be written."""

import csv
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.feeds.registry import writable_formats
from tests.conftest import EXAMPLES, PRODUCT, feed
from tests.effort import tries
from tests.products.feeds.kinds.shop import SHOP_OPTIONS

FORMATS = writable_formats()


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_converted_is_valid_and_sends_the_same(adsctl, format):
    odd = {"title": "Größe ☕ \"L\", 'XL' <&>;", "description": "two\nlines\tand a tab", "inventory": 3}
    like_other_types = {"color": "no", "size": "12:30", "custom_label_0": "null", "brand": "=1+1"}
    products = [PRODUCT | {"id": "1"} | odd, PRODUCT | {"id": "00123"} | like_other_types]
    adsctl.file("feed.json", json.dumps(products))
    done = adsctl("products", "convert", "feed.json", f"out.{format}")
    assert "2 products written" in done.stderr and not done.stdout
    report = json.loads(adsctl("products", "check", f"out.{format}", "-o", "json").stdout)
    assert (report["valid"], report["findings"], report["warnings"]) == (2, [], [])
    adsctl("products", "convert", f"out.{format}", "again.json")
    assert json.loads((adsctl.home / "again.json").read_text()) == products


def test_columns_are_in_the_declared_order_and_no_others_are_written(adsctl):
    rows = feed(1).splitlines()
    header, row = rows[0].split(","), next(csv.reader(rows[1:]))
    order = [*reversed(range(len(header)))]
    adsctl.file("feed.csv", ",".join([*(header[i] for i in order), "Colour", "note"]) + "\n")
    with (adsctl.home / "feed.csv").open("a", newline="") as file:
        csv.writer(file).writerow([*(row[i] for i in order), "red", "x"])
    adsctl("products", "convert", "feed.csv", "out.csv", "--map", "Colour=color")
    with (adsctl.home / "out.csv").open() as file:
        names, values = csv.reader(file)
    declared = ["id", "title", "description", "availability", "condition", "price", "link", "image_link"]
    assert names == [*declared, "brand", "color"]
    assert dict(zip(names, values, strict=True))["color"] == "red"


META = """id,title,description,availability,condition,price,link,image[0].url,image[1].url,brand
1,Mug,A mug,in stock,new,5 EUR,https://shop.example/1,https://i.example/1.jpg,https://i.example/2.jpg,Nordlicht
"""


@pytest.mark.parametrize(("name", "options"), [("meta.csv", ()), ("shopify.csv", SHOP_OPTIONS)])
def test_a_table_has_every_field_that_the_products_of_a_kind_have(adsctl, name, options):
    adsctl.file("meta.csv", META)
    adsctl.file("shopify.csv", (EXAMPLES / "shopify.csv").read_text())
    adsctl("products", "convert", name, "out.json", *options)
    adsctl("products", "convert", name, "out.csv", *options)
    adsctl("products", "convert", "out.csv", "again.json", "--from", "generic")
    first, again = (json.loads((adsctl.home / path).read_text()) for path in ("out.json", "again.json"))
    assert any("additional_image_link" in product for product in first) and again == first


def test_nothing_is_written_of_a_feed_with_invalid_rows(adsctl):
    adsctl.file("feed.csv", feed(3).replace("12.50 EUR", "cheap", 1))
    done = adsctl("products", "convert", "feed.csv", "out.jsonl", code=3)
    assert "price: 'cheap' is not allowed" in done.stderr and "nothing was written" in done.stderr
    assert not (adsctl.home / "out.jsonl").exists()


def test_skip_invalid_writes_the_others_and_ends_with_9(adsctl):
    adsctl.file("feed.csv", feed(3).replace("12.50 EUR", "cheap", 1))
    words = ("--skip-invalid", "--failed-out", "failed.csv")
    done = adsctl("products", "convert", "feed.csv", "out.jsonl", *words, code=9)
    assert (
        done.stderr.count("1 of 3 rows invalid and not written") == 2 and "2 products written" in done.stderr
    )
    assert "not sent" not in done.stderr
    lines = (adsctl.home / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["sku-2", "sku-3"]
    assert [row["id"] for row in csv.DictReader((adsctl.home / "failed.csv").open())] == ["sku-1"]


@pytest.mark.parametrize("format", FORMATS)
def test_rejected_rows_with_nested_values_are_read_again_by_the_same_options(adsctl, format):
    nested = {"price": {"amount": "12.50", "currency": "EUR"}, "vendor": {"name": "Ängström"}}
    products = [PRODUCT | {"id": str(number)} | nested | {"brand": None} for number in range(2)]
    products[1]["link"] = "none"
    adsctl.file("feed.json", json.dumps(products))
    options = ("--set", "price={price.amount} {price.currency}", "--set", "brand={vendor.name}")
    failed = f"failed.{format}"
    adsctl("products", "check", "feed.json", *options, "--failed-out", failed, code=3)
    adsctl("products", "convert", failed, "out.json", *options, "--set", "link=https://shop.example/p")
    (product,) = json.loads((adsctl.home / "out.json").read_text())
    assert (product["id"], product["price"], product["brand"]) == ("1", "12.50 EUR", "Ängström")


def test_a_key_of_a_column_that_is_not_nested_stays_a_mistake_in_a_table(adsctl):
    adsctl.file("feed.csv", feed(1))
    done = adsctl("products", "convert", "feed.csv", "out.json", "--set", "brand={title.name}", code=2)
    assert "--set: no column 'title.name'" in done.stderr


def test_an_existing_file_is_replaced_only_with_force(adsctl):
    adsctl.file("feed.csv", feed(1))
    adsctl.file("out.csv", "mine\n")
    done = adsctl("products", "convert", "feed.csv", "out.csv", code=12)
    assert "--force" in done.stderr and (adsctl.home / "out.csv").read_text() == "mine\n"
    adsctl("products", "convert", "feed.csv", "out.csv", "--force")
    assert "sku-1" in (adsctl.home / "out.csv").read_text()


def test_the_input_is_never_the_output(adsctl):
    adsctl.file("feed.csv", feed(1))
    done = adsctl("products", "convert", "feed.csv", "./feed.csv", "--force", code=2)
    assert "is the input file" in done.stderr


def test_a_file_that_cannot_be_written_whole_is_not_there(adsctl, monkeypatch):
    adsctl.file("feed.csv", feed(3))
    from ads_cli.feeds.formats.writers import JsonLinesWriter

    def write(self, values):
        if self.count:
            raise OSError(28, "No space left on device")
        self.stream.write("{}\n")

    monkeypatch.setattr(JsonLinesWriter, "_write", write)
    adsctl("products", "convert", "feed.csv", "out.jsonl", code=11)
    assert [*adsctl.home.glob("*out*")] == []


def test_standard_output_needs_a_format_and_holds_nothing_else(adsctl):
    content = feed(2)
    adsctl("products", "convert", "-", "-", "--format", "csv", input=content, code=2)
    done = adsctl("products", "convert", "-", "-", "--format", "csv", "--format-out", "json", input=content)
    assert [product["id"] for product in json.loads(done.stdout)] == ["sku-1", "sku-2"]


def test_results_are_chosen_by_the_format_of_the_file_alone(adsctl):
    adsctl.file("feed.csv", feed(1))
    for words in (("-o", "json"), ("--columns", "id"), ("--query", "[0]")):
        assert "--format-out" in adsctl("products", "convert", "feed.csv", "out.csv", *words, code=2).stderr


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)
FIELDS = dict.fromkeys(("title", "description", "brand"), TEXT)
OPTIONAL = {"color": TEXT, "inventory": st.integers(1, 9)}


@given(
    st.lists(st.fixed_dictionaries(FIELDS, optional=OPTIONAL), min_size=1, max_size=4),
    st.sampled_from(FORMATS),
)
@settings(max_examples=tries(10, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_product_survives_a_round_trip(adsctl, products, format):
    whole = [PRODUCT | {"id": str(number)} | product for number, product in enumerate(products)]
    adsctl.file("feed.json", json.dumps(whole))
    words = ("products", "convert", "feed.json")
    first = adsctl(*words, "-", "--format-out", "json", "--skip-invalid", code=None).stdout
    adsctl(*words, "out", "--format-out", format, "--skip-invalid", "--force", code=None)
    again = adsctl("products", "convert", "out", "-", "--format", format, "--format-out", "json", code=None)
    assert json.loads(again.stdout or "[]") == json.loads(first)
