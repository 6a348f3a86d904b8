"""--fix: values are fixed before they are validated, and each change is counted and shown."""

import csv
import json

import pytest

from ads_cli.products.feeds.fixes import NAMES
from tests.conftest import PRODUCT, feed

BROKEN = {
    "title": "Enamel  mug",
    "description": "<p>A mug,<br>white.</p>",
    "price": "12,50 EUR",
    "link": "http://shop.example/mug",
    "availability": "12",
    "product_type": "Home>Mugs",
    "gtin": "123",
}
FIXED = {
    "title": "Enamel mug",
    "description": "A mug,\nwhite.",
    "price": "12.50 EUR",
    "link": "https://shop.example/mug",
    "availability": "in stock",
    "inventory": 12,
    "product_type": "Home > Mugs",
}
FIXES = ("whitespace", "html", "category", "price", "https", "availability", "gtin")


def write(adsctl, *changes: dict, name: str = "feed.csv") -> None:
    products = [PRODUCT | {"id": f"sku-{number}"} | each for number, each in enumerate(changes, 1)]
    if name.endswith(".csv"):
        with (adsctl.home / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(key for product in products for key in product)))
            writer.writeheader()
            writer.writerows(products)
    else:
        adsctl.file(name, json.dumps(products))


def checked(adsctl, *words: str, name: str = "feed.csv", code: int = 0) -> dict:
    return json.loads(adsctl("products", "check", name, *words, "-o", "json", code=code).stdout)


@pytest.mark.parametrize("name", ["feed.csv", "feed.json"])
def test_a_feed_with_every_mistake_is_fixed_and_sent(adsctl, service, name):
    write(adsctl, BROKEN, {}, name=name)
    report = checked(adsctl, name=name, code=3)
    assert {finding["fix"] for finding in report["findings"]} == {*FIXES} - {"whitespace"}
    done = adsctl("products", "push", name, "--fix", "all", "-o", "json")
    summary = json.loads(done.stdout)
    assert (summary["valid"], summary["warned"], summary["created"]) == (2, 0, 2)
    assert summary["fixed"] == dict.fromkeys(FIXES, 1)
    stored = service.emulator.data.product("sku-1")
    assert {field: stored[field] for field in FIXED} == FIXED and not stored.get("gtin")
    assert f"{name}: fixed by price: 1 row\n" in done.stderr
    assert "price: '12,50 EUR' → '12.50 EUR'\n" in done.stderr
    assert "gtin: '123' → nothing\n" in done.stderr


def test_only_the_fixes_that_are_named_are_applied(adsctl):
    write(adsctl, BROKEN)
    report = checked(adsctl, "--fix", "html,price", "--fix", "https", code=3)
    assert report["fixed"] == {"html": 1, "price": 1, "https": 1}
    assert {finding["fix"] for finding in report["findings"]} == {"availability", "category", "gtin"}


def test_nothing_is_changed_unasked(adsctl, service):
    odd = {"title": " Enamel  mug &amp; cup", "product_type": "Home>Mugs", "gtin": "123"}
    write(adsctl, odd)
    summary = json.loads(adsctl("products", "push", "feed.csv", "-o", "json").stdout)
    assert "fixed" not in summary
    stored = service.emulator.data.product("sku-1")
    assert {field: stored[field] for field in odd} == odd


def test_fixes_without_work_report_none(adsctl):
    write(adsctl, {})
    report = checked(adsctl, "--fix", "all")
    assert (report["fixed"], report["fixes"]) == ({}, [])
    done = adsctl("products", "check", "feed.csv", "--fix", "all", "-o", "table")
    assert done.stdout == "feed.csv: 1 row, 1 valid, 0 invalid\n" and done.stderr == ""


def test_changes_are_counted_by_fix_with_the_first_as_examples(adsctl):
    write(adsctl, *({"price": f"{number},50 EUR"} for number in range(7)))
    report = checked(adsctl, "--fix", "price")
    (fix,) = report["fixes"]
    assert (fix["fix"], fix["rows"], report["fixed"]) == ("price", 7, {"price": 7})
    assert fix["examples"][0] == {
        "line": 2, "record": 1, "field": "price", "before": "0,50 EUR", "after": "0.50 EUR",
    }  # fmt: skip
    assert len(fix["examples"]) == 3
    text = adsctl("products", "check", "feed.csv", "--fix", "price", "-o", "table")
    assert "7 valid, 0 invalid, fixed: 7 by price\n" in text.stdout
    assert text.stderr.splitlines()[:2] == [
        "feed.csv: fixed by price: 7 rows",
        "    2: price: '0,50 EUR' → '0.50 EUR'",
    ]
    assert adsctl("-q", "products", "check", "feed.csv", "--fix", "price").stderr == ""


