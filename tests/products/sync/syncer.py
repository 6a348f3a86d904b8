"""Somebody who makes a catalog equal to a feed."""

import json

from tests.conftest import PRODUCT
from tests.products.stopping import acknowledgements, run

from .differ import Differ

ONE_BY_ONE = ("--concurrency", 1, "--max-attempts", 1)


class Syncer(Differ):
    """A catalog, a feed, and what `products sync` sends."""

    def __init__(self, adsctl, service) -> None:
        super().__init__(adsctl, service)
        self._once_held: list[dict] = []

    def sync(self, *words: object, code: int = 0) -> dict:
        """Sync; return the summary, and keep in `sent` and `deleted` the ids, in `said` what was told."""
        ids = self._ids
        puts, deletes = len(self.service.puts), len(self.service.deletes)
        done = self.adsctl("products", "sync", "feed.jsonl", "-o", "json", *words, code=code)
        self.sent = [id for put in self.service.puts[puts:] for id in put]
        self.deleted = [ids.get(key, key) for delete in self.service.deletes[deletes:] for key in delete]
        self.said = done.stderr
        return json.loads(done.stdout or "{}")

    def prune(self, *words: object, code: int = 0) -> dict:
        """Sync, and delete whatever is not in the feed."""
        return self.sync("--prune", "--yes", "--max-delete", "100%", *words, code=code)

    def delete_elsewhere(self, id: str) -> str:
        """Let another machine delete a product before the first deletion of a sync; return its key."""
        key = str(self.stored(id)["product_key"])
        elsewhere = {"ADSCTL_STATE_DIR": str(self.adsctl.home / "elsewhere")}

        def delete(number: int) -> None:
            self.service.before_delete = lambda number: None
            assert run(self.adsctl, "products", "delete", key, "--yes", **elsewhere)[0] == 0

        self.service.before_delete = delete
        return key

    @property
    def _ids(self) -> dict[str, str]:
        """The ids of all products that the catalog held before a sync, by their keys."""
        self._once_held += self.service.emulator.data.products()
        return {product["product_key"]: product["id"] for product in self._once_held}

    def acknowledged(self) -> set[str]:
        """Return the ids of the rows, as `numbered` makes them, and of the products that jobs name."""
        ids = self._ids
        acks = acknowledgements(self.adsctl)
        rows = {f"sku-{record - 1}" for ack in acks for record in ack.records}
        return rows | {ids[key] for ack in acks for key in ack.deleted}

    def numbered(self, *numbers: int, **changes: str) -> list[dict]:
        """Return products with numbered ids."""
        return [{"id": f"sku-{number}"} | changes for number in numbers]

    def held(self) -> dict[str, dict]:
        """Return the products of the catalog by id, without the keys that the service makes."""
        return {
            product["id"]: {name: value for name, value in product.items() if not name.endswith("_key")}
            for product in self.service.emulator.data.products()
        }

    def assert_equal(self, *products: dict) -> None:
        """Hold the catalog against a feed of these products."""
        assert self.held() == {product["id"]: PRODUCT | product for product in products}
