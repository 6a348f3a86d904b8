"""What spreadsheets and HTML leave in texts: read where it has one meaning, else a finding."""

import csv
import io
import json

import pytest

from tests.conftest import PRODUCT

FORMATS = ["csv", "tsv", "jsonl", "xml"]


def write(adsctl, format: str, *changes: dict) -> str:
    """Write a feed of these products; return its name."""
    products = [PRODUCT | {"id": f"sku-{number}"} | change for number, change in enumerate(changes, 1)]
    if format == "jsonl":
        text = "".join(f"{json.dumps(product)}\n" for product in products)
    elif format == "xml":
        from xml.sax.saxutils import escape

        fields = [[f"<{name}>{escape(value)}</{name}>" for name, value in p.items()] for p in products]
        text = "<products>" + "".join(f"<item>{''.join(field)}</item>" for field in fields) + "</products>"
    else:
        stream = io.StringIO()
        columns = list(dict.fromkeys(name for product in products for name in product))
        writer = csv.DictWriter(stream, columns, delimiter="\t" if format == "tsv" else ",")
        writer.writeheader()
        writer.writerows(products)
        text = stream.getvalue()
    adsctl.file(f"feed.{format}", text)
    return f"feed.{format}"


def findings(adsctl, file: str, *words: str, code: int = 0) -> list[tuple]:
    """Return the field, the severity and the fix of each finding of a check."""
    report = json.loads(adsctl("products", "check", file, *words, "-o", "json", code=code).stdout)
    return sorted((finding["field"], finding["severity"], finding["fix"]) for finding in report["findings"])


def wrong_fields(adsctl, file: str, *words: str) -> tuple[int, set[str]]:
    """Return how many rows are invalid by errors that no fix repairs, and their fields."""
    report = json.loads(adsctl("products", "check", file, *words, "-o", "json", code=3).stdout)
    assert {(finding["severity"], finding["fix"]) for finding in report["findings"]} == {("error", "")}
    return report["invalid"], {finding["field"] for finding in report["findings"]}


def converted(adsctl, file: str, *words: str) -> list[dict]:
    adsctl("products", "convert", file, "out.json", *words)
    return json.loads((adsctl.home / "out.json").read_text())


@pytest.mark.parametrize("format", FORMATS)
def test_text_forms_of_spreadsheets_are_read(adsctl, format):
    cells = {"id": '="00123"', "gtin": "'4006381333931", "title": '="5"" mug"', "price": '="12.50 EUR"'}
    file = write(adsctl, format, cells, {"id": "'00124", "gtin": '="4006381333931"', "title": "'80s mug"})
    assert findings(adsctl, file) == []
    assert [(row["id"], row["gtin"], row["title"]) for row in converted(adsctl, file)] == [
        ("00123", "4006381333931", '5" mug'),
        ("00124", "4006381333931", "'80s mug"),
    ]


def test_text_forms_are_read_before_templates_and_conditions(adsctl):
    file = write(adsctl, "csv", {"Nr": '="007"'}, {"Nr": "'8"})
    products = converted(adsctl, file, "--set", "id=A-{Nr}", "--where", "Nr=007")
    assert [product["id"] for product in products] == ["A-007"]


@pytest.mark.parametrize("format", FORMATS)
def test_an_apostrophe_before_a_short_number_stays_in_texts(adsctl, format):
    texts = {"brand": "'47", "title": "'80", "size": "'7", "custom_label_0": "'2024"}
    file = write(
        adsctl, format, texts | {"gtin": "'4006381333931", "id": "'123"}, {"Vendor": "'47", "Nr": "'8"}
    )
    first, second = converted(adsctl, file, "--set", "id=A-{id}{Nr}", "--default", "color={Vendor}")
    assert {field: first[field] for field in texts} == texts
    assert (first["gtin"], first["id"]) == ("4006381333931", "A-123")
    assert (second["color"], second["id"]) == ("'47", "A-sku-28")


