"""Store the listing of a catalog, page by page, while something else is done."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from ..listing import product_pages
from .listed_products import ListedProducts

if TYPE_CHECKING:
    from ...client.client import Client


WAKE_UP_SECONDS = 0.2


class BackgroundListing:
    """Fills a database with the products of a catalog, from the moment that it is entered."""

    def __init__(self, client: "Client", catalog: str, products: ListedProducts) -> None:
        self.products = products
        self._client, self._catalog = client, catalog
        self._listed = 0
        self._is_left = False
        self._storing = threading.Lock()  # the database must not be closed while it is written
        self._done = Future[None]()

    def __enter__(self) -> "BackgroundListing":
        """Start to list; the thread is a daemon, so that a signal ends the program at once."""
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the database alone from here on; a request that is in flight is not waited for."""
        with self._storing:
            self._is_left = True

    def wait(self, on_progress: Callable[[int], None]) -> None:
        """Wait until every product is listed; raise what stopped the listing."""
        while not self._done.done():
            on_progress(self._listed)
            # It wakes up now and then: a signal right before a wait is handled only after it.
            with suppress(TimeoutError):
                self._done.exception(WAKE_UP_SECONDS)
        self._done.result()
        on_progress(self._listed)

    def _run(self) -> None:
        try:
            self._list()
        except BaseException as error:
            self._done.set_exception(error)
        else:
            self._done.set_result(None)

    def _list(self) -> None:
        for page in product_pages(self._client, self._catalog):
            with self._storing:
                if self._is_left:
                    return
                self.products.add(page)
            self._listed += len(page)
        with self._storing:
            if not self._is_left:
                self.products.finish()
