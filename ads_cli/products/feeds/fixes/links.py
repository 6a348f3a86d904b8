"""Fix addresses: their scheme, and what is around and within them."""

from collections.abc import Sequence
from typing import Any

from ....api.addresses import HAS_HOST, holds_several, is_address
from ..addresses import IMAGES, LINKS, found_in, is_relative, joined_links, list_separator, mended, parted
from .fix import Edit, edit, edit_texts

SECURE = ("link", "mobile_link")  # which must be https
HTTP = "http://"


def _secure(field: str, address: str) -> str:
    return f"https://{address[7:]}" if field in SECURE and address[:7].lower() == HTTP else address


class Https:
    """Makes links https, and completes addresses that have a host and no scheme."""

    name = "https"
    rules = (*LINKS, "image_url")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the scheme of links, and write the one that is missing."""
        return edit_texts(values, (*LINKS, IMAGES), _with_https)


def _with_https(field: str, text: str) -> str:
    if field != IMAGES:
        return _secure(field, _with_scheme(text))
    links = parted(text)
    completed = [*map(_with_scheme, links)]
    return text if completed == links else ",".join(completed)


def _with_scheme(address: str) -> str:
    path = address.strip()
    if not HAS_HOST.match(path) or list_separator(path):
        return address
    return f"https://{path.removeprefix('//')}"


class Url:
    """Makes addresses of texts that hold them, with blanks, misspelled schemes, or something around them."""

    name = "url"
    rules = (*LINKS, "image_url")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite what is not an address; further images of a list become additional ones."""
        edits: list[Edit] = []
        further: list[str] = []
        for field in LINKS:
            text = values.get(field)
            if isinstance(text, str) and not is_address(text.strip()):
                first, *others = _addresses(field, text)
                if first != text:
                    edits.append(edit(values, field, first))
                    further += others
        images = values.get(IMAGES, "")
        if isinstance(images, str) and (images or further):
            after = _images(further, images, values.get("image_link"))
            if after != images:
                edits.append(edit(values, IMAGES, after))
        return edits


def _addresses(field: str, text: str) -> list[str]:
    """Return the addresses that a text holds; itself where it is not certain which they are."""
    if is_relative(text):
        return [text]
    addresses = found_in(text)
    if addresses and (len(addresses) == 1 or field == "image_link"):
        links = [_secure(field, mended(link)) for link in addresses]
        return links if all(is_address(link) or is_relative(link) for link in links) else [text]
    if holds_several(text.strip()) or list_separator(text):
        return [text]
    link = _secure(field, mended(text))
    return [link if is_address(link) else text]


def _images(further: list[str], text: str, main: Any) -> str:
    """Return additional images, those of another list first; as they are where that is not certain."""
    own = [link.strip() for link in text.split(",")]
    if not all(map(is_address, own)):
        links = found_in(text)
        own = [*map(mended, links or parted(text))]
        if not all(is_address(link) or (links and is_relative(link)) for link in own):
            return ",".join(filter(None, [joined_links(further), text]))
    elif not further:
        return text
    return joined_links(link for link in dict.fromkeys([*further, *own]) if link != main)
