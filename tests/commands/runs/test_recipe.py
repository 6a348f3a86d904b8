"""Recipes: everything that options say of a feed, kept in a file."""

import json
import re

import msgspec
import pytest
from rich.cells import cell_len

from ads_cli.commands.audiences.lists import ListOptions
from ads_cli.commands.conversions import ConversionFileOptions
from ads_cli.commands.products.options import ComparedFeedOptions
from ads_cli.commands.runs.recipe import COLUMN_KEYS, OPTIONS
from ads_cli.products.feeds.kinds import RECIPE_KEYS
from tests.adsctl import interrupt_prompt
from tests.conftest import PRODUCT

RECIPE = """\
# what the shop's export needs
from: generic
map: {Name: title}
set:
  link: /p/{Handle}
default: {brand: Nordlicht, condition: new}
currency: EUR
base-url: https://shop.example
split: {image_link: "|"}
where: Status=active
fix: [html, price]
keep: last
min-rows: 50%
max-delete: 5
region: DE
"""
FEED = """\
Handle,id,Name,description,availability,price,image_link,Status
mug,1,Mug,<b>White</b>,in stock,12.50,/a.jpg|/b.jpg,active
cup,2,Cup,A cup.,in stock,9.50,/c.jpg,draft
"""


@pytest.fixture
def shop(adsctl):
    adsctl.file("feed.csv", FEED)
    adsctl.file("shop.yaml", RECIPE)
    return adsctl


def products(adsctl, *words) -> list[dict]:
    done = adsctl("products", "convert", "feed.csv", "-", "--format-out", "jsonl", *words)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("options", [ComparedFeedOptions, ConversionFileOptions, ListOptions])
def test_every_option_of_a_file_is_one_of_a_recipe_but_for_what_is_asked_of_each_run(options):
    names = [field.name for field in msgspec.structs.fields(options)]
    keys = {name.replace("_", "-") for name in names}
    assert keys - {*OPTIONS} <= {"recipe", "prune", "verify", "source-kind"}


def test_the_keys_of_a_recipe_that_are_no_options_are_those_of_a_kind():
    assert {*RECIPE_KEYS} == COLUMN_KEYS


def test_a_key_that_is_there_twice_is_refused(shop):
    shop.file("twice.yaml", "columns:\n  Name: title\njoined: {}\ncolumns:\n  Handle: id\n")
    done = shop("products", "check", "feed.csv", "--recipe", "twice.yaml", code=3)
    assert "twice.yaml:4:1: neither YAML nor JSON: the key 'columns' is repeated" in done.stderr


def test_a_recipe_stands_for_the_options_of_a_feed(shop):
    [product] = products(shop, "--recipe", "shop.yaml")
    assert product == {
        "id": "1",
        "title": "Mug",
        "description": "White",
        "availability": "in stock",
        "condition": "new",
        "price": "12.50 EUR",
        "link": "https://shop.example/p/mug",
        "image_link": "https://shop.example/a.jpg",
        "additional_image_link": "https://shop.example/b.jpg",
        "brand": "Nordlicht",
    }


def test_options_outrank_a_recipe_field_by_field(shop):
    words = ("--currency", "USD", "--default", "brand=Other", "--where", "Status=draft", "--set", "link=/x")
    [product] = products(shop, "--recipe", "shop.yaml", *words)
    assert product["id"] == "2"
    assert product["price"] == "9.50 USD"
    assert (product["brand"], product["condition"]) == ("Other", "new")
    assert product["link"] == "https://shop.example/x"


def test_a_column_that_is_mapped_outranks_the_same_column_of_a_recipe(shop):
    product = products(shop, "--recipe", "shop.yaml", "--map", "Name=brand", "--set", "title={Handle}")[0]
    assert (product["title"], product["brand"]) == ("mug", "Mug")


def test_an_option_typed_with_its_default_outranks_a_recipe_too(shop):
    shop.file("wix.yaml", RECIPE.replace("from: generic", "from: wix"))
    assert products(shop, "--recipe", "wix.yaml", "--from", "auto")[0]["id"] == "1"


def test_a_condition_on_another_column_is_added_to_those_of_a_recipe(shop):
    assert products(shop, "--recipe", "shop.yaml", "--where", "id!=7")[0]["id"] == "1"


