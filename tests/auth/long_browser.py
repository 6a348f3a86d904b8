"""All ways to sign in, in a real Chromium on the pages of the emulator."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pexpect
import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait

from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.seed.credentials import CALLBACKS, REDIRECTS
from ads_cli.emulator.server import running
from tests.adsctl import Adsctl
from tests.browser import chromium, needs_chromium

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


@pytest.fixture
def newcomer(adsctl: Adsctl, tmp_path: Path, seeded_database: Path) -> Iterator[Adsctl]:
    """A user with an app who has never signed in; `page` is the URL that the browser is told to open."""
    database = shutil.copyfile(seeded_database, tmp_path / "emulator.db")
    with closing(Emulator(database)) as emulator, running(emulator) as address:
        known = variables(emulator, address)
        adsctl.env |= {name: value for name, value in known.items() if "ACCESS_TOKEN" not in name}
        opener = adsctl.file("browser", f'#!/bin/sh\necho "$1" > "{adsctl.home}/page"\n')
        opener.chmod(0o755)
        adsctl.env["BROWSER"] = f"{opener} %s"
        yield adsctl


def terminal(person: Adsctl, *words: str) -> pexpect.spawn:
    command = person.command("-p", "shop", "auth", "login", "--token-store", "file", *words)
    return pexpect.spawn(
        command[0], command[1:], env=person.environment, cwd=person.home, encoding="utf-8", timeout=30
    )


def page_of(person: Adsctl, session: pexpect.spawn) -> str:
    session.expect("opened in your browser")
    return (person.home / "page").read_text().strip()


def press(browser: webdriver.Chrome, words: str) -> None:
    """Press a button and wait for the next page."""
    button = browser.find_element(By.XPATH, f"//button[.='{words}']")
    button.click()
    # While one page replaces the other, Chromium may say of the button that its document is another one.
    WebDriverWait(browser, 30, ignored_exceptions=[WebDriverException]).until(staleness_of(button))


def heading(browser: webdriver.Chrome) -> str:
    return browser.find_element(By.TAG_NAME, "h1").text


def test_the_pin_that_the_page_shows_signs_in(newcomer, browser):
    session = terminal(newcomer)
    browser.get(page_of(newcomer, session))
    assert heading(browser) == "Authorize adsctl to use your account?"
    press(browser, "Authorize")
    pin = browser.find_element(By.ID, "pin")
    assert int(pin.value_of_css_property("font-size").removesuffix("px")) >= 32
    session.expect("PIN: ")
    session.sendline("000-0000")
    session.expect("try again")
    session.sendline(f"{pin.text[:3]} {pin.text[3:]}")
    session.expect("signed in as @nordlicht")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    newcomer.env.clear()  # from here on, all comes from the profile and the store
    assert "Nordlicht Shop" in newcomer("-p", "shop", "accounts", "list").stdout


def test_a_callback_signs_in_without_a_pin(newcomer, browser):
    callback = CALLBACKS[-1]
    session = terminal(newcomer, "--callback", callback, "--screen-name", "kontoracht")
    browser.get(page_of(newcomer, session))
    assert browser.find_element(By.ID, "screen_name").get_attribute("value") == "kontoracht"
    press(browser, "Authorize")
    WebDriverWait(browser, 20).until(lambda driver: driver.current_url.startswith(callback))
    assert "You are signed in" in browser.find_element(By.TAG_NAME, "body").text
    session.expect("signed in as @kontoracht")
    session.expect(pexpect.EOF)
    # Whoever said yes once is not asked again.
    again = terminal(newcomer, "--callback", CALLBACKS[-2], "--authenticate")
    browser.get(page_of(newcomer, again))
    again.expect("signed in as @nordlicht")
    again.expect(pexpect.EOF)
    newcomer.env.clear()
    assert "Nordlicht Shop" in newcomer("-p", "shop", "accounts", "list").stdout


def oauth2(person: Adsctl, redirect: str, *words: str) -> pexpect.spawn:
    port = redirect.rpartition(":")[2].partition("/")[0]
    return terminal(person, "--oauth2", "--port", port, *words)


def test_a_sign_in_by_oauth2_needs_one_press(newcomer, browser):
    redirect = REDIRECTS[-1]
    session = oauth2(newcomer, redirect)
    browser.get(page_of(newcomer, session))
    assert heading(browser) == "Authorize adsctl to use your account?"
    assert "spend your budget" in browser.find_element(By.TAG_NAME, "ul").text
    press(browser, "Authorize")
    WebDriverWait(browser, 20).until(lambda driver: driver.current_url.startswith(redirect))
    assert "You are signed in" in browser.find_element(By.TAG_NAME, "body").text
    session.expect("signed in by OAuth 2.0 with the app adsctl-emulator")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    newcomer.env.clear()
    assert "Nordlicht Shop" in newcomer("-p", "shop", "accounts", "list").stdout
    newcomer("-p", "shop", "auth", "logout")


def test_refusing_a_sign_in_by_oauth2_stores_no_token(newcomer, browser):
    session = oauth2(newcomer, REDIRECTS[-2], "--read-only")
    browser.get(page_of(newcomer, session))
    assert "spend your budget" not in browser.find_element(By.TAG_NAME, "ul").text
    press(browser, "Cancel")
    session.expect("the sign-in was refused; nothing was stored")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 4 and not (newcomer.home / "config").exists()


def test_refusing_on_the_page_stores_no_token(newcomer, browser):
    session = terminal(newcomer, "--callback", CALLBACKS[-3])
    browser.get(page_of(newcomer, session))
    press(browser, "Cancel")
    session.expect("refused")
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 4 and not (newcomer.home / "config").exists()
