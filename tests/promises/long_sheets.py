"""A whole sheet of blank rows is skipped, and more of them are refused."""

import gzip
import json

import pytest

from tests.conftest import PRODUCT


@pytest.mark.parametrize("line", [",\n", '"",""\r\n', "\n"])
def test_the_error_of_too_many_blank_lines_names_a_line_near_the_first(adsctl, line):
    adsctl.file("feed.csv.gz", gzip.compress(f"id,title\na,b\n{line * 3_000_000}".encode(), 1))
    error = adsctl("products", "check", "feed.csv.gz", code=3).stderr
    begun = int(error.rpartition("feed.csv.gz:")[2].partition(":")[0])
    assert 3 <= begun <= 3 + 1024 * 1024 and "blank lines in a row" in error


def test_the_blank_rows_of_a_whole_sheet_are_skipped(adsctl):
    row = ",".join(str(value).replace(",", " ") for value in PRODUCT.values())
    adsctl.file("feed.csv", f"{','.join(PRODUCT)}\n{row}\n" + ",,,\n" * 1_048_574)
    assert json.loads(adsctl("products", "check", "feed.csv", "-o", "json").stdout)["valid"] == 1
