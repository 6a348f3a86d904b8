"""The rows of a feed as they are kept, from their validation to their comparison with the catalog."""

from operator import attrgetter
from typing import Any

import msgspec

from ...feeds.rows import Row
from ...validation.kept_rows import KeptRun
from ...validation.result import CheckedRow
from ..digest_index import item_digest
from ..normal_form import COMPARED
from .database import blob, text
from .listed_products import content_of, values_in
from .scope import Scope

keys_of = attrgetter("product_key", "item_group_key")  # a row may have them, though they are not compared
values_of = attrgetter(*COMPARED)


class FeedRow(msgspec.Struct, array_like=True, gc=False):
    """A row whose id can be read; it has no content where it is invalid."""

    number: int  # of the record within the run
    line: int
    stored_id: bytes
    content: bytes = b""  # the values of the fields COMPARED
    keys: tuple[str | None, str | None] | None = None
    digest: bytes = b""

    @property
    def id(self) -> str:
        """Return the id."""
        return text(self.stored_id)

    def item(self, struct: type[Any]) -> Any:
        """Return the item that the row was converted to."""
        product_key, item_group_key = self.keys or (None, None)
        return struct(
            id=self.id, product_key=product_key, item_group_key=item_group_key, **values_in(self.content)
        )


class FeedRows(msgspec.Struct, array_like=True):
    """A run of rows."""

    rows: int = 0
    named: list[FeedRow] = []
    without_id: list[tuple[int, int]] = []  # record number and line of rows whose id cannot be read


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(FeedRows).decode


class ComparableRows:
    """Keeps what a comparison needs of a run of rows."""

    def __init__(self, scope: Scope | None, *, with_digests: bool) -> None:
        self._scope, self._with_digests = scope, with_digests
        self._kept = FeedRows()

    def add(self, checked: CheckedRow, number: int) -> None:
        """Keep a row, unless it is left out."""
        self._kept.rows = number
        row = checked.row
        if row.left_out:
            return
        if not (id := self._id_of(row)):
            self._kept.without_id.append((number, row.line))
            return
        kept, item = FeedRow(number, row.line, blob(id)), checked.item
        if item is not None:
            kept.content = content_of(values_of(item))
            kept.keys = None if (keys := keys_of(item)) == (None, None) else keys
            kept.digest = item_digest(item) if self._with_digests else b""
        self._kept.named.append(kept)

    def _id_of(self, row: Row) -> str:
        """Return the id of a row, which may be invalid; empty where it cannot be read for certain."""
        if row.problem and not (self._scope and self._scope.problem(row.values) == row.problem):
            return ""  # of a row with too many cells, any of them may be the id
        id = row.values.get("id")
        return str(id) if isinstance(id, str | int) and not isinstance(id, bool) else ""

    def packed(self) -> bytes:
        """Return the rows as `feed_rows` reads them."""
        return _pack(self._kept)


def feed_rows(run: KeptRun) -> FeedRows:
    """Return the rows that were kept of a run."""
    return _unpack(run.packed)
