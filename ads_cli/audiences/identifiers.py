"""Identifiers of people: normalization; no message ever contains a value.

An e-mail address is lower-cased, a handle loses its @, a phone number becomes E.164; then all but
partner_user_id are hashed with SHA-256. A value of 64 hex digits is taken for a hash.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import NamedTuple

from ..feeds.spreadsheet_cells import CHANGED, ERROR, has_lost_digits, is_error, read_cell, without_escape
from .phones import NO_REGION, NOT_ASSIGNED, assigned_form, normal_form, read_phone_number

HASH_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of ""
NOBODY = r"(?:no|do[._-]?not)[._-]?reply@"
PLACEHOLDER_WORDS = "null|nil|none|nan|undefined|unknown"  # with or without signs around them
PLAIN_PLACEHOLDERS = "blank|empty"
# What exports write where there is no value, and addresses that reach no person. No normal form may match
# any: NO_PLACEHOLDER and EMAIL exclude what is possible in lower-case ASCII without spaces.
PLACEHOLDER = re.compile(
    rf"[\W_0]*+(?:{PLACEHOLDER_WORDS})?[\W_]*+|#?n/a|n\.a\.?|\(?(?:not set|{PLAIN_PLACEHOLDERS})\)?|\\n"
    rf"|{NOBODY}.*|{HASH_OF_NOTHING}"
)
NOT_FOUND = "#n/a"  # of a lookup in a spreadsheet, which stands for no value
# It excludes more than these: what it does not let pass is read one by one.
NO_PLACEHOLDER = rf"(?![^a-z1-9\n]*+(?:{PLACEHOLDER_WORDS}|{PLAIN_PLACEHOLDERS})?[^a-z0-9\n]*+$)"
EMAIL_INSIDE = re.compile(r"[^\s@<>](?:@|%40)(?:(?!%40)[^\s@<>])+\.\w")
PLAIN_NUMBER = re.compile(r"\+?[0-9]{9,}")
# Digits alone may be an id; a plus, spaces, brackets or the usual grouping are a phone number's.
PHONE_NUMBER = re.compile(
    r"(?:tel:)?(?=(?:\D*\d){7,15}\D*\Z)(?:\+[\d\s()./-]+|(?=.*[\s(])[\d\s()./-]+"
    r"|0[1-9]\d{1,4}[/-]\d{5,}|\d{3}[.-]\d{3}[.-]\d{4})"
)
HASH_NAME = "(?:0?x|md5|sha-?[0-9]+)?"
HASH_START = rf"\W*+{HASH_NAME}\W*+"
DECORATED_SHA256 = re.compile(rf"{HASH_START}(?:[0-9a-f][\s:_-]*+){{64}}\W*+")
OTHER_HASH = re.compile(  # MD5, SHA-1, SHA-224, SHA-384 and SHA-512 in hex; MD5, SHA-1, SHA-256 in base64
    rf"{HASH_START}(?:[0-9a-f]{{32}}|[0-9a-f]{{40}}|[0-9a-f]{{56}}|[0-9a-f]{{96}}|[0-9a-f]{{128}})\W*+"
    r"|[a-z0-9+/_-]{22}==|[a-z0-9+/_-]{27}=|[a-z0-9+/_-]{43}=?"
)
# None of these, nor a phone number, in a normal device id.
NO_HASH_OR_PHONE = rf"(?!-*+{HASH_NAME}-*+[0-9a-f]{{32}}-*+$|[0-9-]+$)"


def misplaced(text: str, name: str) -> str:
    """Tell why a text is another kind of identifier than `name`; "" if it is not."""
    for other, matches, noun in (
        ("email", EMAIL_INSIDE.search, "an e-mail address"),
        ("phone_number", PHONE_NUMBER.fullmatch, "a phone number"),
    ):
        if name != other and matches(text):
            reason = f"is {noun}: --map COLUMN={other} reads its column as that"
            if name == "partner_user_id":
                return f"{reason}, --allow-clear-text sends it unhashed"
            return reason
    return ""


def is_identifier(text: str) -> bool:
    """Tell whether a text is an identifier as a whole, and no name of a column."""
    if EMAIL_INSIDE.search(text) and text.split() == [text]:
        return True
    return any(pattern.fullmatch(text) for pattern in (PHONE_NUMBER, PLAIN_NUMBER, DECORATED_SHA256))


def useless_hash(text: str) -> str:
    """Tell why a text is a hash that matches nobody; "" if it is not."""
    if DECORATED_SHA256.fullmatch(text):
        return "is a SHA-256 hash with characters around or in it: write its 64 hex digits alone"
    if OTHER_HASH.fullmatch(text):
        return (
            "looks like MD5, SHA-1, base64 or a device id without hyphens, which match nobody:"
            " write 64 hex digits of SHA-256, or the value itself"
        )
    return ""


SHA256_HEX = re.compile(rf"(?!{HASH_OF_NOTHING})[0-9a-f]{{64}}")
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
INVISIBLE |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])  # writing direction
DOMAIN_LABEL = r"(?!-)[a-z0-9-]++(?<!-)"
NOT_NUMERIC = r"(?!(?>[0-9]+)(?![a-z0-9.-]))"  # a label of digits is not the last of a domain
DOMAIN = rf"{DOMAIN_LABEL}(?>(?:\.{NOT_NUMERIC}{DOMAIN_LABEL})+)(?<!\..)"
EMAIL = rf"(?!'|{NOBODY})[a-z0-9.!#$%&'*+/=?^_`{{|}}~-]++@{DOMAIN}"
DISPLAY_NAME = re.compile(r"[^<>@]*<([^<>]*)>")
MAX_EMAIL_LENGTH = 254
# A longer value may be a hash, as an MD5 has 32 digits, and is read one by one. A device id may be a UUID,
# which is shorter than a SHA-1. NO_HASH_OR_PHONE tells an MD5 from it.
LESS_THAN_HASH, UUID_LENGTH = 31, 36
MAX_LENGTH = 512  # of any identifier; normalization and some expressions take quadratic time

# The kinds of identifiers, and what a value is before it is hashed. A ledger stores the position of each
# (`sealing.KINDS`): add at the end only, with names of at most 16 letters (`Sealer`).
# Each needs an entry in `identifier_types` and headers in headers.toml. A kind that is not hashed concerns
# TEXT_KIND too.
FORMATS = {
    "email": f"an e-mail address of at most {MAX_EMAIL_LENGTH} characters",
    "device_id": "letters, digits and hyphens only",
    "handle": "letters, digits and _, with or without a leading @",
    "platform_id": "digits only",
    "phone_number": "a phone number with its country code, or a national one with --region",
    "partner_user_id": "visible characters only",
}
IDENTIFIERS = tuple(FORMATS)

Normalize = Callable[[str], str]  # raises ValueError with the reason


class IdentifierType(NamedTuple):
    """One kind of identifier."""

    name: str
    # Returns a pattern of lower-cased texts that need not be read: it may match only what `read` returns
    # unchanged. Its argument is a column's texts, which tell the countries of phone numbers.
    normal_form: Callable[[Iterable[str]], str]
    normalize: Normalize  # of clean, lower-cased text, or of the value itself if not hashed; may be ""
    is_hashed: bool = True
    may_be_contact: bool = False  # whether addresses and phone numbers are taken for this kind
    # As `normal_form`, of those normal texts that raise no doubt; None where none does.
    usual_form: Callable[[Iterable[str]], str] | None = None
    doubt: str = ""  # what is said of the others, which are sent

    def read(self, value: str) -> str:
        """Return the normal form of a value, "" where it is a placeholder; raise ValueError.

        A SHA-256 has none: callers take what SHA256_HEX matches as it is, before they ask.
        """
        text = clean_text(value).lower()
        if is_error(text) and text != NOT_FOUND:
            raise ValueError(ERROR)
        if PLACEHOLDER.fullmatch(text):
            return ""
        if has_lost_digits(text):
            raise ValueError(CHANGED)
        if not self.may_be_contact and (reason := misplaced(text, self.name)):
            raise ValueError(reason)
        if self.is_hashed and (reason := useless_hash(text)):
            raise ValueError(reason)
        return self.normalize(text if self.is_hashed else value)

    def raises_doubt(self, normalized: str) -> bool:
        """Tell whether a normal text, which is sent, may be a mistake."""
        return self.usual_form is not None and not re.fullmatch(self.usual_form([normalized]), normalized)


def clean_text(text: str) -> str:
    """Remove surrounding spaces, invisible characters, full-width forms and what spreadsheets write around.

    Raise ValueError for a text that is too long for an identifier.
    """
    text = text.strip()
    if len(text) > MAX_LENGTH:
        raise ValueError(f"is longer than {MAX_LENGTH} characters, as no identifier is")
    text = unicodedata.normalize("NFKC", text.translate(INVISIBLE)).strip()
    return read_cell(text).lstrip("'").strip()


def is_placeholder(text: str) -> bool:
    """Tell whether a text is empty, or means that there is no value."""
    return len(text) <= MAX_LENGTH and PLACEHOLDER.fullmatch(clean_text(text).lower()) is not None


def email(text: str) -> str:
    """Normalize an e-mail address, "" for a placeholder; an international domain becomes ASCII."""
    named = DISPLAY_NAME.fullmatch(text)
    address = (named[1] if named else text).strip("'\" ").removeprefix("mailto:")
    local, _, domain = address.rpartition("@")
    if PLACEHOLDER.fullmatch(address):
        return ""
    if not local or not domain:
        raise ValueError("is not a valid e-mail address: it needs a name, an @ and a domain")
    if "@" in local:
        raise ValueError("is not one e-mail address: separate several with semicolons")
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
    """Normalize a handle: without @."""
    name = text.removeprefix("@")
    if not re.fullmatch("[0-9a-z_]+", name):
        raise ValueError(f"is not a valid handle: {FORMATS['handle']}")
    return name


def platform_id(text: str) -> str:
    """Normalize the platform's own id of a person."""
    if not re.fullmatch("[0-9]+", text):
        raise ValueError(f"is not a valid platform_id: {FORMATS['platform_id']}")
    return text


