"""The write epoch of each upload target, which tells whether anything else may have changed it since.

A push begins a write epoch before its first request; any other request that may change the target ends it.
A job is resumed, and the sync state of a catalog is used, only in the write epoch that they were written in.
Jobs of one group share a write epoch: none undoes what another one sends, as the parts of one list.
So neither file times, nor the clock, nor journals that were removed decide what is sent.
"""

import hashlib
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from ..client.prepared_request import PreparedRequest
from ..config.atomic_files import make_folder, open_private, replacing, sync_folder
from ..errors import STATE_HINT, StateError, UsageError
from ..hosts import is_loopback
from .job_file import UploadTarget

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
SHARED_MEMORY = Path("/dev/shm")


class Witness:
    """Notes outside of a state folder, which a restored copy or snapshot of that folder does not bring back.

    Each names the stamp of the last write epoch, or NO_EPOCH once it has ended, and the boot of the machine
    in which that was noted.
    """

    def __init__(self, state_dir: Path) -> None:
        self._state = str(state_dir.resolve())

    def note(self, name: str, stamp: str) -> None:
        """Note the stamp of a write epoch, or that it ended; where that fails, nothing is known later."""
        content = f"{boot_id()} {stamp}".encode()
        for folder in _folders():
            with suppress(OSError):
                folder.mkdir(mode=0o700, exist_ok=True)
            if _is_private(folder):
                path = folder / self._name(name)
                new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
                with suppress(OSError):
                    with open_private(new, "xb") as file:
                        file.write(content)
                    new.replace(path)

    def confirms(self, name: str, stamp: str) -> bool:
        """Tell whether this boot of the machine has noted the stamp, and no other one since."""
        return {*self._notes(name)} == {f"{boot_id()} {stamp}"}

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
    """Tell whether no other user can have made or changed a folder."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    is_own = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)
    return stat.S_ISDIR(status.st_mode) and is_own


def boot_id() -> str:
    """Return what tells one boot of the machine from another; empty where nothing does."""
    try:
        return BOOT_ID.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


NO_EPOCH = ""  # in place of a stamp, which is the random token and the time of the last change, `TOKEN-HEX`
# Requests that change what an upload target holds: its products or users, or, with DELETE, all of it.
TARGET_PATH = re.compile(
    r"/(?P<kind>product_catalog|custom_audience|do_not_reach_list)s/(?P<id>[^/]+)(?P<items>/products|/users)?/?$"
)


class _Epoch(msgspec.Struct):
    """The content of the file of a write epoch, of which each upload target has one."""

    target: UploadTarget = msgspec.field(name="place")
    token: str  # random
    group: str = ""  # of jobs


_decode = msgspec.json.Decoder(_Epoch).decode


class WriteEpochs:
    """The write epochs of all targets that were pushed to from this machine."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / "generations"  # as write epochs were called before
        self._witness = Witness(state_dir)

    def current(self, target: UploadTarget) -> str:
        """Return the stamp of the current write epoch; NO_EPOCH if there is none.

        The stamp contains the time of the file's last change, which cannot be copied: in a copy of an
        earlier state folder, whatever was sent since then is not known. A snapshot of a volume keeps it:
        see `is_confirmed`.
        """
        return self._read(target)[0]

    def begin(self, target: UploadTarget, group: str = "") -> str:
        """Begin a write epoch, on disk before this returns, or join that of the group; return its stamp."""
        current, its_group = self._read(target)
        if group and group == its_group:
            return current
        content = msgspec.json.encode(_Epoch(target, secrets.token_hex(8), group))
        try:
            make_folder(self._folder)
            with replacing(self._path(target)) as file:
                file.write(content)
        except OSError as error:
            raise self._unusable(error) from error
        except UsageError as error:
            raise StateError(error.message, hint=STATE_HINT) from error
        stamp = self.current(target)
        self._witness.note(self._path(target).name, stamp)
        return stamp

    def is_confirmed(self, target: UploadTarget) -> bool:
        """Tell whether there is a write epoch, not ended since and not one of a restored disk."""
        stamp = self.current(target)
        return stamp != NO_EPOCH and self._witness.confirms(self._path(target).name, stamp)

    def end(self, target: UploadTarget) -> None:
        """End the current write epoch, on disk before this returns."""
        self._remove(self._path(target))

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
        for path in self._folder.glob("[0-9a-f]*"):
            with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError):
                target = _decode(path.read_bytes()).target
                if is_loopback(urlsplit(target.service).hostname or ""):
                    self._remove(path)

    def _read(self, target: UploadTarget) -> tuple[str, str]:
        """Return the stamp of the current write epoch, and its group; NO_EPOCH where there is none."""
        path = self._path(target)
        try:
            epoch = _decode(path.read_bytes())
            return f"{epoch.token}-{_changed_at(path):x}", epoch.group
        except FileNotFoundError:
            return NO_EPOCH, ""
        except OSError as error:
            raise self._unusable(error) from error
        except (msgspec.DecodeError, UnicodeDecodeError):
            return NO_EPOCH, ""

    def _path(self, target: UploadTarget) -> Path:
        return self._folder / hashlib.sha256(msgspec.json.encode(target)).hexdigest()[:16]

    def _remove(self, path: Path) -> None:
        self._witness.note(path.name, NO_EPOCH)  # also without a file: a restored disk may bring one back
        try:
            path.unlink()
            sync_folder(self._folder)
        except FileNotFoundError:
            pass  # nothing is known of the target
        except OSError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: OSError) -> StateError:
        return StateError(f"{self._folder} cannot be used: {error.strerror}", hint=STATE_HINT)


def _changed_at(path: Path) -> int:
    """Return the time of the last change of a file, which no copy of the file keeps."""
    return path.stat().st_ctime_ns


def changed_target(service: str, request: PreparedRequest) -> UploadTarget | None:
    """Return the upload target that a request may change, or None."""
    path = re.sub("/+", "/", unquote(urlsplit(request.url).path))
    match = TARGET_PATH.search(path)
    if request.method == "GET" or not match or not (match["items"] or request.method == "DELETE"):
        return None
    return UploadTarget(service, match["kind"], match["id"])
