"""XML as shops export it: RSS, Atom, and elements of their own."""

import pytest

from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.source import ReadOptions

FEED = "feed.xml"
GOOGLE = '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>{}</channel></rss>'
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>S</title>{}</feed>'


def item(text: str) -> str:
    return GOOGLE.format(f"<item>{text}</item>")


def values(feeds, content: str | bytes, *, record: str | None = None, **rename: str) -> list[dict]:
    source = open_source(feeds.write(FEED, content), options=ReadOptions(record=record))
    return [row.values for row in read_rows(source, roots=(), known=KNOWN, rename=rename)]


KNOWN = ("id", "title", "description", "link", "image_link", "additional_image_link", "price")


def test_an_rss_feed_is_read_with_and_without_prefixes(feeds):
    content = GOOGLE.format(
        "\n<item><g:id>1</g:id><title>a &amp; b</title><c:season>summer</c:season></item>"
        "\n\n<item>\n<id>2</id>\n<title><![CDATA[<b>&nbsp;]]>\n</title></item>"
    )
    rows = feeds.rows(FEED, content)
    assert [(row.line, row.values, row.problem) for row in rows] == [
        (2, {"id": "1", "title": "a & b", "season": "summer"}, ""),
        (4, {"id": "2", "title": "<b>&nbsp;"}, ""),
    ]
    assert rows.columns == ("id", "title", "season") and rows.notes == []


def test_an_atom_feed_takes_addresses_from_attributes_and_the_ids_of_the_shop(feeds):
    content = ATOM.format(
        '<entry><id>tag:shop.example,2026:1</id><g:id>1</g:id><link rel="self" href="https://s.example/feed"/>'
        '<link rel="alternate" href="https://s.example/1"/><g:title>own</g:title><title>other</title></entry>'
    )
    assert feeds.values(FEED, content) == [{"id": "1", "link": "https://s.example/1", "title": "own"}]


def test_an_enclosure_without_text_is_the_address_in_its_attribute(feeds):
    content = GOOGLE.format(
        '<item><g:id>1</g:id><enclosure url="https://s.example/1.jpg" length="9"/></item>'
    )
    assert feeds.values(FEED, content) == [{"id": "1", "enclosure": "https://s.example/1.jpg"}]


def test_an_rss_feed_of_version_1_has_its_items_beside_the_channel(feeds):
    content = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><title>S</title></channel>'
        '<item rdf:about="https://s.example/1"><id>1</id></item></rdf:RDF>'
    )
    assert feeds.values(FEED, content) == [{"about": "https://s.example/1", "id": "1"}]


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (
            "<products><product><id>{}</id></product><product><id>2</id></product></products>",
            "products/product",
        ),
        ("<products><product><id>{}</id><title>only one</title></product></products>", "products/product"),
        ("<shop><title>S</title><list><p><id>{}</id></p><p><sku>2</sku></p></list></shop>", "shop/list/p"),
        (
            "<yml><shop><name>S</name><categories><category>a</category><category>b</category></categories>"
            "<offers><offer id='{}'><url>x</url><price>1</price></offer><offer id='2'><url>y</url></offer>"
            "</offers></shop></yml>",
            "yml/shop/offers/offer",
        ),
        (
            "<feed2><p><id>{}</id><title>t</title><price>1</price><shipping><country>DE</country>"
            "<price>3</price></shipping><shipping><country>NL</country></shipping></p></feed2>",
            "feed2/p",
        ),
    ],
)
def test_the_repeated_element_with_fields_is_found_and_named(feeds, content, path):
    rows = feeds.rows(FEED, content.format("1"))
    assert next(iter(rows)).values["id"] == "1"
    assert len(list(rows)) == (2 if "2</" in content or "'2'" in content else 1)
    assert rows.notes == [f"the records are the elements {path}; --record names others"]


def test_the_record_option_names_an_element_wherever_it_is(feeds):
    content = "<a><x><i>1</i></x><x><i>2</i></x><b><n:y><id>3</id></n:y></b><y><id>4</id></y></a>"
    for name in ("y", "n:y"):
        assert values(feeds, content, record=name) == [{"id": "3"}, {"id": "4"}]


def test_repeated_elements_are_joined_where_the_field_wants_and_else_a_list(feeds):
    images = "".join(
        f"<g:additional_image_link>https://i.example/{n}</g:additional_image_link>" for n in "123"
    )
    sizes = "<size>S</size><size>M</size>"
    (found,) = feeds.values(FEED, item(f"<id>1</id>{images}{sizes}<id>1</id>"))
    joined = "https://i.example/1,https://i.example/2,https://i.example/3"
    assert found == {"id": "1", "additional_image_link": joined, "size": ["S", "M"]}


def test_nested_elements_are_a_value_by_name_and_known_fields_a_text(feeds):
    shipping = "<g:shipping><g:country>DE</g:country>\n<g:price>3 EUR</g:price></g:shipping>"
    description = "<description>Made of <b>wo<i>o</i>d</b>.</description>"
    link = "<link><a>https://s.example/</a>\n <a>1</a></link>"
    (found,) = feeds.values(
        FEED, item(f"<g:id>1</g:id>{shipping}{shipping}{description}<title>{link}</title>")
    )
    country = {"country": "DE", "price": "3 EUR"}
    assert found["shipping"] == [country, country]
    assert found["title"] == "https://s.example/ 1"
    (found,) = feeds.values(
        FEED, item(f"<id>1</id><note>{description}</note><param name='Color'>red</param>")
    )
    assert found == {"id": "1", "note": {"description": {"b": {"i": "o"}}}, "Color": "red"}


def test_an_element_without_text_is_absent(feeds):
    content = item(
        "<id>1</id><title/><description> \n</description><price><![CDATA[ ]]></price><x>\u2003</x>"
    )
    assert feeds.values(FEED, content) == [{"id": "1"}]