def test_diff_shows_each_field_before_and_after(adsctl):
    write(adsctl, {}, {"description": "<p>A mug,<br>white.</p>", "gtin": "123"})
    done = adsctl("products", "check", "feed.csv", "--fix", "all", "--diff", "-o", "table", "-q")
    assert done.stdout == (
        "feed.csv:3: sku-2\n"
        "  description (html)\n"
        "  - <p>A mug,<br>white.</p>\n"
        "  + A mug,\n"
        "  + white.\n"
        "  gtin (gtin)\n"
        "  - 123\n"
        "feed.csv: 2 rows, 2 valid, 0 invalid, fixed: 1 by html, 1 by gtin\n"
    )


def test_diff_gives_programs_records(adsctl):
    write(adsctl, {}, {"price": "€5", "availability": "0"})
    expected = [
        {"line": 3, "record": 2, "id": "sku-2", "fix": fix, "field": field, "before": before, "after": after}
        for fix, field, before, after in [
            ("price", "price", "€5", "5 EUR"),
            ("availability", "availability", "0", "out of stock"),
            ("availability", "inventory", None, 0),
        ]
    ]
    words = ("--fix", "all", "--diff")
    assert checked(adsctl, *words)["changes"] == expected
    lines = adsctl("products", "check", "feed.csv", *words, "-o", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == expected
    header = adsctl("products", "check", "feed.csv", *words, "-o", "tsv").stdout.splitlines()[0]
    assert header.split("\t") == ["line", "record", "id", "fix", "field", "before", "after"]


def test_diff_shows_no_control_characters(adsctl):
    write(adsctl, {"title": "A\x1b[2J mug"}, name="feed.json")
    words = ("--fix", "whitespace", "--diff", "-o", "table")
    done = adsctl("products", "check", "feed.json", *words)
    assert "\x1b" not in done.stdout + done.stderr and "  + A[2J mug\n" in done.stdout


def test_diff_alone_shows_nothing_and_says_what_it_needs(adsctl):
    write(adsctl, {})
    assert "--diff needs --fix" in adsctl("products", "check", "feed.csv", "--diff", code=2).stderr


def test_an_unknown_fix_is_refused_with_a_suggestion(adsctl):
    write(adsctl, {})
    done = adsctl("products", "check", "feed.csv", "--fix", "html,prices", code=2)
    assert "--fix: 'prices' is not a fix; did you mean 'price'?" in done.stderr
    assert f"all, or some of {', '.join(NAMES)}" in done.stderr


def test_an_ambiguous_price_is_never_guessed(adsctl):
    write(adsctl, {"price": "1.234 €"}, {"price": "$5"}, {"price": "1,234"})
    report = checked(adsctl, "--fix", "all", code=3)
    assert (report["invalid"], report["fixed"]) == (3, {})
    assert [finding["problem"].partition("; it ")[2] for finding in report["findings"]] == [
        "may be 1234 or 1.234: write it without a separator of thousands",
        "may be in USD, CAD, AUD, …: --currency says in which",
    ]
    report = checked(adsctl, "--fix", "all", "--currency", "CAD", code=3)
    assert [finding["lines"] for finding in report["findings"]] == [[2, 4]]


def test_a_currency_completes_no_price_that_may_be_another(adsctl):
    write(adsctl, {"price": "1.234"}, {"price": "1.23"}, {"price": "0.125"}, {"price": "1234.567"})
    (finding,) = checked(adsctl, "--currency", "EUR", code=3)["findings"]
    assert finding["lines"] == [2] and finding["problem"].endswith(
        "it may be 1234 or 1.234: write it without a separator of thousands"
    )


def test_a_truncated_gtin_stays_an_error(adsctl):
    write(adsctl, {"gtin": "4.00638E+12"})
    (finding,) = checked(adsctl, "--fix", "all", code=3)["findings"]
    assert "was truncated by a spreadsheet" in finding["problem"]


def test_a_description_with_signs_of_html_is_valid_and_keeps_its_words(adsctl, service):
    write(
        adsctl,
        {"description": "<p>x &lt;y and y&gt; z</p>"},
        {"description": "t<Tmax & p>10 bar"},
        {"description": "Learn the &lt;table&gt; element"},
    )
    assert checked(adsctl, code=3)["invalid"] == 1
    adsctl("products", "push", "feed.csv", "--fix", "all")
    stored = [service.emulator.data.product(f"sku-{number}")["description"] for number in (1, 2, 3)]
    assert stored == ["x <y and y> z", "t<Tmax & p>10 bar", "Learn the &lt;table&gt; element"]


def test_a_default_fills_what_a_fix_empties(adsctl, service):
    write(adsctl, {"description": "<p>&nbsp;</p>"}, {"gtin": "123"})
    defaults = ("--default", "description={title}", "--default", "gtin=4006381333931")
    adsctl("products", "push", "feed.csv", "--fix", "all", *defaults)
    assert service.emulator.data.product("sku-1")["description"] == PRODUCT["title"]
    assert service.emulator.data.product("sku-2")["gtin"] == "4006381333931"


def test_a_default_that_fills_what_a_fix_empties_is_completed_as_in_an_empty_cell(adsctl, service):
    bad = {"additional_image_link": "https://shop.example/a.tiff", "sale_price": "\u200b"}
    write(adsctl, bad, dict.fromkeys(bad, ""))
    defaults = ("--default", "additional_image_link=x.jpg", "--default", "sale_price=5")
    completed = ("--base-url", "https://shop.example/", "--currency", "EUR")
    done = adsctl("products", "push", "feed.csv", "--fix", "all", *defaults, *completed)
    assert "fixed by price" not in done.stderr
    for id in ("sku-1", "sku-2"):
        stored = service.emulator.data.product(id)
        assert stored["additional_image_link"] == "https://shop.example/x.jpg"
        assert stored["sale_price"] == "5 EUR"


def test_one_of_identical_rows_is_kept_and_others_with_its_id_are_errors(adsctl):
    write(adsctl, {"id": "a"}, {"id": "a"}, {"id": "b"}, {"id": "b", "price": "1 EUR"}, {"id": "c"})
    report = checked(adsctl, "--fix", "duplicates", "--diff", code=3)
    assert (report["left_out"], report["invalid"], report["fixed"]) == (1, 2, {"duplicates": 1})
    assert [(each["line"], each["before"], each["after"]) for each in report["changes"]] == [(3, "a", None)]
    findings = checked(adsctl, code=3)["findings"]
    assert sorted((finding["fix"], finding["lines"]) for finding in findings) == [
        ("", [4, 5]),
        ("duplicates", [2, 3]),
    ]


@pytest.mark.parametrize(
    ("option", "value", "second"),
    [
        ("--fix", "duplicates", {"id": "a"}),
        ("--fix", "all", {"id": "a"}),
        ("--keep", "first", {"id": "a"}),
        ("--where", "id!=b", {"id": "b"}),
        ("--recipe", "m.yaml", {"id": "b", "product_type": "DRAFT"}),
    ],
)
def test_the_columns_of_a_push_do_not_depend_on_its_rows(adsctl, service, option, value, second):
    adsctl.file("m.yaml", "left_out: {product_type: [DRAFT]}\n")
    found = []
    for rows in ([{"id": "a"}], [{"id": "a"}, second]):
        write(adsctl, *rows)
        lines = adsctl("products", "push", "feed.csv", option, value).stdout.splitlines()
        found.append(dict(zip(*(line.split("\t") for line in lines), strict=True)))
    assert [*found[0]] == [*found[1]] and [each["left_out"] for each in found] == ["0", "1"]


def test_rows_that_other_fixes_make_identical_are_duplicates(adsctl):
    write(adsctl, {"id": "a"}, {"id": "a ", "price": "12,50 EUR"})
    report = checked(adsctl, "--fix", "all")
    assert (report["left_out"], report["valid"]) == (1, 1)


def test_rejected_rows_are_written_as_they_are_in_the_file(adsctl):
    write(adsctl, BROKEN | {"condition": "broken"}, {})
    adsctl("products", "check", "feed.csv", "--fix", "all", "--failed-out", "failed.csv", code=3)
    (failed,) = csv.DictReader((adsctl.home / "failed.csv").open())
    assert {field: failed[field] for field in BROKEN} == BROKEN
    assert failed["_error"].startswith("condition: 'broken' is not one of")


def test_an_unfinished_push_is_resumed_only_with_the_same_fixes(adsctl, service):
    write(adsctl, *({"product_type": "Home>Mugs"} for _ in range(100)))
    service.before = lambda put: service.fail("PUT * status=400") if put == 1 else None
    words = ("--concurrency", "1", "--max-attempts", "1", "--fix", "category")
    adsctl("products", "push", "feed.csv", *words, code=6)
    service.before = lambda put: None
    service.fail()
    assert "nothing to resume" in adsctl("products", "push", "feed.csv", "--resume").stderr


def test_a_fix_makes_an_acknowledged_product_a_changed_one(shop):
    content = feed(3, product_type="Home>Mugs")
    shop.push(content)
    assert shop.push(content, "--fix", "category")["skipped"] == 0 and len(shop.sent) == 3
    assert shop.push(content, "--fix", "category")["skipped"] == 3 and shop.sent == []


def test_several_files_are_fixed_as_one(adsctl):
    write(adsctl, BROKEN)
    (adsctl.home / "feed.csv").rename(adsctl.home / "first.csv")
    write(adsctl, {"id": "sku-2", "title": "Two  spaces", "price": "€5"})
    report = json.loads(
        adsctl("products", "check", "first.csv", "feed.csv", "--fix", "all", "-o", "json").stdout
    )
    assert (report["valid"], report["fixed"]["whitespace"], report["fixed"]["price"]) == (2, 2, 2)


def test_a_default_fills_what_a_fix_empties_from_the_columns_of_the_own_file(adsctl, service):
    """Of two files, the first is an export in which `Vendor` is read as the brand."""
    adsctl.file(
        "export.csv",
        "Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price,Image Src,Google Shopping / Condition\n"
        "mug,A mug,Of enamel,Fjällvik,sku-1,12.00,https://shop.example/mug.jpg,new\n",
    )
    write(adsctl, {"id": "sku-2", "title": "<b></b>", "Vendor": "Klarå"})
    options = ("--base-url", "https://shop.example/", "--currency", "EUR", "--default", "title={Vendor} mug")
    adsctl("products", "push", "export.csv", "feed.csv", "--fix", "html", *options)
    assert service.emulator.data.product("sku-1")["brand"] == "Fjällvik"
    assert service.emulator.data.product("sku-2")["title"] == "Klarå mug"


def test_a_converted_feed_is_fixed(adsctl):
    write(adsctl, BROKEN)
    adsctl("products", "convert", "feed.csv", "out.json", "--fix", "all")
    (product,) = json.loads((adsctl.home / "out.json").read_text())
    assert product == PRODUCT | {"id": "sku-1"} | FIXED
    report = checked(adsctl, "--fix", "all", name="out.json")
    assert (report["findings"], report["fixed"]) == ([], {})
    adsctl("products", "convert", "feed.csv", "out.csv", "--fix", "all")
    header = (adsctl.home / "out.csv").read_text().splitlines()[0].split(",")
    assert "inventory" in header


@pytest.mark.parametrize(
    ("text", "availability", "inventory"),
    [("3 in stock", "in stock", 3), ("12 auf Lager", "in stock", 12), ("0 in stock", "out of stock", 0)],
)
def test_a_count_in_stock_is_an_availability_and_an_inventory(adsctl, service, text, availability, inventory):
    write(adsctl, {"availability": text})
    adsctl("products", "push", "feed.csv", "--fix", "all")
    stored = service.emulator.data.product("sku-1")
    assert (stored["availability"], stored["inventory"]) == (availability, inventory)


@pytest.mark.parametrize(
    "text", ["In stock: 0", "lieferbar 12.03.", "-2 available", "3 out of stock", "2 x in stock"]
)
def test_an_availability_with_a_number_in_a_text_is_never_guessed(adsctl, service, text):
    write(adsctl, {"availability": text})
    done = adsctl("products", "push", "feed.csv", "--fix", "all", code=3)
    assert f"availability: {text!r} is not one of" in done.stderr and not service.stored


def test_examples_of_a_fix_differ_from_each_other(adsctl):
    write(adsctl, *({"condition": "neu", "title": f"Mug {n}"} for n in range(30)), {"condition": "gebraucht"})
    (fix,) = checked(adsctl, "--fix", "condition")["fixes"]
    assert (fix["rows"], [(e["line"], e["before"]) for e in fix["examples"]]) == (
        31, [(2, "neu"), (32, "gebraucht")]
    )  # fmt: skip
