"""--where: which rows are taken, and what is said of the others."""

import json

import pytest

from ads_cli.feeds.row import Row
from ads_cli.feeds.transforms import Where
from tests.products.feeds.conftest import OPTIONS

ROWS = [
    {"id": "a", "Status": "active", "Stock": "7", "Changed": "2026-05-01", "price": "9.50 EUR"},
    {"id": "b", "Status": "draft", "Stock": "10", "Changed": "2026-04-01", "price": "10.00 EUR"},
    {"id": "c", "Status": "", "Stock": "007", "Changed": "", "price": "100.00 USD"},
    {"id": "d", "Status": "Active", "Stock": "-1", "Changed": "2026-12-01", "price": "9.50"},
]


def taken(exports, *conditions: str, name: str = "feed.csv") -> str:
    """Return the ids of the rows that conditions take."""
    options = [word for condition in conditions for word in ("--where", condition)]
    exports.write(*ROWS, name=name)
    exports.adsctl("products", "convert", name, "taken.json", *OPTIONS, *options)
    return "".join(row["id"] for row in json.loads((exports.adsctl.home / "taken.json").read_text()))


@pytest.mark.parametrize("name", ["feed.csv", "feed.jsonl"])
@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("Status=active", "a"),
        ("Status==active", "a"),
        ("Status!=active", "bcd"),
        ("Status=", "c"),
        ("Status!=", "abd"),
        (" Status = active ", "a"),
        ("Status~^[aA]", "ad"),
        ("Status!~t$", "acd"),
        ("Stock>7", "b"),
        ("Stock>=7", "ab"),
        ("Stock<7", "d"),
        ("Stock<=7.0", "ad"),
        ("Stock=7.0", "a"),
        ("Stock!=7.0", "bcd"),
        ("Stock=007", "c"),
        ("price>9.60", "bc"),
        ("price>9.60 EUR", "b"),
        ("price=9.5", "ad"),
        ("Changed>2026-04-15", "ad"),
        ("Changed<2026-04-15", "b"),
        ("availability=in stock", "abcd"),
    ],
)
def test_a_condition_takes_rows(exports, condition, ids, name):
    assert taken(exports, condition, name=name) == ids


def test_a_condition_sees_a_list_joined(exports):
    tags = {"a": ["new", "red"], "b": ["old"], "c": []}
    exports.write(*({"id": id, "Tag": tag} for id, tag in tags.items()), name="feed.jsonl")
    for condition, valid in [("Tag~new", 1), ("Tag=new, red", 1), ("Tag=", 1), ("Tag!=", 2)]:
        report = exports.check(*OPTIONS, "--where", condition, name="feed.jsonl")
        assert report["valid"] == valid, condition


def test_several_conditions_must_all_hold(exports):
    assert taken(exports, "Status~(?i)active", "Stock>0") == "a"


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("Stat=active", "--where: no column 'Stat'; did you mean 'Status'?"),
        ("active", "--where: 'active' is not COLUMN=VALUE"),
        ("=active", "--where: '=active' is not COLUMN=VALUE"),
        ("Status>", "--where: 'Status>' has no value after >"),
        ("Status~", "--where: 'Status~' has no value after ~"),
        ("Status~(", "--where: '(' is not a regular expression"),
        ("Status~=active", "--where: ~= is not an operator, in 'Status~=active'"),
        ("price=>100", "--where: => is not an operator, in 'price=>100'"),
        ("price=<5", "--where: =< is not an operator, in 'price=<5'"),
        ("title<>mug", "--where: <> is not an operator, in 'title<>mug'"),
        ("price>==5", "--where: >== is not an operator, in 'price>==5'"),
        ("Status =~ active", "--where: =~ is not an operator, in 'Status =~ active'"),
    ],
)
@pytest.mark.parametrize("name", ["feed.csv", "feed.jsonl"])
def test_a_wrong_condition_is_refused(exports, condition, said, name):
    exports.write(*ROWS, name=name)
    assert said in exports.refused(*OPTIONS, "--where", condition, name=name)


