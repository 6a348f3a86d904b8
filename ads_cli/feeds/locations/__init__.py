"""Where feeds are: paths, standard input, addresses, object stores. A FILE argument names one of these."""

import io
import os
import re
import stat
import sys
import tempfile
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from ...config.atomic_files import open_checked
from ...errors import TEMPORARY_HINT, StateError, UsageError
from ...http.download import Version
from ...http.retry import CopyLimits, CopyRetries
from ...http.trace import Trace
from ...masking import mask_address

OnBytes = Callable[[int, int | None], None]  # called with the bytes received, and their total where known


@contextmanager
def no_progress(label: str) -> Iterator[OnBytes]:
    """Show nothing while a file is copied."""
    yield lambda received, total: None


class RemoteAccess(NamedTuple):
    """What the reading of remote feeds takes from an invocation."""

    environ: Mapping[str, str] = os.environ
    limits: CopyLimits = CopyLimits()
    trace: Trace | None = None
    warn: Callable[[str], None] = lambda text: None
    on_retry: Callable[[str], None] = lambda text: None
    progress: Callable[[str], AbstractContextManager[OnBytes]] = no_progress
    known_version: Callable[[str], Version | None] = lambda address: None  # of the last successful push
    # File systems by their arguments, for many files of one store. None: each file has one of its own.
    file_systems: dict[str, Any] | None = None
    only_public: bool = False  # no address of this machine or its network
    is_alone: bool = False  # in its process, so that logs of libraries may be turned off

    def retries(self) -> CopyRetries:
        """Return the retries of one copy."""
        return CopyRetries(self.limits, self.on_retry)


COPY_BYTES = 1024 * 1024
OTHER_OPEN_FILES = 256  # beside the files of a feed, at most


