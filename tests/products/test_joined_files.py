"""Files as programs write and join them: marks, repeated headers and columns, cells at ends of rows."""

import json

import pytest

from tests.conftest import PRODUCT
from tests.products.refusals import HEADER, row

MARK = "\ufeff"
TOP = f"{HEADER}\n"


def check(adsctl, name: str, content: str, *words: str, code: int = 0, subject: str = "products"):
    adsctl.file(name, content)
    done = adsctl(subject, "check", name, "-o", "json", *words, code=code)
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize(
    ("content", "skipped"),
    [
        (f"{MARK * 2}{TOP}{row()}", ""),
        (f"\n# exported\n{MARK}{TOP}{row()}", ""),
        (MARK + '"' + MARK + TOP.replace(",", '",', 1) + row(), ""),
        (f"{TOP}{row()}{MARK}{TOP}{MARK}{row(id='2')}", "1 row repeats the header and is skipped: line 3"),
        (f"{TOP}{TOP.title().replace('_', ' ')}{row()}{TOP.upper()}", "2 rows repeat the header and are"),
        (f"{HEADER},,\n{row()}{row(id='2').strip()},,,,\n", ""),
        (f"{HEADER},color,size\n{row()}{row(id='2').strip()},red\n{row(id='3').strip()},,, ,\n", ""),
        (f"{HEADER},note,note\n{row().strip()},a,b\n", ""),
        (f"{HEADER},price\n{row()}", ""),
    ],
)
def test_a_file_is_read_as_programs_write_it(adsctl, content, skipped):
    report, said = check(adsctl, "feed.csv", content)
    assert report["valid"] == report["rows"] > 0 and skipped in said
    report, said = check(adsctl, "feed.tsv", content.replace(",", "\t"))
    assert report["valid"] == report["rows"] and skipped in said


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            f"{HEADER},price\n{row().strip()},1.00 EUR\n",
            "the columns 'price' and 'price (2)' are both read as",
        ),
        (f'{TOP}{row()}{row(id="2").partition("http")[0]}"\n', "cells, and the header has"),
        (f"{TOP}{row().strip()},x\n", "cells, and the header has"),
        (
            f"{TOP}{row()}PHP Fatal error:  No memory in /f.php on line 3\n",
            "is a message of PHP: 'PHP Fatal",
        ),
    ],
)
def test_a_row_is_refused_where_cells_are_lost_or_differ(adsctl, content, problem):
    report, _ = check(adsctl, "feed.csv", content, code=3)
    assert problem in report["findings"][0]["problem"] and report["invalid"] == 1


def test_the_columns_of_a_list_are_joined(adsctl):
    header = HEADER.replace("_", " ")
    rows = f"{header},additional image link,additional image link\n{row().strip()},https://x.de/1,https://x.de/2\n"
    adsctl.file("feed.csv", rows)
    adsctl("products", "convert", "feed.csv", "out.json")
    (product,) = json.loads((adsctl.home / "out.json").read_text())
    assert product["additional_image_link"] == "https://x.de/1,https://x.de/2"


@pytest.mark.parametrize("header", [",".join(reversed(HEADER.split(","))), f"{HEADER},color"])
def test_the_header_of_another_table_is_refused(adsctl, header):
    adsctl.file("feed.csv", f"{TOP}{row()}{header}\n{row(id='2')}")
    said = adsctl("products", "check", "feed.csv", code=3).stderr
    assert "feed.csv:3: a header that differs from the first one" in said


MESSAGE = "Undefined variable $x in <b>/var/www/f.php</b> on line <b>12</b>"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("feed.xml", f"<br />\n<b>Warning</b>:  {MESSAGE}<br />\n<?xml version='1.0'?><rss/>"),
        ("feed.csv", f"\n{MARK}<pre>\n<b>Deprecated</b>:  {MESSAGE}\n{TOP}{row()}"),
        ("feed.json", f"PHP Notice:  {MESSAGE}\n[]"),
        ("people.csv", f"[29-Nov-2026 00:00:00 UTC] PHP Warning:  {MESSAGE}\nemail\nann@x.de\n"),
    ],
)
def test_a_message_of_php_is_named(adsctl, name, content):
    adsctl.file(name, content)
    subject = "audiences" if name == "people.csv" else "products"
    said = adsctl(subject, "check", name, code=3).stderr
    assert f"{name} begins with a message of PHP: " in said and "/var/www/f.php on line 12'" in said


ITEM = (
    "<item><id>{}</id><title>Te{}e</title><description>d</description><link>https://x.de/1</link>"
    "<image_link>https://x.de/1.jpg</image_link><price>4.90 EUR</price><availability>in stock</availability>"
    "<condition>new</condition><brand>Acme</brand></item>\n"
)


def rss(text: str, before: str = "") -> str:
    return f"{before}<rss><channel>\n{ITEM.format(1, '')}{ITEM.format(2, text)}</channel></rss>"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\x0b", "U+000B"),
        ("&#11;", "U+000B"),
        ("&#x0B;&amp;", "U+000B"),
        ("<![CDATA[\x01]]>", "U+0001"),
        ("&#0;", "U+0000"),
        ("\ufffe", "U+FFFE"),
        ("&#65535;", "U+FFFF"),
    ],
)
def test_a_control_character_of_xml_is_a_finding_that_a_fix_removes(adsctl, text, name):
    report, said = check(adsctl, "feed.xml", rss(text), code=3)
    (finding,) = report["findings"]
    assert finding["problem"] == f"has {name}, which XML does not allow" and finding["lines"] == [3]
    assert finding["fix"] == "whitespace" and "--fix whitespace  # 2 of 2 rows valid, 0 left out" in said
    report, _ = check(adsctl, "feed.xml", rss(text), "--fix", "whitespace")
    assert report["fixed"]["whitespace"] == 1 and report["valid"] == 2
    adsctl("products", "convert", "feed.xml", "out.json", "--fix", "whitespace")
    assert json.loads((adsctl.home / "out.json").read_text())[1]["title"].replace(" ", "").startswith("Te")


@pytest.mark.parametrize("before", [MARK * 2, f"\n{MARK}"])
def test_marks_before_xml_and_json_are_skipped(adsctl, before):
    assert check(adsctl, "feed.xml", rss("", before))[0]["valid"] == 2
    assert check(adsctl, "feed.json", before + json.dumps([PRODUCT]))[0]["rows"] == 1


def test_a_message_of_php_within_xml_names_its_line(adsctl):
    adsctl.file(
        "feed.xml", rss("").replace("</channel>", f"<br />\n<b>Warning</b>:  {MESSAGE}<br>\n</channel>")
    )
    said = adsctl("products", "check", "feed.xml", code=3).stderr
    assert "feed.xml:5: not XML: a message of PHP: 'Warning: Undefined" in said


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (f"{MARK * 2}email ,name \nann@x.de,Ann,\n{MARK}Email,Name\nbob@x.de\n{MARK}eve@x.de,,,\n", 3),
        ("email\nann@x.de\nemail\nbob@x.de\n", 2),
    ],
)
def test_lists_read_cells_alike(adsctl, content, rows):
    report, said = check(adsctl, "people.csv", content, subject="audiences")
    assert report["valid"] == report["rows"] == rows and "1 row repeats the header and is skipped" in said
    adsctl("audiences", "hash", "people.csv", "out.csv")
    assert len((adsctl.home / "out.csv").read_text().split()) == rows + 1
