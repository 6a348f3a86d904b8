"""Generate ids in the formats of the service."""

import hashlib

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number: int) -> str:
    """Write a number in base 36, with lower-case letters."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"


def derived_key(*names: str) -> str:
    """Derive a key from names; the same names give the same key."""
    named = "\0".join(names).encode()
    return base36(int.from_bytes(hashlib.blake2b(named, digest_size=10).digest()))


def random_number() -> str:
    """Generate an id of digits, the format of users and catalogs."""
    import secrets

    return str(10**18 + secrets.randbelow(9 * 10**18))


def random_base36() -> str:
    """Generate an id of digits and letters, the format of accounts, cards and line items."""
    import secrets

    return base36(36**10 + secrets.randbelow(35 * 36**10))
