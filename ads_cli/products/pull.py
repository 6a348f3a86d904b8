"""What the service lists, written in a form that push takes back."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..api.fields import fields_of
from ..api.products import ListProducts, Product
from ..config.atomic_files import atomic
from ..console.invocation import Invocation
from ..errors import UsageError
from ..feeds.registry import find_writable
from ..feeds.writer import RowWriter, open_writer
from ..output.text import counted
from ..uploads.report import progress


def pull_products(call: Invocation, file: str | None, format: str | None) -> None:
    """Write every product of the catalog to a file, or to standard output."""
    path = None if file == "-" else file
    found = find_writable(path, format) if path else find_writable("standard output", format or "csv")
    if strange := [name for name in ("output", "columns", "query") if call.flags.get(name)]:
        raise UsageError(
            f"--{strange[0]}: pull writes whole products, for push to take back; --format chooses how",
            hint="products list shows a catalog in every format, with --columns and --query",
        )
    pull = Pull(call)
    if path:
        with atomic(Path(path)) as stream:
            pull.write(open_writer(stream, found, pull.columns))
    else:
        pull.write(open_writer(sys.stdout, found, pull.columns))
    pull.tell()


class Pull:
    """Lists a catalog, variants that the list hides included where the service gives them."""

    columns = tuple(field.name for field in fields_of(Product))

    def __init__(self, call: Invocation) -> None:
        self.call = call
        self.products = 0
        self.variants = 0  # found only by asking for their group
        self.lonely = 0  # groups of which even the group's key shows one member only

    def write(self, writer: RowWriter) -> None:
        """Write all products."""
        with progress(self.call.messages, "Pulling products", None) as tick:
            for product in self._all():
                writer.write(
                    {name: value for name in self.columns if (value := product.get(name)) is not None}
                )
                self.products += 1
                tick(self.products)
        writer.close()

    def tell(self) -> None:
        """Say what was pulled, and what may be missing."""
        messages = self.call.messages
        hidden = f", {self.variants:,} of them variants that the list hides" if self.variants else ""
        messages.say(f"{counted(self.products, 'product')} pulled{hidden}")
        if self.lonely:
            messages.warn(
                f"of {counted(self.lonely, 'group')} the service shows one member only: "
                "it lists the member that was submitted first, and other variants may be missing here"
            )

    def _all(self) -> Iterator[dict[str, Any]]:
        for product in self._listed(None):
            yield product
            if group := product.get("item_group_key"):
                yield from self._others(product, str(group))

    def _others(self, shown: dict[str, Any], group: str) -> Iterator[dict[str, Any]]:
        """Ask for the members of a group that the list hides."""
        others = [p for p in self._listed(group) if p.get("product_key") != shown.get("product_key")]
        self.variants += len(others)
        self.lonely += not others
        yield from others

    def _listed(self, group: str | None) -> Iterator[dict[str, Any]]:
        request = ListProducts(product_catalog_id=self.call.catalog, item_group_key=group)
        for answer in self.call.client.pages(request):
            yield from answer.neutral_data or []
