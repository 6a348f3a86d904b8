"""Cells that no export has are problems of their rows, and never end a run otherwise."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.commands.products.options import ProductFeedOptions
from ads_cli.products.feeds.kinds import built_in
from tests.effort import tries
from tests.products.feeds.kinds.test_auto import FakeCall

KINDS = ["shopify", "woocommerce", "wix"]
NUMBERS = [
    "1e999999999",
    "-1E+99999",
    "NaN",
    "Infinity",
    "1_000",
    "１２",
    "-",
    "0x10",
    "9" * 400,
    "1.",
    ".5",
    "+3",
]


def columns(kind: str) -> list[str]:
    """Return every column that the assembly of a kind reads, of the older header."""
    export = built_in(kind)
    roles = (names[0] for names in export.roles.values())
    return [*dict.fromkeys([*roles, *export.columns, *export.left_out])]


def read(folder, kind: str, rows: list[dict[str, str]]) -> list:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns(kind))
    writer.writeheader()
    writer.writerows(rows)
    path = folder / "export.csv"
    path.write_text(stream.getvalue(), encoding="utf-8")
    return [*ProductFeedOptions(source_kind=kind).open(FakeCall(), str(path))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_that_is_none_is_no_more_than_a_text(tmp_path, kind, number):
    row = dict.fromkeys(columns(kind), number) | {"Handle": "a", "handleId": "a", "fieldType": "Variant"}
    row = {name: value for name, value in row.items() if name in columns(kind)}
    (product,) = (row.values for row in read(tmp_path, kind, [row]))
    assert product["price"] == number or product["price"] == product.get("sale_price", number)


CELLS = st.one_of(
    st.sampled_from(
        ["", "a", "b", "id:1", "1", "0", "12.50", "variable", "variation", "Variant", "Product", "a,b;c"]
    ),
    st.sampled_from(NUMBERS),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=tries(8, 150), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_cells_are_rows_of_products_or_problems(tmp_path_factory, kind, data):
    rows = data.draw(
        st.lists(st.fixed_dictionaries(dict.fromkeys(columns(kind), CELLS)), min_size=1, max_size=6)
    )
    rows.append(dict.fromkeys(columns(kind), "x"))  # a file without any row is an error
    products = read(tmp_path_factory.mktemp("export"), kind, rows)
    assert len(products) <= len(rows)
    assert all(isinstance(value, str) for row in products for value in row.values.values())