@pytest.mark.parametrize(
    "condition", ["Status~ =a", "Status~[=]a", "Status!~=a", "Status==~a", "Status= ~a", "Status= =a"]
)
def test_a_value_may_begin_as_an_operator_does(condition):
    assert Where.parse(condition).column == "Status"


def test_a_condition_never_takes_back_a_row_that_was_left_out():
    row = Row(1, {"Status": "active"}, left_out=True)
    Where.parse("Status=active").apply(row)
    assert row.left_out


def test_a_known_field_that_no_record_has_is_empty(exports):
    exports.write(*ROWS, name="feed.jsonl")
    report = exports.check(*OPTIONS, "--where", "sale_price=", name="feed.jsonl")
    assert (report["left_out"], report["valid"]) == (0, 4)


def test_rows_left_out_are_counted_and_are_not_sent(exports, service):
    exports.write(*ROWS, {"id": "e", "price": "cheap", "Status": "draft"}, {"id": "a", "Status": "draft"})
    words = ("products", "push", "feed.csv", *OPTIONS, "--where", "Status!=draft")
    summary = json.loads(exports.adsctl(*words, "-o", "json").stdout)
    assert (summary["rows"], summary["left_out"], summary["valid"]) == (6, 3, 3)
    assert {*service.stored} >= {"a", "c", "d"}
    assert "b" not in service.stored
    assert "6 rows, 3 left out, 0 invalid" in exports.adsctl(*words, "-o", "table").stdout
    assert (
        "6 rows, 3 left out, 3 valid, 0 invalid"
        in exports.adsctl("products", "check", *words[2:], "-o", "table").stdout
    )


def test_changed_rows_are_found_among_those_that_are_taken(exports, service):
    exports.write(*ROWS)
    words = ("products", "push", "feed.csv", *OPTIONS, "--changed", "-o", "json", "--where", "Status!=draft")
    assert json.loads(exports.adsctl(*words).stdout)["created"] == 3
    exports.write(*ROWS[:2], {**ROWS[2], "price": "1.00 USD"}, ROWS[3])
    summary = json.loads(exports.adsctl(*words).stdout)
    assert (summary["left_out"], summary["skipped"], summary["updated"]) == (1, 2, 1)
    exports.adsctl("products", "push", "feed.csv", *OPTIONS, "--changed", "-o", "json")
    assert "b" in service.stored


def test_a_product_whose_row_is_left_out_is_only_in_the_catalog(exports, service):
    exports.write(*ROWS)
    words = ("products", "push", "feed.csv", *OPTIONS, "--changed", "--verify", "-o", "json")
    others = json.loads(exports.adsctl(*words).stdout)["only_in_catalog"]
    left = json.loads(exports.adsctl(*words, "--where", "Status!=draft").stdout)
    assert (left["left_out"], left["same"], left["only_in_catalog"]) == (1, 3, others + 1)


def test_it_is_said_that_every_row_is_left_out(exports):
    exports.write(*ROWS)
    words = ("products", "check", "feed.csv", *OPTIONS, "--where", "Status=gone")
    assert "warning: feed.csv: every row is left out" in exports.adsctl(*words).stderr


def test_columns_that_options_read_are_not_reported_as_unknown(exports):
    exports.write({"Stock": "1"})
    (warning,) = exports.check(*OPTIONS, "--where", "Status=active")["warnings"]
    assert warning == "'Stock' is not sent; to send it: --map Stock=inventory"


def test_an_interrupted_push_is_resumed_only_with_the_same_options(exports, service):
    exports.write(*({"id": f"sku-{number}"} for number in range(60)))
    service.fail("PUT * status=400 rate=1")
    words = ("products", "push", "feed.csv", *OPTIONS)
    exports.adsctl(*words, code=6)
    service.fail()
    other = exports.adsctl(*words, "--where", "Status=active", "--resume")
    assert "nothing to resume" in other.stderr
