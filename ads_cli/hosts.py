"""Hosts that can only be this machine, and hosts that can only be on the public internet."""

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address


def is_address(host: str) -> bool:
    """Whether a host is an IP address, and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


AUTHORITY = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^][:@%/?#\\\s]+))(?::[0-9]*)?", re.I)


def host_of(authority: str) -> str:
    """Return the host of `host` or `host:port`; raise ValueError for what parsers read differently."""
    parts = AUTHORITY.fullmatch(authority)
    if not parts:  # urlsplit takes the host of [::1].evil to be ::1
        raise ValueError("its host is not a valid name")
    return parts["address"] or parts["name"]


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine."""
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    # ::ffff:127.0.0.1 is, which Python knows since 3.13.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def listening_address(host: str) -> str:
    """Return the address to listen on for a loopback host; a hosts file may map its name elsewhere."""
    try:
        return str(ip_address(host))
    except ValueError:
        return "127.0.0.1"


# Names that every browser, proxy and resolver reads alike. A last label of letters ends no IPv4 address,
# however it is spelled; xn-- with a hyphen at its end would only be another spelling of letters.
NAME = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?P<last>[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])",
    re.ASCII | re.IGNORECASE,
)
MAX_NAME_LENGTH = 253
# Last labels for use inside a machine or a network, which are reserved (RFC 6761, 6762, 8375; ICANN) or
# customary.
PRIVATE_LABELS = {
    *("arpa", "corp", "home", "internal", "intranet", "lan", "local", "localdomain", "localhost"),
    *("private", "svc", "test"),
}
# An IPv6 address may carry an IPv4 address, to which a gateway or the system itself connects.
NAT64 = IPv6Network("64:ff9b::/96")


class PrivateHostError(Exception):
    """A host is not on the public internet, and was not connected to."""


def is_public_name(host: str) -> bool:
    """Tell whether a host, as an address has it, is a name on the public internet, and no IP address."""
    name = NAME.fullmatch(host) if len(host) <= MAX_NAME_LENGTH else None
    return name is not None and name["last"].lower() not in PRIVATE_LABELS


def require_public_name(host: str) -> None:
    """Raise PrivateHostError unless a host is a name on the public internet."""
    if not is_public_name(host):
        raise PrivateHostError(f"{host} is not a public host name")


def require_public(host: str, addresses: list[str]) -> None:
    """Raise PrivateHostError if one of the addresses of a host is not public."""
    for address in addresses:
        if not is_public(address):
            raise PrivateHostError(f"{host} is {address}, which is not a public address")


def is_public(text: str) -> bool:
    """Tell whether an IP address is that of one host on the public internet."""
    address = ip_address(text)
    carried = _carried_address(address) if isinstance(address, IPv6Address) else None
    if carried is not None:
        return is_public(str(carried))
    is_odd = address.is_multicast or address.is_reserved or getattr(address, "is_site_local", False)
    return address.is_global and not is_odd


def _carried_address(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
