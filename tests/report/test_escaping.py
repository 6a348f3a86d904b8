"""Whatever a feed says, a page has the same elements, shows the text, and stays small."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ads_cli.masking import Mask
from ads_cli.output.text import UNSAFE, safe
from ads_cli.report import (
    MAX_TABLE_BYTES,
    Badge,
    Bar,
    Chart,
    Column,
    Edit,
    Figure,
    Link,
    Picture,
    ReportPage,
    ReportTable,
    Section,
    Tally,
    Texts,
    is_page,
    render,
    web_address,
)
from tests.effort import tries
from tests.private_hosts import private_hosts
from tests.report.reading import Read

HOSTILE = (
    *(
        "<script>alert(1)</script>",
        "</style>",
        "</script>",
        "--><b>",
        "\" onload='alert(1)'",
        "&lt;b&gt;",
        "&#60;",
    ),
    *("{{ 7 * 7 }}", "{% raw %}", "\u202eevil\u2066", "\x00\x1b[31m", "\ud800", "javascript:alert(1)", "]]>"),
)
TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=40))


def page(text: str) -> ReportPage:
    """Return a page that has a text wherever it may have one."""
    address = web_address(text)
    cells = [
        text,
        7,
        Picture(address) if address else text,
        Link(text, address),
        Badge(text, "error"),
        Edit(text, text, text),
        Figure(1.5, text),
    ]
    columns = [Column(text) for _ in range(len(cells) + 1)]
    parts = [
        ReportTable(
            text, columns, [[*cells, (text, Edit("", None, text), Edit("", text, None))]], text, 2, text
        ),
        Chart(text, [Bar(text, 3), Bar(text, 3.5, text)], 4, text),
        Texts([text]),
    ]
    tallies = [Tally(text, 3), Tally(text, 3.5, text=text)]
    return ReportPage(text, "good", text, [text], [(text, text)], tallies, [Section(text, parts)] * 2)


def elements(text: str) -> list[tuple[str, list[str]]]:
    return [(tag, sorted(attributes)) for tag, attributes in Read(render(page(text), "1")).tags]


PLAIN = elements("plain")


def with_every_hostile_text(test):
    for text in HOSTILE:
        test = example(text)(test)
    return test


@with_every_hostile_text
@settings(max_examples=tries(5, 150))
@given(TEXT)
def test_no_text_becomes_an_element_or_an_attribute(text):
    html = render(page(text), "1")
    read = Read(html)
    with_a_link = [(tag, sorted(attributes)) for tag, attributes in read.tags]
    assert web_address(text) or with_a_link == PLAIN
    assert not re.search(UNSAFE, html.replace("\n", ""))
    assert html.encode() and read.attributes("style") == []
    if text.strip():
        assert " ".join(safe(text).split()) in read.text
    for address in [*read.attributes("href"), *read.attributes("data-picture")]:
        assert address.startswith(("#section-", "https://", "http://"))


@settings(max_examples=tries(25, 200))
@given(st.text(max_size=60).map(lambda text: f"https://{text}"))
def test_an_address_is_one_word_without_credentials_or_controls(text):
    address = web_address(text)
    assert address in ("", text)
    host = address.removeprefix("https://").partition("/")[0].partition("?")[0].partition("#")[0]
    assert not address or ("." in host and not set(host) & set("@[]\\ \"'<>") - set("\"'<>"))
    assert not re.search(UNSAFE, address) and len(address.split()) <= 1


@given(private_hosts)
def test_no_spelling_of_this_machine_is_an_address_of_the_web(host):
    for scheme in ("http://", "HTTPS://", "https:", "https:\\\\", "http:///", "//", "\thttp://"):
        for rest in ("", "/a.jpg", ":80/a.jpg", "?a", "#@images.example/"):
            assert web_address(scheme + host + rest) == ""


def test_a_secret_is_masked_wherever_it_is_and_breaks_nothing_of_the_page():
    mask = Mask()
    mask.add("x", "section", "const", "tr0ub4dor&3")
    html = render(page("it is tr0ub4dor&3, x"), "1", mask)
    assert "tr0ub4dor" not in html and "it is ***, ***" in Read(html).text
    assert html.partition("<script>")[2] == render(page("other"), "1").partition("<script>")[2]


@pytest.mark.parametrize("text", ["<" * 3000, "\x00" * 3000, "ä" * 3000, "\U0001f600" * 3000])
def test_a_table_takes_no_more_room_than_it_may_and_says_what_it_left_out(text):
    rows = [[text, Link(text, ""), (text, Edit(text, text, text))]] * 1000
    table = ReportTable(
        "All", [Column("a"), Column("b"), Column("c")], rows, "product", 5000, "They are elsewhere."
    )
    html = render(ReportPage("feed", "good", "fine", sections=[Section("All", [table])]), "1")
    without = render(ReportPage("feed", "good", "fine"), "1")
    assert len(html.encode()) - len(without.encode()) < MAX_TABLE_BYTES + 10_000
    shown = html.count("<tr>") - 1
    assert 0 < shown < 1000 and f"The first {shown:,} of 5,000 products are shown" in html
    assert "They are elsewhere." in html


def test_a_page_is_recognized_by_its_start():
    html = render(ReportPage("feed", "good", "fine"), "1.2.3")
    assert is_page(html.encode()[:1000]) and is_page(b"") and not is_page(b"<!doctype html>")
    assert "adsctl 1.2.3" in html[:200]
