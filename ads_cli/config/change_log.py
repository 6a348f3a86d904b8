"""The log of changes: two lines with one id for each, before it is sent and after its answer.

Each line is a checksum and its JSON, appended at once and synced before anything is sent. A change whose
second line is missing has an unknown outcome: the command was killed, or its answer was lost.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from ..errors import STATE_HINT, StateError
from .atomic_files import checked_line, make_folder, read_checked_line, sync_folder

UNKNOWN = "unknown"
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}\.jsonl")
COLUMNS = (
    *("id", "time", "profile", "account", "user", "command", "method", "path", "ids", "fields", "before"),
    *("outcome", "job", "by"),
)


class ChangeBegun(msgspec.Struct, kw_only=True, tag="begun"):
    """The line before a change is sent."""

    id: str
    time: str
    profile: str
    account: str | None
    user: str
    command: str
    method: str
    path: str
    ids: list[str] = []
    fields: Any = None
    before: Any = None
    job: str | None = None
    by: str | None = None


class ChangeEnded(msgspec.Struct, kw_only=True, tag="ended"):
    """The line after its answer."""

    id: str
    outcome: str
    ids: list[str] = []  # of what was made
    counts: dict[str, int] = {}


_entry = msgspec.json.Decoder(ChangeBegun | ChangeEnded).decode


def now(ago: float = 0.0) -> str:
    """Return the time as the log has it, some seconds ago."""
    return f"{datetime.now(UTC) - timedelta(seconds=ago):%Y-%m-%dT%H:%M:%SZ}"


class ChangeLog:
    """The log in a state folder; as a month begins, files of those that ended `keep_days` ago are removed."""

    def __init__(self, state_dir: Path, keep_days: int | None = None) -> None:
        self._folder, self._keep_days = state_dir / "changes", keep_days

    def begin(self, entry: ChangeBegun) -> None:
        """Append a line, on disk before this returns; raise StateError where it cannot be written."""
        try:
            self._append(entry)
        except OSError as error:
            raise StateError(
                f"the log of changes in {self._folder} cannot be written: {error.strerror}; nothing was sent",
                hint=STATE_HINT,
            ) from None

    def end(self, entry: ChangeEnded) -> bool:
        """Append what became of a change; return False where that fails."""
        try:
            self._append(entry)
        except OSError:
            return False
        return True

    def _append(self, entry: ChangeBegun | ChangeEnded) -> None:
        line = checked_line(msgspec.json.encode(entry))
        path = self._folder / f"{datetime.now(UTC):%Y-%m}.jsonl"
        is_new = not path.exists()
        if is_new:
            make_folder(self._folder)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size:  # a line that a power failure cut off must not swallow this one
                os.lseek(descriptor, size - 1, os.SEEK_SET)
                line = line if os.read(descriptor, 1) == b"\n" else b"\n" + line
            count = os.write(descriptor, line)
            if count != len(line):
                raise OSError(28, "no space left on device")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if is_new:
            sync_folder(self._folder)
            if self._keep_days is not None:
                self._remove_old(timedelta(days=self._keep_days))

    def _remove_old(self, age: timedelta) -> None:
        """Remove the files of months that are older than what is kept."""
        oldest = f"{datetime.now(UTC) - age:%Y-%m}.jsonl"
        for path in self._paths():
            if path.name < oldest:
                with suppress(OSError):
                    path.unlink()

    def _paths(self) -> list[Path]:
        try:
            return sorted(path for path in self._folder.iterdir() if MONTH.fullmatch(path.name))
        except FileNotFoundError:
            return []

    def _lines(self) -> Iterator[bytes]:
        for path in self._paths():
            yield from path.read_bytes().splitlines(keepends=True)

    def created_ids(self) -> set[str]:
        """Return the ids of the records that changes have made and whose answers named them."""
        changed: dict[str, list[str]] = {}
        ids: set[str] = set()
        for entry in map(_decoded, self._lines()):
            if isinstance(entry, ChangeBegun):
                changed[entry.id] = entry.ids
            elif entry:
                ids.update(id for id in entry.ids if id not in changed.get(entry.id, ()))
        return ids

    def since(self, moment: str) -> list[ChangeBegun]:
        """Return the changes since a moment that may have been applied, with the ids of what they made."""
        changes: list[ChangeBegun] = []
        ended: dict[str, ChangeEnded] = {}
        for path in reversed(self._paths()):
            for entry in map(_decoded, reversed(path.read_bytes().splitlines(keepends=True))):
                if isinstance(entry, ChangeEnded):
                    ended[entry.id] = entry
                elif entry and entry.time < moment:
                    return changes[::-1]
                elif entry:
                    end = ended.get(entry.id, ChangeEnded(id=entry.id, outcome=UNKNOWN))
                    entry.ids += [id for id in end.ids if id not in entry.ids]
                    changes += [entry] if end.outcome in ("ok", UNKNOWN) else []
        return changes[::-1]

    def changes(self) -> tuple[list[dict[str, Any]], int]:
        """Return the changes, oldest first, and how many damaged lines were left out."""
        by_id: dict[str, dict[str, Any]] = {}
        ended: dict[str, ChangeEnded] = {}
        damaged = 0
        for line in self._lines():
            entry = _decoded(line)
            if isinstance(entry, ChangeBegun):
                values = msgspec.to_builtins(entry) | {"outcome": UNKNOWN}
                by_id[entry.id] = {name: values.get(name) for name in COLUMNS}
            elif entry:
                ended[entry.id] = entry
            else:
                damaged += line != b"\n"
        for id, end in ended.items():
            if record := by_id.get(id):
                record["outcome"] = end.outcome
                record["ids"] += [id for id in end.ids if id not in record["ids"]]
                if end.counts:
                    record["fields"] = {**(record["fields"] or {}), **end.counts}
        return [*by_id.values()], damaged


def _decoded(line: bytes) -> ChangeBegun | ChangeEnded | None:
    try:
        content = read_checked_line(line)
        return _entry(content) if content else None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
