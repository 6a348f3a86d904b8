"""A rule broken in a thousand ways is one finding, and names the fix for it."""

import json

import pytest

from tests.conftest import PRODUCT


def write(adsctl, *changes: dict, name: str = "feed.json") -> None:
    products = [PRODUCT | {"id": f"sku-{number}"} | each for number, each in enumerate(changes, 1)]
    adsctl.file(
        name, json.dumps([{k: v for k, v in product.items() if v is not None} for product in products])
    )


def findings(adsctl, *words: str, name: str = "feed.json", code: int | None = None) -> list[dict]:
    return json.loads(adsctl("products", "check", name, *words, "-o", "json", code=code).stdout)["findings"]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("description", ["<p>a</p>", "<b>b</b>", "x<br>y"]),
        ("image_link", ["https://i.example/a.bmp", "https://i.example/a.tiff", "https://i.example/a.svg"]),
        ("price", ["1 XXQ", "2 QQQ"]),
        ("availability", ["in stok", "nonsense", "discontinud"]),
        ("sale_price", ["99.00 EUR", "12.60 EUR"]),
        ("color", ["#fff", "#a0b0c0"]),
    ],
)
def test_a_rule_broken_in_several_ways_is_one_finding(adsctl, field, values):
    write(adsctl, *({field: value} for value in values))
    (finding,) = findings(adsctl)
    assert (finding["field"], finding["rows"]) == (field, len(values))


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("title", ["", "x" * 151, []]),
        ("gtin", ["4.00638E+12", "none"]),
        ("sale_price", ["99.00 EUR", "9.00 USD"]),
        ("sale_price_effective_date", ["soon", "2026-12-24T00:00Z/2026-12-01T00:00Z"]),
        (
            "additional_image_link",
            ["https://i.example/a.bmp", "a", ",".join(["https://i.example/a.jpg"] * 11)],
        ),
    ],
)
def test_mistakes_that_are_corrected_differently_are_findings_of_their_own(adsctl, field, values):
    write(adsctl, *({field: value} for value in values))
    assert [finding["rows"] for finding in findings(adsctl) if finding["field"] == field] == [1] * len(values)


@pytest.mark.parametrize(
    ("changes", "fix"),
    [
        ({"description": "<p>A mug</p>"}, "html"),
        ({"price": "44,90 EUR"}, "price"),
        ({"sale_price": "€9.50"}, "price"),
        ({"title": "A mug " * 30}, "length"),
        ({"link": "http://shop.example/mug"}, "https"),
        ({"availability": "12"}, "availability"),
        ({"product_type": "Home>Mugs"}, "category"),
        ({"gtin": "123"}, "gtin"),
        ({"gtin": "none"}, "gtin"),
        ({"additional_image_link": "https://i.example/a.jpg,https://i.example/a.bmp"}, "image"),
        ({"link": " https://shop.example/mug"}, "whitespace"),
        ({"image_link": " https://images.example/mug.jpg"}, "whitespace"),
    ],
    ids=str,
)
def test_a_finding_names_the_fix_that_fixes_it(adsctl, changes, fix):
    write(adsctl, changes)
    (finding,) = findings(adsctl)
    assert finding["fix"] == fix
    said = adsctl("products", "check", "feed.json", "-o", "table", code=None).stdout
    assert f"; fix it with --fix {fix}\n" in said
    header, row = adsctl("products", "check", "feed.json", "-o", "tsv", code=None).stdout.splitlines()
    assert (header.split("\t")[-1], row.split("\t")[-1]) == ("fix", fix)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"price": "1.234 €"}, "it may be 1234 or 1.234: write it without a separator of thousands"),
        ({"price": "$5"}, "it may be in USD, CAD, AUD, …: --currency says in which"),
        ({"price": "44,90"}, "it names no currency: --currency adds it, as in --currency EUR"),
        ({"gtin": "4.00638E+12"}, "format the column as text and export it again"),
        ({"gtin": "none", "brand": None}, "is not a UPC, EAN, JAN or ISBN"),
        ({"availability": "perhaps"}, "is not one of"),
    ],
    ids=str,
)
def test_a_mistake_that_no_fix_fixes_names_none_and_says_why(adsctl, changes, reason):
    write(adsctl, changes)
    for finding in findings(adsctl):
        assert not finding["fix"]
        assert reason in finding["problem"] or finding["field"] == "brand"


def test_what_a_fix_fixes_and_what_it_does_not_are_told_apart(adsctl):
    write(adsctl, {"price": "44,90 EUR"}, {"price": "1,234 EUR"}, {"price": "1,50 EUR"})
    assert [(finding["rows"], finding["fix"]) for finding in findings(adsctl)] == [(2, "price"), (1, "")]
