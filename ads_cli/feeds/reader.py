"""Open a feed: find its format and read its rows."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from ..errors import UsageError
from .decoding import UTF_8, check_encoding
from .location import InMemory, parse_location
from .registry import (
    FORMATS,
    SNIFF_BYTES,
    by_content,
    find_readable,
    load_class,
    readable_formats,
    unknown_format,
)
from .rows import Rows
from .source import Source


def open_source(
    file: str, format: str | None = None, encoding: str = UTF_8, *, default_format: str | None = None
) -> Source:
    """Open a FILE argument in the format that `--format`, its name or its content tells.

    Raises UsageError if it cannot be opened, or nothing tells the format.
    """
    location = parse_location(file)
    name = location.file_name
    found = find_readable(name or "", format)
    check_encoding(encoding)
    if found is None and name is None:
        raise UsageError(
            f"{location.label} has no name that tells its format",
            hint=f"add --format {'|'.join(readable_formats())}",
        )
    source = Source(location, found or FORMATS[default_format or "lines"], encoding)
    if found is None:
        detected = by_content(source.head(SNIFF_BYTES))
        if detected is None and default_format is None:
            raise unknown_format(name or "", readable_formats())
        source.format = detected or source.format
    return source


def open_values(values: Iterable[str]) -> Source:
    """Make a source of values from the command line, each in a line of its own."""
    lines = list(values)
    if invalid := [line for line in lines if len(line.splitlines()) != 1]:
        raise UsageError(f"{invalid[0]!r} is not a valid value: it is empty or contains a line break")
    if repeated := [line for line, count in Counter(lines).items() if count > 1]:
        raise UsageError(f"{repeated[0]!r} is repeated", hint="name each once")
    content = "".join(f"{line}\n" for line in lines).encode(errors="replace")
    return Source(InMemory(content, "command line"), FORMATS["arguments"])


def open_value_list(
    file: str, format: str | None = None, encoding: str = UTF_8, *, columns: Collection[str]
) -> Source:
    """Open a file of values: a feed with one of `columns` or more, or a value in each line."""
    from .formats.csv import is_value_list

    source = open_source(file, format, encoding, default_format="csv")
    if source.format.name == "csv" and is_value_list(source, columns):
        source.format = FORMATS["lines"]
    return source


def read_rows(
    source: Source,
    *,
    roots: tuple[str, ...],
    known: Collection[str],
    rename: Mapping[str, str] | None = None,
) -> Rows:
    """Read the rows of a source with the reader of its format."""
    reader: type[Rows] = load_class(source.format.reader)
    return reader(source, roots, known, {} if rename is None else rename)
