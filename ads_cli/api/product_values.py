"""What may be wrong with single values of a product."""

import re
from datetime import datetime

from .iso_codes import CURRENCIES
from .problems import Reason

OTHER_FORMAT = re.compile(
    r"^[^?#]*\.(bmp|tiff?|svgz?|heic|heif|avif|ico|psd|pdf|html?|eps|mp4)([?#]|$)", re.I
)
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp")


def image_problem(link: str) -> str | None:
    """Say that a URL has the suffix of another format."""
    if link.endswith(IMAGE_SUFFIXES) and "?" not in link and "#" not in link:
        return None  # the common case, without a regular expression
    other = OTHER_FORMAT.match(link)
    return f"is a .{other[1]} file; only JPG, GIF, WEBP and PNG are allowed" if other else None


def currency_problem(price: str) -> str | None:
    """Say that a price has no currency of ISO 4217."""
    code = price[-3:]
    return None if code in CURRENCIES else f"{code} is not a currency of ISO 4217"


def interval_problem(text: str) -> str | Reason | None:
    """Say what is wrong with an interval of two date-times."""
    ends = text.split("/")
    try:
        start, end = map(datetime.fromisoformat, ends)
    except ValueError:
        start = end = datetime.min
    if start.tzinfo is None or end.tzinfo is None:
        example = "2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"
        return f"{text[:80]!r} is not two ISO 8601 date-times with offset joined by '/', as in {example}"
    return None if start < end else Reason("sale_order", "ends before it starts")
