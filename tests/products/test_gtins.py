"""Numbers of articles: the check digits of UPC, EAN, JAN, GTIN-14 and ISBN."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.product_ids import gtin_error, gtin_warning
from tests.conftest import PRODUCT

# As GS1, the International ISBN Agency and encyclopedias print them.
EANS = ("96385074", "73513537", "036000291452", "6291041500213", "4006381333931", "4901234567894")
EANS += ("10614141000415", "978-0-306-40615-7")
ISBNS = ("0-306-40615-2", "99921-58-10-7", "9971-5-0210-0", "0-8044-2957-X", "8044-2957-x")


def findings(adsctl, *gtins: str) -> list[tuple[str, str]]:
    rows = [PRODUCT | {"id": f"sku-{number}", "gtin": gtin} for number, gtin in enumerate(gtins)]
    adsctl.file("feed.json", json.dumps(rows))
    report = json.loads(adsctl("products", "check", "feed.json", "-o", "json", code=None).stdout)
    return [(finding["severity"], finding["problem"]) for finding in report["findings"]]


def test_published_numbers_are_valid_however_they_are_separated(adsctl):
    published = (*EANS, *ISBNS)
    typeset = ("978–0–306–40615–7", "4006381\u00a0333931", "978‑0‑306‑40615‑7", "４００６３８１３３３９３１")
    assert not findings(adsctl, *published, *(one.replace("-", " ") for one in published), *typeset)


@pytest.mark.parametrize("gtin", [*EANS, *ISBNS[:3]])
def test_any_wrong_digit_is_told(gtin):
    for place, digit in enumerate(gtin):
        for other in set("0123456789") - {digit}:
            if digit.isdigit():
                assert gtin_warning(gtin[:place] + other + gtin[place + 1 :])


@pytest.mark.parametrize(
    ("gtin", "severity", "problem"),
    [
        ("4006381333932", "warning", "has a wrong check digit"),
        ("0-8044-2957-3", "warning", "is not a UPC, EAN, JAN or ISBN"),
        ("1234567890", "warning", "is not a UPC, EAN, JAN or ISBN"),
        ("0", "warning", "is not a UPC, EAN, JAN or ISBN"),
        ("none", "error", "is not a UPC, EAN, JAN or ISBN"),
        ("978-0-306-X0615-7", "error", "is not a UPC, EAN, JAN or ISBN"),
        ("12345678\n0", "error", "is not a UPC, EAN, JAN or ISBN"),
        ("4.00638E+12", "error", "was truncated by a spreadsheet"),
    ],
)
def test_what_is_no_number_of_an_article_is_told(adsctl, gtin, severity, problem):
    ((message, said),) = findings(adsctl, gtin)
    assert message == severity and problem in said


@given(st.text("0123456789xX -–\n０", max_size=20) | st.text(max_size=20))
def test_every_text_is_judged(gtin):
    assert not (gtin_error(gtin) and gtin_warning(gtin))
