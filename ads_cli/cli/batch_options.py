"""The options of a command that also takes a file of several records."""

from collections.abc import Iterator

from ..api.endpoint import Batch
from ..console.parameters import Option

ONCE_OPTIONS = ("resume", "uncertain")
BATCH_OPTIONS = ("format", "failed_out", "force", *ONCE_OPTIONS)
FORMATS = "csv, tsv, json, jsonl or yaml"


def file_help(batch: Batch) -> str:
    """Say how a file of several records is sent."""
    return f"several records, in a list or a table, are sent {batch.size} at a time; "


def batch_options() -> Iterator[Option]:
    """Make the options that say how several records are read and sent."""
    yield Option("format", "--format", metavar="FORMAT", help=f"{FORMATS} (default: by extension)")
    yield Option(
        "failed_out",
        "--failed-out",
        metavar="FILE",
        help="Write rejected records here, with _line and _error",
    )
    yield _flag("force", "Replace an existing file, whatever it holds")


def once_options(*, creates: bool) -> Iterator[Option]:
    """Make the options about an unfinished run with a file."""
    yield _flag("resume", "Resume the last unfinished run with this file")
    if creates:
        yield Option(
            "uncertain",
            "--uncertain",
            metavar="[skip|resend]",
            help="With --resume: what to do with records whose answer was lost, which may exist",
        )


def _flag(name: str, help: str) -> Option:
    return Option(name, f"--{name}", is_flag=True, help=help)