def test_a_recipe_reads_the_values_of_a_field(shop):
    shop.file("feed.csv", FEED.replace("in stock", "lieferbar"))
    shop.file("shop.yaml", f"{RECIPE}values: {{availability: {{in stock: [lieferbar]}}}}\n")
    assert products(shop, "--recipe", "shop.yaml")[0]["availability"] == "in stock"


def test_a_profile_names_recipes_by_patterns_of_files(shop):
    shop("profile", "set", "default", "recipes.feed*.csv=shop.yaml", "recipes.*.xml=other.yaml")
    done = shop("products", "check", "feed.csv")
    assert "feed.csv: read by the recipe" in done.stderr
    shown = shop("profile", "show", "-o", "csv").stdout
    assert f'recipes,"feed*.csv={shop.home / "shop.yaml"}, *.xml=' in shown
    shop("profile", "set", "default", "recipes.feed*.csv=")
    assert "recipe" not in shop("products", "check", "feed.csv", code=3).stderr


def test_a_named_recipe_outranks_that_of_the_profile(shop):
    shop("profile", "set", "default", "recipes.*.csv=absent.yaml")
    assert products(shop, "--recipe", "shop.yaml")[0]["id"] == "1"
    assert "absent.yaml cannot be read" in shop("products", "check", "feed.csv", code=2).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("curency: EUR", "shop.yaml: unknown key 'curency'; did you mean 'currency'?"),
        ("- a", "shop.yaml: must be a mapping of options"),
        ("keep: middle", "shop.yaml: keep: 'middle' is not one of first, last"),
        ("currency: EUX", "shop.yaml: currency: 'EUX' is not a currency"),
        ("currency: [EUR]", "shop.yaml: currency: must be one value"),
        ("strict: perhaps", "shop.yaml: strict: 'perhaps' is neither true nor false"),
        ("default: {titel: x}", "shop.yaml: default: 'titel' is not a known field; did you mean 'title'?"),
        ("default: 3", "shop.yaml: default: '3' is not FIELD=TEMPLATE"),
        ("fix: {a: b}", "shop.yaml: fix: must be a text, or a list of texts"),
        ("mapping: m.yaml", "shop.yaml: unknown key 'mapping'"),
    ],
)
def test_a_mistake_in_a_recipe_is_one_of_its_file(shop, text, message):
    shop.file("shop.yaml", text)
    assert message in shop("products", "check", "feed.csv", "--recipe", "shop.yaml", code=3).stderr


def test_a_recipe_that_is_not_there_is_an_error_of_the_option(shop):
    done = shop("products", "check", "feed.csv", "--recipe", "none.yaml", code=2)
    assert "--recipe: none.yaml cannot be read: No such file or directory" in done.stderr