def device_id(text: str) -> str:
    """Normalize the advertising id of a device."""
    if not re.fullmatch("[0-9a-z-]+", text):
        raise ValueError(f"is not a valid device_id: {FORMATS['device_id']}")
    return text


def partner_user_id(text: str) -> str:
    """Normalize an id of the advertiser's own, which is not hashed."""
    identifier = without_escape(read_cell(text.strip()))
    if not identifier.isprintable():
        raise ValueError(f"is not a valid partner_user_id: {FORMATS['partner_user_id']}")
    number = identifier.lstrip("'")  # how exports keep spreadsheets from rounding it
    return number if number.isdecimal() else identifier


@cache
def identifier_types(
    region: str | None = None, *, no_region: str = NO_REGION, allow_clear_text: bool = False
) -> dict[str, IdentifierType]:
    """Return the kinds of identifiers by name, in the order of the specification.

    `region` is the country of national phone numbers. Without it these are refused with the reason
    `no_region`. `allow_clear_text` accepts any id as a partner's.
    """
    types = (
        IdentifierType("email", lambda _: NO_PLACEHOLDER + EMAIL, email),
        IdentifierType(
            "device_id",
            lambda _: NO_PLACEHOLDER + NO_HASH_OR_PHONE + f"[0-9a-z-]{{1,{UUID_LENGTH}}}+",
            device_id,
        ),
        IdentifierType("handle", lambda _: NO_PLACEHOLDER + f"[0-9a-z_]{{1,{LESS_THAN_HASH}}}+", handle),
        IdentifierType(
            "platform_id", lambda _: NO_PLACEHOLDER + f"[0-9]{{1,{LESS_THAN_HASH}}}+", platform_id
        ),
        IdentifierType(
            "phone_number",
            normal_form,
            partial(read_phone_number, region=region, no_region=no_region),
            usual_form=assigned_form,
            doubt=NOT_ASSIGNED,
        ),
        IdentifierType(
            "partner_user_id",
            lambda _: "(?!)",
            partner_user_id,
            is_hashed=False,
            may_be_contact=allow_clear_text,
        ),
    )
    return {kind.name: kind for kind in types}
