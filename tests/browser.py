"""A real Chromium for tests."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import InvalidSessionIdException

from tests.programs import needs

needs_chromium = needs("chromium", "chromedriver")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=900,900",
)


class Chromium(webdriver.Chrome):
    """A browser that is started again if it is gone when a page is opened: a crash of it is not ours."""

    def __init__(self, options: webdriver.ChromeOptions) -> None:
        self._wanted = options.to_capabilities()
        super().__init__(options, webdriver.ChromeService(shutil.which("chromedriver")))

    def get(self, url: str) -> None:
        try:
            super().get(url)
        except InvalidSessionIdException:
            self.start_session(self._wanted)
            super().get(url)


@contextmanager
def chromium(folder: Path, *flags: str) -> Iterator[webdriver.Chrome]:
    """Run a browser that keeps its data in a folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, *flags, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Chromium(options)
    try:
        yield driver
    finally:
        driver.quit()
