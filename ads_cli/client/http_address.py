"""Addresses that others name, in a feed or a redirect: whatever they are, reading them raises nothing."""

from urllib.parse import urljoin

import httpx


def parse_http_address(text: str, base: str = "") -> httpx.URL | None:
    """Return an http address, which may be relative to another one; None if it is not valid."""
    try:
        url = httpx.URL(urljoin(base, text))
        is_valid = url.scheme in ("http", "https") and bool(url.host)  # reading the host decodes it
    except (httpx.InvalidURL, ValueError):
        return None
    return url if is_valid else None
