"""Addresses of the service: which there are, and which are accepted."""

from urllib.parse import urlsplit

from ..errors import StateError
from ..loopback import is_loopback

ADDRESSES = ("base_url", "ads_url", "ads_sandbox_url")


def check_address(address: str, origin: str) -> str:
    """Return the address without a final slash; raise StateError unless it is https or loopback.

    Plain http would send credentials in the clear.
    """
    try:
        parts = urlsplit(address.rstrip("/"))
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise StateError(f"{address!r} (from {origin}) is not a valid address: {error}") from error
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or parts.username:
        raise StateError(
            f"{address!r} (from {origin}) is not a valid address",
            hint="write https://host or https://host/path",
        )
    if parts.scheme == "http" and not is_loopback(host):
        raise StateError(
            f"{address!r} (from {origin}) is not https",
            hint="http is allowed for loopback addresses only",
        )
    return address.rstrip("/")
