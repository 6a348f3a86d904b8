"""Read a FILE argument."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...masking import mask_address
from . import FileLocation, Location, StandardInput

if TYPE_CHECKING:
    from . import RemoteAccess

PATTERN = re.compile(r"[*?[]")
IN_OBJECT_STORE = re.compile(r"(s3|gs|az|sftp)://", re.IGNORECASE)
REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|@[A-Za-z_][A-Za-z0-9_]*\Z")


def parse_location(text: str, access: "Callable[[], RemoteAccess] | None" = None) -> Location:
    """Read a FILE argument: `-` is standard input, `scheme://…` or `@NAME` an address, all else a path."""
    if text == "-":
        return StandardInput()
    if not REMOTE.match(text):
        return FileLocation(text)
    from . import RemoteAccess

    return _remote_location(text, access() if access else RemoteAccess())


def is_remote(file: str) -> bool:
    """Tell whether a FILE argument is an address, or the variable of one."""
    return bool(REMOTE.match(file))


def expand_files(
    files: list[str], access: "Callable[[], RemoteAccess]", *, are_patterns: bool = False
) -> list[str]:
    """Return the files that FILE arguments name; a pattern means the files that it matches.

    Where they `are_patterns`, each means all files that it matches, and the file of exactly its name.
    Raises UsageError for a pattern without matches, and for a file that is named twice.
    """
    found = [name for file in files for name in _expand(file, access, is_pattern=are_patterns)]
    if repeated := next((name for name in found if found.count(name) > 1), None):
        raise UsageError(f"{mask_address(repeated)} is named twice", hint="name each file once")
    return found


def _expand(file: str, access: "Callable[[], RemoteAccess]", *, is_pattern: bool) -> list[str]:
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
    found = itself if itself and not is_pattern else sorted({*itself, *matching()})
    if not found:
        raise UsageError(f"{mask_address(file)} matches no file", hint="check the folder and the pattern")
    return found


def _remote_location(text: str, access: "RemoteAccess") -> Location:
    from .address import OBJECT_STORES, read_address

    address = read_address(text, access)
    name = text if text.startswith("@") else ""
    if address.partition(":")[0].lower() in OBJECT_STORES:
        from .object_store import ObjectLocation

        return ObjectLocation(address, access, name)
    from .remote import WebLocation

    return WebLocation(address, access, name)
