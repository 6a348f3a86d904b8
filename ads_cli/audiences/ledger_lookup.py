"""Look people of a list up in its ledger, many at a time, in the processes that pack them."""

import os
from array import array
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from .columns import BETWEEN, EncodedColumn
from .ledger_file import LedgerIndex, open_bytes, stamp_of
from .ledger_records import KINDS, NO_TAG, PLAIN_BYTES, TEXT_KIND, Sealer, is_certain

CREATED, UPDATED = "created", "updated"  # statuses of people, of which `sync_plan.STATUSES` has more


class LedgerDifferences(NamedTuple):
    """How some rows differ from the ledger, as compactly as it goes between processes."""

    people: int
    positions: bytes  # of their identifiers, 8 bytes each; the number of its records for those that are new
    due: list[tuple[int, str, str]]  # row, status and JSON of people to be sent
    tags: bytes  # of people who are not sent, and have several identifiers
    unsent: bytes = b""  # positions of the identifiers of rows that are not sent
    unreadable: frozenset[int] = frozenset()  # such rows that may be of anybody


class LedgerView(NamedTuple):
    """Names a ledger as it was when it was opened, for other processes."""

    path: str
    stamp: tuple[int, int, int]  # of the file
    key: bytes
    identifiers: int
    width: int
    month: int
    is_trusted: bool

    def lookup(self) -> "LedgerLookup | None":
        """Return what looks people up; None where the file has been replaced since."""
        if self not in _opened:
            try:
                with Path(self.path).open("rb") as file:
                    if stamp_of(os.fstat(file.fileno())) != self.stamp:
                        return None
                    data = open_bytes(file.fileno())
            except OSError:
                return None
            return self.lookup_in(LedgerIndex(data, self.identifiers, self.width), Sealer(self.key))
        return _opened[self]

    def lookup_in(self, index: LedgerIndex, sealer: Sealer) -> "LedgerLookup":
        """Return what looks people up, which this process keeps, and no other."""
        _opened.clear()
        return _opened.setdefault(self, LedgerLookup(self, index, sealer))


_opened: dict[LedgerView, "LedgerLookup"] = {}


class LedgerLookup:
    """Says what is to be done with people."""

    def __init__(self, view: LedgerView, index: LedgerIndex, sealer: Sealer) -> None:
        self.view, self._index, self._sealer = view, index, sealer
        self._certain: dict[bytes, bool] = {}  # by the meta bytes of a record

    def status(self, user: dict[str, list[str]]) -> tuple[str, bytes]:
        """Return what is to be done with a person, "" for nothing, and the tag of the ledger."""
        if not len(self._index):
            return CREATED, NO_TAG
        digests = [d for name, values in user.items() for d in self._sealer.digests(KINDS[name], values)]
        return self._status(digests, array("Q"))

    def _status(self, digests: list[bytes], positions: "array[int]") -> tuple[str, bytes]:
        """Return what is to be done with the person of some identifiers; add where the ledger has these."""
        tags, certain, matches = set(), self.view.is_trusted, 0
        for digest in digests:
            position = self._index.find(digest)
            positions.append(position if position >= 0 else len(self._index))
            if position >= 0:
                matches += 1
                meta, tag = self._index.meta_and_tag(position)
                tags.add(tag)
                certain = certain and self._is_certain(meta)
        if not matches:
            return CREATED, NO_TAG
        is_one = len(tags) == 1 and (len(digests) == 1 or NO_TAG not in tags)
        is_same = certain and matches == len(digests) and is_one
        return "" if is_same else UPDATED, next(iter(tags)) if is_one else NO_TAG

    def _is_certain(self, meta: bytes) -> bool:
        if meta not in self._certain:
            self._certain[meta] = is_certain(meta, self.view.month)
        return self._certain[meta]

    def compare(
        self,
        columns: Sequence[EncodedColumn],
        user_of: Callable[[int], str],
        rows: Sequence[int],
    ) -> LedgerDifferences:
        """Compare the people of some rows; `columns` are their identifiers, `user_of` their JSON."""
        positions, tags = array("Q"), bytearray()
        statuses: list[str] = []
        if len(columns) == 1 and columns[0].text_size and self._is_plain:
            # As below, where nobody has several identifiers.
            values = [columns[0].texts[row] for row in rows]
            statuses = self._statuses_of_singles(
                self._sealer.digests(KINDS[columns[0].kind], values), positions
            )
        else:
            for own in self._digests(columns, rows):
                status, tag = self._status(own, positions)
                statuses.append(status)
                if not status and tag != NO_TAG:
                    tags += tag
        due = [(row, status, user_of(row)) for row, status in zip(rows, statuses, strict=True) if status]
        return LedgerDifferences(len(rows), positions.tobytes(), due, bytes(tags))

    def find_unsent(
        self, columns: Sequence[EncodedColumn], invalid: Collection[int], mistaken: Collection[int]
    ) -> tuple[bytes, frozenset[int]]:
        """Return the positions of people of `invalid` rows, and `mistaken` rows that may be of anybody."""
        positions, unreadable, rows = array("Q"), set[int](), [*{*invalid, *mistaken}]
        for row, digests in zip(rows, self._digests(columns, rows), strict=True):
            matches = [position for position in map(self._index.find, digests) if position >= 0]
            if row in invalid:
                positions.extend(matches)
            if row in mistaken and not matches:
                unreadable.add(row)
        return positions.tobytes(), frozenset(unreadable)

    @property
    def _is_plain(self) -> bool:
        """Tell whether whom the ledger has is as it says, and has one identifier."""
        return self.view.width == PLAIN_BYTES and self.view.is_trusted

    def _statuses_of_singles(self, digests: Sequence[bytes], positions: "array[int]") -> list[str]:
        """Return the statuses of people with one hashed identifier and no tag. Add their positions."""
        own, metas = self._index.find_all(digests)
        positions.extend(own)
        statuses = {meta: "" if self._is_certain(meta) else UPDATED for meta in {*metas} - {b""}}
        statuses[b""] = CREATED
        return [statuses[meta] for meta in metas]

    def _digests(self, columns: Sequence[EncodedColumn], rows: Sequence[int]) -> list[list[bytes]]:
        """Return the digests of the identifiers of each row."""
        digests_of_rows: list[list[bytes]] = [[] for _ in rows]
        for column in columns:
            texts = [column.texts[row] for row in rows]
            present = [text for text in texts if text]
            if not present:
                continue
            values = BETWEEN.join(present).split(BETWEEN)
            if column.kind == TEXT_KIND:
                values = [msgspec.json.decode(f'"{value}"') for value in values]
            digests = iter(self._sealer.digests(KINDS[column.kind], values))
            for own, text in zip(digests_of_rows, texts, strict=True):
                if text:
                    own += islice(digests, text.count(BETWEEN) + 1)
        return digests_of_rows
