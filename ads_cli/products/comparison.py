"""Compare a feed with the listing of its catalog."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from ..output.text import counted
from .digest_index import DIGEST_BYTES, ID_BYTES, Changes, DigestIndex, id_hash, product_digest
from .schema import FIELDS

GENERATED = ("product_key", "item_group_key")  # by the service
COMPARED = tuple(name for name in FIELDS if name not in GENERATED)
GROUP_PREFIX = "\0"  # tells the id of a group from that of a product


class Comparison:
    """Compares products with a listing, field by field; hidden variants cannot be compared."""

    def __init__(self, listing: Iterable[Mapping[str, Any]]) -> None:
        self._found: Counter[str] = Counter()
        changes = Changes()
        for product in listing:
            changes.add(_digest(product))
            if group := product.get("item_group_id"):
                changes.add(id_hash(f"{GROUP_PREFIX}{group}") + bytes(DIGEST_BYTES - ID_BYTES))
        self._listed = DigestIndex.of(changes)

    def matches(self, item: Any) -> bool:
        """Tell whether the catalog has the item as it is, as far as the listing shows, and count it."""
        result = self._compare(item)
        self._found[result] += 1
        return result in ("same", "hidden")

    @property
    def counts(self) -> dict[str, int]:
        """Count the products that differ, that are missing, and that the listing hides."""
        return {name: self._found[name] for name in ("differing", "missing", "hidden")}

    @property
    def message(self) -> str:
        """Describe the result."""
        found = self._found
        hidden = f"; {counted(found['hidden'], 'variant')} hidden by the listing, not compared"
        return (
            f"compared with the catalog: {found['same']:,} the same, {found['differing']:,} differing, "
            f"{found['missing']:,} missing{hidden if found['hidden'] else ''}"
        )

    def _compare(self, item: Any) -> str:
        digest = _digest(msgspec.structs.asdict(item))
        if self._listed.contains(digest):
            return "same"
        if self._listed.contains(digest[:ID_BYTES]):
            return "differing"
        group = item.item_group_id
        return "hidden" if group and self._listed.contains(id_hash(f"{GROUP_PREFIX}{group}")) else "missing"


def _digest(product: Mapping[str, Any]) -> bytes:
    """Return the digest of a product's values, each in its normal form."""
    values = [_normalized(name, product.get(name)) for name in COMPARED]
    return product_digest(str(product.get("id")), msgspec.msgpack.encode(values))


def _normalized(name: str, value: Any) -> Any:
    """Return the one form of values that mean the same."""
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
