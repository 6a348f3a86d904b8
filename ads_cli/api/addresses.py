"""Addresses of products and images: their types, and what is wrong with other texts."""

import re
from typing import Annotated

from msgspec import Meta

# White space, controls and invisible characters, and signs that only the text around an address has.
_OUTSIDE = r"\x00-\x20\"<>\\\x7f-\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_NEXT = r"(?i:https?:|www\.)|//"  # begins another address, after a separator of a list
_IN_HOST = r"[^/?#]*+(?<=:)//"  # another address: shop.examplehttps://cdn.example/1.jpg
# Only the semicolon of an entity may end an address, which is then a warning.
_REST = (
    rf"://(?!https?[:/]|HTTPS?[:/]|{_IN_HOST})[^/?#|,;{_OUTSIDE}][!#-+\--:=?-\[\]-{{}}~]*+"
    rf"(?:\Z|[^|,;{_OUTSIDE}]*+(?>(?:[|,;]++(?!{_NEXT}|(?<!;)\Z)[^|,;{_OUTSIDE}]*+)*)\Z)"
)
# Most addresses are ASCII without signs of lists, and begin in lower case, which is found faster.
SECURE_ADDRESS = rf"^(?:https|(?i:https)){_REST}"
ADDRESS = rf"^(?:https?|(?i:https?)){_REST}"
is_address = re.compile(ADDRESS).match

# A text that begins with www. or a name such as shop.example/ is rather a host than a path.
HOST = r"www\.|(?>(?:[a-z0-9-]+\.)+)(?!html?/|php/|aspx?/|jsp/|cgi/)[a-z]{2,63}/"
HAS_HOST = re.compile(rf"//|{HOST}", re.IGNORECASE)
ABSOLUTE = re.compile(rf"[a-z][a-z0-9+.-]*:|{HOST}", re.IGNORECASE)

_SCHEMES = {
    "https": "https htps htpps htttps httpss httsp hhtps hhttps ttps tps hpps htts httos httpa hxxps",
    "http": "http htp htpp htttp hhtp hhttp ttp htto hxxp",
}
SCHEMES = {written: scheme for scheme, names in _SCHEMES.items() for written in names.split()}
# The name of a scheme and what follows it, up to the host: `https//`, `http:/`, `htps://`, `https:\\`.
SCHEME = re.compile(r"([a-z]{3,6})\s*+(?::[:;\s]*+[/\\]*+|[;.]?[/\\]{2,})\s*+(?=[^\s/\\?#])", re.IGNORECASE)
IN_HOST = re.compile(_IN_HOST)
ANOTHER = re.compile(rf"[\s|,;](?:(?i:https?)(?::|[/\\]{{2}})|{_NEXT})")


def scheme_of(text: str) -> tuple[str, str]:
    """Return the scheme that a text begins with, misspelled or not, and how it is written. "" for none."""
    match = SCHEME.match(text)
    scheme = SCHEMES.get(match[1].lower(), "") if match else ""
    return (scheme, match[0]) if match and scheme else ("", "")


def holds_several(text: str) -> bool:
    """Tell whether another address follows the one that a text begins with."""
    return bool(ANOTHER.search(text, len(scheme_of(text)[1])))


_BEGINNINGS = {
    "[": "holds a list, not one address",
    "{": "holds an object, not one address",
    "=": "is a formula, not an address",
    "<": "holds HTML, not an address",
    '"': "begins with a quotation mark",
    "'": "begins with an apostrophe",
}
_WITHIN = {
    "\n": "a line feed",
    "\t": "a tab",
    '"': "a quotation mark",
    "<": "the sign <",
    ">": "the sign >",
    "\\": "a backslash",
}
OF_COMPUTER = re.compile(r"[a-z]:[/\\]|file:", re.IGNORECASE)


def address_mistake(value: str) -> str:
    """Say why a text is not an address. "" if it is one, or only its scheme or host is wrong."""
    text = value.strip()
    if is_address(text):
        return "has white space around it" if text != value else ""
    if beginning := _BEGINNINGS.get(text[:1]):
        return beginning
    if holds_several(text):
        return "holds several addresses, where one is allowed"
    if text[:5].lower() == "data:":
        return "holds data, and not the address of it"
    if OF_COMPUTER.match(text):
        return "is the path of a file on a computer"
    scheme, written = scheme_of(text)
    if not scheme:
        match = HAS_HOST.match(text)
        return f"begins with {match[0]!r}, not with https://" if match else ""
    if written.lower() != f"{scheme}://":
        return f"begins with {written!r}, not with {scheme}://"
    if scheme_of(text[len(written) :])[0]:
        return "begins with two schemes"
    if IN_HOST.match(text, len(written)):
        return "has another address within its host"
    return _mistake_within(text)


def _mistake_within(text: str) -> str:
    for sign, name in _WITHIN.items():
        if sign in text:
            return f"has {name}"
    if any(map(str.isspace, text)):
        return "has a blank"
    if text.endswith(("|", ",")):
        return f"ends with {text[-1]!r}"
    return "" if text.isprintable() else "has an invisible character"


LinkUrl = Annotated[
    str,
    Meta(
        pattern=SECURE_ADDRESS,
        extra={"expected": "a URL that starts with https://", "mistake": address_mistake},
    ),
]
ImageUrl = Annotated[
    str,
    Meta(
        pattern=ADDRESS,
        extra={"expected": "a URL that starts with https:// or http://", "mistake": address_mistake},
    ),
]

ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
