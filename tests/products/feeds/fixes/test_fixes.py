"""What each fix changes, what it leaves alone, and that a second time changes nothing."""

import json
import pickle
import re
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.api.products import Product, find_html_tag
from ads_cli.api.validation import check, errors_in
from ads_cli.feeds.row import Row
from ads_cli.products.feeds.fixes import (
    DUPLICATES,
    NAMES,
    TEXT_FIXES,
    Fixes,
    all_fixes,
    rule_fixes,
    text_fixes,
    texts,
)
from ads_cli.products.feeds.fixes.texts import INVISIBLE, LINE_SEPARATORS, NON_BREAKING, to_text
from ads_cli.products.feeds.fixes.values import MAX_LENGTHS
from tests.conftest import PRODUCT

FIXES = all_fixes()
BY_NAME = {fix.name: fix for fix in FIXES}
ALL_FIXES = Fixes(NAMES)
LIMITS = {"title": 150, "description": 5000}
TEXTS = st.text() | st.text("<>/ab&;ltgnsp#38!-\n \xa0\u200b\x85\u2028\"'=", max_size=60)


def fixed(name: str, **values: object) -> dict:
    """Return values after a fix."""
    BY_NAME[name].apply(values)
    return values


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Hello&nbsp;<b>World</b></p>", "Hello World"),
        ("Tom &amp; Jerry &eacute;&#233;&#xE9;", "Tom & Jerry ééé"),
        (
            "<p>For:</p><ul><li>tea</li><li><p>coffee</p></li><li></li></ul>Done",
            "For:\n- tea\n- coffee\nDone",
        ),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ("a<script>if (a<b) alert('<p>')</script>b<style>p {}</style>c", "abc"),
        ("&lt;p&gt;escaped&lt;/p&gt;", "escaped"),
        ("&amp;lt;b&amp;gt;twice&amp;lt;/b&amp;gt;", "twice"),
        ("Salt &amp;amp;amp; pepper", "Salt & pepper"),
        ("Caf&eacute &#8211 Wei&szlig", "Café – Weiß"),
        ("<table><tr><td>Size</td><td>L</td></tr><tr><td>Ø</td><td>4 m</td></tr></table>", "Size L\nØ 4 m"),
        ("<!-- note --><p\n class='a > b'>x</p>", "x"),
        ("<![if !supportLists]>a<![endif]><![CDATA[b]]><b>c</b>", "abc"),
        ("<b>5 < 6 & 7 > 3</b>", "5 < 6 & 7 > 3"),
        ('<a title="never closed> text</a> rest', "text rest"),
        ("<li><img alt='never closed>tea", "- tea"),
        ('<a title = "a > b"data-x=">"/>text</a title=">">', "text"),
        ("<a title=5\" class='>'>text", "text"),
        ('<a title==">text', "text"),
        ('<a\n="x>text" </a>', 'text"'),
        ("a<SCRIPT src=x>'</scripts>'</Script\n>b<style/>p {}", "ab"),
        ("<p>x &lt;y and y&gt; z</p>", "x <y and y> z"),
        ("<p>Learn the &lt;table&gt; element &amp; more</p>", "Learn the &lt;table&gt; element & more"),
        ("<p>Below <Tmax & p>10 bar</p>", "Below <Tmax & p>10 bar"),
        ("<o:p>one</o:p><my-note>two</my-note>", "onetwo"),
        ("one&lt;br /&gt;two", "one\ntwo"),
    ],
)
def test_html_becomes_the_text_that_a_browser_shows(html, text):
    assert fixed("html", description=html) == {"description": text}


@pytest.mark.parametrize(
    "text",
    [
        "5 < 6",
        "Size <M",
        "a > b",
        "AT&T",
        "R&D; more",
        "x &copy y",
        "shop?a=1&copy=2",
        "&eacutes &#1 &szlig=1",
        "<3",
        "< p >",
        "t<Tmax & p>10 bar",
        "see <https://shop.example/mug> and <ann@x.de>",
        "Learn the &lt;table&gt; element",
        "&lt;script&gt; begins a program",
        "two\nlines",
    ],
)
def test_plain_text_with_signs_of_html_stays(text):
    assert fixed("html", description=text, title=text) == {"description": text, "title": text}


