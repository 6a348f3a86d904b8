"""Read a FILE argument."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from .location import FileLocation, Location, StandardInput

if TYPE_CHECKING:
    from .access import RemoteAccess

REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|@[A-Za-z_][A-Za-z0-9_]*\Z")


def parse_location(text: str, access: "Callable[[], RemoteAccess] | None" = None) -> Location:
    """Read a FILE argument: `-` is standard input, `scheme://…` or `@NAME` an address, all else a path."""
    if text == "-":
        return StandardInput()
    if not REMOTE.match(text):
        return FileLocation(text)
    from .access import RemoteAccess

    return _remote_location(text, access() if access else RemoteAccess())


def _remote_location(text: str, access: "RemoteAccess") -> Location:
    from .address import OBJECT_STORES, read_address

    address = read_address(text, access)
    name = text if text.startswith("@") else ""
    if address.partition(":")[0].lower() in OBJECT_STORES:
        from .object_store import ObjectLocation

        return ObjectLocation(address, access, name)
    from .web import WebLocation

    return WebLocation(address, access, name)
