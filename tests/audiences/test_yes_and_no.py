"""Conditions on cells that say yes or no: any spelling of it, in the whole list, and nothing is guessed."""

import json
import shlex

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ads_cli.audiences.list_columns import ColumnOptions, ListColumns
from ads_cli.audiences.operations import ParamsResolver
from ads_cli.audiences.packing import PackedRows, PackingOptions
from ads_cli.feeds.rows import FIRST_LINES
from ads_cli.feeds.transforms import Where
from tests.effort import tries

from .conftest import digest

PUSH = ("audiences", "push", "--audience", "aud", "-q", "-o", "json")
YES = [
    "true",
    "TRUE",
    "True",
    "Yes",
    "1",
    "1.0",
    "WAHR",
    "Ja",
    "oui",
    "SÍ",
    "Да",
    "是",
    "はい",
    "ＴＲＵＥ",
    "✓",
]
NO = [
    "false",
    "FALSE",
    "No",
    "0",
    "0.0",
    "FALSCH",
    "Nein",
    "NON",
    "Нет",
    "否",
    "いいえ",
    "ｎｏ",
    "hayır",
    "HAYIR",
]


def sent(audience) -> set[str]:
    """Return the hashed addresses that the service has received."""
    return audience.users


def table(header: str, cells: list[str]) -> str:
    rows = "".join(f'p{number}@x.de,"{text}"\n' for number, text in enumerate(cells))
    return f"Email,{header}\n{rows}"


def addresses(cells: list[str], wanted: list[str]) -> set[str]:
    return {digest(f"p{number}@x.de") for number, text in enumerate(cells) if text in wanted}


@pytest.mark.parametrize("value", ["true", "yes", "WAHR", "1", "ｙｅｓ"])
def test_people_who_refused_in_any_spelling_are_left_out(shop, audience, value):
    cells = [*YES, *NO, ""]
    shop.file("people.csv", table("Unsubscribed from all email", cells))
    shop(*PUSH, "people.csv", "--where", f"Unsubscribed from all email!={value}")
    assert sent(audience) == addresses(cells, [*NO, ""])


@pytest.mark.parametrize("value", ["no", "FALSE", "0"])
def test_an_empty_cell_says_neither_yes_nor_no(shop, audience, value):
    cells = ["yes", "NO", "", "\u00a0False\u200b ", " \u3000", "\u00a0WAHR "]
    shop.file("people.csv", table("Consent", cells))
    shop(*PUSH, "people.csv", "--where", f"Consent={value}")
    assert sent(audience) == addresses(cells, ["NO", cells[3]])


def test_people_are_added_to_a_do_not_reach_list_in_any_spelling(shop, audience):
    cells = ["Yes", "YES", "no", ""]
    shop.file("people.csv", table("Unsubscribed", cells))
    words = ("audiences", "do-not-reach", "push", "people.csv", "--list", "dnr", "-q")
    shop(*words, "--where", "Unsubscribed=yes")
    assert sent(audience) == addresses(cells, ["Yes", "YES"])


def as_json(cells):
    rows = [{"Email": f"p{number}@x.de", "Agreed": cell} for number, cell in enumerate(cells)]
    return json.dumps(rows)


def as_json_lines(cells):
    return "\n".join(map(json.dumps, json.loads(as_json(cells))))


@pytest.mark.parametrize(("name", "write"), [("people.json", as_json), ("people.jsonl", as_json_lines)])
def test_records_are_compared_as_tables_are(shop, audience, name, write):
    cells = [True, "Yes", 1, False, None, "nein"]
    shop.file(name, write(cells))
    shop(*PUSH, name, "--where", "Agreed=yes")
    assert sent(audience) == {digest(f"p{number}@x.de") for number in range(3)}


@pytest.mark.parametrize("header", ["Unsubscribed", "Newsletter", "Einwilligung"])
@pytest.mark.parametrize("condition", ["=yes", "!=No"])
def test_consent_that_cannot_be_decided_stops_the_run_and_is_listed(shop, audience, header, condition):
    shop.file("people.csv", table(header, ["yes", "", "maybe", "Frau Geheim", "NO", "maybe"]))
    done = shop(*PUSH, "people.csv", "--where", f"{header}{condition}", code=3)
    assert "3 cells say neither yes nor no: 'maybe' (2), 1 other text; people.csv:4" in done.stderr
    assert "people.csv:5" in done.stderr and "people.csv:7" in done.stderr
    assert "Geheim" not in done.stderr and not audience.bodies
    shop.file("people.json", json.dumps([{"Email": "a@x.de", header: "y"}, {"Email": "b@x.de", header: "2"}]))
    done = shop(*PUSH, "people.json", "--where", f"{header}{condition}", code=3)
    assert "1 cell says neither yes nor no: '2' (1)" in done.stderr and " more" not in done.stderr


