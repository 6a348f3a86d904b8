"""The write epoch of each upload target, which tells whether anything else may have changed it since.

A push begins a write epoch before its first request. Any other request that may change the target ends it.
What is remembered of a target is used only in the write epoch that it was written in.
In a copy of the file each is another one, since what was sent after the copy was made is not known. So it is
in a backup that was copied onto the file.
Jobs of one group share a write epoch: none undoes what another one sends, as the parts of one list.

After a restart of the machine the file may be an old one, of a disk that was restored: what is remembered may
then be used where the service confirms it.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ..hosts import is_loopback
from .database import store_in
from .file_identity import boot_id

if TYPE_CHECKING:
    import sqlite3

NO_EPOCH = ""  # in place of a stamp, which is a random token and the identity of the file


class UploadTarget(NamedTuple):
    """What a push changes."""

    service: str  # its address, or the world of an emulator
    kind: str  # "product_catalog", "custom_audience", "do_not_reach_list", or what records of a file
    id: str


class WriteEpochs:
    """The write epochs of all targets that were pushed to from this machine."""

    def __init__(self, state_dir: Path) -> None:
        self._store = store_in(state_dir)

    def current(self, target: UploadTarget) -> str:
        """Return the stamp of the current write epoch; NO_EPOCH if there is none."""
        return self._read(target)[0]

    def is_confirmed(self, target: UploadTarget) -> bool:
        """Tell whether there is a write epoch, and the machine has not been started again since it began."""
        epoch, _, boot = self._read(target)
        return epoch != NO_EPOCH and boot == boot_id() != ""

    def begin(self, target: UploadTarget, group: str = "") -> str:
        """Begin a write epoch, on disk before this returns, or join that of the group; return its stamp."""
        current, its_group, _ = self._read(target)
        if group and group == its_group:
            return current
        token = secrets.token_hex(8)
        with self.renewed() as db:
            row = (*target, token, group, boot_id())
            db.execute("REPLACE INTO epochs VALUES (?, ?, ?, ?, ?, ?)", row)
        return f"{token}-{self._store.identity}"

    def end(self, target: UploadTarget) -> None:
        """End the current write epoch, on disk before this returns."""
        self._delete([target])

    @contextmanager
    def changing(self, target: UploadTarget) -> Iterator[None]:
        """End the write epoch before a request that may change a target, and one begun meanwhile after it."""
        self.end(target)
        try:
            yield
        finally:
            self.end(target)

    def end_emulated(self) -> None:
        """End the write epochs of every service on this machine, whose emulator is reset."""
        targets = self._store.rows("SELECT service, kind, id FROM epochs")
        self._delete([key for key in targets if is_loopback(urlsplit(key[0]).hostname or "")])

    def _delete(self, keys: Sequence[tuple[str, ...]]) -> None:
        ending = "FROM epochs WHERE (service, kind, id) = (?, ?, ?)"
        if known := [key for key in keys if self._store.rows(f"SELECT 1 {ending}", key)]:
            with self.renewed() as db:
                db.executemany(f"DELETE {ending}", known)

    @contextmanager
    def renewed(self) -> "Iterator[sqlite3.Connection]":
        """Change the file, in a transaction, so that it is told from what it was before."""
        with self._store.writing() as db:
            if not self._store.is_latest():
                db.execute("DELETE FROM epochs")  # none of which can be told from the latest from now on
            self._store.renew(db)
            yield db

    def _read(self, target: UploadTarget) -> tuple[str, str, str]:
        """Return stamp, group and boot of the current write epoch; NO_EPOCH where there is none."""
        query = "SELECT token, job_group, boot FROM epochs WHERE (service, kind, id) = (?, ?, ?)"
        for token, group, boot in self._store.rows(query, target):
            identity = self._store.identity if self._store.is_latest() else "restored"
            return f"{token}-{identity}", group, boot
        return NO_EPOCH, "", ""
