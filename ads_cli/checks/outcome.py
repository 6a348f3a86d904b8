"""What a rule reports: a finding, or that it cannot know."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]  # by neutral names


class About:
    """The record that an outcome is about."""

    record: Record

    @property
    def id(self) -> str:
        """The id of the record."""
        return str(self.record.get("id") or "")

    @property
    def name(self) -> str:
        """What a person calls the record."""
        names = (self.record.get(name) for name in ("name", "description", "full_text"))
        return str(next(filter(None, names), self.id))


@dataclass(frozen=True)
class Finding(About):
    """Something that is wrong with a record."""

    kind: str  # in words: `line item`
    record: Record
    message: str  # about the record, after its name
    command: tuple[str, ...] = ()  # the next command, after `adsctl`; it works as it stands


@dataclass(frozen=True)
class Unknown(About):
    """What a rule could not look at."""

    kind: str
    record: Record
    message: str  # why, about the record


class CannotLook(Exception):
    """Something that a rule needs cannot be read; the message says why."""


class NotAvailable(CannotLook):
    """Something that cannot be read of any record."""


Outcome = Finding | Unknown