def test_a_list_of_people_is_read_by_the_options_of_a_recipe_that_it_has(shop):
    shop.file("list.csv", "tel\n040 123456\n")
    shop.file("people.yaml", "map: {tel: phone_number}\nregion: DE\nmax-delete: 3\n")
    done = shop("audiences", "check", "list.csv", "--recipe", "people.yaml", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 1


def test_a_changed_push_skips_rows_by_options_or_by_a_recipe(adsctl):
    adsctl.file("feed.json", json.dumps([PRODUCT]))
    adsctl.file("shop.yaml", "default: {color: red}\nmin-rows: 5\n")
    adsctl.local("products", "push", "feed.json", "--changed", "--default", "color=red")
    words = ("products", "push", "feed.json", "--changed", "--recipe", "shop.yaml", "-o", "json")
    assert "--min-rows is 5" in adsctl.local(*words, code=12).stderr
    done = json.loads(adsctl.local(*words, "--min-rows", "1").stdout)
    assert (done["created"], done["updated"], done["skipped"]) == (0, 0, 1)


SHOP = """\
Handle,Title,Vendor,Price,Images,description,condition,availability,id,link
mug,Enamel mug,Nordlicht,12.50,/i/mug.jpg;/i/mug-2.jpg,A <b>mug</b>.,new,in stock,1,/p/mug
cup,Enamel cup,Other,9.50,/i/cup.jpg,A cup.,new,in stock,2,/p/cup
"""


def test_a_check_writes_a_recipe_of_what_was_typed_and_what_is_certain(adsctl):
    adsctl.file("shop.csv", SHOP)
    words = ("--where", "id>=1", "--default", "color=red", "--fix", "html", "--from", "generic")
    adsctl("products", "check", "shop.csv", *words, "--write-recipe", "shop.yaml", code=3)
    text = (adsctl.home / "shop.yaml").read_text()
    assert text.splitlines()[1:] == [
        "from: generic",
        "map:",
        "  Title: title",
        "  Price: price",
        "  Images: image_link",
        "  Vendor: brand",
        "split:",
        '  image_link: ";"',
        "default:",
        "  color: red",
        'where: "id>=1"',
        "# currency: …",
        "# base-url: https://…",
        "fix: html",
        "# Columns that are not sent; --map, or `map:` here, reads one as a field:",
        "#   Handle",
    ]
    adsctl.file(
        "shop.yaml",
        text.replace("# currency: …", "currency: EUR").replace(
            "# base-url: https://…", "base-url: https://shop.example"
        ),
    )
    done = adsctl("products", "check", "shop.csv", "--recipe", "shop.yaml", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 2


def test_a_recipe_is_written_of_a_valid_feed_too_and_of_a_recipe_with_more(adsctl):
    adsctl.file("shop.csv", SHOP.replace("Vendor", "brand").replace("in stock", "lieferbar"))
    adsctl.file(
        "first.yaml",
        "columns: {Title: title, Price: price, Images: image_link}\nfix: html\n"
        "split: {image_link: ;}\nvalues: {availability: {in stock: [lieferbar]}}\n",
    )
    words = ("--recipe", "first.yaml", "--currency", "EUR", "--base-url", "https://shop.example")
    adsctl("products", "check", "shop.csv", *words, "--write-recipe", "second.yaml")
    done = adsctl("products", "check", "shop.csv", "--recipe", "second.yaml", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 2
    assert "first.yaml" not in (adsctl.home / "second.yaml").read_text()


def test_a_recipe_replaces_no_file_unasked(adsctl):
    adsctl.file("shop.csv", SHOP)
    adsctl.file("shop.yaml", "mine")
    done = adsctl("products", "check", "shop.csv", "--write-recipe", "shop.yaml", code=12)
    assert "Replace shop.yaml" in done.stderr and (adsctl.home / "shop.yaml").read_text() == "mine"
    assert (
        "is the input file"
        in adsctl("products", "check", "shop.csv", "--write-recipe", "shop.csv", "--force", code=2).stderr
    )


def test_an_interactive_check_asks_for_what_is_missing_shows_its_effect_and_writes_the_recipe(adsctl):
    adsctl.file("shop.csv", SHOP)
    session = adsctl.terminal("products", "check", "shop.csv", "--interactive", width=200)
    session.expect("--fix html: 0 of 2 rows valid")
    session.expect("--currency '…' .empty to leave it out.: ")
    session.sendline("EURO")
    session.expect("'EURO' is not a currency of ISO 4217")
    session.expect("--currency '…' .empty to leave it out.: ")
    session.sendline("EUR")
    session.expect("--base-url 'https://…' .empty to leave it out.: ")
    session.sendline("https://shop.example")
    session.expect("--base-url https://shop.example: 2 of 2 rows valid")
    session.expect("shop.recipe.yaml written; use it with --recipe shop.recipe.yaml")
    session.wait()
    assert session.exitstatus == 0
    adsctl("products", "check", "shop.csv", "--recipe", "shop.recipe.yaml")


UNKNOWN = {  # a product and another, under names that no kind of export has
    "Wxyz1": ("A-1", "A-2"),
    "Foo": ("Kettle", "Mug"),
    "Bar": ("A kettle of steel", "A mug"),
    "Baz": ("https://shop.example/p/a-1", "https://shop.example/p/a-2"),
    "Qux": ("https://cdn.example/a-1.jpg", "https://cdn.example/a-2.jpg"),
    "Zahl": ("19,90", "8,00"),
    "Lager": ("5", "0"),
}
QUESTIONS = "number or name of a column; =TEXT for each row; - for none; . for the columns"


def table_of(columns: dict[str, tuple[str, ...]]) -> str:
    return "".join(";".join(row) + "\n" for row in [columns, *zip(*columns.values(), strict=True)])


def json_of(columns: dict[str, tuple[str, ...]]) -> str:
    return json.dumps([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])


def xml_of(columns: dict[str, tuple[str, ...]]) -> str:
    rows = zip(*columns.values(), strict=True)
    cells = ("".join(f"<{n}>{v}</{n}>" for n, v in zip(columns, row, strict=True)) for row in rows)
    return f"<items>{''.join(f'<item>{cell}</item>' for cell in cells)}</items>"


def asked(session, field: str, answer: str, proposed: str = "") -> None:
    session.expect(re.escape(f"\r\n{field} [{proposed}]: " if proposed else f"\r\n{field}: "))
    session.sendline(answer)


def asked_from_the_condition_on(session) -> None:
    """Take what is proposed for the last fields of a file of unknown columns, and name the brand."""
    asked(session, "condition", "", "=new")
    asked(session, "price", "", "6 Zahl")
    asked(session, "link", "", "4 Baz")
    asked(session, "image_link", "", "5 Qux")
    asked(session, "brand", "=Acme")


@pytest.mark.parametrize(
    ("name", "content"),
    [("shop.csv", table_of(UNKNOWN)), ("shop.json", json_of(UNKNOWN)), ("shop.xml", xml_of(UNKNOWN))],
)
def test_the_columns_of_a_file_that_no_kind_knows_are_asked_for_until_it_can_be_pushed(adsctl, name, content):
    adsctl.file(name, content)
    session = adsctl.terminal("products", "check", name, "--interactive")
    session.expect("Its columns:\r\n  1  Wxyz1  A-1\r\n  2  Foo    Kettle\r\n")
    session.expect(QUESTIONS)
    asked(session, "id", "", "1 Wxyz1")
    asked(session, "title", "8", "2 Foo")
    session.expect("'8' is not a column")
    asked(session, "title", "2", "2 Foo")
    asked(session, "description", "bar", "3 Bar")
    asked(session, "availability", "=gone")
    session.expect("'gone' is not a valid availability; one of in stock, ")
    asked(session, "availability", "?")
    session.expect("  7  Lager  5\r\n")
    asked(session, "availability", "Lager")
    asked_from_the_condition_on(session)
    session.expect("--currency '…' .empty to leave it out.: ")
    session.sendline("EUR")
    session.expect("--currency EUR: 2 of 2 rows valid")
    session.wait()
    assert session.exitstatus == 0
    adsctl.local("products", "push", name, "--recipe", "shop.recipe.yaml")
    product = json.loads(adsctl.local("products", "get", "A-1", "-o", "json").stdout)
    expected = {
        "title": "Kettle",
        "description": "A kettle of steel",
        "price": "19.90 EUR",
        "brand": "Acme",
        "availability": "in stock",
        "condition": "new",
        "link": "https://shop.example/p/a-1",
        "image_link": "https://cdn.example/a-1.jpg",
    }
    assert {name: product[name] for name in expected} == expected


def test_what_is_known_is_proposed_and_taken_where_no_column_looks_like_it(adsctl):
    images = [f"https://cdn.example/{n}.jpg" for n in range(2)]
    row = {"sku": "A-1", "name": "Kettle", "P": {"amount": "19.90", "currency": "EUR"}, "Fotos": images}
    adsctl.file("shop.json", json.dumps([row]))
    session = adsctl.terminal("products", "check", "shop.json", "--interactive", width=200)
    session.expect("--map sku=id: 0 of 1 row valid")
    asked(session, "description", "", "={title}")
    asked(session, "availability", "=in stock")
    asked(session, "condition", "", "=new")
    asked(session, "price", "", "3 P")
    asked(session, "link", "=https://shop.example/{sku}")
    asked(session, "brand", "=Acme")
    session.expect("1 of 1 row valid")
    session.wait()
    assert session.exitstatus == 0
    adsctl("products", "convert", "shop.json", "out.json", "--recipe", "shop.recipe.yaml")
    product = json.loads((adsctl.home / "out.json").read_text())[0]
    assert (product["price"], product["description"]) == ("19.90 EUR", "Kettle")
    assert (product["image_link"], product["link"]) == (images[0], "https://shop.example/A-1")


def test_a_column_can_be_two_fields_and_a_field_be_left_out(adsctl):
    columns = {name: UNKNOWN[name] for name in ("Wxyz1", "Foo")} | {"title": ("", "")}
    adsctl.file("shop.csv", table_of(columns))
    session = adsctl.terminal("products", "check", "shop.csv", "--interactive", width=300)
    asked(session, "id", "1", "1 Wxyz1")
    asked(session, "title", "", "2 Foo")
    asked(session, "description", "=A {Foo}, {nothing}", "={title}")
    session.expect("--default: no column 'nothing'")
    asked(session, "description", "Foo", "={title}")
    for field in ("availability", "condition", "price"):
        session.expect(f"{field}.*: ")
        session.sendline("-")
    session.expect("link: ")
    session.sendeof()
    session.expect("--map Wxyz1=id --set 'title={Foo}' --set 'description={Foo}': 0 of 2 rows valid")
    session.expect("shop.recipe.yaml written")
    session.wait()
    assert session.exitstatus == 3


def test_an_interactive_check_asks_about_a_file_in_another_encoding_and_writes_it_into_the_recipe(adsctl):
    columns = UNKNOWN | {
        "Foo": ("Grüner Kessel für draußen", "Größerer Kessel"),
        "Zahl": ("19.90 EUR", "9 EUR"),
    }
    adsctl.file("shop.csv", table_of(columns).encode("cp1252"))
    session = adsctl.terminal("products", "check", "shop.csv", "--interactive", width=300)
    session.expect("--encoding cp1252\r\n")
    session.expect("2  Foo    Grüner Kessel für draußen\r\n")
    asked(session, "id", "", "1 Wxyz1")
    asked(session, "title", "Foo", "2 Foo")
    asked(session, "description", "Bar", "3 Bar")
    asked(session, "availability", "Lager")
    asked_from_the_condition_on(session)
    session.expect("2 of 2 rows valid")
    session.wait()
    assert session.exitstatus == 0
    adsctl.local("products", "push", "shop.csv", "--recipe", "shop.recipe.yaml")
    product = json.loads(adsctl.local("products", "get", "A-1", "-o", "json").stdout)
    assert product["title"] == "Grüner Kessel für draußen"


def test_an_interactive_check_leaves_no_row_out_unless_a_person_says_so(adsctl):
    rows = [PRODUCT | {"id": "a", "title": title} for title in ("One", "Two")]
    adsctl.file("shop.json", json.dumps(rows))
    session = adsctl.terminal("products", "check", "shop.json", "--interactive", width=200)
    session.expect("--keep first .empty to leave it out.: ")
    session.sendline("yes")
    session.expect("'yes' is neither first nor last")
    session.expect("--keep first .empty to leave it out.: ")
    session.sendline("")
    session.wait()
    assert session.exitstatus == 3
    assert "keep" not in (adsctl.home / "shop.recipe.yaml").read_text()


def test_one_text_is_not_taken_as_the_id_of_every_row(adsctl):
    adsctl.file("shop.csv", table_of({name: UNKNOWN[name] for name in ("Wxyz1", "Foo")}))
    session = adsctl.terminal("products", "check", "shop.csv", "--interactive", width=200)
    asked(session, "id", "=x", "1 Wxyz1")
    session.expect("'x' would be the id of every row")
    asked(session, "id", "=x-{Wxyz1}", "1 Wxyz1")
    session.expect("title.*: ")
    session.sendeof()
    session.wait()


def test_what_is_shown_of_a_file_fits_the_terminal_and_cannot_control_it(adsctl):
    columns = {"Nr\u202e": ("A-1",), "名前": ("やかん" * 60,), "Text": ("\x1b[31m" + "long " * 60,)}
    adsctl.file("shop.csv", table_of(columns | {f"Zusatz {n}": ("x",) for n in range(60)}))
    session = adsctl.terminal("products", "check", "shop.csv", "--interactive")
    session.expect("Its columns:\r\n")
    session.expect(QUESTIONS)
    lines = session.before.splitlines()
    assert lines[0] == "   1  Nr\\u202e   A-1" and lines[-1] == "  63  Zusatz 59  x"
    assert [cell_len(line) for line in lines[1:3]] == [80, 80] and "\\x1b[31mlong" in lines[2]
    assert not [line for line in lines if not line.isprintable()]
    session.expect("id .*: ")
    interrupt_prompt(session)
    session.wait()
    assert session.exitstatus == 130
    assert not (adsctl.home / "shop.recipe.yaml").exists()


def test_without_a_terminal_nothing_can_be_asked(adsctl):
    adsctl.file("shop.csv", SHOP)
    done = adsctl("products", "check", "shop.csv", "--interactive", code=12)
    assert "--interactive: there is no terminal to ask on" in done.stderr


def test_a_check_of_a_list_writes_a_recipe_by_which_it_can_be_pushed(adsctl):
    adsctl.file("list.csv", "tel,Land,note,Newsletter\n040 123456,DE,x,yes\n,DE,x,yes\n")
    words = ("--map", "tel=phone_number", "--region", "DE", "--where", "Newsletter=yes", "--keep-partial")
    done = adsctl("audiences", "check", "list.csv", *words, "--write-recipe", "people.yaml", code=3)
    assert "people.yaml written; use it with --recipe people.yaml" in done.stderr
    assert (adsctl.home / "people.yaml").read_text().splitlines()[1:] == [
        "map:",
        "  tel: phone_number",
        'where: "Newsletter=yes"',
        "region: DE",
        "keep-partial: true",
        "# Columns that are not sent; --map, or `map:` here, reads one as a field:",
        "#   note",
    ]
    adsctl.file("list.csv", "tel,Land,note,Newsletter\n040 123456,,x,yes\n,DE,x,no\n")
    done = adsctl("audiences", "check", "list.csv", "--recipe", "people.yaml", "-o", "json")
    assert json.loads(done.stdout)["valid"] == 1
    done = adsctl("audiences", "check", "list.csv", *words, "--write-recipe", "list.csv", "--force", code=2)
    assert "list.csv is the input file" in done.stderr


def test_conversions_are_sent_by_a_recipe_that_a_dry_run_has_written(adsctl):
    adsctl.file("orders.csv", "when,mail,Total\n2026-03-01T09:00:00+01:00,a@x.de,49.90\n")
    send = ("conversions", "send", "orders.csv", "--pixel", "o8z6j")
    mapped = ("--map", "when=conversion_time", "--map", "mail=email", "--map", "Total=value")
    words = (*mapped, "--event-id", "o3f71", "--currency", "EUR", "--dry-run")
    adsctl.local(*send, *words, "--write-recipe", "orders.yaml")
    assert (adsctl.home / "orders.yaml").read_text().splitlines()[1:] == [
        "map:",
        "  when: conversion_time",
        "  mail: email",
        "  Total: value",
        "currency: EUR",
        "event-id: o3f71",
    ]
    done = adsctl.local(*send, "--recipe", "orders.yaml", "-o", "json")
    assert json.loads(done.stdout)["sent"] == 1
    adsctl.file("orders.yaml", "currency: '1'")
    refused = adsctl.local(*send, "--recipe", "orders.yaml", code=3)
    assert "orders.yaml: currency: 1 is not a currency" in refused.stderr


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("audiences", "check", "list.csv"), "default: {brand: Nordlicht}"),
        (("audiences", "check", "list.csv"), "columns: {tel: phone_number}"),
        (("conversions", "send", "list.csv", "--pixel", "o8z6j"), "where: consent=yes"),
        (("conversions", "send", "list.csv", "--pixel", "o8z6j"), "min-rows: 3"),
        (("products", "check", "list.csv"), "event-id: o3f71"),
    ],
)
def test_what_a_recipe_says_is_refused_where_no_command_for_such_a_file_reads_it(adsctl, words, key):
    adsctl.file("list.csv", "email\na@x.de\n")
    adsctl.file("other.yaml", key)
    command = " ".join(words[:2])
    message = f"other.yaml: {key.partition(':')[0]}: adsctl {command} has no such option"
    assert message in adsctl.local(*words, "--recipe", "other.yaml", code=3).stderr
