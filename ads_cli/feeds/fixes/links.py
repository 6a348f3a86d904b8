"""Fix links, and the list of further images."""

import re
from collections.abc import Sequence
from typing import Any

from ...api.product_values import image_problem
from ...api.products import MAX_IMAGES, URL_PATTERN
from .fix import Edit, edit

LINKS = ("link", "mobile_link")
HTTP = "http://"
IS_URL = re.compile(URL_PATTERN).match
IMAGES = "additional_image_link"


class Https:
    """Makes links https."""

    name = "https"
    rules = LINKS

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the scheme of links."""
        edits: list[Edit] = []
        for field in LINKS:
            link = values.get(field)
            if link and isinstance(link, str) and link[:7].lower() == HTTP:
                edits.append(edit(values, field, f"https://{link[7:]}"))
        return edits


class Image:
    """Drops further images that the service refuses."""

    name = "image"
    rules = ("additional_images", "image_count")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Drop images; a list with something that is no address is left alone."""
        images = values.get(IMAGES)
        if not images or not isinstance(images, str):
            return ()
        links = [link.strip() for link in images.split(",")]
        if not all(map(IS_URL, links)):
            return ()
        other = values.get("image_link")
        kept = [link for link in dict.fromkeys(links) if link != other and not image_problem(link)][
            :MAX_IMAGES
        ]
        return [edit(values, IMAGES, ",".join(kept))] if kept != links else ()
