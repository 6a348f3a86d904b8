"""What differs between a feed and a catalog."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from ...output.text import counted
from ..digest_index import DIGEST_BYTES, KEY_BYTES, RECORD_BYTES, split
from .change import Action, Change
from .change_table import ChangeTable

NAMED_IDS = 5


@dataclass
class Differences:
    """The changes that make a catalog equal to a feed, and counts of what needs none or cannot be seen."""

    table: ChangeTable
    read_in: str  # the generation of the catalog in which it was listed
    is_remembered: bool = False  # whether anything is known that the service acknowledged of the catalog
    is_confirmed: bool = True  # whether that is the latest, and not of a disk that was restored
    listed: int = 0  # products within the scope
    unchanged: int = 0  # rows whose products are as they say
    unseen: int = 0  # rows whose products the catalog may hide; sent where they are not known
    not_kept: int = 0  # rows that were acknowledged twice as they are, and whose products differ all the same
    not_kept_ids: list[str] = field(default_factory=list)  # the first of them
    kept_again: list[bytes] = field(default_factory=list)  # see `repeat_hash`: of rows that are equal again
    spared: list[str] = field(default_factory=list)  # ids that no row has, of products that are a row's
    _equal: bytearray = field(default_factory=bytearray)

    @property
    def not_kept_words(self) -> str:
        """Name products that the service does not keep as rows say; empty where there are none."""
        if not self.not_kept:
            return ""
        named = ", ".join(map(repr, self.not_kept_ids)) + (
            ", …" if self.not_kept > len(self.not_kept_ids) else ""
        )
        return (
            f"{counted(self.not_kept, 'product')} not kept as the service acknowledged, twice: {named}; "
            "not sent again until the row or the product changes, or with --verify"
        )

    @property
    def counts(self) -> Counter[Action]:
        """Count the changes by action."""
        return self.table.counts

    def __iter__(self) -> Iterator[Change]:
        """Yield every change: the writes, then the deletions."""
        return chain(self.writes(), self.deletions())

    def writes(self) -> Iterator[Change]:
        """Yield creations and updates, in the order of the feed."""
        return self.table.read(deletions=False)

    def deletions(self) -> Iterator[Change]:
        """Yield deletions."""
        return self.table.read(deletions=True)

    def add_not_kept(self, id: str) -> None:
        """Count a row that the service did not keep as it is."""
        self.not_kept += 1
        if len(self.not_kept_ids) < NAMED_IDS:
            self.not_kept_ids.append(id)

    def add_equal(self, record: bytes) -> None:
        """Add what the sync state is to remember of a row whose product is as it says."""
        self._equal += record

    def equal(self) -> Iterator[tuple[bytes, int]]:
        """Yield digest and key hash of each unchanged row that the sync state does not have yet."""
        for record in split(self._equal, RECORD_BYTES):
            yield record[:DIGEST_BYTES], int.from_bytes(record[-KEY_BYTES:])