def test_a_list_in_a_title_is_one_line():
    assert fixed("html", title="<ul><li>a</li><li>b</li></ul>")["title"] == "- a - b"


def test_a_text_that_is_all_markup_is_left_out():
    assert fixed("html", description="<p>&nbsp;</p>") == {}


@given(TEXTS)
@example("<\u200bb>x")
@example("<<b>b>")
@example("&" + "amp;" * 20 + "lt;b&gt;")
def test_text_of_html_has_no_markup_unless_it_is_nested_beyond_reason(html):
    text = to_text(html, multiline=True)
    assert text == html or not find_html_tag(text)
    assert to_text(text, multiline=True) == text


@pytest.mark.parametrize(
    "html",
    [
        *("<a " * 15_000, "<a" * 15_000, "<!--" * 15_000, "<![" * 15_000, "&" * 15_000),
        *('<a x="' * 15_001, '<a x=">"' * 15_000, "<a " + "x='' " * 15_000, "<a" + " " * 15_000 + "x"),
        *("<script>" * 15_000, "<script></script" * 15_000, "<div><b>" * 15_000 + "x", "<td>x" * 15_000),
    ],
    ids=lambda html: html[:20],
)
@pytest.mark.timeout(20)
def test_hostile_markup_costs_linear_time(html):
    for text in (html, html + ">", html + "<b>"):
        to_text(text, multiline=True)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("whitespace", {"title": "  A\u00a0 mug\t\x07", "id": "sku "}, {"title": "A mug", "id": "sku"}),
        (
            "whitespace",
            {"title": "two\r\nlines", "brand": "\ufeffNordlicht"},
            {"title": "two lines", "brand": "Nordlicht"},
        ),
        ("whitespace", {"description": "a \r\n b\n\n\n\nc\n"}, {"description": "a\nb\n\nc"}),
        ("whitespace", {"title": "Family 👨‍👩‍👧 می‌خواهم"}, {}),
        ("whitespace", {"link": " https://shop.example/a"}, {"link": "https://shop.example/a"}),
        ("whitespace", {"title": "two\u2028lines"}, {"title": "two lines"}),
        ("whitespace", {"id": "\u200b\xa0AB  1\xa02\u2028\n"}, {"id": "AB  1\xa02"}),
        ("whitespace", {"item_group_id": "A\x07\ufffe  1"}, {"item_group_id": "A  1"}),
        ("whitespace", {"unknown column": " as it is "}, {}),
        (
            "https",
            {"link": "HTTP://shop.example/a", "mobile_link": "http://m.shop.example"},
            {"link": "https://shop.example/a", "mobile_link": "https://m.shop.example"},
        ),
        ("https", {"image_link": "http://images.example/a.jpg", "link": "ftp://shop.example"}, {}),
        ("availability", {"availability": "12"}, {"availability": "in stock", "inventory": 12}),
        ("availability", {"availability": "0"}, {"availability": "out of stock", "inventory": 0}),
        ("availability", {"availability": "-3", "inventory": "4"}, {"availability": "out of stock"}),
        ("availability", {"availability": 7}, {"availability": "in stock", "inventory": 7}),
        ("availability", {"availability": "InStock"}, {"availability": "in stock"}),
        ("availability", {"availability": "out_of_stock"}, {"availability": "out of stock"}),
        ("availability", {"availability": "https://schema.org/PreOrder"}, {"availability": "preorder"}),
        ("availability", {"availability": "BackOrder"}, {"availability": "available for order"}),
        ("availability", {"availability": "no"}, {"availability": "out of stock"}),
        ("availability", {"availability": "perhaps"}, {}),
        ("availability", {"availability": "1.000"}, {}),
        ("category", {"product_type": "Home>Mugs  >Large>"}, {"product_type": "Home > Mugs > Large"}),
        (
            "category",
            {"store_product_category": "166 - Apparel > Shoes"},
            {"store_product_category": "Apparel > Shoes"},
        ),
        ("category", {"store_product_category": "166", "product_type": "3-D Printers > Parts"}, {}),
        ("gtin", {"gtin": "123", "brand": "Nordlicht"}, {"gtin": None}),
        ("gtin", {"gtin": "4006381333932", "mpn": "N-1"}, {"gtin": None}),
        ("gtin", {"gtin": "none", "brand": "Nordlicht"}, {"gtin": None}),
        ("gtin", {"gtin": "none"}, {}),
        ("gtin", {"gtin": "4.00638E+12", "brand": "Nordlicht"}, {}),
        ("gtin", {"gtin": "4006381333931", "brand": "Nordlicht"}, {}),
        ("gtin", {"gtin": "4006381333931.0", "brand": "Nordlicht"}, {"gtin": "4006381333931"}),
        ("gtin", {"gtin": "4,006,381,333,931", "brand": "Nordlicht"}, {"gtin": "4006381333931"}),
        ("gtin", {"gtin": "4.006.381.333.931", "brand": "Nordlicht"}, {"gtin": "4006381333931"}),
        ("gtin", {"gtin": "EAN: 4006381333931"}, {"gtin": "4006381333931"}),
        ("gtin", {"gtin": "12345678905", "brand": "Nordlicht"}, {"gtin": "012345678905"}),
        ("gtin", {"gtin": "4006381333931;9783161484100", "brand": "Nordlicht"}, {}),
        ("spreadsheet", {"title": "'-20% mug", "id": "''=A\t"}, {"title": "-20% mug", "id": "=A"}),
        ("spreadsheet", {"title": "'80s mug", "link": "'-x"}, {}),
        ("sale_price", {"price": "10.00 EUR", "sale_price": "10 EUR"}, {"sale_price": None}),
        ("sale_price", {"price": "10.00 EUR", "sale_price": "12 EUR"}, {}),
        ("sale_price", {"price": "10.00 EUR", "sale_price": "10.00 USD"}, {}),
        ("sale_price", {"price": "10,00 EUR", "sale_price": "10,00 EUR"}, {}),
        (
            "image",
            {
                "image_link": "https://i.example/a.jpg",
                "additional_image_link": "https://i.example/a.jpg, https://i.example/b.jpg,https://i.example/b.jpg,https://i.example/c.bmp",
            },
            {"additional_image_link": "https://i.example/b.jpg"},
        ),
        (
            "image",
            {"additional_image_link": ",".join(f"https://i.example/{n}.jpg" for n in range(12))},
            {"additional_image_link": ",".join(f"https://i.example/{n}.jpg" for n in range(10))},
        ),
        (
            "image",
            {"image_link": "https://i.example/a.jpg", "additional_image_link": "https://i.example/a.jpg"},
            {"additional_image_link": None},
        ),
        (
            "image",
            {"additional_image_link": "https://i.example/w_5,h_5,https://i.example/w_5,h_5"},
            {},
        ),
    ],
    ids=str,
)
def test_a_fix_changes_this_and_nothing_else(name, before, after):
    changed = {field: value for field, value in (before | after).items() if value is not None}
    values = dict(before)
    edits = BY_NAME[name].apply(values)
    assert values == changed
    assert sorted(edits, key=str) == sorted(
        ((field, before.get(field), value) for field, value in after.items()), key=str
    )


