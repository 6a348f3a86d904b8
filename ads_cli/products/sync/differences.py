"""What differs between a feed and a catalog."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from ..digest_index import DIGEST_BYTES, KEY_BYTES, RECORD_BYTES, split
from .change import Action, Change
from .change_table import ChangeTable


@dataclass
class Differences:
    """The changes that make a catalog equal to a feed, and counts of what needs none or cannot be seen."""

    table: ChangeTable
    read_in: str  # the generation of the catalog in which it was listed
    is_remembered: bool  # whether anything is known that the service has acknowledged of the catalog
    listed: int = 0  # products within the scope
    unchanged: int = 0  # rows that are in the catalog as they are, unseen and not kept ones not among them
    unseen: int = 0  # rows that the catalog may have as variants which it hides
    not_kept: int = 0  # rows that were acknowledged as they are, and yet differ
    not_kept_ids: list[str] = field(default_factory=list)  # the first of them
    _standing: bytearray = field(default_factory=bytearray)

    @property
    def counts(self) -> Mapping[Action, int]:
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

    def add_standing(self, digests: bytes | bytearray) -> None:
        """Add the digests, each with its key hash, of rows that need not be sent."""
        self._standing += digests

    def standing(self) -> Iterator[tuple[bytes, int]]:
        """Yield the digest and the key hash of each row that need not be sent, to be remembered."""
        for record in split(self._standing, RECORD_BYTES):
            yield record[:DIGEST_BYTES], int.from_bytes(record[-KEY_BYTES:])