def test_white_space_around_a_text_is_kept_where_the_element_says_so(feeds):
    content = item('<id>1</id><title xml:space="preserve"> a </title><description>\n b\n c </description>')
    assert feeds.values(FEED, content) == [{"id": "1", "title": " a ", "description": "b\n c"}]


def test_elements_are_mapped_and_two_for_one_field_contradict_each_other(feeds):
    content = GOOGLE.format(
        "<item><sku>1</sku><id>2</id></item><item><sku>3</sku></item><item><id>4</id></item>"
    )
    first, *others = feeds.read(FEED, content, sku="id")
    assert first[2] == "the elements 'sku' and 'id' are both read as 'id'"
    assert [(values, problem) for _, values, problem in others] == [({"id": "3"}, ""), ({"id": "4"}, "")]


def test_the_columns_that_failed_out_adds_are_ignored_in_xml(feeds):
    rows = feeds.rows(FEED, item("<id>1</id><_line>2</_line><g:_error>x</g:_error>"))
    assert [row.values for row in rows] == [{"id": "1"}] and rows.columns == ("id",)


DECLARED = '<?xml version="1.0" encoding="{}"?>'


@pytest.mark.parametrize(
    ("encoding", "title"),
    [
        *[
            (name, "Café")
            for name in ("iso-8859-1", "ISO-8859-15", "windows-1252", "cp1252", "utf-8", "latin1")
        ],
        *[("windows-1251", "Кофе"), ("koi8-r", "Кофе"), ("Shift_JIS", "珈琲"), ("EUC-JP", "珈琲")],
        *[
            ("iso-2022-jp", "珈琲"),
            ("gb2312", "咖啡"),
            ("GB18030", "咖啡𝄞"),
            ("Big5", "咖啡"),
            ("euc-kr", "커피"),
        ],
        *[("utf-16", "Café 珈琲"), ("us-ascii", "Cafe")],
    ],
)
def test_a_document_in_its_declared_encoding_is_read(feeds, encoding, title):
    content = DECLARED.format(encoding) + item(f"<id>1</id>\n<title>{title}</title>")
    assert feeds.values(FEED, content.encode(encoding)) == [{"id": "1", "title": title}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_first_bytes_outrank_a_declared_encoding(feeds, encoding):
    content = DECLARED.format("iso-8859-1") + item("<title>Café</title>")
    assert feeds.values(FEED, content.encode(encoding)) == [{"title": "Café"}]


def test_a_declaration_that_cannot_be_true_is_not_believed(feeds):
    content = DECLARED.format("utf-16") + item("<title>Café</title>")
    assert feeds.values(FEED, content) == [{"title": "Café"}]


def test_the_encoding_option_outranks_the_declared_one(feeds):
    content = (DECLARED.format("utf-8") + item("<title>Café</title>")).encode("cp1252")
    error = feeds.error(FEED, content)
    assert error.startswith("feed.xml:1: not UTF-8") and "--encoding cp1252" in error
    assert feeds.values(FEED, content, encoding="cp1252") == [{"title": "Café"}]


def test_an_unknown_encoding_is_named(feeds):
    assert feeds.error(FEED, DECLARED.format("klingon") + "<a/>").startswith(
        "feed.xml:1: the declared encoding 'klingon' is not known"
    )


def test_bytes_that_are_not_in_the_declared_encoding_name_their_line(feeds):
    content = DECLARED.format("shift_jis").encode() + b"\n<a><p>\n<id>\x81\xff</id></p></a>"
    assert feeds.error(FEED, content).startswith("feed.xml:3: not shift_jis")


def test_blank_lines_before_the_declaration_are_skipped_and_counted(feeds):
    content = (
        "\n\n" + DECLARED.format("utf-8") + "\n" + GOOGLE.format("<item><id>1</id></item>\n<item><id></item>")
    )
    assert "feed.xml:5:11: not XML in record 2: mismatched tag at '</item>" in feeds.error(FEED, content)


def test_entities_of_html_and_bare_ampersands_are_read_as_what_they_mean_and_told(feeds):
    rows = feeds.rows(
        FEED,
        GOOGLE.format(
            "<item><id>1</id><link>https://s.example/?a=1&b=2&amp;c=3</link></item>"
            "<item><id>2</id><title>Caf&eacute;&nbsp;&amp;eacute; &unknown; &#8364;</title></item>"
            "<item><id>3</id><title><![CDATA[a & b &nbsp;]]></title><!-- & --></item>"
        ),
    )
    assert [row.values for row in rows] == [
        {"id": "1", "link": "https://s.example/?a=1&b=2&c=3"},
        {"id": "2", "title": "Café\u00a0&eacute; &unknown; €"},
        {"id": "3", "title": "a & b &nbsp;"},
    ]
    assert rows.notes == [
        "2 & that should be &amp; are read as they are",
        "2 entities of HTML are read as characters: &eacute;, &nbsp;",
    ]


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_repairing_does_not_depend_on_the_chunks_that_are_read(feeds, monkeypatch, size):
    content = GOOGLE.format(
        "<item><id>1</id><title>a & b&nbsp;&lt;<![CDATA[&nbsp;]]]]><![CDATA[>]]>&amp;</title></item>\n"
        "<!-- & - <?x & ?> --><?y & ?><item><id>2&</id><x a='&'>3</x></item>"
    )
    monkeypatch.setattr("ads_cli.feeds.formats.xml_text.CHUNK_BYTES", size)
    assert feeds.read(FEED, content) == [
        (1, {"id": "1", "title": "a & b\u00a0<&nbsp;]]>&"}, ""),
        (2, {"id": "2&", "x": "3"}, ""),
    ]
