"""Values that are not what their column says: placeholders, hashes of other kinds, identifiers of others.

Each function takes clean, lower-cased text.
"""

import re

HASH_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of ""
NOBODY = r"(?:no|do[._-]?not)[._-]?reply@"
PLACEHOLDER_WORDS = "null|nil|none|nan|undefined|unknown"
# What exports write where there is no value, and addresses that nobody reads.
PLACEHOLDER = re.compile(
    rf"[\W_0]*+(?:{PLACEHOLDER_WORDS})?[\W_]*+|#?n/a|n\.a\.?|\(?(?:not set|blank|empty)\)?|\\n"
    rf"|{NOBODY}.*|{HASH_OF_NOTHING}"
)
EMAIL_INSIDE = re.compile(r"[^\s@<>](?:@|%40)(?:(?!%40)[^\s@<>])+\.\w")
PLAIN_NUMBER = re.compile(r"\+?[0-9]{9,}")
# Digits alone may be an id; a plus, spaces, brackets or the usual grouping are a phone number's.
PHONE_NUMBER = re.compile(
    r"(?:tel:)?(?=(?:\D*\d){7,15}\D*\Z)(?:\+[\d\s()./-]+|(?=.*[\s(])[\d\s()./-]+"
    r"|0[1-9]\d{1,4}[/-]\d{5,}|\d{3}[.-]\d{3}[.-]\d{4})"
)
HASH_START = r"\W*+(?:0?x|md5|sha-?[0-9]+)?\W*+"
DECORATED_SHA256 = re.compile(rf"{HASH_START}(?:[0-9a-f][\s:_-]*+){{64}}\W*+")
OTHER_HASH = re.compile(  # MD5, SHA-1, SHA-224, SHA-384 and SHA-512 in hex; MD5, SHA-1, SHA-256 in base64
    rf"{HASH_START}(?:[0-9a-f]{{32}}|[0-9a-f]{{40}}|[0-9a-f]{{56}}|[0-9a-f]{{96}}|[0-9a-f]{{128}})\W*+"
    r"|[a-z0-9+/_-]{22}==|[a-z0-9+/_-]{27}=|[a-z0-9+/_-]{43}=?"
)


def misplaced(text: str, name: str) -> str:
    """Tell why a text is another kind of identifier than `name`; "" if it is not."""
    for other, found, noun in (
        ("email", EMAIL_INSIDE.search, "an e-mail address"),
        ("phone_number", PHONE_NUMBER.fullmatch, "a phone number"),
    ):
        if name != other and found(text):
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
