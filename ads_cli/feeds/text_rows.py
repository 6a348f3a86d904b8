"""The rows of a table as texts, for what writes out a loop over them."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ContentError

if TYPE_CHECKING:
    from .locations import RemoteAccess


class TextRow(NamedTuple):
    """A row, whose values are all texts; one that is missing is empty."""

    line: int
    values: dict[str, str]


def read_text_rows(
    name: str, path: str, access: "Callable[[], RemoteAccess] | None" = None
) -> Iterator[TextRow]:
    """Read all rows of a table; raise UsageError or ContentError, which calls it by `name`."""
    from .reader import open_source, read_rows
    from .transforms import text_of

    source = open_source(path, access=access)
    source.may_name_encoding = False
    rows = read_rows(source, roots=(), known=())
    for row in rows:  # all have been read once the columns of records are known
        if row.problem:
            raise ContentError(f"{name}:{row.line}: {row.problem}")
    for row in rows:
        yield TextRow(row.line, {column: text_of(row.values.get(column)) for column in rows.fields})
