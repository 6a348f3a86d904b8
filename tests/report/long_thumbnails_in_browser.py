"""Thumbnails in a real Chromium: which hosts are asked, however a feed spells them or they redirect."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from ads_cli.hosts import is_public_name
from ads_cli.report import web_address
from tests.browser import chromium, needs_chromium
from tests.conftest import PRODUCT
from tests.effort import tries
from tests.private_hosts import SPELLINGS, private_hosts
from tests.products.images.image_server import ImageServer, image, redirect, serving, whole
from tests.report.conftest import open_page, requested

pytestmark = needs_chromium
LOADED = "return document.images.length > 0 && [...document.images].every((each) => each.complete)"
UNDERSTOOD = """return arguments[0].map((address) => {
  const link = document.createElement("a");
  link.href = address;
  return link.hostname;
})"""
pieces = st.sampled_from(
    [
        *"@:/\\?#%.;[]0x7f",
        "localhost",
        "127",
        "%2e",
        "。",
        "．",
        "\u00ad",
        "xn--",
        ".example",
        "images",
        "\t",
        " ",
    ]
)
hosts = private_hosts | st.lists(pieces, max_size=8).map("".join)
addresses = st.tuples(
    st.sampled_from(["http://", "https://", "HTTP:\\\\", "http:", "https:/", "http:///", "//", "httpſ://"]),
    hosts,
    st.sampled_from(["", "/a.jpg", ":80/a.jpg", ":99999/", "#", "?", ".images.example/a.jpg"]),
).map("".join)


@pytest.fixture(scope="module")
def images() -> Iterator[ImageServer]:
    with serving() as server:
        server.files["/mug.png"] = image("PNG")
        yield server


@pytest.fixture(scope="module")
def browser(tmp_path_factory, images) -> Iterator[webdriver.Chrome]:
    """A browser for which one server is this machine and every example."""
    names = ("*.example", "127.0.0.1", "[::1]", "localhost")
    rules = [f"MAP {name} 127.0.0.1:{images.server_port}" for name in names]
    flag = f"--host-resolver-rules={','.join([*rules, 'MAP * ~NOTFOUND'])}"
    with chromium(tmp_path_factory.mktemp("chromium"), flag) as driver:
        yield driver


def show_thumbnails(adsctl, browser, links: list[str]) -> list[str]:
    """Check a feed whose products have mistakes and these images; return what the page requests for them."""
    rows = [PRODUCT | {"id": f"sku-{n}", "image_link": link, "price": "9"} for n, link in enumerate(links)]
    adsctl.file("feed.jsonl", "\n".join(map(json.dumps, rows)) + "\n")
    adsctl("products", "check", "feed.jsonl", "--report", "feed.html", code=3)
    open_page(browser, adsctl.home / "feed.html")
    browser.execute_script("document.documentElement.style.zoom = 0.1")  # all of them are in sight
    browser.find_element(By.CSS_SELECTOR, "#thumbnails button").click()
    WebDriverWait(browser, 20).until(lambda browser: browser.execute_script(LOADED))
    return [address for address in requested(browser) if address.startswith("http")]


def test_a_thumbnail_is_shown_when_it_is_asked_for(adsctl, browser, images):
    images.seen.clear()
    images.faults["/mug.png"] = [whole]
    assert set(show_thumbnails(adsctl, browser, ["http://shop.images.example/mug.png"])) == {
        "http://shop.images.example/mug.png"
    }
    assert browser.execute_script("return document.images[0].naturalWidth") == 500
    assert {"Referer", "Cookie"}.isdisjoint(images.seen[0].headers) and images.paths == ["/mug.png"]


def test_no_spelling_of_this_machine_is_requested(adsctl, browser, images):
    links = [f"http://{host}/a.png" for host in SPELLINGS]
    asked = show_thumbnails(adsctl, browser, [*links, "http://images.example/mug.png", *links[::-1]])
    assert set(asked) == {"http://images.example/mug.png"}


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1/", "http://localhost/", "http://other.example/", "//[::1]/"]
)
def test_no_redirect_leads_to_a_host_that_the_page_does_not_name(adsctl, browser, images, target):
    images.seen.clear()
    images.faults["/moved.png"] = [redirect(f"{target}mug.png")] * 9
    show_thumbnails(adsctl, browser, ["http://images.example/moved.png"])
    assert set(images.paths) == {"/moved.png"}
    assert browser.execute_script("return document.images[0].classList.contains('missing')")


def test_a_page_names_each_host_of_its_thumbnails(adsctl, browser, images):
    images.seen.clear()
    links = [f"http://{host}.example/mug.png" for host in "abcde"]
    assert set(show_thumbnails(adsctl, browser, links)) == {*links}
    assert {seen.headers["Host"] for seen in images.seen} == {f"{host}.example" for host in "abcde"}


@settings(
    max_examples=tries(10, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(addresses, min_size=1, max_size=40))
def test_an_address_leads_a_browser_to_a_public_name_or_nowhere(browser, texts):
    shown = [text for text in texts if web_address(text)]
    understood = browser.execute_script(UNDERSTOOD, texts)
    for text, host in zip(texts, understood, strict=True):
        if text in shown:
            assert not host or (is_public_name(host) and f"//{host}" in text.lower())
