"""Identifiers of people, normalised and hashed; a value itself never gets into a message.

An e-mail is lower-cased, a handle loses its @, a phone number becomes E.164; then all but
partner_user_id are hashed with SHA-256. What is 64 hex digits already is taken for hashed.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

HASHED = re.compile(r"[0-9a-fA-F]{64}")
INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
LABEL = r"(?!-)[a-z0-9-]++(?<!-)"
EMAIL = rf"[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]++@{LABEL}(?:\.{LABEL})++(?<!\..)"
NOT_HASHED = r"(?![0-9a-f]{64}(?![0-9a-z_-]))"  # before what might be taken for a hash
E164 = r"\+[1-9][0-9]{6,14}+"
LONGEST = 254  # characters of an e-mail address

Tidy = Callable[[str], str]


class Key(NamedTuple):
    """One kind of identifier: what it looks like when there is nothing left to do, and how to get there."""

    name: str
    clean: str  # a pattern of what lower-cased text needs no more than a hash; no quote, no backslash
    tidy: Tidy  # raises ValueError with the reason
    is_hashed: bool = True


def plain(text: str) -> str:
    """Take away what nobody sees: spaces of every kind around, zero-width characters, full width."""
    return unicodedata.normalize("NFKC", text.translate(INVISIBLE)).strip()


def email(text: str) -> str:
    """Normalise an e-mail address; an international domain becomes ASCII."""
    address = plain(text).lower().removeprefix("mailto:")
    local, at, domain = address.rpartition("@")
    if not at or not local or not domain:
        raise ValueError("is no e-mail address: it needs a name, an @ and a domain")
    if not domain.isascii():
        import idna

        try:
            domain = idna.encode(domain, uts46=True).decode()
        except idna.IDNAError:
            raise ValueError("has a domain that cannot exist") from None
    if not local.isascii():
        raise ValueError("has letters before the @ that only few mail servers take (not ASCII)")
    address = f"{local}@{domain}"
    if len(address) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} characters")
    if not re.fullmatch(EMAIL, address):
        raise ValueError("is no e-mail address")
    return address


def handle(text: str) -> str:
    """Normalise a handle: without @, lower-case."""
    name = plain(text).lower().removeprefix("@")
    if not name or re.search(r"[\s@]", name):
        raise ValueError("is no handle: one word, with or without an @ before it")
    return name


def platform_id(text: str) -> str:
    """Normalise the platform's own id of a person."""
    digits = plain(text)
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError("is no platform_id: digits only")
    return digits


def device_id(text: str) -> str:
    """Normalise the advertising id of a device."""
    device = plain(text).lower()
    if not device or re.search(r"\s", device):
        raise ValueError("is no device_id: it has no spaces inside")
    return device


def partner_user_id(text: str) -> str:
    """Normalise an id of the advertiser's own, which is not hashed."""
    identifier = text.strip()
    if not identifier or not identifier.isprintable():
        raise ValueError("is no partner_user_id: visible characters only")
    return identifier


def phone_number(region: str | None) -> Tidy:
    """Give what makes phone numbers E.164; national ones need a `region`, as in DE."""

    def tidy(text: str) -> str:
        import phonenumbers

        number = plain(text)
        try:
            parsed = phonenumbers.parse(number, region)
        except phonenumbers.NumberParseException as error:
            if error.error_type == error.INVALID_COUNTRY_CODE and not number.startswith("+"):
                raise ValueError("is a national number: --region names its country, as in DE") from None
            raise ValueError("is no phone number") from None
        possible = phonenumbers.is_possible_number_with_reason(parsed)
        if possible != phonenumbers.ValidationResult.IS_POSSIBLE:
            raise ValueError("is no phone number: too long or too short for its country")
        return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))

    return tidy


@cache
def keys(region: str | None = None) -> dict[str, Key]:
    """List the kinds of identifiers by name, in the order of the specification."""
    found = (
        Key("email", EMAIL, email),
        Key("device_id", NOT_HASHED + r"[0-9a-z-]++", device_id),
        Key("handle", NOT_HASHED + r"[0-9a-z_]++", handle),
        Key("platform_id", NOT_HASHED + r"[0-9]++", platform_id),
        Key("phone_number", E164, phone_number(region)),
        Key("partner_user_id", r"(?!)", partner_user_id, is_hashed=False),
    )
    return {key.name: key for key in found}
