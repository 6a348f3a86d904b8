"""Complete rows that have some fields of a product by what the catalog has of it."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ...feeds.conversion.conversion import Conversion
from ...feeds.rows import Row
from .listed_products import ListedProducts

NOT_IN_CATALOG = "is not in the catalog"


class Completion(Conversion):
    """Converts the rows of a file, and then adds the fields that the catalog has and the file does not."""

    def __init__(self, conversion: Conversion | None, listing: Path, fields: Collection[str]) -> None:
        given = conversion or Conversion(())
        super().__init__(given.steps, given.keep, given.fixes)
        self._path = listing
        self._fields = fields  # of which the file has the whole truth: where a row lacks one, it is emptied
        self._listing: ListedProducts | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the database out: another process opens it again."""
        return {**vars(self), "_listing": None}

    @property
    def has_steps(self) -> bool:
        """Tell that every row is converted."""
        return True

    def apply(self, row: Row) -> None:
        """Convert a row, and complete it."""
        super().apply(row)
        if row.problem or row.left_out:
            return
        id = str(row.values.get("id", ""))
        self._listing = self._listing or ListedProducts.open(self._path)
        listed = self._listing.find([id]).get(id)
        if listed is None:
            row.problem = f"{id!r} {NOT_IN_CATALOG}" if id else "has no id"
            return
        for name, value in listed.values.items():
            if name not in self._fields:
                row.values.setdefault(name, ",".join(value) if isinstance(value, list) else value)
