"""A shop whose one feed is pushed again and again."""

import json

from tests.adsctl import Adsctl
from tests.conftest import feed

ROWS, BATCHES = 200, 8
MUG, CUP = "Enamel mug", "Enamel cup"


def feed_with(rows: int, titles: dict[int, str], **changes: str) -> str:
    """Write a feed in which some rows, numbered from 1, have titles of their own."""
    lines = feed(rows, **changes).splitlines()
    for number, title in titles.items():
        assert MUG in lines[number]
        lines[number] = lines[number].replace(MUG, title)
    return "\n".join(lines) + "\n"


class Shop:
    """Somebody who pushes one feed again and again, and a look at what the service was sent."""

    def __init__(self, adsctl: Adsctl, service) -> None:
        self.adsctl, self.service = adsctl, service

    def push(self, content: str | None = None, *words: object, changed: bool = True, code: int = 0, **env):
        """Push; give the summary, and in `sent` the ids that went out and in `said` what was told."""
        if content is not None:
            self.adsctl.file("feed.csv", content)
        before = len(self.service.puts)
        options = ["--changed"] * changed + ["-o", "json", *words]
        done = self.adsctl("products", "push", "feed.csv", *options, code=code, **env)
        summary = json.loads(done.stdout)
        self.requests = len(self.service.puts) - before
        self.sent = sorted(
            (id for put in self.service.puts[before:] for id in put), key=lambda id: (len(id), id)
        )
        self.said = done.stderr
        return summary

    def elsewhere(self) -> dict[str, str]:
        """Be on another machine, whose state folder is another one."""
        return {"ADSCTL_STATE_DIR": str(self.adsctl.home / "elsewhere")}

    def keys(self, *ids: str) -> list[str]:
        keys = {product["id"]: product["product_key"] for product in self.service.emulator.data.products()}
        return [keys[id] for id in ids]

    def delete(self, *ids: str, **env: str) -> None:
        self.adsctl("products", "delete", *self.keys(*ids), "--yes", **env)

    def stored(self, id: str) -> dict:
        return self.service.emulator.data.product(id)


def ids(*numbers: int) -> list[str]:
    return [f"sku-{number}" for number in numbers]
