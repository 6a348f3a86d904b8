"""Store the pages of a listing, in a process of its own once they are many.

To parse them takes longer than to request them, and would delay the next request.
"""

import pickle
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from ...client.response import parse_records
from ...validation.process_pool import WorkerProcess
from .listed_products import ListedProducts
from .scope import Scope

RUNS_HERE = 2  # fewer runs of pages take less time than to start a process


class StorePages(msgspec.Struct, frozen=True):
    """Parses pages and adds their products to a database; picklable."""

    database: Path
    scope: Scope | None

    def __call__(self, pages: Sequence[bytes]) -> int:
        """Return the number of products; raise UnavailableError if they cannot be read."""
        return add_pages(_opened(self.database, self.scope), pages)


class PageStore:
    """Adds pages to the products of a listing."""

    def __init__(self, products: ListedProducts) -> None:
        self._products = products
        self._runs = 0
        self._worker: WorkerProcess | None = None

    def add(self, pages: Sequence[bytes]) -> int:
        """Return the number of products; raise UnavailableError if they cannot be read."""
        self._runs += 1
        if self._runs == RUNS_HERE + 1:
            self._worker = WorkerProcess.start(StorePages(self._products.path, self._products.scope))
        if self._worker:
            try:
                return int(self._worker.run(pages))
            except (OSError, EOFError, pickle.UnpicklingError):
                # The process has died; a product that is added twice counts once.
                self.close()
        return add_pages(self._products, pages)

    def close(self) -> None:
        """End the process."""
        if self._worker:
            self._worker.close()
            self._worker = None


def add_pages(products: ListedProducts, pages: Sequence[bytes]) -> int:
    """Add the products of pages, as `Response.encoded_records` has them."""
    records = [record for page in pages for record in parse_records(page)]
    products.add(records)
    return len(records)


@cache
def _opened(database: Path, scope: Scope | None) -> ListedProducts:
    return ListedProducts.open_for_adding(database, scope)
