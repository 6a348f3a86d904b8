"""A feed against the catalog itself, by listing it."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from ..api.fields import fields_of
from ..api.products import ListProducts, Product
from ..console.invocation import Invocation
from ..output.text import counted
from ..uploads.report import progress
from .digest_index import ID, PRINT, Changes, Records, id_of, print_of

GENERATED = ("product_key", "item_group_key")  # by the service
FIELDS = tuple(field.name for field in fields_of(Product) if field.name not in GENERATED)
GROUP = "\0"  # before the id of a group, so that it is no product's


class Comparison:
    """What the list of a catalog says of products, compared field by field.

    Of a group of variants the list shows only the member that was submitted first: of the others
    nothing is said.
    """

    def __init__(self, call: Invocation) -> None:
        self._found: Counter[str] = Counter()
        changes, listed = Changes(), 0
        with progress(call.messages, "Listing the catalog", None) as tick:
            for answer in call.client.pages(ListProducts(product_catalog_id=call.catalog)):
                for product in answer.neutral_data or []:
                    changes.add(_print(product))
                    if group := product.get("item_group_id"):
                        changes.add(id_of(f"{GROUP}{group}") + bytes(PRINT - ID))
                    listed += 1
                tick(listed)
        self._listed = Records.of(changes)

    def stands(self, item: Any) -> bool:
        """Tell whether nothing speaks against an item being in the catalog as it is."""
        verdict = self._verdict(item)
        self._found[verdict] += 1
        return verdict in ("same", "hidden")

    @property
    def counts(self) -> dict[str, int]:
        """Count the products that differ, that are missing, and that the list hides."""
        return {name: self._found[name] for name in ("differing", "missing", "hidden")}

    @property
    def told(self) -> str:
        """Say what came out of it."""
        found = self._found
        hidden = f"; {counted(found['hidden'], 'variant')} that the list hides not compared"
        return (
            f"compared with the catalog: {found['same']:,} the same, {found['differing']:,} differing, "
            f"{found['missing']:,} missing{hidden if found['hidden'] else ''}"
        )

    def _verdict(self, item: Any) -> str:
        own = _print(msgspec.structs.asdict(item))
        if self._listed.holds(own):
            return "same"
        if self._listed.holds(own[:ID]):
            return "differing"
        group = item.item_group_id
        return "hidden" if group and self._listed.holds(id_of(f"{GROUP}{group}")) else "missing"


def _print(product: Mapping[str, Any]) -> bytes:
    """Take the print of the values that a product has, however they are written."""
    values = [_plain(name, product.get(name)) for name in FIELDS]
    return print_of(str(product.get("id")), msgspec.msgpack.encode(values))


def _plain(name: str, value: Any) -> Any:
    """Write a value in one way, where there are several that mean the same."""
    if isinstance(value, list):
        value = ",".join(map(str, value))
    text = "" if value is None else str(value).strip()
    try:
        if name in ("price", "sale_price") and text:
            amount, currency = text.split()
            return f"{Decimal(amount).normalize():f} {currency}"
        if name == "sale_price_effective_date" and text:
            return [datetime.fromisoformat(end).astimezone(UTC).isoformat() for end in text.split("/")]
    except (ValueError, ArithmeticError):
        return text
    return ",".join(map(str.strip, text.split(","))) if name == "additional_image_link" else text
