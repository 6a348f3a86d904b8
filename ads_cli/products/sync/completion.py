"""Complete rows that have some fields of a product by what the catalog has of it."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ...feeds.conversion.conversion import Conversion
from ...feeds.rows import Row
from .listed_products import Listed, ListedProducts

NOT_IN_CATALOG = "is not in the catalog"
OR_HIDDEN = ", or is a variant that the service does not list"


class Completion(Conversion):
    """Converts the rows of a file, and then adds the fields that the catalog has and the file does not."""

    def __init__(self, conversion: Conversion | None, listing: Path, fields: Collection[str]) -> None:
        given = conversion or Conversion(())
        super().__init__(given.steps, given.keep, given.fixes)
        self._path = listing
        self._fields = fields  # of which the file has the whole truth: where a row lacks one, it is emptied
        self._listing: ListedProducts | None = None
        self._unlisted = ""  # what is said of an id that is not listed

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
        listed = self._find(id)
        if listed is None:
            row.problem = f"{id!r} {self._unlisted}" if id else "has no id"
            return
        for name, value in listed.values.items():
            if name not in self._fields:
                row.values.setdefault(name, ",".join(value) if isinstance(value, list) else value)

    def _find(self, id: str) -> Listed | None:
        if self._listing is None:
            self._listing = ListedProducts.open(self._path)
            self._unlisted = NOT_IN_CATALOG + OR_HIDDEN * self._listing.may_hide_variants()
        return self._listing.find([id]).get(id)
