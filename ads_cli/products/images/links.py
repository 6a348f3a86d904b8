"""The images that a product links to."""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...api.product_values import image_problem
from ...api.products import MAX_IMAGES, URL_PATTERN

is_url = re.compile(URL_PATTERN).match


def links_in(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield field and address of each image, but for addresses that break a rule by themselves."""
    for field, most in (("image_link", 1), ("additional_image_link", MAX_IMAGES)):
        text = values.get(field)
        if not isinstance(text, str):
            continue
        links = [text] if most == 1 else [link.strip() for link in text.split(",")][:most]
        yield from ((field, link) for link in links if is_url(link) and not image_problem(link))


def sample(links: Iterable[tuple[bytes, str]], size: int) -> list[tuple[bytes, str]]:
    """Return the addresses with the lowest digests: the same ones whatever the order of the feed."""
    return heapq.nsmallest(size, links)
