"""Loopback hosts."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only be this machine."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
