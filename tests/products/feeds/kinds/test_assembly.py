"""What the rows of an export mean together: messages name them, and what cannot be right is an error."""

import csv
import json

import pytest

from tests.conftest import feed
from tests.products.feeds.kinds import shopify_export, woocommerce_export

OPTIONS = ["--currency", "EUR", "--default", "condition=new", "--base-url", "https://shop.example"]
SHOPIFY = {
    "Handle": "mug",
    "Title": "Mug",
    "Body (HTML)": "A mug.",
    "Vendor": "Nordlicht",
    "Option1 Name": "Title",
    "Option1 Value": "Default Title",
    "Variant SKU": "sku-1",
    "Variant Price": "12.50",
    "Image Src": "https://cdn.example/mug.jpg",
    "Image Position": "1",
    "Status": "active",
}


def table(*rows: dict[str, str]) -> str:
    header = list(dict.fromkeys(name for row in rows for name in row))
    return "".join(
        ",".join(line) + "\n" for line in [header, *([row.get(c, "") for c in header] for row in rows)]
    )


def product(handle: str, **own: str) -> dict[str, str]:
    return SHOPIFY | {"Handle": handle, "Variant SKU": f"sku-{handle}"} | own


def check(adsctl, *rows: dict[str, str], code: int = 3, options=OPTIONS) -> str:
    adsctl.file("export.csv", table(*rows))
    done = adsctl("products", "check", "export.csv", "-o", "table", *options, code=code)
    return done.stdout + done.stderr


def test_a_handle_that_returns_later_is_an_error_that_names_both_places(adsctl):
    image = {"Handle": "mug", "Image Src": "https://cdn.example/mug-2.jpg"}
    message = check(adsctl, product("mug"), product("jug"), image)
    assert (
        "export.csv:4: 'mug' is also on line 2; sort the file: a product's rows must be together" in message
    )
    assert "1 of 3 rows invalid" in message


def test_a_row_without_a_handle_is_an_error(adsctl):
    message = check(adsctl, product("mug"), {"Image Src": "https://cdn.example/lost.jpg"})
    assert "export.csv:3: has no Handle" in message


def test_a_row_with_too_many_cells_makes_every_variant_of_its_product_invalid(adsctl):
    text = table(product("mug"), product("mug", **{"Variant SKU": "b", "Option1 Value": "B"}), product("jug"))
    adsctl.file("export.csv", text.replace(",active\nmug", ",active,x\nmug", 1))
    done = adsctl("products", "check", "export.csv", "-o", "table", *OPTIONS, code=3)
    assert "export.csv:2: has 12 cells, and the header has 11" in done.stdout
    assert "export.csv:3: line 2 of it has 12 cells" in done.stdout
    assert "2 of 3 rows invalid" in done.stderr


def test_the_file_of_failed_rows_has_every_row_of_a_product_once_and_can_be_pushed_again(adsctl, service):
    bad = {"Variant Barcode": "not a number"}
    rows = [
        product("jug"),
        product("mug", **bad, **{"Option1 Name": "Color", "Option1 Value": "Red"}),
        {"Handle": "mug", "Option1 Value": "Blue", "Variant SKU": "b", "Variant Price": "13", **bad},
        {"Handle": "mug", "Image Src": "https://cdn.example/mug-2.jpg", "Image Position": "2"},
    ]
    adsctl.file("export.csv", table(*rows))
    words = ["products", "push", "export.csv", "--skip-invalid", "--failed-out", "failed.csv", *OPTIONS]
    adsctl(*words, code=9)
    failed = list(csv.DictReader((adsctl.home / "failed.csv").open()))
    assert [{k: v for k, v in row.items() if v and k[0] != "_"} for row in failed] == rows[1:]
    assert all("gtin" in row["_error"] for row in failed)
    corrected = (adsctl.home / "failed.csv").read_text().replace("not a number", "4006381333931")
    adsctl.file("corrected.csv", corrected)
    adsctl("products", "push", "corrected.csv", *OPTIONS)
    assert {"sku-jug", "sku-mug", "b"} <= {*service.stored}


