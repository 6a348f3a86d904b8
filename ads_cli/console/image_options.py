"""The options that look at the images of a product feed."""

from typing import Annotated

import msgspec
import typer

from ..errors import UsageError


class ImageOptions(msgspec.Struct, frozen=True):
    """Whether images are fetched, which ones, and from where."""

    images: Annotated[
        bool, typer.Option("--images", help="Fetch the beginning of each image: its format, pixels and bytes")
    ] = False
    images_sample: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --images: fetch only N of them")
    ] = None
    allow_private: Annotated[
        bool,
        typer.Option("--allow-private", help="With --images: fetch from addresses that are not public, too"),
    ] = False

    def require_images(self) -> None:
        """Raise UsageError for options that say how images are fetched where none are."""
        options = {"--images-sample": self.images_sample, "--allow-private": self.allow_private}
        for option, is_given in options.items():
            if is_given and not self.images:
                raise UsageError(f"{option} needs --images", hint="without it no image is fetched")
