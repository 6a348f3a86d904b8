"""RSS as it is written: as a shop's feed has it, and so that it is read back equal."""

import io
import json
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from ads_cli.feeds.formats.xml_writer import NOT_XML, REPLACEMENT
from ads_cli.feeds.locations.location import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS
from ads_cli.feeds.rows import REPORT_COLUMNS
from ads_cli.feeds.source import Source
from ads_cli.feeds.writer import open_writer
from tests.conftest import EXAMPLES, feed


def written(columns: list[str], *rows: dict) -> str:
    stream = io.StringIO(newline="")
    writer = open_writer(stream, FORMATS["xml"], columns)
    for row in rows:
        writer.write(row)
    writer.close()
    return stream.getvalue()


def read(text: str) -> list[dict]:
    source = Source(InMemory(text.encode(), "feed.xml"), FORMATS["xml"])
    return [row.values for row in read_rows(source, roots=(), known=("id", "additional_image_link"))]


def test_a_row_is_an_item_with_the_elements_of_a_shopping_feed():
    images = "https://i.example/1,https://i.example/2"
    values = {"id": "1", "title": "a < b", "additional_image_link": images, "store_product_category": "5"}
    text = written(list(values), values)
    (item,) = ElementTree.fromstring(text).iterfind("channel/item")
    assert [(element.tag, element.text) for element in item] == [
        ("{http://base.google.com/ns/1.0}id", "1"),
        ("title", "a < b"),
        ("{http://base.google.com/ns/1.0}additional_image_link", "https://i.example/1"),
        ("{http://base.google.com/ns/1.0}additional_image_link", "https://i.example/2"),
        ("{http://base.google.com/ns/1.0}google_product_category", "5"),
    ]
    assert read(text)[0]["additional_image_link"] == images


names = st.text(min_size=1, max_size=12).map(lambda name: NOT_XML.sub(REPLACEMENT, name.strip())).filter(bool)


@given(names=st.lists(names, min_size=1, max_size=5, unique=True))
def test_any_name_of_a_column_is_read_back(names):
    names = [name for name in names if name.strip() == name and name not in REPORT_COLUMNS]
    values = {name: f"value of {number}" for number, name in enumerate(["id", *names])}
    assert read(written(list(values), values)) == [values]


def test_nested_values_and_lists_are_elements_in_each_other():
    values = {"id": "1", "shipping": [{"country": "DE", "price": "3 EUR"}, {"country": "NL"}]}
    assert read(written(list(values), values)) == [values]


def test_characters_that_xml_does_not_allow_are_replaced():
    text = written(["id"], {"id": "a\x0b\ud800\ufffeb\r\n"})
    assert read(text) == [{"id": "a\ufffd\ufffd\ufffdb\r\n"}]


def test_a_pulled_catalog_is_pushed_again_unchanged(adsctl, service):
    adsctl("products", "push", EXAMPLES / "products.csv")
    for name in ("feed.xml", "feed.xml.gz", "feed.rss"):
        adsctl("products", "pull", name)
        pushed = json.loads(adsctl("products", "push", name, "-o", "json").stdout)
        assert pushed["unchanged"] == pushed["rows"] == len(service.stored), name


def test_rejected_rows_are_written_as_xml_and_pushed_again_once_they_are_corrected(adsctl, service):
    adsctl.file("feed.csv", feed(2, price="1", **{"My Note": "a<b"}))
    adsctl("products", "push", "feed.csv", "--skip-invalid", "--failed-out", "failed.xml", code=9)
    failed = (adsctl.home / "failed.xml").read_text()
    assert '<g:attribute name="My Note">a&lt;b</g:attribute>' in failed and "<g:_error>" in failed
    adsctl.file("failed.xml", failed.replace(">1</g:price>", ">1.00 EUR</g:price>"))
    pushed = json.loads(adsctl("products", "push", "failed.xml", "-o", "json").stdout)
    assert (pushed["rows"], pushed["created"]) == (2, 2)