@pytest.mark.parametrize(
    ("own", "availability", "inventory"),
    [
        ({"Variant Inventory Tracker": "", "Variant Inventory Qty": "0"}, "in stock", None),
        ({"Variant Inventory Tracker": "shopify", "Variant Inventory Qty": "0"}, "out of stock", 0),
        ({"Variant Inventory Tracker": "shopify", "Variant Inventory Qty": "-3"}, "out of stock", 0),
        (
            {
                "Variant Inventory Tracker": "shopify",
                "Variant Inventory Qty": "-3",
                "Variant Inventory Policy": "continue",
            },
            "in stock",
            None,
        ),
        ({"Variant Inventory Tracker": "shopify", "Variant Inventory Qty": "4"}, "in stock", 4),
        ({"Variant Inventory Tracker": "shopify", "Variant Inventory Qty": ""}, "in stock", None),
    ],
)
def test_a_shopify_variant_is_out_of_stock_only_where_stock_is_tracked_and_denied(
    adsctl, service, own, availability, inventory
):
    adsctl.file("export.csv", table(product("mug", **({"Variant Inventory Policy": "deny"} | own))))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert (found["availability"], found.get("inventory")) == (availability, inventory)


@pytest.mark.parametrize(
    ("price", "compare_at", "sent"),
    [
        ("10.00", "12.00", ("12.00 EUR", "10.00 EUR")),
        ("10.00", "10.00", ("10.00 EUR", None)),
        ("10.00", "9.00", ("10.00 EUR", None)),
        ("10.00", "0", ("10.00 EUR", None)),
        ("10.00", "", ("10.00 EUR", None)),
        ("10.00", "call us", ("10.00 EUR", None)),
    ],
)
def test_a_price_below_the_compare_at_price_is_a_sale_price(adsctl, service, price, compare_at, sent):
    row = product("mug", **{"Variant Price": price, "Variant Compare At Price": compare_at})
    adsctl.file("export.csv", table(row))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert (found["price"], found.get("sale_price")) == sent


def test_columns_can_be_used_by_their_own_names_and_mapped_elsewhere(adsctl, service):
    adsctl.file("export.csv", table(product("mug"), product("jug", Vendor="Someone")))
    words = ["--where", "Vendor=Nordlicht", "--set", "mobile_link=https://m.example/{Handle}"]
    adsctl("products", "push", "export.csv", "--map", "Option1 Value=custom_label_0", *words, *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"].startswith("sku-")]
    assert found["mobile_link"] == "https://m.example/mug" and found["custom_label_0"] == "Default Title"


def test_an_address_with_a_comma_stays_one_address(adsctl, service):
    more = {"Handle": "mug", "Image Src": '"https://cdn.example/w_500,h_500/2.jpg"', "Image Position": "2"}
    adsctl.file("export.csv", table(product("mug"), more))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert found["additional_image_link"] == "https://cdn.example/w_500%2Ch_500/2.jpg"


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("color", "Color Colors COLOUR Colours Color: Farbe Farben Farbe(n) Couleurs Colores Cores Kleuren"),
        ("color", "Renk Цвет Kolor Barva Färg Farve Väri Szín 颜色 顏色 色 カラー 색상 צבע اللون Colori"),
        ("size", "Size Sizes size: Größe Größen Grösse Taille Tailles Talla Tallas Tamaño Tamaños Tamanho"),
        ("size", "Taglia Taglie Maat Maten Beden Размер Rozmiar Velikost Storlek Størrelse Koko Méret 尺码"),
        ("size", "尺寸 サイズ 사이즈 מידה المقاس Size_(EU) GRÖSSE taille. Tamanhos"),
    ],
)
def test_an_option_is_read_by_its_name_in_any_language_and_number(adsctl, field, names):
    handles = {name.replace("_", " "): f"mug-{number}" for number, name in enumerate(names.split())}
    options = [
        product(handle, **{"Option1 Name": name, "Option1 Value": f"one {name[0]}"})
        for name, handle in handles.items()
    ]
    adsctl.file("export.csv", table(*options))
    done = adsctl("products", "convert", "export.csv", "out.json", *OPTIONS)
    found = {record["id"]: record.get(field) for record in json.loads((adsctl.home / "out.json").read_text())}
    assert found == {f"sku-{handle}": f"one {name[0]}" for name, handle in handles.items()}
    assert "not sent" not in done.stderr


