"""Connections to hosts that a stranger names: public ones only, checked when the address is known."""

import ssl
from collections.abc import Callable
from functools import partial

import httpx

from ..hosts import require_public, require_public_name
from .connections import proxy_of, through_proxy
from .network import NetworkTransport, httpcore, resolve

MAX_LOOKUP_SECONDS = 5.0  # of a name that is looked up only to be refused


def connect_to_public(
    url: httpx.URL, tls: Callable[[bool], ssl.SSLContext], *, allow_private: bool = False
) -> NetworkTransport:
    """Make a connection, which nothing is sent on yet; raise PrivateHostError, here or at the first request.

    `tls` is asked for certificates where the host or its proxy needs them: loading them takes 20 ms.
    """
    proxy = proxy_of(url)  # once, since all variables of the environment are searched
    if proxy and not allow_private:
        _require_public_to_proxy(url)
    is_secure = url.scheme == "https" or (proxy or "").lower().startswith("https:")
    transport = partial(NetworkTransport, check=_any_address if allow_private else require_public)
    return through_proxy(transport, url, tls(is_secure), lambda url: proxy)


def _any_address(host: str, addresses: list[str]) -> None:
    """Let every address pass."""


def _require_public_to_proxy(url: httpx.URL) -> None:
    """Raise PrivateHostError for a host that a proxy may read as another one, or that is private here."""
    host = url.raw_host.decode("ascii")
    require_public_name(host)
    try:
        addresses = resolve(host, url.port or 0, MAX_LOOKUP_SECONDS)
    except (httpcore.ConnectError, httpcore.ConnectTimeout):
        return  # a proxy may know names that others do not
    require_public(host, addresses)
