"""The sync state of a catalog: what the service last acknowledged of its products.

A catalog of a service has one, whichever profile names it.

It may know too little, and then rows are sent that need not be. It never claims what was not acknowledged. So
it is used only in the write epoch of the catalog that it was written in. A push invalidates the rows that it
is about to send. It commits them only at its end, and only if no other write epoch has begun meanwhile.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..store import store_in
from ..store.epochs import UploadTarget, WriteEpochs
from .digest_index import NO_KEY, DigestIndex, ProductHashes

if TYPE_CHECKING:
    import sqlite3

KIND = "product_catalog"  # of the upload target


class UnknownError(Exception):
    """Nothing is known about a catalog; the text says why."""


class SyncState:
    """The sync state of one catalog; raises StateError where the store cannot be used."""

    def __init__(self, state_dir: Path, service: str, catalog: str) -> None:
        self._store = store_in(state_dir)
        self._epochs = WriteEpochs(state_dir)
        self._target = UploadTarget(service, KIND, catalog)
        self._key = service, catalog

    def exists(self) -> bool:
        """Tell whether anything was ever stored."""
        return bool(self._stored())

    @property
    def epoch(self) -> str:
        """Return the current write epoch of the catalog."""
        return self._epochs.current(self._target)

    @property
    def is_confirmed(self) -> bool:
        """Tell whether what is stored is the latest, and not that of a disk that was restored."""
        return self._epochs.is_confirmed(self._target)

    def read(self) -> tuple[str, DigestIndex]:
        """Return the current write epoch and the acknowledged products; raise UnknownError."""
        epoch = self.epoch
        if not (stored := self._stored()):
            raise UnknownError("nothing is known about this catalog yet")
        ((number, its_epoch),) = stored
        if its_epoch != epoch:
            raise UnknownError("something else may have changed this catalog since the last push")
        # Another push may begin now: the one statement reads all products of this epoch, or none.
        products = self._store.stream(
            "SELECT id, content, key FROM products WHERE catalog = ("
            "SELECT number FROM catalogs WHERE (number, epoch) = (?, ?)) ORDER BY id",
            (number, epoch),
        )
        return epoch, DigestIndex(products)

    def invalidate(self, previous: str, epoch: str, ids: Iterable[int]) -> None:
        """Forget products that a push is about to send, in the write epoch that it began after `previous`.

        These are given by the hashes of their ids.
        """
        with self._store.writing() as db:
            number = self._keep(db, previous, epoch)
            if db.execute("SELECT 1 FROM products WHERE catalog = ? LIMIT 1", (number,)).fetchone():
                with _staged(db, ((id, None, None) for id in ids)):
                    _forget(db, number, "id")

    def invalidate_keys(self, previous: str, epoch: str, keys: Iterable[int]) -> None:
        """Forget products with these key hashes, and those whose key is not known."""
        with self._store.writing() as db:
            number = self._keep(db, previous, epoch)
            with _staged(db, ((None, None, key) for key in (*keys, NO_KEY))):
                _forget(db, number, "key")

    def commit(self, epoch: str, products: Iterable[ProductHashes]) -> bool:
        """Store products; return False if another write epoch has begun."""
        with self._store.writing() as db:
            if epoch != self.epoch:
                return False
            number = self._keep(db, epoch)
            with _staged(db, products):
                # In the order of the table, so that each of its pages is written once. The last of those with
                # the same id counts.
                select = "SELECT ?, id, content, key FROM temp.staged ORDER BY id, rowid"
                db.execute(f"REPLACE INTO products {select}", (number,))
        return True

    def _stored(self) -> list[tuple[int, str]]:
        """Return the number of the catalog and the write epoch that is stored, if there is one."""
        query = "SELECT number, epoch FROM catalogs WHERE (service, id) = (?, ?)"
        return [(number, epoch) for number, epoch in self._store.rows(query, self._key)]

    def _keep(self, db: "sqlite3.Connection", *epochs: str) -> int:
        """Forget all products but those of some write epochs, and go on in the last of these.

        Return the number of the catalog.
        """
        new = "INSERT INTO catalogs (service, id, epoch) VALUES (?, ?, '') ON CONFLICT DO NOTHING"
        db.execute(new, self._key)
        ((number, its_epoch),) = self._stored()
        if its_epoch not in epochs:
            db.execute("DELETE FROM products WHERE catalog = ?", (number,))
        db.execute("UPDATE catalogs SET epoch = ? WHERE number = ?", (epochs[-1], number))
        return number


@contextmanager
def _staged(db: "sqlite3.Connection", rows: Iterable[tuple[int | None, ...]]) -> Iterator[None]:
    """Put rows into a temporary table, which takes any number of them in little memory."""
    db.execute("CREATE TEMP TABLE staged (id INTEGER, content INTEGER, key INTEGER)")
    db.executemany("INSERT INTO temp.staged VALUES (?, ?, ?)", rows)
    yield
    db.execute("DROP TABLE temp.staged")


def _forget(db: "sqlite3.Connection", number: int, column: str) -> None:
    """Remove the products of a catalog that are staged, by their ids or keys."""
    staged = f"SELECT {column} FROM temp.staged ORDER BY 1"  # sorted, a million are found three times as fast
    db.execute(f"DELETE FROM products WHERE catalog = ? AND {column} IN ({staged})", (number,))


def remove_outdated(state_dir: Path) -> None:
    """Remove sync states whose write epoch has ended, which are never used again."""
    store, epochs = store_in(state_dir), WriteEpochs(state_dir)
    outdated = [
        (number,)
        for number, service, catalog, epoch in store.rows("SELECT number, service, id, epoch FROM catalogs")
        if epoch != epochs.current(UploadTarget(service, KIND, catalog))
    ]
    if outdated:
        with store.writing() as db:
            db.executemany("DELETE FROM products WHERE catalog = ?", outdated)
            db.executemany("DELETE FROM catalogs WHERE number = ?", outdated)
