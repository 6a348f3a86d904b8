"""Mask secrets in text that is shown or written."""

import re
from functools import lru_cache

MASK = "***"
# Tokens in responses, as fields of a form, a query or JSON.
SECRET_FIELDS = r'((?:oauth_token|oauth_token_secret|oauth_verifier|access_token)"?\s*[=:]\s*"?)[^&"\s]+'
# An address, alone or as the value of an option: before its path, its credentials, and after it, its query.
ADDRESS = (
    r"(?s)(?P<option>--[\w-]+=)?(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+://)(?:(?P<user>[^/?#]*)@)?(?P<path>[^?#]*)"
    r"(?P<query>[?#].*)?"
)
MIN_MASKED_BASE64 = 8  # characters; shorter fragments occur in ordinary text
MIN_MASKED_ANYWHERE = 6  # characters; a shorter secret is masked where it is a word


class Mask:
    """Replaces the secrets of a run by ***, in every encoding in which they may appear."""

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()

    def add(self, *secrets: str) -> None:
        """Mask these values from now on."""
        self._texts |= {text for secret in secrets if secret for text in _encodings(secret)}

    def __call__(self, text: str) -> str:
        """Return the text with every secret masked."""
        if self._texts:
            text = _search(self._texts).sub(MASK, text)
        return re.sub(SECRET_FIELDS, rf"\1{MASK}", text)


@lru_cache(maxsize=1)
def _search(texts: frozenset[str]) -> re.Pattern[str]:
    """Compile the search for texts when it is needed: it takes milliseconds, and secrets come one by one."""
    return re.compile("|".join(map(_search_pattern, sorted(texts, key=len, reverse=True))))


def _search_pattern(text: str) -> str:
    """Return a pattern of a text that also finds it with backslashes before quotes, slashes and backslashes.

    JSON and Python's repr add them, once for each level of quoting.
    """
    pattern = "".join(
        r"\\+" if character == "\\" else rf"\\*{character}" if character in "\"'/" else re.escape(character)
        for character in text
    )
    return rf"(?<!\w){pattern}(?!\w)" if len(text) < MIN_MASKED_ANYWHERE else pattern


def _encodings(secret: str) -> set[str]:
    """Return a secret as it is, percent-encoded (twice in a signature's base string), and in base64.

    Base64 makes four characters of three bytes, so its text depends on the offset of the secret.
    """
    import base64
    from urllib.parse import quote

    once = quote(secret, safe="")
    found = {secret, once, quote(once, safe="")}
    for offset in range(3):
        encoded = base64.b64encode(b" " * offset + secret.encode())
        inner = encoded[4 if offset else 0 : -4].decode()  # without characters shared with its neighbours
        found |= {inner} if len(inner) >= MIN_MASKED_BASE64 else set()
    return found


def mask_address(text: str) -> str:
    """Return an address without its credentials and its query; any other text as it is."""
    match = re.fullmatch(ADDRESS, text)
    if not match:
        return text
    option, scheme, user, path, query = match.groups()
    shown_user = "" if user is None else f"{user if _is_ssh_login(scheme, user) else MASK}@"
    return f"{option or ''}{scheme}{shown_user}{path}{f'?{MASK}' if query else ''}"


def address_secrets(text: str) -> list[str]:
    """Return the secrets of an address: its password, or a user name without one, and its query."""
    from urllib.parse import unquote

    match = re.fullmatch(ADDRESS, text)
    if not match:
        return []
    scheme, user, query = match["scheme"], match["user"] or "", (match["query"] or "")[1:]
    name, colon, password = user.partition(":")
    secret = "" if _is_ssh_login(scheme, user) else password if colon else name
    return [*filter(None, (secret, unquote(secret), query))]


def _is_ssh_login(scheme: str, user: str) -> bool:
    """Whether a user name is only that: with SSH, it is no secret."""
    return scheme.lower() == "sftp://" and ":" not in user
