"""The page of --report in a real Chromium: for every reader, on every screen, and safe."""

import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser import needs_chromium
from tests.report.conftest import PRODUCTS, requested, write_feed

pytestmark = needs_chromium
MEDIA = {
    "light": [{"name": "prefers-color-scheme", "value": "light"}],
    "dark": [{"name": "prefers-color-scheme", "value": "dark"}],
}
WIDTHS = {"phone": 360, "tablet": 800, "desktop": 1300}


def show(browser, *, scheme: str = "light", width: int = 1100, media: str = "") -> None:
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": MEDIA[scheme]})
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    # A page hears of a new size right before its next frame, and draws its charts again.
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def table(browser, title: str):
    return browser.find_element(By.XPATH, f"//div[@class='table'][h3='{title}']")


def shown_rows(part, column: int) -> list[str]:
    """Return the texts of a column of the rows that are shown."""
    rows = part.find_elements(By.CSS_SELECTOR, "tbody tr")
    return [row.find_elements(By.TAG_NAME, "td")[column].text for row in rows if row.is_displayed()]


def ask_for_thumbnails(browser) -> None:
    browser.find_element(By.CSS_SELECTOR, "#thumbnails button").click()


def test_a_page_requests_nothing_by_itself(page):
    show(page)
    page.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    assert page.execute_script("return document.images.length") == 0
    assert "loaded from http://images.example." in page.find_element(By.ID, "thumbnails").text
    assert [address for address in requested(page) if not address.startswith("file:")] == []


def test_nothing_is_requested_but_thumbnails_of_the_shop_when_they_are_asked_for(page):
    show(page)
    ask_for_thumbnails(page)
    assert page.find_elements(By.ID, "thumbnails") == []
    for image in page.find_elements(By.TAG_NAME, "img"):
        assert (image.get_attribute("loading"), image.get_attribute("referrerpolicy")) == (
            "lazy",
            "no-referrer",
        )
    asked: list[str] = []

    def has_asked(browser) -> bool:
        asked.extend(requested(browser))
        return any(address.startswith("http://images.example/") for address in asked)

    WebDriverWait(page, 20).until(has_asked)
    others = [address for address in asked if not address.startswith(("http://images.example/", "file:"))]
    assert others == []
    assert all("feed.html" in address for address in asked if address.startswith("file:"))


def test_no_text_of_the_feed_runs(page):
    assert "<script>window.ran" in page.find_element(By.TAG_NAME, "main").text
    assert page.execute_script("return window.ran") is None
    assert "\\u202ereversed" in page.find_element(By.TAG_NAME, "main").text
    links = [link.get_attribute("href") for link in page.find_elements(By.CSS_SELECTOR, "main a")]
    assert links and all(link.startswith("https://shop.example/") for link in links)
    logged = [
        entry["message"] for entry in page.get_log("browser") if "images.example" not in entry["message"]
    ]
    assert logged == []  # the policy has blocked nothing of the page itself


@pytest.mark.parametrize("scheme", MEDIA)
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("with_thumbnails", [False, True])
def test_the_page_is_accessible(page, scheme, width, with_thumbnails):
    show(page, scheme=scheme, width=width)
    if with_thumbnails:
        ask_for_thumbnails(page)
    found = Axe().run(page)
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
    assert len(found["passes"]) > 15


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_no_screen_is_too_narrow(shop, page, width):
    write_feed(
        shop.home / "feed.csv", [{**PRODUCTS[0], "id": "x" * 300, "title": "y" * 300, "brand": "z" * 300}]
    )
    shop("products", "check", "feed.csv", "--report", "feed.html", code=3)
    page.refresh()
    show(page, width=width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_search_shows_the_rows_with_every_word(page):
    show(page)
    part = table(page, "Products with mistakes")
    everything = shown_rows(part, 2)
    assert len(everything) > 10
    search = part.find_element(By.CSS_SELECTOR, "input[type=search]")
    search.send_keys("AVAILABILITY sku-21")
    assert shown_rows(part, 2) == ["sku-21"]
    assert part.find_element(By.TAG_NAME, "output").text == f"1 of {len(everything)} products"
    search.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    assert shown_rows(part, 2) == everything


def test_a_header_sorts_by_its_column_in_both_directions(page):
    show(page)
    part = table(page, "Products with mistakes")
    header = part.find_element(By.XPATH, ".//th[contains(., 'Line')]")
    button = header.find_element(By.TAG_NAME, "button")
    button.click()
    lines = [int(text) for text in shown_rows(part, 1)]
    assert lines == sorted(lines) and header.get_attribute("aria-sort") == "ascending"
    button.send_keys(Keys.ENTER)
    assert [int(text) for text in shown_rows(part, 1)] == lines[::-1]
    assert header.get_attribute("aria-sort") == "descending"
    of_kinds = table(page, "Kinds of mistakes")
    of_kinds.find_element(By.XPATH, ".//th[contains(., 'Rows')]/button").click()
    counts = [int(text) for text in shown_rows(of_kinds, 4)]
    assert counts == sorted(counts) and len(set(counts)) > 1


def test_a_picture_that_cannot_be_loaded_leaves_its_place_empty(page):
    show(page)
    ask_for_thumbnails(page)
    page.execute_script("document.images[0].scrollIntoView()")
    missing = "return document.images[0].classList.contains('missing')"
    WebDriverWait(page, 20).until(lambda browser: browser.execute_script(missing))
    assert page.execute_script("return getComputedStyle(document.images[0]).visibility") == "hidden"


def test_a_printed_page_has_every_row_and_no_control(page):
    show(page, media="print", width=700)  # A4
    search = table(page, "Products with mistakes").find_element(By.CSS_SELECTOR, ".search")
    assert not search.is_displayed()
    assert len(shown_rows(table(page, "Products with mistakes"), 2)) > 10
    assert page.execute_script("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.execute_script("return document.documentElement.scrollWidth") <= 700
    assert page.find_element(By.CSS_SELECTOR, "table.data thead").size["height"] > 5
