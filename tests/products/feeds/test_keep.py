"""--keep: one of several rows with the same id."""

import json

import pytest

from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.row import RowTransform
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from tests.conftest import PRODUCT
from tests.feed_plans import plan_of
from tests.products.feeds.conftest import FORMATS, OPTIONS

TITLES = ("First", "Second", "Third")


@pytest.mark.parametrize(("keep", "title"), [("first", "First"), ("last", "Third")])
@pytest.mark.parametrize(
    ("name", "changed"), [*((name, ()) for name in FORMATS), ("feed.csv", ("--changed",))]
)
def test_one_row_is_sent_and_the_others_are_counted(exports, service, keep, title, name, changed):
    exports.write({"id": "x"}, *({"title": title} for title in TITLES), {"id": "y"}, name=name)
    words = ("products", "push", name, *OPTIONS, "--keep", keep, *changed)
    summary = json.loads(exports.adsctl(*words, "-o", "json").stdout)
    assert (summary["rows"], summary["left_out"], summary["valid"]) == (5, 2, 3)
    assert service.emulator.data.product("sku-1")["title"] == title


def test_a_row_that_is_dropped_causes_no_finding(exports):
    exports.write({"price": "cheap"}, {}, {"price": "dear"})
    report = exports.check(*OPTIONS, "--keep", "last", code=3)
    assert [(finding["field"], finding["lines"]) for finding in report["findings"]] == [("price", [4])]
    assert (report["left_out"], report["invalid"]) == (2, 1)


def test_rows_that_where_leaves_out_are_not_kept(exports):
    exports.write({"Status": "draft", "price": "cheap"}, {}, {"Status": "draft", "price": "dear"})
    for keep in ("first", "last"):
        assert exports.check(*OPTIONS, "--where", "Status=active", "--keep", keep)["valid"] == 1


def test_records_that_share_a_line_are_told_apart(exports):
    exports.write({"title": "First"}, {"title": "Second", "price": "cheap"}, name="lines.jsonl")
    records = (exports.adsctl.home / "lines.jsonl").read_text().splitlines()
    exports.adsctl.file("feed.json", f"[{', '.join(records)}]")
    assert exports.check(*OPTIONS, "--keep", "first", name="feed.json")["valid"] == 1
    assert exports.check(*OPTIONS, "--keep", "last", name="feed.json", code=3)["invalid"] == 1


def test_a_value_that_is_none_of_them_is_refused(exports):
    exports.write({})
    assert "--keep" in exports.refused("--keep", "best")


def identical_kept(tmp_path, *changes: dict) -> tuple[int, list[str]]:
    """Drop identical rows; return how many were, and the titles that are sent."""
    path = tmp_path / "feed.jsonl"
    path.write_text("".join(json.dumps(PRODUCT | change) + "\n" for change in changes))
    rows = read_rows(open_source(str(path)), roots=(), known=PRODUCT_SCHEMA.known)
    rows.transform = RowTransform((), keep="identical")
    plan = plan_of(rows)
    report = plan.file.report
    bodies = [body for batch in plan.batches() for body in batch.items.bodies]
    return report.left_out, [json.loads(body)["title"] for body in bodies]


def test_of_identical_rows_the_first_is_kept(tmp_path):
    assert identical_kept(tmp_path, {}, {"Shelf": "7"}, {"id": "sku-2"}) == (1, ["Enamel mug", "Enamel mug"])


def test_rows_with_the_same_id_that_differ_stay_duplicates(tmp_path):
    assert identical_kept(tmp_path, {}, {}, {"title": "Cup"}, {"id": "sku-2"}) == (1, ["Enamel mug"])
