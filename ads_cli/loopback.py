"""Loopback hosts."""

from ipaddress import ip_address


def is_address(host: str) -> bool:
    """Whether a host is an IP address, and not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine."""
    name = host.lower().rstrip(".")
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