def test_options_that_no_field_takes_are_named_with_the_products_that_have_them(adsctl):
    rows = [
        product("mug", **{"Option1 Name": "Material", "Option1 Value": "Clay"}),
        {"Handle": "mug", "Variant SKU": "sku-2", "Option1 Value": "Tin", "Variant Price": "9"},
        product("hat", **{"Option1 Name": "Estilo", "Option1 Value": "A"}),
        product("bag", **{"Option1 Name": "Material", "Option1 Value": "Jute", "Status": "draft"}),
        product("cup"),
    ]
    adsctl.file("export.csv", table(*rows))
    words = ("products", "check", "export.csv", *OPTIONS)
    said = adsctl(*words).stderr
    assert "options 'Material' of 2 products, 'Estilo' of 1 product are not sent" in said
    assert "Title" not in said
    sent = adsctl(*words, "--set", "custom_label_0={Option1 Value}").stderr
    assert "Material" not in sent


def test_variants_that_differ_in_an_option_that_is_not_sent_are_no_duplicates(adsctl):
    rows = [
        product("mug", **{"Option1 Name": "Material", "Option1 Value": "Clay"}),
        {"Handle": "mug", "Variant SKU": "sku-mug", "Option1 Value": "Tin", "Variant Price": "12.50"},
    ]
    assert "they differ" in check(adsctl, *rows, options=[*OPTIONS, "--fix", "duplicates"])


WOO = {
    "ID": "7",
    "Type": "simple",
    "SKU": "sku-mug",
    "Name": "Mug",
    "Published": "1",
    "Description": r"A mug.\nWhite.",
    "In stock?": "1",
    "Regular price": "12",
    "Images": "https://cdn.example/mug.jpg",
    "Brands": "Nordlicht",
}


@pytest.mark.parametrize(
    ("starts", "ends", "dates"),
    [
        ("2026-11-01", "2026-12-24", "2026-11-01T00:00:00+00:00/2026-12-24T23:59:59+00:00"),
        ("2026-11-01T10:00:00+01:00", "", "2026-11-01T10:00:00+01:00/2099-12-31T23:59:59+00:00"),
        ("", "2026-12-24 12:00:00", "1970-01-01T00:00:00+00:00/2026-12-24T12:00:00+00:00"),
        ("2026-12-01 0:00:00", "2026-12-24 9:05:00", "2026-12-01T00:00:00+00:00/2026-12-24T09:05:00+00:00"),
        ("", "", None),
    ],
)
def test_the_sale_dates_of_woocommerce_become_an_interval(adsctl, service, starts, ends, dates):
    row = WOO | {"Sale price": "10", "Date sale price starts": starts, "Date sale price ends": ends}
    adsctl.file("export.csv", table(row))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert found.get("sale_price_effective_date") == dates
    assert found["description"] == "A mug.\nWhite."


def test_sale_dates_of_woocommerce_are_those_of_the_zone_that_is_named(adsctl):
    row = WOO | {
        "Sale price": "10",
        "Date sale price starts": "2026-06-01",
        "Date sale price ends": "2026-12-24",
    }
    adsctl.file("export.csv", table(row))
    adsctl("products", "convert", "export.csv", "out.jsonl", *OPTIONS, "--time-zone", "Europe/Berlin")
    dates = "2026-06-01T00:00:00+02:00/2026-12-24T23:59:59+01:00"
    assert dates in (adsctl.home / "out.jsonl").read_text()


@pytest.mark.parametrize("type", ["simple", "variation"])
def test_the_apostrophes_that_woocommerce_writes_before_signs_are_left_out(adsctl, type):
    escaped = {
        "SKU": "'-A2",
        "Name": "'-20% kettle",
        "Description": r"'- First\n- Second",
        "Brands": "'@home",
    }
    row = WOO | escaped | {"Type": type, "Parent": "'+mugs"}
    adsctl.file("export.csv", table(WOO | {"Type": "variable", "SKU": "'+mugs", "Images": ""}, row))
    adsctl("products", "convert", "export.csv", "out.json", *OPTIONS)
    (product,) = json.loads((adsctl.home / "out.json").read_text())
    assert (product["id"], product["title"], product["brand"]) == ("-A2", "-20% kettle", "@home")
    assert product["description"] == "- First\n- Second"
    assert product.get("item_group_id") == ("+mugs" if type == "variation" else None)