@pytest.mark.parametrize("format", FORMATS)
def test_blanks_around_a_cell_hide_no_sign_of_a_spreadsheet(adsctl, format):
    file = write(adsctl, format, {"id": ' ="001" '}, {"gtin": " '4006381333931"})
    assert findings(adsctl, file) == []
    first, second = converted(adsctl, file)
    assert (first["id"], second["gtin"]) == ("001", "4006381333931")
    lost = {"title": " #N/A ", "brand": "\t#NAME?", "mpn": " 1.2E+12"}
    file = write(adsctl, format, *({"item_group_id": "g", field: cell} for field, cell in lost.items()))
    for fix in ((), ("--fix", "all")):
        errors = {field for field, severity, name in findings(adsctl, file, *fix, code=3) if not name}
        assert errors == {*lost}


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_spreadsheet_has_lost_is_no_part_of_an_id_or_an_address(adsctl, format):
    cells = ["#N/A", "########", "1.23E+12"]
    file = write(adsctl, format, *({"SKU": cell, "link": "/p/1"} for cell in cells))
    options = ("--base-url", "https://shop.example")
    assert findings(adsctl, file, *options) == []  # a column that nothing is made of
    for field, template in (("id", "{SKU}-M"), ("link", "https://shop.example/{SKU}"), ("link", "{SKU}")):
        words = (*options, "--set", f"{field}={template}", "--fix", "all")
        assert wrong_fields(adsctl, file, *words) == (len(cells), {field})


def test_a_sign_for_no_value_is_no_relative_address(adsctl):
    file = write(adsctl, "csv", *({"link": text} for text in ("?", "#", "..", "-")))
    assert wrong_fields(adsctl, file, "--base-url", "https://shop.example") == (4, {"link"})


LOST = [
    *(("id", "1.23457E+12"), ("id", "1,23E+12"), ("mpn", "4.00638E+12"), ("item_group_id", "4e+12")),
    *(("title", "#NAME?"), ("brand", "#N/A"), ("description", "#WERT!"), ("color", "#VALEUR!")),
    *(("size", "#NV"), ("id", "########"), ("custom_label_0", "#DIV/0!"), ("title", "#ЗНАЧ!")),
]


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_spreadsheet_has_lost_is_an_error_that_no_fix_hides(adsctl, format):
    file = write(adsctl, format, *({field: cell} for field, cell in LOST))
    for fix in ((), ("--fix", "all")):
        assert wrong_fields(adsctl, file, *fix) == (len(LOST), {field for field, _ in LOST})


def test_texts_that_look_like_forms_of_spreadsheets_are_sent(adsctl):
    texts = {
        "title": "#1 mug",
        "size": "E+ 3",
        "color": "#sale!",
        "mpn": "1E10",
        "description": "'90s & #N/A",
    }
    file = write(adsctl, "csv", texts)
    assert findings(adsctl, file) == []
    (product,) = converted(adsctl, file)
    assert {field: product[field] for field in texts} == texts


@pytest.mark.parametrize("format", FORMATS)
def test_html_in_any_text_is_a_warning_with_the_fix_for_it(adsctl, format):
    texts = {
        "title": ("Hoodie &#8211; blue", "Hoodie – blue"),
        "description": ("Salt &amp;amp; pepper &nbsp; mill", "Salt & pepper mill"),
        "brand": ("H&amp;M", "H&M"),
        "mpn": ("A&amp;B", "A&B"),
        "product_type": ("Home &gt; Mugs", "Home > Mugs"),
        "store_product_category": ("Caf&eacute", "Café"),
        "color": ("Wei&szlig;", "Weiß"),
        "size": ("5&quot;", '5"'),
        "custom_label_4": ("<b>new</b>", "new"),
    }
    file = write(adsctl, format, {field: before for field, (before, _) in texts.items()})
    assert findings(adsctl, file) == sorted((field, "warning", "html") for field in texts)
    assert findings(adsctl, file, "--fix", "html") == []
    (product,) = converted(adsctl, file, "--fix", "html")
    assert {field: product[field] for field in texts} == {field: after for field, (_, after) in texts.items()}


