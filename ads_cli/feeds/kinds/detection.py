"""Find out of which kind a feed is: by its columns, and by how the first records spell their values."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..rows import Rows
from .kind import FeedKind
from .loading import KINDS, built_in
from .spellings import spellings_of

FIRST_RECORDS = 25

Choices = Mapping[str, Collection[str]]  # field to its values
Record = Mapping[str, Any]


def detect_kind(rows: Rows, first: Sequence[Record], known: Collection[str], choices: Choices) -> str | None:
    """Name the kind that reads more of a feed than the names of its fields do; None if none does.

    No kind is loaded for a feed whose columns are fields, and whose values are spelled as they are sent.
    """
    spelled = [field for field, values in choices.items() if _most_differ(first, field, values)]
    unknown = [column for column, field in zip(rows.columns, rows.fields, strict=True) if field not in known]
    if not (unknown or spelled):
        return None
    for name in KINDS:
        kind = built_in(name)
        if kind.recognizes(rows.columns) and (
            any(kind.field_of(column, known) or column in kind.unsent for column in unknown)
            or any(_reads(kind, first, field) for field in spelled)
        ):
            return name
    return None


def _most_differ(records: Sequence[Record], field: str, values: Collection[str]) -> bool:
    """Tell whether most of the values of a field are spelled otherwise; one or two may be mistakes."""
    found = [record[field] for record in records if field in record]
    return sum(value not in values for value in found) * 2 > len(found)


def _reads(kind: FeedKind, records: Sequence[Record], field: str) -> bool:
    """Tell whether a kind knows how most of the values of a field are spelled."""
    spellings = spellings_of(kind.values)
    found = [record[field] for record in records if field in record]
    return sum(spellings.meaning(field, value) is not None for value in found) * 2 > len(found)
