"""Addresses of the service: the known ones, which are accepted, and which are the same."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from ..errors import AdsctlError, StateError
from ..hosts import MAX_NAME_LENGTH, host_of, is_loopback

ADDRESSES = ("base_url", "ads_url", "ads_sandbox_url")
# The addresses of the services that have one, by name.
SERVICE_ADDRESSES = {
    "x": {
        "base_url": "https://api.x.com",
        "ads_url": "https://ads-api.x.com",
        "ads_sandbox_url": "https://ads-api-sandbox.x.com",
    }
}
# The pages of a service that are not at the address of its platform API.
SITES = {"https://api.x.com": "https://x.com"}
DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_ADDRESS_LENGTH = 2000
MAX_SHOWN_LENGTH = 100
LABEL = r"[a-z0-9_-]{1,63}"
CREDENTIALS = r"//[^/]*@"


def check_address(address: str, origin: str, error_type: type[AdsctlError] = StateError) -> str:
    """Return the address without a final slash; raise `error_type` unless it is https or loopback.

    Plain http would send credentials in the clear.
    """
    try:
        canonical = canonical_address(address)
    except ValueError as error:
        raise error_type(
            f"{_shown(address)} (from {origin}) is not a valid address: {error}",
            hint="write https://host or https://host/path",
        ) from None
    if canonical.startswith("http:") and not is_loopback(urlsplit(canonical).hostname or ""):
        raise error_type(
            f"{_shown(address)} (from {origin}) is not https",
            hint="http is allowed for loopback addresses only",
        )
    return address.rstrip("/")


def _shown(address: str) -> str:
    """Quote an address for a message, shortened, without its credentials."""
    return repr(re.sub(CREDENTIALS, "//***@", address[:MAX_SHOWN_LENGTH]))


def canonical_address(address: str) -> str:
    """Return the form that all spellings of an address share; raise ValueError if it cannot be an address.

    It identifies a service. All names of this machine are one: `localhost`.
    """
    if len(address) > MAX_ADDRESS_LENGTH:
        raise ValueError(f"it is longer than {MAX_ADDRESS_LENGTH:,} characters")
    if " " in address or not address.isprintable():  # urlsplit drops some of them silently
        raise ValueError("it holds a blank, a line end or another character that cannot be seen")
    parts = urlsplit(address)
    if parts.scheme not in DEFAULT_PORTS:
        raise ValueError("it does not begin with https://")
    if "@" in parts.netloc:
        raise ValueError("it holds a user name or a password")
    if "?" in address or "#" in address:
        raise ValueError("it holds a query or a fragment")
    if parts.port == 0:
        raise ValueError("there is no port 0")
    port = "" if parts.port in (None, DEFAULT_PORTS[parts.scheme]) else f":{parts.port}"
    return f"{parts.scheme}://{_canonical_host(host_of(parts.netloc))}{port}{parts.path.rstrip('/')}"


def is_same_address(address: str, other: str) -> bool:
    """Whether two texts are spellings of one address."""
    try:
        return canonical_address(address) == canonical_address(other)
    except ValueError:
        return False


def _canonical_host(host: str) -> str:
    host = host.lower().removesuffix(".")
    if ":" in host:
        return "localhost" if is_loopback(host) else f"[{ip_address(host)}]"
    if not host.isascii() or "xn--" in host:
        host = _ascii_host(host)
    labels = host.split(".")
    if len(host) > MAX_NAME_LENGTH or not all(re.fullmatch(LABEL, label) for label in labels):
        raise ValueError("its host is not a valid name")
    if len(labels) == 4 and host.replace(".", "").isdigit():
        ip_address(host)
    return "localhost" if is_loopback(host) else host


def _ascii_host(host: str) -> str:
    """Encode an international name as the client does (IDNA)."""
    from ..lean_imports import hide_httpx_command_line

    hide_httpx_command_line()
    import httpx

    try:
        url = httpx.URL(f"https://{host}")
        _ = url.host  # decodes what is encoded already
    except httpx.InvalidURL as error:
        raise ValueError(f"its host is not a valid name: {error}") from None
    return url.raw_host.decode()
