"""Feeds that are so large that several processes check them: nothing else is different."""

import csv
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.row import RowTransform
from ads_cli.feeds.transforms import Where
from ads_cli.products.feeds.fixes import NAMES, Fixes
from ads_cli.products.feeds.transforms import AddCurrency
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.validation.validator import BlockRunner
from tests.effort import tries
from tests.feed_plans import plan_of
from tests.products.large import HEADER, LONG, ROWS, large, row, share_smaller_tables

PIECES = st.sampled_from(
    [
        row(1),
        row(2, title="Two\nlines"),
        row(3, title='Said ""mug""'),
        row(4, price="cheap"),
        row(5, price="dear", condition="old"),
        row(5, price="1,50 EUR", description="<p>A  mug</p>"),
        row(5, price="1.50 EUR", description="A mug"),
        row(6, brand=""),
        "\n",
        ",,\n",
        "sku-7,too few\n",
        row(8).rstrip("\n") + ",too many\n",
        row(9).replace('"Enamel mug"', '5" mug'),
    ]
)


CONVERSIONS = st.sampled_from(
    [
        RowTransform(),
        RowTransform([], keep="first"),
        RowTransform([], keep="last"),
        RowTransform([], keep="identical"),
        RowTransform([Where.parse("title!=Two\nlines"), AddCurrency("EUR")], keep="last"),
        RowTransform([], keep="identical", fixes=Fixes(NAMES)),
    ]
)


@given(
    pieces=st.lists(PIECES, min_size=1, max_size=30),
    size=st.integers(1, 2000),
    torn=st.booleans(),
    conversion=CONVERSIONS,
)
@settings(max_examples=tries(25, 300))
def test_the_block_size_changes_neither_report_nor_batches(tmp_path_factory, pieces, size, torn, conversion):
    path = tmp_path_factory.mktemp("feed") / "feed.csv"
    path.write_text((HEADER + "".join(pieces)).rstrip("\n") + "\n" * (not torn))

    def outcome(by_blocks: bool):
        rows = read_rows(open_source(str(path)), roots=PRODUCT_SCHEMA.roots, known=PRODUCT_SCHEMA.known)
        rows.transform = conversion
        if not by_blocks:
            rows.required = {*PRODUCT_SCHEMA.required} - rows.transform.fields  # as of a table
            patch.setattr(type(rows), "table", None)
        try:
            plan = plan_of(rows)
        except Exception as error:
            return str(error)
        invalid = [(row.row.line, row.row.record, row.problems) for row in plan.file.checked_rows()]
        return plan.file.report, invalid, list(plan.batches())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BlockRunner, "block_bytes", size)
        assert outcome(by_blocks=True) == outcome(by_blocks=False)


def test_problems_are_reported_by_line_and_by_record(adsctl, monkeypatch):
    share_smaller_tables(monkeypatch)
    odd = {
        "row5": row(5, title="Two\nlines", description=LONG),
        "row90": "\n" + row(90, price="cheap"),
        "row219": row(219, price="dear"),
        "row150": row(4, description=LONG),
    }
    adsctl.file("feed.csv", large(**odd))
    report = json.loads(adsctl("products", "check", "feed.csv", "-o", "json", code=3).stdout)
    assert (report["rows"], report["valid"], report["invalid"]) == (ROWS, ROWS - 4, 4)
    assert {finding["field"]: (finding["lines"], finding["records"]) for finding in report["findings"]} == {
        "price": ([94, 223], [91, 220]),
        "id": ([6, 154], [5, 151]),
    }


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ('sku-x,"a"b\n', "feed.csv:92: not CSV"),
        ("sku-x,\0\n", "feed.csv:92: a NUL byte"),
        ('sku-x,"never closed\n', "feed.csv:92: not CSV"),
    ],
)
def test_unreadable_rows_are_reported_by_line(adsctl, monkeypatch, odd, message):
    share_smaller_tables(monkeypatch)
    adsctl.file("feed.csv", large(row90=odd))
    assert message in adsctl("products", "check", "feed.csv", code=3).stderr


def test_a_large_feed_is_pushed_whole_and_then_by_changes(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    adsctl.file("feed.csv", large())
    words = ("products", "push", "--changed", "feed.csv", "-o", "json")
    first = json.loads(adsctl(*words).stdout)
    assert first["created"] == sum(map(len, service.puts)) == ROWS
    changed = {f"row{number}": row(number, price="7.00 EUR") for number in range(0, ROWS, 10)}
    adsctl.file("feed.csv", large(**changed))
    sent = len(service.puts)
    second = json.loads(adsctl(*words).stdout)
    assert second["skipped"] == ROWS - 22
    ids = {id for put in service.puts[sent:] for id in put}
    assert ids == {f"sku-{number}" for number in range(0, ROWS, 10)}


def test_rejected_and_invalid_rows_are_both_in_failed_out(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    adsctl.file("feed.csv", large(row90=row(90, price="cheap")))
    words = ("products", "push", "feed.csv", "--skip-invalid", "--failed-out", "failed.csv")
    service.fail("PUT * partial times=1")
    summary = json.loads(adsctl(*words, "-o", "json", code=9).stdout)
    with (adsctl.home / "failed.csv").open() as file:
        failed = {int(row["_line"]): row for row in csv.DictReader(file)}
    assert failed.pop(92)["_error"].startswith("price: 'cheap' is not allowed")
    assert len(failed) == summary["failed"] > 0
    for line, rejected in failed.items():
        assert (rejected["id"], rejected["description"]) == (f"sku-{line - 2}", LONG)
        assert rejected["_error"]
