"""Open a feed: find its format and read its rows."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from ..errors import ContentError, UsageError
from .decoding import UTF_8, check_encoding
from .formats import PHP_HINT, decoded_head, is_web_page, other_file, php_message
from .locations import InMemory, Location, RemoteAccess, parse_location
from .registry import (
    FORMATS,
    SNIFF_BYTES,
    FeedFormat,
    by_content,
    by_extension,
    find_readable,
    load,
    readable_formats,
    unknown_format,
)
from .rows import FileRows
from .source import ReadOptions, Source


def open_source(
    file: str | Location,
    format: str | None = None,
    encoding: str = UTF_8,
    *,
    default_format: str | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    access: Callable[[], RemoteAccess] | None = None,
) -> Source:
    """Open a FILE argument in the format that `--format`, its content or its name tells.

    Raises UsageError if it cannot be opened, or nothing tells the format.
    """
    location = file if isinstance(file, Location) else parse_location(file, access)
    name = location.file_name
    readable = find_readable(name or "", format)
    check_encoding(encoding)
    if readable is None and name is None:
        raise UsageError(
            f"{location.label} has no name that tells its format",
            hint=f"add --format {'|'.join(readable_formats())}",
        )
    source = Source(location, readable or FORMATS[default_format or "lines"], encoding, options)
    head, member = source.head(SNIFF_BYTES)
    if words := php_message(decoded_head(head))[0]:
        raise ContentError(f"{source.label} begins with a message of PHP: {words}", hint=PHP_HINT)
    if format is None:
        source.read_as(_detect(source, head, member, readable, default_format))
    source.check_encoding(encoding)
    return source


def _detect(
    source: Source, head: bytes, member: str, named: FeedFormat | None, default_format: str | None
) -> FeedFormat:
    """Choose the format: a certain content, then the name, the name of a zip member, any content."""
    if is_web_page(head):
        hint = "look at it in a browser: it may ask to sign in, or say what is wrong"
        raise ContentError(f"{source.label} is a web page, not a feed", hint=hint)
    if other := other_file(head):
        hint = "export the table as CSV, or as a workbook (.xlsx)"
        raise ContentError(f"{source.label} is {other}, not a feed", hint=hint)
    detected = by_content(head)
    if detected and detected.is_self_describing:
        if named not in (None, detected):
            source.notes.append(f"read as {detected.name}, which it contains, whatever its name says")
        return detected
    if by_name := named or by_extension(member):
        return by_name
    if default_format:
        return FORMATS[default_format]
    if detected is None:
        raise unknown_format(source.location.file_name or "", readable_formats())
    return detected


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
    file: str,
    format: str | None = None,
    encoding: str = UTF_8,
    *,
    columns: Collection[str],
    access: Callable[[], RemoteAccess] | None = None,
) -> Source:
    """Open a file of values: a feed with one of `columns` or more, or a value in each line."""
    from .formats.csv import is_value_list

    source = open_source(file, format, encoding, default_format="csv", access=access)
    if source.format.name == "csv" and is_value_list(source, columns):
        source.read_as(FORMATS["lines"])
    return source


def read_rows(
    source: Source,
    *,
    roots: tuple[str, ...],
    known: Collection[str],
    rename: Mapping[str, str] | None = None,
) -> FileRows:
    """Read the rows of a source with the reader of its format."""
    reader: type[FileRows] = load(source.format.reader)
    return reader(source, roots, known, {} if rename is None else rename)
