"""Rows of formats whose records are mappings."""

from functools import cached_property
from typing import Any

from .rows import Row, Rows

MAX_KEYS = 10_000  # different keys of all records; they are kept in memory


class RecordRows(Rows):
    """Rows of a format whose records are mappings, which may each have other keys."""

    def row(self, line: int, record: Any, problem: str = "") -> Row:
        """Make a row of a decoded record."""
        if not isinstance(record, dict):
            actual = "a value" if self.sensitive else _describe(record)
            return Row(line, {}, problem or f"must be an object with fields, not {actual}")
        if not record.keys() <= self._field_by_key.keys():
            self._add_keys(record, line)
        values: dict[str, Any] = {}
        for key, value in record.items():
            if value is None or (isinstance(value, str) and (not value or value.isspace())):
                continue
            name = self._field_by_key[key]
            if name in values:
                other = next(other for other in record if self._field_by_key[other] == name)
                problem = problem or f"the keys {other!r} and {key!r} are both read as {name!r}"
            elif name not in self.ignored:
                values[name] = value
        return Row(line, values, problem)

    def _add_keys(self, record: dict[str, Any], line: int) -> None:
        """Add the new keys of a record to the columns."""
        new = [key for key in record if key not in self._field_by_key]
        for key in new:
            self._field_by_key[key] = self.rename.get(key.strip(), key.strip())
        if len(self._field_by_key) > MAX_KEYS:
            raise self.error(line, f"the records have more than {MAX_KEYS:,} different keys")
        self._columns.update((name, None) for key in new if (name := key.strip()) not in self.ignored)
        self.columns = tuple(self._columns)

    @cached_property
    def _field_by_key(self) -> dict[str, str]:
        return {}

    @cached_property
    def _columns(self) -> dict[str, None]:
        return {}

    @property
    def _root_names(self) -> str:
        return " or ".join(map(repr, self.roots))


def _describe(record: Any) -> str:
    if record is None:
        return "null"
    return "a list" if isinstance(record, list) else f"{str(record)[:40]!r}"
