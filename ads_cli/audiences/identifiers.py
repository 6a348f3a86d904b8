"""Identifiers of people: normalization; no message ever contains a value.

An e-mail address is lower-cased, a handle loses its @, a phone number becomes E.164; then all but
partner_user_id are hashed with SHA-256. A value of 64 hex digits is taken for a hash.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

SHA256_HEX = re.compile(r"[0-9a-fA-F]{64}")
INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
LABEL = r"(?!-)[a-z0-9-]++(?<!-)"
EMAIL = rf"[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]++@{LABEL}(?:\.{LABEL})++(?<!\..)"
NOT_A_HASH = r"(?![0-9a-f]{64}(?![0-9a-z_-]))"  # precedes patterns that would match a hash
E164 = r"\+[1-9][0-9]{6,14}+"
MAX_EMAIL_LENGTH = 254

Normalize = Callable[[str], str]  # raises ValueError with the reason


class IdentifierType(NamedTuple):
    """One kind of identifier."""

    name: str
    normal_form: str  # pattern of lower-cased text that is normalized already; no quote, no backslash
    normalize: Normalize
    is_hashed: bool = True


def clean_text(text: str) -> str:
    """Remove surrounding spaces of every kind, zero-width characters and full-width forms."""
    return unicodedata.normalize("NFKC", text.translate(INVISIBLE)).strip()


def email(text: str) -> str:
    """Normalize an e-mail address; an international domain becomes ASCII."""
    address = clean_text(text).lower().removeprefix("mailto:")
    local, at, domain = address.rpartition("@")
    if not at or not local or not domain:
        raise ValueError("is not a valid e-mail address: it needs a name, an @ and a domain")
    if not domain.isascii():
        import idna

        try:
            domain = idna.encode(domain, uts46=True).decode()
        except idna.IDNAError:
            raise ValueError("has an invalid domain") from None
    if not local.isascii():
        raise ValueError("has characters before the @ that are not ASCII, which few mail servers accept")
    address = f"{local}@{domain}"
    if len(address) > MAX_EMAIL_LENGTH:
        raise ValueError(f"is longer than {MAX_EMAIL_LENGTH} characters")
    if not re.fullmatch(EMAIL, address):
        raise ValueError("is not a valid e-mail address")
    return address


def handle(text: str) -> str:
    """Normalize a handle: without @, lower-case."""
    name = clean_text(text).lower().removeprefix("@")
    if not name or re.search(r"[\s@]", name):
        raise ValueError("is not a valid handle: one word, with or without a leading @")
    return name


def platform_id(text: str) -> str:
    """Normalize the platform's own id of a person."""
    digits = clean_text(text)
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError("is not a valid platform_id: digits only")
    return digits


def device_id(text: str) -> str:
    """Normalize the advertising id of a device."""
    device = clean_text(text).lower()
    if not device or re.search(r"\s", device):
        raise ValueError("is not a valid device_id: spaces are not allowed")
    return device


def partner_user_id(text: str) -> str:
    """Normalize an id of the advertiser's own, which is not hashed."""
    identifier = text.strip()
    if not identifier or not identifier.isprintable():
        raise ValueError("is not a valid partner_user_id: visible characters only")
    return identifier


def phone_number(region: str | None) -> Normalize:
    """Return the function that normalizes phone numbers; national ones need a `region`, such as DE."""

    def normalize(text: str) -> str:
        import phonenumbers

        number = clean_text(text)
        try:
            parsed = phonenumbers.parse(number, region)
        except phonenumbers.NumberParseException as error:
            if error.error_type == error.INVALID_COUNTRY_CODE and not number.startswith("+"):
                raise ValueError("has no country code; add --region, for example --region DE") from None
            raise ValueError("is not a valid phone number") from None
        possible = phonenumbers.is_possible_number_with_reason(parsed)
        if possible != phonenumbers.ValidationResult.IS_POSSIBLE:
            raise ValueError("is not a valid phone number: too long or too short for its country")
        return str(phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164))

    return normalize


@cache
def identifier_types(region: str | None = None) -> dict[str, IdentifierType]:
    """Return the kinds of identifiers by name, in the order of the specification."""
    types = (
        IdentifierType("email", EMAIL, email),
        IdentifierType("device_id", NOT_A_HASH + r"[0-9a-z-]++", device_id),
        IdentifierType("handle", NOT_A_HASH + r"[0-9a-z_]++", handle),
        IdentifierType("platform_id", NOT_A_HASH + r"[0-9]++", platform_id),
        IdentifierType("phone_number", E164, phone_number(region)),
        IdentifierType("partner_user_id", r"(?!)", partner_user_id, is_hashed=False),
    )
    return {each.name: each for each in types}
