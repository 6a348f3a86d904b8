"""What tells which record of an account an entry of a file is: its id, a mark, a name or content."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..spelling import as_stored
from .campaign_file import CampaignFile
from .kinds import MEDIA
from .memory import Mark
from .model import Entry, Stored, content_of, label_of
from .plan import PLACEHOLDER_ID, Change


class Matches:
    """Which entries of a list are which records; no two entries are one record."""

    def __init__(self, file: CampaignFile) -> None:
        self._file = file
        self.stored: dict[Entry, Stored] = {}
        self._entries: dict[Stored, Entry] = {}

    def is_free(self, stored: Stored) -> bool:
        """Whether no entry is a record yet."""
        return stored not in self._entries

    def add(self, entry: Entry, stored: Stored) -> None:
        """Match an entry; note it in the file where another one is the same record."""
        if first := self._entries.get(stored):
            self._file.find_lines()
            self._file.note(entry, f"is {stored.kind.noun} {stored.id}, as is line {first.line}")
        else:
            self._entries[stored], self.stored[entry] = entry, stored


def mark_of(entry: Entry, parent_id: str) -> Mark | None:
    """Return under what a record is remembered; None where it has no key."""
    if parent_id == PLACEHOLDER_ID:
        return None
    key = entry.key if entry.kind.is_named else entry.own_key
    return Mark(entry.kind.name, parent_id, key) if key else None


def attempt_mark(entry: Entry, parent_id: str) -> Mark | None:
    """Return under what is noted that a record may be created: its content, where it has no key."""
    if parent_id == PLACEHOLDER_ID:
        return None
    label = label_of(entry.kind, entry.values)
    return mark_of(entry, parent_id) or Mark(entry.kind.name, parent_id, f"{label} (by its content)")


def replacement_mark(entry: Entry, parent_id: str) -> Mark:
    """Return under what is remembered that a record was replaced."""
    return Mark(entry.kind.name, parent_id, entry.id or "", is_replacement=True)


def replaced_by(changes: Iterable[Change]) -> Iterator[Mark]:
    """Yield under what is remembered what changes replace in records that exist."""
    for change in changes:
        if change.replaces and change.entry and change.parent_id != PLACEHOLDER_ID:
            yield replacement_mark(change.entry, change.parent_id)


def match_key_of_stored(stored: Stored) -> Any:
    """Return the name or the content by which a record is found, with its kind."""
    return (
        (stored.kind.name, as_stored(stored.name or ""))
        if stored.kind.is_named
        else (stored.kind, stored.content)
    )


def match_keys_of_entry(entry: Entry) -> list[Any]:
    """Return the keys of the records that an entry may be."""
    if entry.kind.is_named:
        return [(entry.kind.name, as_stored(entry.name or "") or object())]  # no name matches nothing
    content = content_of(entry.kind, entry.values)
    as_preroll = [(MEDIA, content[:1])] if entry.kind is MEDIA else []
    return [(entry.kind, content), *as_preroll]
