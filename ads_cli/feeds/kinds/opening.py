"""Open a feed as one of the kind that --from and --mapping name, or that its columns tell."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ...errors import ContentError, UsageError
from ...suggestions import suggestion
from ..rows import Rows
from .column_names import folded
from .detection import FIRST_RECORDS, Choices, detect_kind
from .kind import FeedKind, merged
from .loading import KINDS, built_in, load_mapping
from .reading import AsKind, Read, read_as

AUTO, GENERIC = "auto", "generic"
FROM = (AUTO, GENERIC, *KINDS)
NO_KIND = FeedKind()


class OpenedFeed(NamedTuple):
    """The rows of a feed, and the kind that they are read as."""

    rows: Rows
    kind: FeedKind = NO_KIND
    name: str = ""  # of the built-in kind that it is or is like
    steps: tuple[AsKind, ...] = ()  # that come before all others
    remark: str = ""  # what was found out about the feed
    warning: str = ""  # what a mapping names, and the feed lacks


def open_feed(
    read: Read,
    mapped: Mapping[str, str],
    known: Collection[str],
    choices: Choices,
    *,
    source: str = AUTO,
    mapping: str | None = None,
) -> OpenedFeed:
    """Open a feed with a reader; `choices` are the values of fields that have few."""
    if source not in FROM:
        raise UsageError(f"--from: {source!r} is not one of {', '.join(FROM)}{suggestion(source, FROM)}")
    rows, remark, warning = read(mapped), "", ""
    own = load_mapping(mapping, known) if mapping else NO_KIND
    name = own.like if own.like and source == AUTO else source
    if name == GENERIC and not mapping:
        return OpenedFeed(rows)
    records = _first_records(rows)
    if name == AUTO:
        name = detect_kind(rows, records, known, choices) or GENERIC
        if name != GENERIC:
            title = built_in(name).title
            remark = f"{rows.source.label}: read as a {title} (--from {name}); if it is none: --from generic"
    if name == GENERIC and not mapping:
        return OpenedFeed(rows)
    if absent := _absent_columns(own, rows):
        warning = f"{mapping}: {rows.source.label} has no column {absent}"
    kind = own if name == GENERIC else merged(own, built_in(name))
    opened = read_as(kind, read, mapped, known, rows.columns)
    return OpenedFeed(opened, kind, name, (AsKind(kind, [*rows.columns]),), remark, warning)


def _absent_columns(mapping: FeedKind, rows: Rows) -> str:
    """List the columns of a mapping that a table does not have; a mapping may serve several feeds."""
    found = {folded(column) for column in rows.columns}
    absent = [column for column in mapping.columns if folded(column) not in found]
    named = (f"{column!r}{suggestion(column, rows.columns)}" for column in absent if rows.has_header)
    return ", ".join(named)


def _first_records(rows: Rows) -> Sequence[Mapping[str, Any]]:
    """Return the first records, after which the columns are known."""
    try:
        return [row.values for row in islice(rows, FIRST_RECORDS)]
    except ContentError:
        return []  # the reading that follows reports it
