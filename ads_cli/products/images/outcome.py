"""What looking at an image came to, and the problems that it is to a product."""

from collections.abc import Iterator

import msgspec

from ...api.problems import Problem
from ...api.products import MAX_IMAGE_BYTES, MIN_IMAGE_SIDE
from ...api.reasons import quoted
from .header import ALLOWED_FORMATS

ALLOWED_WORDS = "only JPG, GIF, WEBP and PNG are allowed"


class Image(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What the beginning of a file tells."""

    format: str  # "" where it is not known
    width: int  # pixels; 0 where the file states none
    height: int
    size: int | None  # bytes; None where the server does not tell

    def problems(self, field: str, link: str) -> Iterator[Problem]:
        """Yield what the service refuses."""
        shown = quoted(link)
        if self.size == 0:
            yield Problem(field, f"{shown} is empty", rule="image_empty")
        elif self.format not in ALLOWED_FORMATS:
            what = f"is {self.format}" if self.format else "is not an image"
            yield Problem(field, f"{shown} {what}; {ALLOWED_WORDS}", rule="image_content")
        elif not (self.width and self.height):
            message = f"{shown} is a damaged {self.format}: it states no pixels"
            yield Problem(field, message, rule="image_damaged")
        elif min(self.width, self.height) < MIN_IMAGE_SIDE:
            least = f"at least {MIN_IMAGE_SIDE}x{MIN_IMAGE_SIDE} are needed"
            message = f"{shown} has {self.width}x{self.height} pixels, {least}"
            yield Problem(field, message, rule="image_pixels")
        if self.size is not None and self.size > MAX_IMAGE_BYTES:
            message = f"{shown} has {self.size / 1e6:,.1f} MB, at most 5 MB are allowed"
            yield Problem(field, message, rule="image_bytes")


class Unreachable(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Why an image could not be looked at."""

    kind: str  # the same for addresses that have one cause
    reason: str

    def problems(self, field: str, link: str) -> Iterator[Problem]:
        """Yield a warning: the service may reach what this machine cannot."""
        message = f"{quoted(link)} was not checked: {self.reason}"
        yield Problem(field, message, "warning", rule=f"image_{self.kind}")


Outcome = Image | Unreachable