@pytest.mark.parametrize(
    ("dates", "interval"),
    [
        ("2026-12-01T00:00/2026-12-24T23:59", "2026-12-01T00:00+00:00/2026-12-24T23:59+00:00"),
        ("2026-12-01/2026-12-24", "2026-12-01T00:00+00:00/2026-12-24T23:59+00:00"),
        ("2026-12-01T00:00+01:00 / 2026-12-24T23:59+01", "2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"),
        ("2026-12-01 0:00:00/2026-12-24 9:05", "2026-12-01T00:00:00+00:00/2026-12-24T09:05+00:00"),
        ("2026-12-01T08:00:00.000Z /20261224", "2026-12-01T08:00:00.000+00:00/2026-12-24T23:59+00:00"),
        ("2026/12/01/2026/12/24 18:00 -0500", "2026-12-01T00:00+00:00/2026-12-24T18:00-05:00"),
        ("1.12.2026/24.12.2026", "2026-12-01T00:00+00:00/2026-12-24T23:59+00:00"),
        ("12/01/2026 / 12/24/2026", "2026-12-01T00:00+00:00/2026-12-24T23:59+00:00"),
        ("02.02.2026/02.02.2026", "2026-02-02T00:00+00:00/2026-02-02T23:59+00:00"),
        ("2026-12-24/2026-12-01", "2026-12-24T00:00+00:00/2026-12-01T23:59+00:00"),
        *((unclear, unclear) for unclear in ("01.12.2026/05.12.2026", "12/01/2026/12/05/2026", "2026-12-01")),
        *((wrong, wrong) for wrong in ("2026-02-30/2026-03-01", "13/13/2026/14/14/2026", "2026-12-01/P7D")),
    ],
)
def test_sale_dates_are_read_where_they_have_one_meaning(dates, interval):
    assert fixed("date", sale_price_effective_date=dates) == {"sale_price_effective_date": interval}
    assert fixed("date", sale_price_effective_date=interval) == {"sale_price_effective_date": interval}


