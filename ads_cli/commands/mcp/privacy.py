"""What an assistant is never shown: secrets, and what identifies a person."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from unicodedata import normalize

from ...masking import MASK, address_passwords, mask_address
from ...output.text import safe

# Fields that hold a secret, or what belongs to a person, by words of their names; ids of users do not.
PRIVATE_WORDS = (
    *("email", "phone", "telephone", "street", "street1", "street2", "postal", "zip", "address"),
    *("first_name", "last_name", "full_name", "contact", "handle", "partner_user_id", "partner_client_id"),
    *("device_id", "device_ids", "idfa", "idfv", "adid", "gaid", "aaid", "advertising_id", "hashed"),
    *("secret", "token", "password", "consumer_key", "authorization"),
)
PRIVATE_FIELD = re.compile(rf"(?:^|_)(?:{'|'.join(PRIVATE_WORDS)})(?:_|$)", re.IGNORECASE)
# In any text: e-mail addresses, international telephone numbers, device ids; digests (MD5, SHA-1, SHA-256).
E_MAIL = r"(?<![\w.+%-])(?>[\w.+-]+)(?:@|%40)(?>[\w-]+)(?>(?:\.[\w-]+)+)"
TELEPHONE = r"(?<![\w+])(?:\+|00)[1-9](?:[ ./()\u2010-\u2015-]{0,2}\d){6,14}(?!\d)"
DIGEST = r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{32}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})(?![0-9A-Za-z])"
DEVICE = r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])"
PRIVATE_TEXT = re.compile(f"{E_MAIL}|{TELEPHONE}|{DIGEST}|{DEVICE}")
INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
FETCHED = "feed_url"  # whose query is often a secret
MAX_DEPTH = 100


def without_private(value: Any, mask: Callable[[str], str] = str, depth: int = 0) -> Any:
    """Return data without secrets and what identifies people, its texts escaped as `safe` does.

    `mask` hides the secrets that are known by value.
    """
    if isinstance(value, str):
        return private_text(value, mask)
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, list):
        return [without_private(each, mask, depth + 1) for each in value]
    if isinstance(value, Mapping):
        return {
            private_text(str(name), mask): _of_field(str(name), each, mask, depth + 1)
            for name, each in value.items()
        }
    return value


def private_text(text: str, mask: Callable[[str], str] = str) -> str:
    """Return a text without secrets, e-mail addresses, telephone numbers, digests and device ids."""
    masked = mask(text)
    for password in address_passwords(masked) if "@" in masked else ():
        masked = masked.replace(password, MASK)
    masked = PRIVATE_TEXT.sub(MASK, masked)
    if not masked.isascii() and PRIVATE_TEXT.search(plain := normalize("NFKC", INVISIBLE.sub("", masked))):
        masked = PRIVATE_TEXT.sub(MASK, plain)  # characters of other widths, or with others between them
    return safe(masked)


def _of_field(name: str, value: Any, mask: Callable[[str], str], depth: int) -> Any:
    if PRIVATE_FIELD.search(name) and not isinstance(value, bool) and value not in (None, "", []):
        return MASK
    if name == FETCHED and isinstance(value, str):
        return private_text(mask_address(value), mask)
    return without_private(value, mask, depth)