def test_a_variation_whose_stock_is_managed_by_its_parent_has_the_stock_of_that(adsctl, service):
    parent = WOO | {"Type": "variable", "SKU": "mugs", "Stock": "7"}
    adsctl.file("export.csv", table(parent, WOO | {"Type": "variation", "Parent": "mugs", "Stock": "parent"}))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert (found["availability"], str(found["inventory"])) == ("in stock", "7")


@pytest.mark.parametrize("values", ["Attribute 1 value(s)", "attribute 1 Value(s)"])
def test_an_attribute_is_found_in_any_case_of_its_columns(adsctl, service, values):
    adsctl.file("export.csv", table(WOO | {"Attribute 1 name": "Color", values: "Red"}))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert found["color"] == "Red"


def test_a_variation_without_its_parent_is_sent_with_what_it_has(adsctl, service):
    adsctl.file("export.csv", table(WOO | {"Type": "variation", "Parent": "id:6"}))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert found["item_group_id"] == "6" and found["link"] == "https://shop.example/?p=7"


def test_a_variation_that_names_no_parent_takes_nothing_from_one_without_a_sku(adsctl, service):
    other = {
        "ID": "3",
        "Type": "variable",
        "Name": "Hat",
        "Published": "1",
        "Categories": "Hats",
        "Brands": "Other",
    }
    adsctl.file("export.csv", table(other, WOO | {"Type": "variation"}))
    adsctl("products", "push", "export.csv", *OPTIONS)
    (found,) = [each for each in service.emulator.data.products() if each["id"] == "sku-mug"]
    assert found["link"] == "https://shop.example/?p=7" and not found.get("product_type")


def test_a_variation_that_is_switched_off_is_left_out_though_its_parent_is_published(adsctl, service):
    parent = {"ID": "6", "Type": "variable", "Name": "Mug", "SKU": "mugs", "Published": "1"}
    shown, hidden = ({"Type": "variation", "Parent": "mugs", "SKU": sku} for sku in ("shown", "hidden"))
    adsctl.file("export.csv", table(parent, WOO | shown, WOO | hidden | {"Published": "0"}))
    done = adsctl("products", "push", "export.csv", *OPTIONS)
    assert service.stored == ["shown"]
    assert "1 product left out: 1 whose Published is 0" in done.stderr
    chosen = adsctl("products", "push", "export.csv", *OPTIONS, "--where", "Published=1", "-q")
    assert "warning" not in chosen.stderr and service.stored == ["shown"]


def test_an_export_that_is_cut_off_is_told_by_its_line(adsctl):
    text = shopify_export.write([]).decode() + '"mug,"Mug\n'
    adsctl.file("export.csv", text)
    done = adsctl("products", "check", "export.csv", *OPTIONS, code=3)
    assert "export.csv:2" in done.stderr
    assert woocommerce_export.HEADER[0] not in done.stderr


def test_rows_of_files_of_different_kinds_are_not_written_to_one_file(adsctl, service):
    adsctl.file("shopify.csv", table(product("mug", **{"Variant Price": "free"})))
    adsctl.file("woocommerce.csv", table(WOO))
    adsctl.file("plain.csv", feed(1))
    adsctl.file("google.csv", feed(1).replace("image_link", "image link"))
    failed = ("--failed-out", "failed.csv", "--skip-invalid")
    for one, other in (("shopify", "woocommerce"), ("plain", "shopify"), ("plain", "google")):
        files = f"{one}.csv", f"{other}.csv"
        said = adsctl("products", "push", *files, *failed, code=2).stderr
        kind = one.replace("plain", "generic")
        assert f"{files[0]} is read as {kind}, and {files[1]} as {other}" in said
        assert "commands of their own" in said
    assert service.puts == [] and not (adsctl.home / "failed.csv").exists()
