"""Results on stdout and messages on stderr; knows nothing of the service."""

from typing import NamedTuple


class OutputFormat(NamedTuple):
    """A format of results; `printer.py` has its writers."""

    help: str
    has_columns: bool = False  # shows fields of records; otherwise whole records, or their ids
    has_documents: bool = False  # can hold a whole response, and not only records
    streams: bool = False  # writes records one by one, without holding them all


FORMATS = {
    "table": OutputFormat("aligned columns; the default on a terminal", has_columns=True),
    "tsv": OutputFormat(
        "a header, then tab-separated lines; the default in a pipe", has_columns=True, streams=True
    ),
    "csv": OutputFormat("a header, then comma-separated lines", has_columns=True, streams=True),
    "xlsx": OutputFormat("a workbook, in the file that --to names", has_columns=True, streams=True),
    "json": OutputFormat(
        "the response's data, unchanged, as one document (pages merged)", has_documents=True
    ),
    "jsonl": OutputFormat("one line of JSON for each record", has_documents=True, streams=True),
    "yaml": OutputFormat("the same as json, in YAML", has_documents=True),
    "ids": OutputFormat("the id of each record, one per line, for the next command", streams=True),
    "none": OutputFormat("nothing", has_documents=True),
}
COLORS = ("auto", "always", "never")


class ResultShape(NamedTuple):
    """How the records of a result are shown where a format has columns or ids."""

    columns: tuple[str, ...]
    key: str  # the field that `ids` prints
    others: tuple[str, ...] = ()  # further fields that --columns may name


class Presentation(NamedTuple):
    """How one invocation shows results and messages."""

    format: str | None = None  # None: table on a terminal, tsv elsewhere
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
