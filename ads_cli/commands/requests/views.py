"""Views of responses that are not lists of records. Each is in a module of its subject."""

from importlib import import_module
from typing import Any, NamedTuple


class Listing(NamedTuple):
    """A way to list records that an option asks for."""

    option: str
    help: str
    module: str  # whose `show_list` has the parameters of that of `console.results`
    without: str = ""  # what is said on a terminal where the option is not given


LISTINGS = {
    "media library list": Listing(
        "unused", "Only what nothing of the account shows, of all pages", "ads_cli.commands.media.unused"
    ),
    "products list": Listing(
        "variants",
        "All products of each group of variants, of all pages",
        "ads_cli.commands.products.variants",
        "the service lists one product of each group of variants; --variants shows all",
    ),
}
# Modules whose `draw` takes a printer, the request and the data, and tells whether it could be drawn.
CHARTS = {"audiences keywords": "ads_cli.commands.keywords"}


def load(module: str) -> Any:
    """Import the module of a view: only the commands that show it pay for it."""
    return import_module(module)
