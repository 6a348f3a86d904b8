"""The names of catalogs and lists, as this machine has last seen them."""

from collections.abc import Mapping
from pathlib import Path

from ..api.record_names import GROUPS, noun_of
from .change_words import record_in_words
from .completion_ids import recorded_names


class TargetNames:
    """Names what uploads change. No request is sent, so that a name may have changed since."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._names: dict[tuple[str, str], Mapping[str, str]] = {}  # by profile and group

    def name(self, profile: str, kind: str, id: str) -> str:
        """Return the name of an upload target; "" where the profile has not seen it."""
        group = GROUPS.get(f"{kind}_id")
        if not group:
            return ""
        if (profile, group) not in self._names:
            self._names[profile, group] = recorded_names(self._state_dir, profile, group)
        return self._names[profile, group].get(id, "")

    def words(self, profile: str, kind: str, id: str) -> str:
        """Return an upload target in words: `audience Newsletter (1nmu0)`."""
        return record_in_words(noun_of(f"{kind}_id"), self.name(profile, kind, id), id)
