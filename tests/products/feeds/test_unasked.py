"""Nothing is changed unasked, and what was changed is undone where rows come back."""

import csv
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.row import Row
from ads_cli.products.feeds.transforms import AddCurrency, CompleteLinks, SplitField
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from tests.conftest import PRODUCT
from tests.effort import tries
from tests.feed_plans import plan_of
from tests.products.feeds.conftest import OPTIONS

FREE_TEXT = ("id", "title", "brand", "mpn", "item_group_id", "custom_label_0", "size")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=40).filter(
    lambda text: not text.isspace() and text == text.strip("\ufeff") and text[0] not in "'=#"
)


@given(values=st.dictionaries(st.sampled_from(FREE_TEXT), TEXTS), name=st.sampled_from(["f.csv", "f.jsonl"]))
@settings(max_examples=tries(60, 200))
def test_without_options_values_are_sent_as_they_are_in_the_file(tmp_path_factory, values, name):
    product = PRODUCT | values
    path = tmp_path_factory.mktemp("feed") / name
    with path.open("w", newline="", encoding="utf-8") as stream:
        if name == "f.csv":
            writer = csv.DictWriter(stream, list(product))
            writer.writeheader()
            writer.writerow(product)
        else:
            stream.write(json.dumps(product))
    rows = read_rows(open_source(str(path)), roots=("products",), known=PRODUCT_SCHEMA.known)
    plan = plan_of(rows)
    assert plan.file.report.valid == 1
    (batch,) = plan.batches()
    assert json.loads(batch.items.bodies[0]) == product


COMPLETING = [AddCurrency("EUR"), CompleteLinks("https://shop.example/de/"), SplitField("image_link", "|")]


@given(
    values=st.dictionaries(
        st.sampled_from(["price", "sale_price", "link", "image_link", "additional_image_link"]),
        st.one_of(TEXTS, st.text("0123456789., /ab|%:", min_size=1)),
    ),
    step=st.sampled_from(COMPLETING),
)
def test_what_is_completed_is_not_completed_again(values, step):
    row = Row(2, values)
    step.apply(row)
    once = dict(row.values)
    step.apply(row)
    assert row.values == once


def test_rejected_rows_are_written_as_the_file_has_them(exports, service):
    service.fail("PUT * partial times=1")
    exports.write({"id": "a"}, {"id": "b", "price": "cheap"}, {"id": "c"})
    words = ("products", "push", "feed.csv", *OPTIONS, "--skip-invalid", "--failed-out", "failed.csv")
    summary = json.loads(exports.adsctl(*words, "-o", "json", code=9).stdout)
    with (exports.adsctl.home / "failed.csv").open() as stream:
        failed = list(csv.DictReader(stream))
    assert len(failed) == summary["failed"] + 1 == 2
    assert {row["image_link"] for row in failed} == {"/mug.jpg"}
    assert {row["price"] for row in failed} == {"cheap", "12.50"}
    corrected = (exports.adsctl.home / "failed.csv").read_text().replace("cheap", "9.50")
    exports.adsctl.file("failed.csv", corrected)
    again = exports.adsctl("products", "push", "failed.csv", *OPTIONS, "-o", "json")
    assert json.loads(again.stdout)["created"] == 2
    assert {"a", "b", "c"} <= {*service.stored}


def test_a_row_that_changed_since_is_written_as_the_file_has_it(exports, service):
    rows = [{"id": f"sku-{number}"} for number in range(3)]
    exports.write(*rows)
    words = ("products", "push", "feed.csv", *OPTIONS, "--changed", "--failed-out", "failed.csv")
    exports.adsctl(*words)
    exports.write(*rows[:2], rows[2] | {"price": "9.50"})
    service.fail("PUT * partial times=1")
    exports.adsctl(*words, code=9)
    with (exports.adsctl.home / "failed.csv").open() as stream:
        assert [row["price"] for row in csv.DictReader(stream)] == ["9.50"]
