"""Addresses on the public internet, which strangers may name, and all others, which they may not."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# An IPv6 address may carry an IPv4 address, to which a gateway or the system itself connects.
NAT64 = IPv6Network("64:ff9b::/96")
IPV4_COMPATIBLE = IPv6Network("::/96")


class PrivateAddressError(Exception):
    """A host has an address that is not public, and was not connected to."""

    def __init__(self, host: str, address: str) -> None:
        super().__init__(f"{host} is {address}, which is not a public address")
        self.host, self.address = host, address


def require_public(host: str, addresses: list[str]) -> None:
    """Raise PrivateAddressError if one of the addresses of a host is not public."""
    for address in addresses:
        if not is_public(address):
            raise PrivateAddressError(host, address)


def is_public(text: str) -> bool:
    """Tell whether an IP address is that of one host on the public internet."""
    address = ip_address(text)
    carried = _carried_address(address) if isinstance(address, IPv6Address) else None
    if carried is not None:
        return is_public(str(carried))
    is_odd = address.is_multicast or address.is_reserved or getattr(address, "is_site_local", False)
    return address.is_global and not is_odd


def _carried_address(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64 or address in IPV4_COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)
