"""RSS as it is written: as a shop's feed has it, and so that it is read back equal."""

import io
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.errors import ContentError
from ads_cli.feeds.formats.writers import NOT_XML, open_writer
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS
from ads_cli.feeds.rows import REPORT_COLUMNS
from ads_cli.feeds.source import Source
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


names = st.text(min_size=1, max_size=12).map(lambda name: NOT_XML.sub("\ufffd", name.strip())).filter(bool)


@given(names=st.lists(names, min_size=1, max_size=5, unique=True))
def test_any_name_of_a_column_is_read_back(names):
    names = [name for name in names if name.strip() == name and name not in REPORT_COLUMNS]
    values = {name: f"value of {number}" for number, name in enumerate(["id", *names])}
    assert read(written(list(values), values)) == [values]


def test_nested_values_and_lists_are_elements_in_each_other():
    values = {"id": "1", "shipping": [{"country": "DE", "price": "3 EUR"}, {"country": "NL"}]}
    assert read(written(list(values), values)) == [values]


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
@pytest.mark.parametrize("field", ["id", "a\x0b"])
def test_a_character_that_xml_does_not_allow_is_refused(character, field):
    name = field.replace("\x0b", character)
    with pytest.raises(ContentError, match=f"U.{ord(character):04X}, which XML cannot hold"):
        written([name], {name: "fine"}, {name: f"a{character}b" if name == "id" else "b"})
    assert read(written(["id"], {"id": "a\ufffdb\x85\U0001f600\r\n"})) == [
        {"id": "a\ufffdb\x85\U0001f600\r\n"}
    ]


def test_a_feed_is_converted_to_xml_once_it_holds_only_what_xml_can(adsctl):
    adsctl.file("feed.csv", feed(3, title="Mug\x0b \x07of\ufffe tea"))
    done = adsctl("products", "convert", "feed.csv", "feed.xml", code=3)
    assert (
        "feed.csv:2: record 1 cannot be written: 'title' has the character U+000B, which XML cannot hold"
        in done.stderr
    )
    assert "--fix whitespace removes such characters; csv and jsonl hold them" in done.stderr
    assert not (adsctl.home / "feed.xml").exists()
    adsctl("products", "convert", "feed.csv", "feed.xml", "--fix", "whitespace")
    assert [row["title"] for row in read((adsctl.home / "feed.xml").read_text())] == ["Mug of tea"] * 3


def test_a_catalog_that_xml_cannot_hold_is_not_pulled_as_xml_and_the_earlier_file_stays(adsctl, service):
    adsctl.file("feed.csv", feed(2, title="Mug \x07"))
    adsctl("products", "push", "feed.csv")
    adsctl.file("backup.xml", "earlier")
    done = adsctl("products", "pull", "backup.xml", "--force", code=3)
    assert "record 1 cannot be written: 'title' has the character U+0007" in done.stderr
    assert (adsctl.home / "backup.xml").read_text() == "earlier"
    adsctl("products", "pull", "backup.jsonl")


def test_rejected_rows_that_xml_cannot_hold_are_not_written_as_something_else(adsctl, service):
    adsctl.file("feed.csv", feed(2, price="1", title="Mug \x07"))
    words = ("products", "push", "feed.csv", "--skip-invalid", "--failed-out")
    done = adsctl(*words, "failed.xml", code=3)
    assert "U+0007, which XML cannot hold" in done.stderr and not (adsctl.home / "failed.xml").exists()
    adsctl(*words, "failed.jsonl", code=9)


def test_a_pulled_catalog_is_pushed_again_unchanged(adsctl, service):
    adsctl("products", "push", EXAMPLES / "products.csv")
    adsctl("products", "pull", "feed.xml.gz")
    pushed = json.loads(adsctl("products", "push", "feed.xml.gz", "-o", "json").stdout)
    assert pushed["unchanged"] == pushed["rows"] == len(service.stored)


def test_rejected_rows_are_written_as_xml_and_pushed_again_once_they_are_corrected(adsctl, service):
    adsctl.file("feed.csv", feed(2, price="1", **{"My Note": "a<b"}))
    adsctl("products", "push", "feed.csv", "--skip-invalid", "--failed-out", "failed.xml", code=9)
    failed = (adsctl.home / "failed.xml").read_text()
    assert '<g:attribute name="My Note">a&lt;b</g:attribute>' in failed and "<g:_error>" in failed
    adsctl.file("failed.xml", failed.replace(">1</g:price>", ">1.00 EUR</g:price>"))
    pushed = json.loads(adsctl("products", "push", "failed.xml", "-o", "json").stdout)
    assert (pushed["rows"], pushed["created"]) == (2, 2)
