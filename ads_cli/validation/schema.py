"""What the rows of a feed become, and which columns it has."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import msgspec

from ..api.fields import fields_of
from ..api.problems import Problem


class Advisor(Protocol):
    """Says how a problem can be fixed; picklable."""

    def advise(self, problem: Problem, values: dict[str, Any]) -> Problem:
        """Return a problem of a row with the fix for it, or the reason why none does."""


class RowSchema(NamedTuple):
    """One kind of feed; picklable, since worker processes validate by it."""

    struct: type[msgspec.Struct]  # what a row is converted to
    id_field: str  # unique within a file
    duplicate_message: str  # why
    required: tuple[str, ...]  # columns that a file must have
    known: tuple[str, ...]  # columns that a file may have; any other causes a warning
    encode: Callable[[Any], bytes]  # the JSON of a converted row
    roots: tuple[str, ...]  # what may be the only key of a document
    advisor: Advisor | None = None
    id_form: Callable[[str], str] = str  # equal for ids that the service may take for the same

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """Return the values of the fields that have few."""
        return {field.name: found for field in fields_of(self.struct) if (found := field.type.choices)}
