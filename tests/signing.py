"""A verifier of OAuth 1.0a signatures that shares no code with the client: RFC 5849, section 3.4."""

import base64
import hashlib
import hmac
from urllib.parse import parse_qsl, quote, unquote, urlsplit


def encode(text: str) -> str:
    return quote(text, safe="~")


def parameters_of(header: str) -> dict[str, str]:
    """Read an Authorization header."""
    scheme, _, rest = header.partition(" ")
    assert scheme == "OAuth"
    pairs = (part.strip().split("=", 1) for part in rest.split(","))
    return {unquote(name): unquote(value.strip('"')) for name, value in pairs}


def signature(
    method: str, url: str, oauth: dict[str, str], consumer_secret: str, token_secret: str, form: str = ""
) -> str:
    """Compute the HMAC-SHA1 signature of a request."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True) + parse_qsl(form, keep_blank_values=True)
    pairs += [(name, value) for name, value in oauth.items() if name not in ("oauth_signature", "realm")]
    normal = "&".join(f"{k}={v}" for k, v in sorted((encode(k), encode(v)) for k, v in pairs))
    host = parts.hostname or ""
    if parts.port and (parts.scheme, parts.port) not in (("http", 80), ("https", 443)):
        host += f":{parts.port}"
    base = "&".join(map(encode, (method.upper(), f"{parts.scheme}://{host}{parts.path}", normal)))
    key = f"{encode(consumer_secret)}&{encode(token_secret)}".encode()
    return base64.b64encode(hmac.new(key, base.encode(), hashlib.sha1).digest()).decode()
