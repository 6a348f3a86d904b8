"""Somebody who compares a feed with a catalog."""

import json

from tests.adsctl import Adsctl
from tests.conftest import PRODUCT

DIFFERENT = 10  # exit code


class Differ:
    """A catalog, a feed, and what `products diff` says of them."""

    def __init__(self, adsctl: Adsctl, service) -> None:
        self.adsctl, self.service = adsctl, service
        self.queries: list[str] = []  # of the requests that listed products
        self.hides_variants_of_groups = False  # the list of a group shows its first product only
        self._answer, service.answer = service.answer, self._listed

    def _listed(self, environ, start_response):
        """Answer as the emulator does, but for the variants of a group; keep the query of a listing."""
        if environ["REQUEST_METHOD"] != "GET" or not environ["PATH_INFO"].endswith("/products"):
            return self._answer(environ, start_response)
        self.queries.append(environ["QUERY_STRING"])
        if not (self.hides_variants_of_groups and "item_group_key" in environ["QUERY_STRING"]):
            return self._answer(environ, start_response)
        started = []
        body = json.loads(b"".join(self._answer(environ, lambda *answer: started.append(answer))))
        content = json.dumps(body | {"data": body["data"][:1]}).encode()
        ((status, headers),) = started
        kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
        start_response(status, [*kept, ("Content-Length", str(len(content)))])
        return [content]

    def catalog(self, *products: dict) -> None:
        """Put products into the catalog, past the API."""
        self.service.emulator.data.add_products([PRODUCT | product for product in products])

    def feed(self, *products: dict, name: str = "feed.jsonl") -> None:
        """Write a feed of these products; None leaves a field out."""
        rows = [PRODUCT | product for product in products]
        kept = [{field: value for field, value in row.items() if value is not None} for row in rows]
        self.adsctl.file(name, "\n".join(map(json.dumps, kept)) + "\n")

    def push(self, *words: object) -> None:
        """Push the feed, and remember what is acknowledged."""
        self.adsctl("products", "push", "feed.jsonl", "--changed", *words)

    def diff(self, *words: object, code: int | None = None, file: str = "feed.jsonl") -> list[dict]:
        """Return the records, and keep in `said` what was told; nothing may be sent."""
        before = len(self.service.puts), [*self.service.emulator.data.products()]
        done = self.adsctl("products", "diff", file, "-o", "json", *words, code=code)
        assert (len(self.service.puts), [*self.service.emulator.data.products()]) == before
        self.said = done.stderr
        records = json.loads(done.stdout or "[]")
        if code is None:
            assert done.returncode == (DIFFERENT if records else 0), done.stderr
        return records

    def actions(self, *words: object, code: int | None = None) -> dict[str, list[str]]:
        """Return the ids that differ, by action."""
        found: dict[str, list[str]] = {}
        for record in self.diff(*words, code=code):
            found.setdefault(record["action"], []).append(record["id"])
        return found

    def stored(self, id: str) -> dict:
        """Return a product of the catalog."""
        return self.service.emulator.data.product(id)
