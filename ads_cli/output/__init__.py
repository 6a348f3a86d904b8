"""Results on stdout and messages on stderr; knows nothing of the service."""

from typing import NamedTuple

# The formats of results, and what `help formats` says of each.
FORMATS = {
    "table": "aligned columns; the default on a terminal",
    "tsv": "a header, then tab-separated lines; the default in a pipe",
    "csv": "a header, then comma-separated lines",
    "json": "the response's data, unchanged, as one document (pages merged)",
    "jsonl": "one line of JSON for each record",
    "yaml": "the same as json, in YAML",
    "ids": "the id of each record, one per line, for the next command",
    "none": "nothing",
}
COLORS = ("auto", "always", "never")


class Presentation(NamedTuple):
    """How one invocation shows results and messages."""

    format: str | None = None  # None: table on a terminal, tsv elsewhere
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
