"""A shop with images on this machine, and commands that look at them."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.adsctl import Adsctl
from tests.conftest import PRODUCT
from tests.products.images.image_server import ImageServer, serving


@pytest.fixture
def images() -> Iterator[ImageServer]:
    """A server of images on this machine, which only --allow-private permits."""
    with serving() as server:
        yield server


class Checked(NamedTuple):
    """What a check came to."""

    report: dict[str, Any]
    said: str

    @property
    def findings(self) -> list[tuple[str, str, str]]:
        """Severity, field and problem of each finding."""
        return [(each["severity"], each["field"], each["problem"]) for each in self.report["findings"]]


class Shop:
    """A feed whose products link to images."""

    def __init__(self, adsctl: Adsctl) -> None:
        self.adsctl = adsctl

    def feed(self, *products: dict[str, str] | str) -> None:
        """Write the feed; of a product that is a text, this is the image."""
        rows = [product if isinstance(product, dict) else {"image_link": product} for product in products]
        lines = [json.dumps(PRODUCT | {"id": f"sku-{n}"} | row) for n, row in enumerate(rows, 1)]
        self.adsctl.file("feed.jsonl", "\n".join(lines) + "\n")

    def check(self, *words: str, code: int = 0, **env: str) -> Checked:
        """Check the feed with its images."""
        command = ("products", "check", "feed.jsonl", "--images", "--allow-private", "-o", "json", *words)
        done = self.adsctl(*command, code=code, **env)
        return Checked(json.loads(done.stdout), done.stderr)


@pytest.fixture
def shop(adsctl: Adsctl) -> Shop:
    return Shop(adsctl)