@pytest.mark.parametrize("field", LIMITS)
def test_a_text_that_is_too_long_is_cut_at_a_word(field):
    limit = LIMITS[field]
    cut = fixed("length", **{field: "Enamelled mugs, " * limit})[field]
    assert limit - 20 < len(cut) <= limit
    assert cut.endswith(("mugs…", "Enamelled…"))
    exact = "a " * (limit // 2)
    assert fixed("length", **{field: exact}) == {field: exact}


def test_a_text_without_spaces_is_cut_between_characters():
    assert fixed("length", title="あ" * 151)["title"] == "あ" * 149 + "…"
    family = "👨‍👩‍👧"
    cut = fixed("length", title=family * 60)["title"]
    assert len(cut) <= 150 and cut.removesuffix("…").replace(family, "") == ""
    accents = fixed("length", title="e\u0301" * 100)["title"]
    assert len(accents) <= 150 and accents.removesuffix("…").replace("e\u0301", "") == ""


def test_the_limits_are_those_of_the_declared_product():
    assert MAX_LENGTHS == LIMITS


VALUES = {
    "id": TEXTS,
    "title": TEXTS | st.text("ab <>&", min_size=140, max_size=200),
    "description": TEXTS,
    "price": st.text("0123456789.,' €$EURab-", max_size=14) | st.integers() | st.floats(allow_nan=False),
    "sale_price": st.text("0123456789.,€EUR ", max_size=10),
    "availability": st.text("0123456789+-.", max_size=5)
    | st.sampled_from(["InStock", "no", "yes", " in stock"]),
    "link": st.sampled_from(["http://a.example", " http://a.example", "https://a.example", "//a"]),
    "product_type": st.text("ab > -1&gt;", max_size=30),
    "gtin": st.text("0123456789-", max_size=14) | st.just("1E+12"),
    "brand": TEXTS,
    "mpn": st.text("'=-+@1\t ", max_size=6),
    "sale_price_effective_date": st.text("0123456789-/.:T Z", max_size=40)
    | st.sampled_from(["2026-12-01/2026-12-24", "1.12.2026/24.12.2026", "2026-12-24/2026-12-01"]),
    "image_link": st.just("https://a.example/a.jpg"),
    "additional_image_link": st.lists(
        st.sampled_from(["https://a.example/a.jpg", "https://a.example/b.gif", "https://a/c.bmp", "x", ""])
    ).map(",".join),
    "inventory": st.integers() | st.text("0123456789", max_size=3),
    "another column": st.text() | st.none() | st.lists(st.integers()),
}
ROWS = st.fixed_dictionaries({}, optional=VALUES)


@given(ROWS, st.sampled_from(["", "EUR"]))
def test_all_fixes_together_change_nothing_the_second_time(values, currency):
    fixes = all_fixes(currency)
    for fix in fixes:
        fix.apply(values)
    once = dict(values)
    edits = [edit for fix in fixes for edit in fix.apply(values)]
    assert edits == [] and values == once


@given(ROWS, st.sampled_from(FIXES))
def test_a_fix_alone_tells_all_that_it_changes_and_changes_nothing_the_second_time(values, original):
    fix = pickle.loads(pickle.dumps(original))
    before = dict(values)
    edits = fix.apply(values)
    old_values = {field: old for field, old, _ in edits}
    assert {field: before.get(field) for field in before.keys() | values.keys()
            if before.get(field) != values.get(field)} == old_values  # fmt: skip
    assert all(new == values.get(field) for field, _, new in edits)
    assert fix.apply(values) == () or fix.apply(values) == []


VALID = st.fixed_dictionaries(
    {
        **dict.fromkeys(("title", "description", "brand", "color"), TEXTS),
        "gtin": st.text("0123456789X-", max_size=13),
        "price": st.sampled_from(["1.234 EUR", "12 EUR", "0.5 JPY"]),
        "availability": st.sampled_from(["in stock", "preorder"]),
    }
)


@given(VALID, st.sampled_from(rule_fixes(NAMES)))
def test_a_row_that_breaks_no_rule_need_not_be_shown_to_a_fix_of_rules(changes, fix):
    values = PRODUCT | {key: value for key, value in changes.items() if value.strip()}
    problems = check(Product, values)[1]
    if not problems:
        assert list(fix.apply(dict(values))) == []


@given(ROWS.map(lambda values: PRODUCT | values))
def test_no_fix_makes_a_valid_row_invalid(values):
    values = {name: value for name, value in values.items() if value not in (None, "")}
    if errors_in(check(Product, values)[1]):
        return
    for fix in FIXES:
        fix.apply(values)
    remaining = errors_in(check(Product, values)[1])
    # Only what has no text but markup or white space is emptied.
    assert all("is required" in str(problem) for problem in remaining)


@given(ROWS)
@example({"title": "a", "description": "b\u2028c"})
def test_what_fixes_of_texts_change_is_noted(values):
    row = Row(1, dict(values))
    ALL_FIXES.fix_texts(row)
    assert row.unchanged == {name: value for name, value in values.items() if value is not None}


@pytest.mark.parametrize("odd", NON_BREAKING + INVISIBLE + LINE_SEPARATORS, ids=ascii)
def test_odd_white_space_is_fixed(odd):
    fixes, row = Fixes(("whitespace",)), Row(1, {"title": f"a{odd}b"})
    fixes.fix_texts(row)
    assert row.values["title"] in ("ab", "a b")


@pytest.mark.parametrize("wrong", [[0], [63], [64], [3, 700], range(0, 900, 2), []])
def test_texts_are_fixed_wherever_in_a_file_they_are(adsctl, wrong):
    rows = [PRODUCT | {"id": f"sku-{n}"} | ({"title": "a  b"} if n in wrong else {}) for n in range(900)]
    adsctl.file("feed.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    report = json.loads(
        adsctl("products", "check", "feed.jsonl", "--fix", "all", "--diff", "-o", "json").stdout
    )
    assert [change["id"] for change in report["changes"]] == [f"sku-{n}" for n in wrong]
    assert report["rows"] == report["valid"] == 900


def test_every_fix_has_a_name_that_the_option_offers():
    assert sorted([*BY_NAME, DUPLICATES]) == list(NAMES)
    assert {fix.name for fix in text_fixes(NAMES)} == {*TEXT_FIXES}


@given(TEXTS, st.sampled_from(["id", "title", "description", "link", "additional_image_link"]))
def test_a_text_that_is_not_looked_through_is_clean(text, field):
    with patch.object(texts, "UNCLEAN", re.compile("")):
        every = fixed("whitespace", **{field: text})
    assert fixed("whitespace", **{field: text}) == every
