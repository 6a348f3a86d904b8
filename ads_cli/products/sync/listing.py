"""Store the pages of a listing, in a process of its own once they are many.

To parse them takes longer than to request them, and would delay the next request.
"""

import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ...client.response import parse_records
from ...parallel import batched
from ...parallel.ordered_map import map_ordered
from ...parallel.process_pool import WorkerProcess
from ..listing import encoded_pages
from ..normal_form import Scope
from . import open_for_writing
from .listed_products import ListedProducts

if TYPE_CHECKING:
    from ...client.client import Client


RUNS_HERE = 2  # fewer runs of pages take less time than to start a process


class StorePages(msgspec.Struct, frozen=True):
    """Parses pages and adds their products to a database; picklable."""

    database: Path
    scope: Scope | None

    def __call__(self, pages: Sequence[bytes]) -> int:
        """Return the number of products; raise UnavailableError if they cannot be read."""
        return add_pages(_opened(self.database, self.scope), pages)


def add_pages(products: ListedProducts, pages: Sequence[bytes]) -> int:
    """Add the products of pages, as `Response.encoded_records` has them."""
    records = [record for page in pages for record in parse_records(page)]
    products.add(records)
    return len(records)


@cache
def _opened(database: Path, scope: Scope | None) -> ListedProducts:
    return ListedProducts(database, open_for_writing(database), scope)


PAGES_AT_ONCE = 10  # stored in one transaction
RUNS_AHEAD = 3  # of pages that wait to be stored
WAKE_UP_SECONDS = 0.2


class BackgroundListing:
    """Fills a database with the products of a catalog, from the moment that it is entered."""

    def __init__(self, client: "Client", catalog: str, products: ListedProducts) -> None:
        self.products = products
        self._client, self._catalog = client, catalog
        self._listed = 0
        self._runs_stored = 0
        self._worker: WorkerProcess | None = None  # stores runs, once they are many
        self._is_left = False
        self._storing = threading.Lock()  # the database must not be closed while it is written
        self._completion = Future[None]()

    def __enter__(self) -> "BackgroundListing":
        """Start to list in a thread. It is a daemon, so that a signal ends the program at once."""
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the database alone from here on; a request that is in flight is not waited for."""
        with self._storing:
            self._is_left = True

    def wait(self, on_progress: Callable[[int], None]) -> None:
        """Wait until every product is listed; raise what stopped the listing."""
        while not self._completion.done():
            on_progress(self._listed)
            # It wakes up now and then: a signal right before a wait is handled only after it.
            with suppress(TimeoutError):
                self._completion.exception(WAKE_UP_SECONDS)
        self._completion.result()
        on_progress(self._listed)

    def _run(self) -> None:
        try:
            self._list()
        except BaseException as error:
            self._completion.set_exception(error)
        else:
            self._completion.set_result(None)

    def _list(self) -> None:
        """Store some pages while the next ones are requested."""
        try:
            for _ in map_ordered(self._store, self._runs(), 1, RUNS_AHEAD):
                pass
        finally:
            self._end_worker()
        with self._storing:
            if not self._is_left:
                self.products.finish()

    def _runs(self) -> Iterator[list[bytes]]:
        pages = takewhile(lambda page: not self._is_left, encoded_pages(self._client, self._catalog))
        return batched(pages, PAGES_AT_ONCE)

    def _store(self, pages: list[bytes]) -> None:
        with self._storing:
            if not self._is_left:
                self._runs_stored += 1
                self._listed += self._add(pages)

    def _add(self, pages: list[bytes]) -> int:
        """Add the products of pages; return their number, or raise UnavailableError."""
        if self._runs_stored == RUNS_HERE + 1:
            self._worker = WorkerProcess.start(StorePages(self.products.path, self.products.scope))
        if self._worker:
            try:
                return int(self._worker.run(pages))
            except (OSError, EOFError, pickle.UnpicklingError):
                # The process has died; a product that is added twice counts once.
                self._end_worker()
        return add_pages(self.products, pages)

    def _end_worker(self) -> None:
        if self._worker:
            self._worker.close()
            self._worker = None
