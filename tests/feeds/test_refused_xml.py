"""XML that is refused: malformed, cut off, without records, or made to fill the memory."""

import pytest

from ads_cli.feeds.formats import xml
from ads_cli.feeds.formats.xml_records import _Search
from tests.effort import tries
from tests.feeds.test_read_xml import FEED, item


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE rss>",
        '<!DOCTYPE rss SYSTEM "https://evil.example/x.dtd">',
        '<!DOCTYPE rss [<!ENTITY a "b">]>',
        '<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_a_document_type_declaration_is_refused(feeds, declaration):
    error = feeds.error(FEED, f"\n{declaration}\n{item('<id>&a;</id>')}")
    assert error.startswith("feed.xml:2:") and "a document type declaration" in error


@pytest.mark.parametrize("hidden", ["<!--", "<?", "<![CDATA["])
def test_entities_are_refused_before_any_is_replaced(feeds, hidden, monkeypatch):
    begun = []
    monkeypatch.setattr(_Search, "start", lambda self, tag, attributes: begun.append(tag))
    entities = f'<!ENTITY h "{hidden}"><!ENTITY a "{"<p/>" * 50}"><!ENTITY b "{"&a;" * 50}">'
    error = feeds.error(FEED, f"<!DOCTYPE rss [{entities}]>\n<rss>{'&b;' * 20}</rss>")
    assert "a document type declaration" in error and not begun


@pytest.mark.parametrize(
    ("content", "position", "words"),
    [
        ("<a>\n<p><id>1</id></p>\n<p><id>2</id></a>", "3:14", "record 2: mismatched tag"),
        ("<a>\n<p><id>1</id></p>\n<p><id>2 < 3</id></p></a>", "3:11", "invalid token"),
        ("<a>\n<p><id>1</id></p>\n<p><i\x0bd>2</i\x0bd></p></a>", "3:6", "invalid token"),
        ("<a>\n<p><id>1</id></p>\n<p><id>&#xD800;</id></p></a>", "3:8", "invalid character number"),
        ("<a>\n<p><id>1</id></p>\n<p x=1><id>2</id></p></a>", "3:6", "invalid token"),
        ("<p><id>1</id></p>\n<p><id>2</id></p>", "2:1", "junk after document element"),
    ],
)
def test_a_document_that_is_not_well_formed_names_line_and_column(feeds, content, position, words):
    error = feeds.error(FEED, content)
    assert error.startswith(f"feed.xml:{position}: ") and words in error


def test_a_document_that_is_cut_off_is_refused_wherever_it_ends(feeds):
    content = item("<g:id>1</g:id>\n<title>é<![CDATA[x]]></title>\n<x y='z'/>").encode()
    for cut in range(content.index(b"<item>"), len(content)):
        error = feeds.error(FEED, content[:cut])
        assert error.startswith("feed.xml:") and ("cut off" in error or "UTF-8" in error)


@pytest.mark.parametrize("content", ["<rss><channel></channel></rss>", "<feed/>", "<a/>", "<a>text</a>"])
def test_a_document_without_records_is_refused(feeds, content):
    assert "--record" in feeds.error(FEED, content)


@pytest.mark.parametrize(
    "content",
    [
        "<a>" * 200_000,
        "<rss><item>" + "<a>" * 200_000,
        "<rss><item><id>" + "x" * (17 << 20),
        "<rss><item>" + f"<id>{'x' * 100}</id>" * (160 << 10),
    ],
    ids=["elements", "nested", "text", "fields"],
)
def test_what_would_fill_the_memory_is_refused(feeds, content):
    error = feeds.error(FEED, content)
    assert error.startswith("feed.xml:1") and ("too deeply" in error or "16,777,216" in error)


@pytest.mark.parametrize("begun", ["<rss ", "<rss><item><!--"], ids=["tag", "comment"])
def test_a_tag_that_does_not_end_is_refused(feeds, monkeypatch, begun):
    limit = tries(2 << 20, xml.MAX_RECORD_BYTES)  # the parser reads a tag again with each block
    monkeypatch.setattr(xml, "MAX_RECORD_BYTES", limit)
    error = feeds.error(FEED, begun + "x" * (limit + (1 << 20)))
    assert error.startswith("feed.xml:1") and f"more than {limit:,} bytes" in error


def test_a_web_page_in_place_of_a_feed_is_told(feeds):
    error = feeds.error(FEED, "<!DOCTYPE html><html><body>Sign in</body></html>")
    assert error.startswith("feed.xml is a web page, not a feed")
