"""A note of each generation outside of the state folder, which a copy of the disk cannot have.

A snapshot of a volume keeps inodes and change times, so that an earlier state folder that is restored from
one looks as if nothing had been sent since. The stamp of the current generation is therefore noted in the
folders for temporary files too, with the boot of the machine. Where no note says the same in this boot, as
after a restart, in a new container or on another machine, it is not known whether the state folder is the
latest, and what it remembers of a place is compared with the place.
"""

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
SHARED_MEMORY = Path("/dev/shm")


class Witness:
    """The notes about one state folder."""

    def __init__(self, state_dir: Path) -> None:
        self._state = str(state_dir.resolve())

    def note(self, name: str, stamp: str) -> None:
        """Note the stamp of a generation; where that fails, nothing is known later."""
        content = f"{_boot()} {stamp}".encode()
        for folder in _folders():
            with suppress(OSError):
                folder.mkdir(mode=0o700, exist_ok=True)
            if _is_private(folder):
                path = folder / self._name(name)
                new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
                with suppress(OSError):
                    new.write_bytes(content)
                    new.replace(path)

    def confirms(self, name: str, stamp: str) -> bool:
        """Tell whether this boot of the machine has noted the stamp, and no other one since."""
        notes = {*self._notes(name)}
        return bool(notes) and notes == {f"{_boot()} {stamp}"}

    def _notes(self, name: str) -> Iterator[str]:
        for folder in filter(_is_private, _folders()):
            with suppress(OSError, UnicodeDecodeError):
                yield (folder / self._name(name)).read_bytes().decode()

    def _name(self, name: str) -> str:
        return sha256(f"{self._state}\n{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _folders() -> Iterator[Path]:
    """Yield the folders of notes; that in memory may be emptied when a user logs out."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for folder in (SHARED_MEMORY, Path(tempfile.gettempdir())):
        if folder.is_dir():
            yield folder / f"adsctl-generations-{user}"


def _is_private(folder: Path) -> bool:
    """Tell whether nobody else can have made or changed a folder."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    is_own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and is_own


def _boot() -> str:
    """Return what tells one boot of the machine from another; empty where nothing does."""
    try:
        return BOOT_ID.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
