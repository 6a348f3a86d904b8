"""A page about a feed with mistakes of every kind, in a browser."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.adsctl import Adsctl
from tests.browser import chromium
from tests.conftest import PRODUCT

HOSTILE = "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>\u202ereversed"
MISTAKES = [
    {"price": "12,50 EUR"},
    {"price": "9"},
    {"availability": "in_stock"},
    {"title": HOSTILE, "condition": "<b>old</b>"},
    {"description": "<p>A mug,<br>white.</p>"},
    {"link": "javascript:window.ran=3", "brand": "Fjällvik"},
    {"image_link": "javascript:window.ran=4"},
    {"gtin": "9783999738837", "product_type": "Home>Mugs"},
]
PRODUCTS = [
    PRODUCT
    | {
        "id": f"sku-{number}",
        "price": f"{number * 7 % 90}.50 EUR",
        "product_type": f"Home > Shelf {number % 5}",
    }
    | {"image_link": f"http://images.example/{number}.png", "gtin": ""}
    | (MISTAKES[number // 2 % 8] if number % 2 else {})
    for number in range(1, 41)
]


def write_feed(path: Path, products: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(products[0]))
        writer.writeheader()
        writer.writerows(products)
    return path


@pytest.fixture
def shop(adsctl: Adsctl) -> Adsctl:
    """A shop with a feed of forty products, twenty of which have a mistake."""
    write_feed(adsctl.home / "feed.csv", PRODUCTS)
    return adsctl


@pytest.fixture(scope="session")
def browser(tmp_path_factory) -> Iterator[webdriver.Chrome]:
    """A browser for which no host exists."""
    with chromium(tmp_path_factory.mktemp("chromium"), "--host-resolver-rules=MAP * ~NOTFOUND") as driver:
        yield driver


@pytest.fixture
def page(shop: Adsctl, browser: webdriver.Chrome) -> webdriver.Chrome:
    """The page about a check of the feed, open in the browser."""
    shop("products", "check", "feed.csv", "--fix", "html", "--report", "feed.html", code=3)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.set_window_size(1100, 900)
    open_page(browser, shop.home / "feed.html")
    return browser


def open_page(browser: webdriver.Chrome, path: Path) -> None:
    """Open a page; the logs of the browser begin with it."""
    browser.get("about:blank")  # a browser that has crashed is started again
    for log in ("performance", "browser"):
        browser.get_log(log)  # of pages that this browser has shown before
    browser.get(path.as_uri())


def requested(browser: webdriver.Chrome) -> list[str]:
    """Return the addresses that were asked for since this was last called."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