def test_of_many_cells_that_cannot_be_decided_the_first_are_named_and_the_others_counted(shop, audience):
    shop.file("people.csv", table("Consent", ["yes", *["maybe"] * (FIRST_LINES + 2)]))
    done = shop(*PUSH, "people.csv", "--where", "Consent=yes", code=3)
    message = json.loads(done.stderr)["error"]["message"]
    assert message.endswith(f"people.csv:{FIRST_LINES + 2} and 2 more") and not audience.bodies


def test_no_row_can_be_packed_before_it_is_decided_how_conditions_compare():
    options = ColumnOptions(conditions=[Where.parse("unsubscribed!=yes")])
    columns = ListColumns(options, ["email"])
    names = ["email", "unsubscribed"]
    cells = [["a@x.de", "b@x.de"], ["Ja", "nein"]]

    def packed() -> PackedRows:
        resolver = ParamsResolver.of_options({})
        return columns.roles(names).pack(cells, 2, resolver, PackingOptions(), {})

    assert not packed().operations
    columns.decide(packed().asked, "people.csv")
    (operations,) = packed().operations
    assert [*operations.rows] == [1] and packed().left_out == {0} and not packed().asked


def test_a_regular_expression_takes_the_texts_that_cannot_be_decided(shop, audience):
    cells = ["yes", "", "maybe", "NO"]
    shop.file("people.csv", table("Consent", cells))
    shop(*PUSH, "people.csv", "--where", "Consent~^(yes|maybe)$")
    assert sent(audience) == addresses(cells, ["yes", "maybe"])


def test_what_cannot_be_decided_may_be_in_any_file_of_a_list_and_nothing_is_sent(shop, audience):
    (shop.home / "people").mkdir()
    shop.file("people/1.csv", table("Consent", ["yes", "no"]))
    shop.file("people/2.csv", table("Consent", ["yes", "later"]))
    done = shop(*PUSH, "people/*.csv", "--where", "Consent=yes", "--skip-invalid", code=3)
    assert "'later' (1); people/2.csv:3" in done.stderr and not audience.bodies


def test_a_column_is_one_of_answers_in_every_file_of_a_list_or_in_none(shop, audience):
    (shop.home / "people").mkdir()
    shop.file("people/1.csv", table("flag", ["Yes", "yes"]))
    shop.file("people/2.csv", table("flag", ["YES", "later"]))
    done = shop(*PUSH, "people/*.csv", "--where", "flag=yes")
    assert json.loads(done.stdout)["left_out"] == 3 and sent(audience) == {digest("p1@x.de")}
    shop.file("people/2.csv", table("flag", ["YES", ""]))
    done = shop(*PUSH, "people/*.csv", "--where", "flag=yes")
    assert json.loads(done.stdout)["left_out"] == 1


@pytest.mark.parametrize(
    ("header", "cells", "condition", "taken"),
    [
        ("country", ["NO", "SE", "no"], "country=NO", ["NO"]),
        ("country", ["NO", "no", "NE"], "country=NO", ["NO"]),  # Niger
        ("country", ["NO", "SE"], "country!=yes", ["NO", "SE"]),
        ("Language", ["no", "ja", "da"], "Language=da", ["da"]),  # Norwegian, Japanese, Danish
        ("Gender", ["F", "N"], "Gender=F", ["F"]),
        ("name", ["No", "no", "Nora"], "name=No", ["No"]),
        ("orders", ["1", "1.0", "12", "yes"], "orders=1", ["1", "1.0"]),
        ("source", ["web", "shop"], "source!=no", ["web", "shop"]),
        ("Consent", ["", " "], "Consent!=yes", ["", " "]),
        ("Consent", ["web", "YES please"], "Consent!=", ["web", "YES please"]),
        ("Consent", ["Subscribed", "subscribed"], "Consent=Subscribed", ["Subscribed"]),
        ("agreed", ["yes", "YES"], "agreed~yes", ["yes"]),
    ],
)
def test_any_other_column_is_compared_as_text(shop, audience, header, cells, condition, taken):
    shop.file("people.csv", table(header, cells))
    done = shop(*PUSH, "people.csv", "--where", condition)
    assert sent(audience) == addresses(cells, taken)
    assert "as text" not in done.stderr


def test_consent_without_any_yes_or_no_is_compared_as_text_and_that_is_said(shop, audience):
    cells = ["2024-01-01", "", "web"]
    shop.file("people.csv", table("Unsubscribed", cells))
    done = shop(*PUSH, "people.csv", "--where", "Unsubscribed!=true")
    assert "no cell of 'Unsubscribed' says yes or no: --where compares it with 'true' as text" in done.stderr
    assert sent(audience) == addresses(cells, cells)


