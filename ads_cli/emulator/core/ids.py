"""Ids as the service makes them."""

import hashlib

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number: int) -> str:
    """Write a number with digits and lower-case letters."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"


def key(*names: str) -> str:
    """Make the key that stands for these names; the same names make the same key."""
    named = "\0".join(names).encode()
    return base36(int.from_bytes(hashlib.blake2b(named, digest_size=10).digest()))


def number() -> str:
    """Make a new id of digits, as users and catalogs have."""
    import secrets

    return str(10**18 + secrets.randbelow(9 * 10**18))


def word() -> str:
    """Make a new id of digits and letters, as accounts, cards and line items have."""
    import secrets

    return base36(36**10 + secrets.randbelow(35 * 36**10))
