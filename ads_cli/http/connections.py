"""Connections to hosts, through the proxies that the environment names."""

import ssl
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urljoin
from urllib.request import getproxies, proxy_bypass

import httpx

from ..errors import StateError

T = TypeVar("T", bound=httpx.BaseTransport)


def client_proxy(url: httpx.URL) -> str | None:
    """Return the proxy for a URL; plain http is sent to this machine only, without a proxy."""
    return None if url.scheme == "http" else proxy_of(url)


def proxy_of(url: httpx.URL) -> str | None:
    """Return the proxy that the environment names for a URL."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def through_proxy(
    transport: Callable[[httpx.URL, ssl.SSLContext, str | None], T],
    url: httpx.URL,
    tls: ssl.SSLContext,
    find_proxy: Callable[[httpx.URL], str | None] = client_proxy,
) -> T:
    """Make a transport to a host, with the proxy that the environment names for it."""
    try:
        return transport(url, tls, find_proxy(url))
    except (ValueError, httpx.InvalidURL) as error:
        raise StateError(
            f"the proxy that the environment names cannot be used: {error}",
            hint="set HTTPS_PROXY or ALL_PROXY to an address such as http://proxy.example:3128",
        ) from None


def tls_context(secure: bool) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates (or SSL_CERT_FILE), with TLS 1.2 or newer.

    If no address is https, no certificates are loaded, which would take time.
    """
    context = ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def parse_http_address(text: str, base: str = "") -> httpx.URL | None:
    """Return an http address, which may be relative to another one, or None if it is not valid."""
    try:
        url = httpx.URL(urljoin(base, text))
        is_valid = url.scheme in ("http", "https") and bool(url.host)  # reading the host decodes it
    except (httpx.InvalidURL, ValueError):
        return None
    return url if is_valid else None
