"""The feed formats: names, extensions, content tests, readers and writers.

A new format is a module in `formats/` and a line in `FORMATS`. Classes and functions are named as text, so
that help texts and `--format` import none of them.
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import PurePath
from typing import Any, NamedTuple

from ..errors import UsageError

SNIFF_BYTES = 4096
STANDARD_OUTPUT = "standard output"


class FeedFormat(NamedTuple):
    """A feed format. One without extensions is internal: `--format` does not offer it."""

    name: str
    extensions: tuple[str, ...]
    reader: str  # a Rows, as module:class below `formats/`
    writer: str | None = None  # a RowWriter; None if the format can only be read
    matches: str | None = None  # a function that recognizes the first SNIFF_BYTES of the content
    # What matches is nothing else, whatever the file's name, and the reader finds out its encoding itself.
    is_self_describing: bool = False
    read_only: tuple[str, ...] = ()  # the extensions that are not written: a workbook with macros


FORMATS = {
    format.name: format
    for format in (
        FeedFormat("csv", (".csv",), "csv:CsvRows", "writers:CsvWriter", ":is_table"),
        FeedFormat("tsv", (".tsv", ".tab"), "csv:TsvRows", "writers:TsvWriter", ":is_tab_table"),
        FeedFormat("yaml", (".yaml", ".yml"), "yaml:YamlRows", "writers:YamlWriter"),
        FeedFormat("json", (".json",), "json:JsonRows", "writers:JsonWriter", ":is_json"),
        FeedFormat(
            "jsonl", (".jsonl", ".ndjson"), "json:JsonLinesRows", "writers:JsonLinesWriter", ":is_json_lines"
        ),
        FeedFormat(
            *("xml", (".xml", ".rss", ".atom"), "xml:XmlRows", "writers:XmlWriter", ":is_xml"),
            is_self_describing=True,
        ),
        FeedFormat(
            *("xlsx", (".xlsx", ".xlsm"), "xlsx:XlsxRows", "writers:XlsxWriter", ":is_workbook"),
            is_self_describing=True,
            read_only=(".xlsm",),
        ),
        FeedFormat(
            *("parquet", (".parquet",), "parquet:ParquetRows", None, ":is_parquet"), is_self_describing=True
        ),
        FeedFormat("lines", (), "csv:LineRows"),
        FeedFormat("arguments", (), "csv:ArgumentRows"),
    )
}


def readable_formats() -> list[str]:
    """List the formats that `--format` offers for reading."""
    return [format.name for format in FORMATS.values() if format.extensions]


def writable_formats() -> list[str]:
    """List the formats that have a writer."""
    return [format.name for format in FORMATS.values() if format.writer]


def one_of(names: Iterable[str]) -> str:
    """Join names for a sentence: `csv, tsv or yaml`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def find_readable(name: str, format: str | None = None) -> FeedFormat | None:
    """Find the format to read a file with, by `--format` or by its name; None if neither tells it."""
    return by_extension(name) if format is None else _named(format, readable_formats())


def find_writable(name: str, format: str | None = None) -> FeedFormat:
    """Find the format to write a file in, by `--format` or by its name; else raise UsageError."""
    names = writable_formats()
    _refuse_other_compression(name, name)
    writable = by_extension(name) if format is None else _named(format, names)
    if writable is None:
        raise unknown_format(name, names)
    if writable.writer is None or (format is None and _extension(name) in writable.read_only):
        shown = writable.name if writable.writer is None else _extension(name)
        raise UsageError(f"{name}: {shown} can be read but not written", hint=f"write {one_of(names)}")
    if writable.is_self_describing and name == STANDARD_OUTPUT and sys.stdout.isatty():
        raise UsageError(f"{writable.name} cannot be shown on a terminal", hint="name a file, or choose csv")
    return writable


def find_failed_out(path: str) -> FeedFormat:
    """Find the format of `--failed-out`; raise UsageError if it cannot be written.

    A name without an extension, such as `/dev/stdout` or `failed.2026-07-01`, is CSV.
    """
    _refuse_other_compression(path, f"--failed-out: {path}")
    extension = _extension(path)
    if not extension[1:2].isalpha():
        return FORMATS["csv"]
    writable = by_extension(path)
    if writable is None or writable.writer is None or extension in writable.read_only:
        raise UsageError(
            f"--failed-out: {path}: rows cannot be written as {extension}",
            hint=f"the extensions of formats that can be written are {_extensions(writable_formats())}",
        )
    return writable


def by_extension(name: str) -> FeedFormat | None:
    """Find a format by the extension of a file name, before those of compression: `feed.xml.gz.zip`."""
    extension = _extension(name)
    return next((format for format in FORMATS.values() if extension in format.extensions), None)


def by_content(head: bytes) -> FeedFormat | None:
    """Find a format by the first bytes of a file; those at the end of `FORMATS` are the most certain."""
    formats = reversed(FORMATS.values())
    return next((format for format in formats if format.matches and load(format.matches)(head)), None)


def load(reference: str) -> Any:
    """Import a reader, a writer or a function. `module:name` is below `formats/`, or absolute with a dot."""
    module, _, name = reference.partition(":")
    below = f"ads_cli.feeds.formats.{module}".removesuffix(".")
    return getattr(import_module(module if "." in module else below), name)


def unknown_format(name: str, names: list[str]) -> UsageError:
    """Make the error of a file whose format nothing tells; `names` are the formats to choose from."""
    return UsageError(
        f"cannot tell the format from the name {name!r}",
        hint=f"add --format {'|'.join(names)}, or use an extension: {_extensions(names)}",
    )


def _named(format: str, names: list[str]) -> FeedFormat:
    if format not in names:
        raise UsageError(f"--format: {format!r} is not one of {', '.join(names)}")
    return FORMATS[format]


def _extension(name: str) -> str:
    from .compression import COMPRESSED_EXTENSIONS

    path = PurePath(name)
    while path.suffix.lower() in COMPRESSED_EXTENSIONS:
        path = path.with_suffix("")
    return path.suffix.lower()


def _refuse_other_compression(name: str, label: str) -> None:
    """Raise UsageError for a name whose compression is not written."""
    from .compression import COMPRESSED_EXTENSIONS, WRITTEN_EXTENSION

    extension = PurePath(name).suffix.lower()
    if extension in COMPRESSED_EXTENSIONS and extension != WRITTEN_EXTENSION:
        hint = f"use {WRITTEN_EXTENSION}, or no compression"
        raise UsageError(f"{label}: {extension} can be read but not written", hint=hint)


def _extensions(names: list[str]) -> str:
    formats = map(FORMATS.__getitem__, names)
    return ", ".join(
        extension
        for format in formats
        for extension in format.extensions
        if extension not in format.read_only
    )
