"""The options that every command takes, before or after the subcommand: one table for all of them."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..output.presentation import COLORS, FORMATS


class Common(NamedTuple):
    """An option of every command; without a metavar it is a flag."""

    name: str
    declarations: tuple[str, ...]
    help: str
    metavar: str = ""


COMMON = (
    Common("profile", ("--profile", "-p"), "The profile to use", "NAME"),
    Common("account", ("--account", "-A"), "The advertising account to work in", "ID"),
    Common("output", ("--output", "-o"), "How to show results: see 'adsctl help formats'", "FORMAT"),
    Common("columns", ("--columns",), "Columns of table, tsv and csv, separated by commas", "A,B"),
    Common("csv_safe", ("--csv-safe",), "In csv, put ' before cells that a spreadsheet takes for formulas"),
    Common("query", ("--query",), "A JMESPath expression, applied to what json would show", "JMESPATH"),
    Common("sandbox", ("--sandbox",), "Use the profile's sandbox address"),
    Common("yes", ("--yes", "-y"), "Do not ask before something is destroyed"),
    Common("dry_run", ("--dry-run",), "Show the request that would change something, and send nothing"),
    Common("quiet", ("--quiet", "-q"), "Say nothing on stderr but errors"),
    Common("verbose", ("--verbose", "-v"), "Say what is done, on stderr"),
    Common("debug", ("--debug",), "Show all HTTP on stderr, with secrets masked"),
    Common("timeout", ("--timeout",), "Longest wait for one answer: 30s (default), 500ms, 2m", "DURATION"),
    Common("max_attempts", ("--max-attempts",), "Most tries of one request (default 6)", "N"),
    Common(
        "max_wait",
        ("--max-wait",),
        "Longest wait without progress, time-outs included (default 15m)",
        "DURATION",
    ),
    Common("log_file", ("--log-file",), "Append what is done to a file, as JSON lines", "FILE"),
    Common("color", ("--color",), "Use color: auto, always or never", "WHEN"),
)

# Accepted only where products are at hand.
CATALOG = Common("catalog", ("--catalog",), "The product catalog to work in", "ID")
CATALOG_GROUPS = ("catalog", "products")

NESTED_METAVAR = "JSON|@FILE"
OPTIONS_KEY = "ads_cli.options"  # where a Typer context keeps what was given
CHOICES = {"output": FORMATS, "color": COLORS}


def common_options(path: tuple[str, ...]) -> tuple[Common, ...]:
    """List the common options of the command at `path`; () is the root."""
    return (*COMMON, CATALOG) if not path or path[0] in CATALOG_GROUPS else COMMON


def completes_from(choices: Iterable[str]) -> Callable[[Any, list[str], str], list[str]]:
    """Return an autocompletion callback that offers `choices`."""
    return lambda context, words, incomplete: list(choices)


def store_common_option(context: Any, parameter: Any, value: Any) -> None:
    """Store the value of a common option for the command that will run; the innermost wins."""
    if value not in (None, False):
        context.meta.setdefault(OPTIONS_KEY, {})[parameter.name] = value
