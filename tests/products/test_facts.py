"""What a page tells of a feed's products: the same however the feed is read, in little memory."""

import pickle
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.api.problems import Problem
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.row import AppliedFix, Row
from ads_cli.products import feed_stats as facts_module
from ads_cli.products import feed_stats as noted_rows
from ads_cli.products.feed_stats import (
    MAX_CHARACTERS,
    PRICE_STEPS,
    ProductStats,
    SampleRow,
    excerpts,
    price_range,
)
from ads_cli.products.normal_form import PRODUCT_SCHEMA
from ads_cli.validation.validator import BlockRunner, Validator
from tests.conftest import PRODUCT
from tests.feed_plans import plan_of
from tests.products.large import HEADER, row

VALUES = st.fixed_dictionaries(
    {},
    optional={
        "brand": st.sampled_from(["Nordlicht", "Fjällvik", "Klarå", 7]),
        "availability": st.sampled_from(["in stock", "in_stock", "preorder"]),
        "product_type": st.sampled_from(["Home", "Home > Mugs", "Home>Mugs > Enamel", ""]),
        "price": st.sampled_from(["1 EUR", "0.50 EUR", "19.90 EUR", "20 CHF", "cheap", "9" * 30 + " EUR", 5]),
    },
)
PROBLEMS = st.lists(st.sampled_from([Problem("price", "bad"), Problem("gtin", "odd", "warning")]), max_size=2)
NOTED = st.lists(st.tuples(VALUES, PROBLEMS, st.booleans()), min_size=8, max_size=30)


def gathered(rows: list, first: int = 0) -> ProductStats:
    facts = ProductStats()
    for number, (values, problems, is_fixed) in enumerate(rows, 1):
        changes = (AppliedFix("price", "price", "1", "1 EUR"),) if is_fixed else ()
        facts.note(Row(first + number + 1, values, changes=changes), problems, number)
    return facts


@given(NOTED, st.lists(st.integers(0, 30), max_size=4))
def test_facts_of_parts_are_those_of_the_whole(rows, cuts):
    with (
        patch.object(noted_rows, "MAX_ROWS", 2),
        patch.object(noted_rows, "MAX_KINDS", 2),
        patch.object(noted_rows, "FIRST_LINES", 1),
    ):
        whole, parts = gathered(rows), ProductStats()
        bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
        for begin, end in pairwise(bounds):
            parts.add(gathered(rows[begin:end], begin), begin)
    assert parts == whole


@settings(max_examples=20)
@given(
    st.lists(
        st.sampled_from([row(1), row(2, price="cheap"), row(3, brand=""), "x,too few\n"]),
        min_size=1,
        max_size=12,
    )
)
def test_a_table_read_by_blocks_has_the_same_facts(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("feed") / "feed.csv"
    path.write_text(HEADER + "".join(pieces))

    def facts(block_bytes: int) -> object:
        with patch.object(BlockRunner, "block_bytes", block_bytes):
            rows = read_rows(open_source(str(path)), roots=(), known=PRODUCT_SCHEMA.known)
            validator = Validator(rows, PRODUCT_SCHEMA)
            validator.gather(ProductStats)
            validator.validate()
            return validator.stats

    assert facts(40) == facts(1_000_000)


def test_nothing_is_gathered_where_nobody_asks(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + row(1))
    plan = plan_of(read_rows(open_source(str(path)), roots=(), known=PRODUCT_SCHEMA.known))
    assert plan.file.stats is None


def test_a_feed_of_a_million_names_takes_little_memory():
    facts = ProductStats()
    with patch.object(facts_module, "MAX_NAMES", 10):
        for number in range(100):
            facts.note(Row(number, PRODUCT | {"brand": f"brand {number}"}), [], number)
    assert len(facts.brands.by_name) == 10 and facts.brands.others == 90


def test_facts_of_many_rows_with_long_values_take_no_more_memory_than_of_few():
    def size(rows: int) -> int:
        facts = ProductStats()
        for number in range(rows):
            values = {name: f"{number} {value} {'x' * 300}" for name, value in PRODUCT.items()}
            change = AppliedFix("price", "price", "1" * 9000, "2" * 9000)
            problem = Problem("price", f"is bad in way {number:,}", rule=f"rule {number}")
            facts.note(Row(number, values, changes=(change,)), [problem], number)
        return len(pickle.dumps(facts))

    with (
        patch.multiple(noted_rows, MAX_ROWS=100, MAX_KINDS=100),
        patch.object(facts_module, "MAX_NAMES", 100),
    ):
        assert size(4000) < 1.01 * size(1000) < 1_000_000


def test_rows_left_out_are_not_counted():
    facts = ProductStats()
    facts.note(Row(2, dict(PRODUCT), left_out=True), [], 1)
    assert facts.rows == 0 and not facts.brands.by_name


@given(st.floats(0, 10**12, allow_nan=False))
def test_every_price_lies_within_its_range(amount):
    facts = ProductStats()
    facts.note(Row(2, {"price": f"{amount:.2f} EUR"}), [], 1)
    (step,) = map(int, facts.prices["EUR"].by_name)
    price = float(f"{amount:.2f}")
    assert step == 0 or PRICE_STEPS[step - 1] <= price
    assert step == len(PRICE_STEPS) or price < PRICE_STEPS[step]
    assert price_range(step)


@pytest.mark.parametrize(
    ("before", "after"), [("a" * 5000 + "<b>", "a" * 5000), ("<p>" + "b" * 900, "b" * 900), ("x" * 900, None)]
)
def test_an_excerpt_shows_what_was_changed(before, after):
    first, second = excerpts(before, after)
    assert first != second and all(len(each or "") <= MAX_CHARACTERS + 2 for each in (first, second))
    assert second is None or after is not None


def test_a_row_of_endless_values_is_noted_in_short():
    values = dict.fromkeys(PRODUCT, "x" * 100_000)
    found = SampleRow.of(Row(2, values), 1, [Problem("price", "bad")] * 50)
    assert len(found.id) + len(found.title) + len(found.link) + len(found.image) < 1000
    assert len(found.problems) == 10 and found.more_problems == 40
