"""Results on stdout and messages on stderr; knows nothing of the service."""

from typing import NamedTuple


class OutputFormat(NamedTuple):
    """A format of results. Its writers are named as text, so that help texts import none of them."""

    help: str
    records: str  # what writes records: a function of `records.py`; "" of a table, which `table.py` lays out
    document: str = ""  # what writes a whole response: another one; "" if the format holds records only
    has_columns: bool = False  # shows fields of records; otherwise whole records, or their ids
    streams: bool = False  # writes records one by one, without holding them all
    is_binary: bool = False  # bytes, only in a file; cells have types


FORMATS = {
    "table": OutputFormat("aligned columns; the default on a terminal", "", has_columns=True),
    "tsv": OutputFormat(
        "a header, then tab-separated lines; the default in a pipe",
        "write_tsv",
        has_columns=True,
        streams=True,
    ),
    "csv": OutputFormat("a header, then comma-separated lines", "write_csv", has_columns=True, streams=True),
    "xlsx": OutputFormat(
        "a workbook, in the file that --to names",
        "write_workbook",
        has_columns=True,
        streams=True,
        is_binary=True,
    ),
    "json": OutputFormat(
        "the response's data, unchanged, as one document (pages merged)", "write_json", "write_as_json"
    ),
    "jsonl": OutputFormat("one line of JSON for each record", "write_jsonl", "write_as_jsonl", streams=True),
    "yaml": OutputFormat("the same as json, in YAML", "write_yaml", "write_as_yaml"),
    "ids": OutputFormat(
        "the id of each record, one per line, for the next command", "write_ids", streams=True
    ),
    "none": OutputFormat("nothing", "write_nothing", "write_nothing"),
}
COLORS = ("auto", "always", "never")


class ResultShape(NamedTuple):
    """How the records of a result are shown where a format has columns or ids."""

    columns: tuple[str, ...]
    key: str  # the field that `ids` prints
    others: tuple[str, ...] = ()  # further fields that --columns may name
    asked: tuple[str, ...] = ()  # the columns that a table shows in any case


class Progress(NamedTuple):
    """How much of what is being done is done."""

    activity: str  # such as "Pushing products"
    done: int
    total: int | None  # None where it is not known


class Presentation(NamedTuple):
    """How one invocation shows results and messages."""

    format: str | None = None  # None: table on a terminal, tsv elsewhere
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