class Location(ABC):
    """Where a feed is read from."""

    def __init__(self, label: str, *, file_name: str | None = None, identity: str | None = None) -> None:
        self.label = label  # names it in messages
        self.file_name = file_name  # its extension tells the format
        self.identity = label if identity is None else identity  # names it in jobs

    @abstractmethod
    def open(self) -> BinaryIO:
        """Open its content as a seekable stream; raise UsageError if that fails."""

    @property
    def origin(self) -> str:
        """Identify the feed from run to run, whatever the working folder."""
        return self.identity

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is the file that is read, so that writing it would destroy the input."""
        return False


class UnchangedError(Exception):
    """The server of a remote feed has the version that was pushed last, and sent nothing."""

    def __init__(self, label: str, address: str) -> None:
        super().__init__(label)
        self.label, self.address = label, address


class FileLocation(Location):
    """A path."""

    def __init__(self, path: str) -> None:
        super().__init__(path, file_name=path)
        self.path = path

    def open(self) -> BinaryIO:
        """Open the file; a pipe is copied first."""
        try:
            file = open_checked(self.path)
            return file if file.seekable() else spooled(file, self.label)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            is_folder = isinstance(error, IsADirectoryError)
            hint = "name a file in it" if is_folder else "check the path and its permissions"
            raise UsageError(f"{self.label} cannot be opened: {reason}", hint=hint) from None

    @property
    def origin(self) -> str:
        """The absolute path."""
        return os.path.realpath(self.path)

    def is_same_file(self, path: str) -> bool:
        """Compare the files themselves, since one file may have many names."""
        return _is_same_file(self.path, path)


class StandardInput(Location):
    """Standard input."""

    def __init__(self) -> None:
        super().__init__("standard input")
        self._copy: int | None = None

    def open(self) -> BinaryIO:
        """Copy it, since it can be read only once. Every further call opens the same copy."""
        if self._copy is None:
            with spooled(sys.stdin.buffer, self.label) as copy:
                self._copy = os.dup(copy.fileno())
            weakref.finalize(self, os.close, self._copy)
        stream = os.fdopen(os.dup(self._copy), "rb")
        stream.seek(0)
        return stream

    def is_same_file(self, path: str) -> bool:
        """Tell whether standard input is redirected from `path`."""
        try:
            return _is_same_file(sys.stdin.fileno(), path)
        except (AttributeError, ValueError):  # it is closed, or not a file of the system
            return False


class InMemory(Location):
    """Content that is already in memory, such as values from the command line."""

    def __init__(self, content: bytes, label: str) -> None:
        super().__init__(label)
        self.content = content

    def open(self) -> BinaryIO:
        """Return the content."""
        return io.BytesIO(self.content)


def _is_same_file(file: str | int, path: str) -> bool:
    """Compare two regular files by device and inode; a pipe or a terminal may be read and written."""
    try:
        first, second = os.stat(file), os.stat(path)  # noqa: PTH116 - one may be a descriptor
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(first.st_mode) and os.path.samestat(first, second)


def spooled(stream: BinaryIO, label: str) -> BinaryIO:
    """Copy a stream that can be read only once to an unnamed temporary file.

    Raises UsageError if it cannot be read, and StateError if it cannot be copied.
    """
    return copied(label, lambda file: file.writelines(_blocks(stream, label)))


def copied(label: str, write: Callable[[BinaryIO], None]) -> BinaryIO:
    """Return an unnamed temporary file with what `write` writes; raise StateError if there is no space."""
    try:
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - open as long as its source
        write(file)
        file.seek(0)
    except OSError as error:
        raise StateError(
            f"{label} cannot be copied to a temporary file: {error.strerror or error}", hint=TEMPORARY_HINT
        ) from None
    return file


def _blocks(stream: BinaryIO, label: str) -> Iterator[bytes]:
    try:
        while block := stream.read(COPY_BYTES):
            yield block
    except OSError as error:
        raise UsageError(f"{label} cannot be read: {error.strerror or error}") from None


PATTERN = re.compile(r"[*?[]")
OBJECT_STORES = ("s3", "gs", "az", "sftp")  # schemes; each has a back end in `object_store`
IN_OBJECT_STORE = re.compile(f"({'|'.join(OBJECT_STORES)})://", re.IGNORECASE)
REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|@[A-Za-z_][A-Za-z0-9_]*\Z")


def parse_location(text: str, access: Callable[[], RemoteAccess] | None = None) -> Location:
    """Read a FILE argument: `-` is standard input, `scheme://…` or `@NAME` an address, all else a path."""
    if text == "-":
        return StandardInput()
    if not REMOTE.match(text):
        return FileLocation(text)

    return _remote_location(text, access() if access else RemoteAccess())


def is_remote(file: str) -> bool:
    """Tell whether a FILE argument is an address, or the variable of one."""
    return bool(REMOTE.match(file))


def expand_files(
    files: list[str], access: Callable[[], RemoteAccess], *, are_patterns: bool = False
) -> list[str]:
    """Return the files that FILE arguments name; a pattern means the files that it matches.

    Where they `are_patterns`, each means all files that it matches, and the file of exactly its name.
    Raises UsageError for a pattern without matches, and for a file that is named twice.
    """
    expanded = [name for file in files for name in _expand(file, access, is_pattern=are_patterns)]
    names: dict[str, str] = {}
    for name in expanded:
        resolved = name if name == "-" or is_remote(name) else os.path.realpath(name)
        if other := names.get(resolved):
            also = f", as {other} too" if other != name else ""
            raise UsageError(f"{mask_address(name)} is named twice{also}", hint="name each file once")
        names[resolved] = name
    _allow_open_files(len(expanded))
    return expanded


def _allow_open_files(count: int) -> None:
    """Raise the soft limit of open files where so many are too many for it: each stays open until the end."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    file_count = count + OTHER_OPEN_FILES
    if resource.RLIM_INFINITY != soft < file_count:
        most = file_count if hard == resource.RLIM_INFINITY else min(file_count, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _expand(file: str, access: Callable[[], RemoteAccess], *, is_pattern: bool) -> list[str]:
    if not PATTERN.search(file) or (REMOTE.match(file) and not IN_OBJECT_STORE.match(file)):
        return [file]
    if IN_OBJECT_STORE.match(file):
        from .object_store import ObjectLocation

        location = ObjectLocation(file, access())
        exists, matching = location.exists, location.matching
    else:
        from glob import glob

        exists = Path(file).exists
        matching = partial(glob, file, recursive=True)
    itself = [file] if exists() else []
    names = itself if itself and not is_pattern else sorted({*itself, *matching()})
    if not names:
        raise UsageError(f"{mask_address(file)} matches no file", hint="check the folder and the pattern")
    return names


def _remote_location(text: str, access: RemoteAccess) -> Location:
    from .remote import WebLocation, read_address

    address = read_address(text, access)
    name = text if text.startswith("@") else ""
    if IN_OBJECT_STORE.match(address):
        from .object_store import ObjectLocation

        return ObjectLocation(address, access, name)
    return WebLocation(address, access, name)