COMMANDS = {
    "push": PUSH,
    "do-not-reach": ("audiences", "do-not-reach", "push", "--list", "dnr", "-q"),
    "check": ("audiences", "check", "-q"),
    "hash": ("audiences", "hash", "-q"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("condition", ["Consent=web", "Consent=yes"])
def test_a_filter_that_leaves_out_everybody_is_said_and_ends_with_3(shop, audience, words, condition):
    shop.file("people.csv", table("Consent", ["no", "", "NEIN"]))
    said = f"people.csv: --where {condition} leaves out everybody, 3 rows"
    done = shop(*words, "people.csv", "--where", condition, code=3)
    assert said in done.stderr and "--allow-empty" in done.stderr
    done = shop(*words, "people.csv", "--where", condition, "--allow-empty")
    assert said in done.stderr and not audience.bodies


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_filter_that_leaves_out_everybody_of_several_files_ends_with_3(shop, audience, more):
    (shop.home / "people").mkdir()
    shop.file("people/1.csv", table("Consent", ["no", ""]))
    shop.file("people/2.csv", table("Consent", ["no"]))
    words = (*PUSH, *more, "people/*.csv", "--where", "Consent=yes")
    done = shop(*words, code=3)
    assert "--where Consent=yes leaves out everybody, 3 rows" in done.stderr and not audience.bodies
    assert done.stderr.count("leaves out everybody") == 1
    assert shop(*words, "--allow-empty").stderr.count("leaves out everybody") == 1
    shop.file("people/2.csv", table("Consent", ["YES"]))
    assert "everybody" not in shop(*words).stderr


def test_nothing_is_written_where_everybody_is_left_out(shop):
    shop.file("people.csv", table("Consent", ["no"]))
    shop("audiences", "hash", "people.csv", "out.csv", "--where", "Consent=yes", code=3)
    assert not (shop.home / "out.csv").exists()


def test_a_product_feed_is_compared_as_text(adsctl):
    rows = "".join(
        f"{n},t,d,https://x.de/{n},https://x.de/{n}.jpg,1 EUR,in stock,{sale}\n"
        for n, sale in enumerate(["yes", "Yes", "no"])
    )
    adsctl.file("feed.csv", f"id,title,description,link,image_link,price,availability,on sale\n{rows}")
    done = adsctl("products", "check", "feed.csv", "-q", "-o", "json", "--where", "on sale=yes", code=None)
    assert json.loads(done.stdout)["left_out"] == 2


@pytest.mark.parametrize(
    ("header", "cells", "condition", "left_out"),
    [
        ("Consent", ["yes", "TRUE", "Yes", "NEIN", ""], "Consent=yes", 2),
        ("Unsubscribed", ["no", "TRUE", "Yes", "NEIN", ""], "Unsubscribed!=TRUE", 2),
        ("Consent", ["yes", "no", "web"], "Consent~^(yes)$", 2),
        ("Unsubscribed", ["yes", "WAHR", "2024-01-01", ""], "Unsubscribed=", 3),
        ("Unsubscribed", ["yes", "no", "2024-01-01", ""], "Unsubscribed~^(no|)$", 2),
        ("Consent", ["unsubscribed", "0", "subscribed"], "Consent=subscribed", 2),
    ],
)
def test_the_option_that_is_named_leaves_out_as_many_as_it_says(adsctl, header, cells, condition, left_out):
    adsctl.file("people.csv", table(header, cells))
    words = ("audiences", "check", "people.csv", "-o", "json")
    warnings = json.loads(adsctl(*words, "-q").stdout)["warnings"]
    named = f"--where {shlex.quote(condition)} leaves out {left_out} of {len(cells)} rows"
    assert any(named in text for text in warnings)
    assert json.loads(adsctl(*words, "--where", condition).stdout)["left_out"] == left_out


SAID = st.sampled_from(["", "yes", "Yes", "0", "subscribed", "unsubscribed", "web"])


@settings(max_examples=tries(15, 100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(cells=["unsubscribed", "0", "subscribed"], header="Consent")
@given(cells=st.lists(SAID, min_size=1, max_size=4), header=st.sampled_from(["Consent", "Unsubscribed"]))
def test_whatever_cells_say_the_named_option_leaves_out_as_many_as_it_says(adsctl, cells, header):
    adsctl.file("people.csv", table(header, cells))
    words = ("audiences", "check", "people.csv", "-o", "json", "-q")
    (notice,) = [text for text in json.loads(adsctl(*words).stdout)["warnings"] if "may be contacted" in text]
    if "no cell has a known answer" in notice:
        assert {*cells} <= {"", "web"} and "--where whom" in notice
        return
    _, condition, _, _, count, *_ = shlex.split(notice.partition("not used: ")[2])
    done = json.loads(adsctl(*words, "--where", condition, code=None).stdout)
    assert done["left_out"] == int(count), notice