def test_signs_that_are_no_html_are_no_finding(adsctl):
    texts = {"title": "R&D & AT&T", "description": "5 < 6; the &lt;table&gt; element", "brand": "H&M"}
    link = "https://shop.example/?a=1&copy=2&lt=3;4"
    assert findings(adsctl, write(adsctl, "csv", texts | {"link": link})) == []


@pytest.mark.parametrize("format", FORMATS)
def test_an_apostrophe_before_a_sign_is_a_warning_with_the_fix_for_it(adsctl, format):
    file = write(adsctl, format, {"id": "'-A2", "title": "'+Plus cream", "brand": "'@home"})
    assert findings(adsctl, file) == [(field, "warning", "spreadsheet") for field in ("brand", "id", "title")]
    (product,) = converted(adsctl, file, "--fix", "all")
    assert (product["id"], product["title"], product["brand"]) == ("-A2", "+Plus cream", "@home")


def test_under_strict_what_html_has_left_is_an_error(adsctl):
    file = write(adsctl, "csv", {"title": "Tom &amp; Jerry"})
    assert findings(adsctl, file, "--strict", code=3) == [("title", "error", "html")]


SALE = {"sale_price": "10.00 EUR", "sale_price_effective_date": "2026-06-01/2026-12-24 9:05"}


@pytest.mark.parametrize(
    ("words", "dates"),
    [
        (("--fix", "date"), "2026-06-01T00:00+00:00/2026-12-24T09:05+00:00"),
        (("--time-zone", "Europe/Berlin"), "2026-06-01T00:00+02:00/2026-12-24T09:05+01:00"),
        (("--time-zone", "-05:00"), "2026-06-01T00:00-05:00/2026-12-24T09:05-05:00"),
        (("--fix", "all", "--time-zone", "Asia/Tokyo"), "2026-06-01T00:00+09:00/2026-12-24T09:05+09:00"),
    ],
)
def test_sale_dates_without_a_zone_are_those_of_utc_or_of_the_zone_that_is_named(adsctl, words, dates):
    file = write(adsctl, "csv", SALE)
    assert findings(adsctl, file, code=3) == [("sale_price_effective_date", "error", "date")]
    (product,) = converted(adsctl, file, *words)
    assert product["sale_price_effective_date"] == dates


def test_a_zone_that_does_not_exist_is_refused_with_one_that_does(adsctl):
    file = write(adsctl, "csv", SALE)
    done = adsctl("products", "check", file, "--time-zone", "Europe/Brlin", code=2)
    assert "--time-zone: 'Europe/Brlin' is not a time zone; did you mean 'Europe/Berlin'?" in done.stderr
    assert (
        "--time-zone: '' is not a time zone"
        in adsctl("products", "check", file, "--time-zone", "", code=2).stderr
    )
    assert "--time-zone: '+1'" in adsctl("products", "check", file, "--time-zone", "+1", code=2).stderr


def test_a_sale_price_of_zero_is_a_warning_and_left_out_by_the_fix_for_it(adsctl):
    file = write(adsctl, "csv", {"sale_price": "0.00 EUR"}, {"sale_price": "0"}, {"sale_price": "0.50 EUR"})
    error, warning = ("sale_price", "error", ""), ("sale_price", "warning", "sale_price")
    assert findings(adsctl, file, code=3) == [error, warning]
    assert findings(adsctl, file, "--currency", "EUR") == [warning]
    products = converted(adsctl, file, "--currency", "EUR", "--fix", "sale_price")
    assert [product.get("sale_price") for product in products] == [None, None, "0.50 EUR"]


def test_a_sale_price_that_is_the_price_is_left_out_by_the_fix_for_it(adsctl):
    file = write(adsctl, "csv", {"sale_price": "12.50 EUR"}, {"sale_price": "12.60 EUR"})
    assert findings(adsctl, file, code=3) == [("sale_price", "error", fix) for fix in ("", "sale_price")]
    assert findings(adsctl, file, "--fix", "all", code=3) == [("sale_price", "error", "")]
    (product,) = converted(adsctl, file, "--fix", "sale_price", "--where", "id=sku-1")
    assert "sale_price" not in product
