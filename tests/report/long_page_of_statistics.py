"""The page about statistics in a real Chromium: legible on every screen, and safe."""

import base64
import re
from collections.abc import Iterator

import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By

from tests.browser import needs_chromium
from tests.report.conftest import HOSTILE, open_page, requested
from tests.report.long_in_browser import WIDTHS, show, shown_rows, table

pytestmark = needs_chromium
ALL_DRAWN = """
return [...document.querySelectorAll('.plot canvas')].every(
  each => each.getContext('2d').getImageData(0, 0, each.width, each.height).data.some(Boolean)
)
"""
INJECT = """
const script = document.createElement('script');
script.textContent = 'window.ran = 1';
document.body.append(script);
"""
FARTHEST_RIGHT = """
return Math.max(
  ...[...document.querySelectorAll('figure, table, canvas')].map(each => each.getBoundingClientRect().right)
)
"""
A4_WIDTH = 702  # pixels of CSS between the margins
WEEK = ("--since", "2026-06-01", "--until", "2026-06-08", "--all", "--entity", "LINE_ITEM")
BROKEN_NUMBERS = """
return [...document.querySelectorAll('.tally dd:not(.change)')].filter(
  each => each.offsetHeight > 2 * parseFloat(getComputedStyle(each).fontSize)
).map(each => each.textContent)
"""
NARROWEST_PLACE_OF_A_BAR = """
return Math.min(...[...document.querySelectorAll('.chart svg')].map(each => each.clientWidth))
"""


@pytest.fixture
def browser_with_page(adsctl, browser) -> Iterator:
    adsctl.local("line-items", "update", "9d4c2", "--name", HOSTILE, "--yes")
    adsctl.local("line-items", "update", "9d4c1", "--name", "W" * 200, "--yes")
    adsctl.local("stats", "get", *WEEK, "--report", "o.html", "-o", "none")
    open_page(browser, adsctl.home / "o.html")
    return browser


def test_statistics_are_legible_on_every_screen(browser_with_page):
    page = browser_with_page
    for scheme, width in zip(("dark", "light", "dark"), WIDTHS.values(), strict=True):
        show(page, scheme=scheme, width=width)
        assert page.execute_script("return document.documentElement.scrollWidth") <= width
        assert page.execute_script(BROKEN_NUMBERS) == []
        assert page.execute_script(NARROWEST_PLACE_OF_A_BAR) >= 40
        found = Axe().run(page)
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
        assert len(found["passes"]) > 15


def test_statistics_load_and_run_nothing_and_sort_by_number(browser_with_page):
    page = browser_with_page
    show(page)
    assert "<script>window.ran" in page.find_element(By.TAG_NAME, "main").text
    assert page.execute_script("return window.ran") is None
    assert [address for address in requested(page) if not address.startswith("file:")] == []
    part = table(page, "By line item")
    part.find_element(By.XPATH, ".//th[contains(., 'Impressions')]/button").click()
    numbers = [int(text.replace(",", "") or 0) for text in shown_rows(part, 4)]
    assert numbers == sorted(numbers) and numbers[-1] > 1000


def test_lines_are_drawn_by_a_script_that_the_policy_knows_by_its_hash(browser_with_page):
    page = browser_with_page
    page.refresh()
    show(page)
    assert len(page.find_elements(By.CSS_SELECTOR, ".plot canvas")) == 3
    assert page.execute_script(ALL_DRAWN)
    assert [each for each in page.get_log("browser") if each["level"] == "SEVERE"] == []
    page.execute_script(INJECT)
    assert page.execute_script("return window.ran") is None
    assert "uPlot 1.6.32" in page.page_source and "Permission is hereby granted" in page.page_source


def test_a_page_prints_on_a4(browser_with_page):
    page = browser_with_page
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) in (1, 2, 3)
    (width, height), *_ = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert (round(float(width)), round(float(height))) == (595, 842)
    show(page, width=A4_WIDTH, media="print")
    assert page.execute_script("return document.documentElement.scrollWidth") <= A4_WIDTH
    assert page.execute_script(FARTHEST_RIGHT) <= A4_WIDTH
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
