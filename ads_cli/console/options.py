"""The common options: accepted by every command, before or after the subcommand."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..api.names import SERVICES
from ..output import COLORS, FORMATS


class CommonOption(NamedTuple):
    """An option of every command; without a metavar it is a flag."""

    name: str
    names: tuple[str, ...]
    help: str
    metavar: str = ""
    in_root_help: bool = False  # `adsctl --help` shows these only


COMMON_OPTIONS = (
    CommonOption(
        "profile",
        ("--profile", "-p"),
        "The profile to use; each of them for 'shop-*' or A,B",
        "NAME",
        in_root_help=True,
    ),
    CommonOption(
        "service",
        ("--service",),
        "The service: generic, or x, the platform's own names and addresses",
        "NAME",
    ),
    CommonOption(
        "env_file", ("--env-file",), "Read ADSCTL_ variables from a file, a NAME=VALUE in each line", "FILE"
    ),
    CommonOption(
        "account", ("--account", "-A"), "The advertising account to work in", "ID", in_root_help=True
    ),
    CommonOption(
        "output",
        ("--output", "-o"),
        "Format of results; see 'adsctl help formats'",
        "FORMAT",
        in_root_help=True,
    ),
    CommonOption("to", ("--to",), "Write the result to this workbook: FILE.xlsx, with types", "FILE.xlsx"),
    CommonOption("columns", ("--columns",), "Columns of table, tsv, csv and xlsx, by commas", "A,B"),
    CommonOption(
        "csv_safe", ("--csv-safe",), "In csv, put ' before cells that a spreadsheet would calculate"
    ),
    CommonOption("query", ("--query",), "A JMESPath expression, applied to what json would show", "JMESPATH"),
    CommonOption("sandbox", ("--sandbox",), "Use the profile's sandbox address"),
    CommonOption("yes", ("--yes", "-y"), "Do not ask for confirmation", in_root_help=True),
    CommonOption(
        "dry_run",
        ("--dry-run",),
        "Show what would be sent; change nothing",
        in_root_help=True,
    ),
    CommonOption(
        "quiet",
        ("--quiet", "-q"),
        "No progress, no notes; errors and warnings of results stay",
        in_root_help=True,
    ),
    CommonOption("verbose", ("--verbose", "-v"), "Show progress details on stderr"),
    CommonOption("debug", ("--debug",), "Show all HTTP on stderr, with secrets masked"),
    CommonOption(
        "timeout", ("--timeout",), "Longest wait for one response: 30s (default), 500ms, 2m", "DURATION"
    ),
    CommonOption("max_attempts", ("--max-attempts",), "Most attempts of one request (default 6)", "N"),
    CommonOption(
        "max_wait",
        ("--max-wait",),
        "Longest silence of the service, timeouts included (default 15m)",
        "DURATION",
    ),
    CommonOption("log_file", ("--log-file",), "Append a log to a file, as JSON lines", "FILE"),
    CommonOption(
        "on_failure", ("--on-failure",), "Run this where adsctl fails; it reads the summary as JSON", "CMD"
    ),
    CommonOption(
        "on_failure_env",
        ("--on-failure-env",),
        "Secret variables that --on-failure gets, by commas",
        "NAMES",
    ),
    CommonOption("color", ("--color",), "Use color: auto, always or never", "WHEN"),
)
CATALOG_OPTION = CommonOption("catalog", ("--catalog",), "The product catalog to work in", "ID")
CATALOG_GROUPS = ("catalog", "products")  # the groups that accept --catalog
ALL_OPTIONS = (*COMMON_OPTIONS, CATALOG_OPTION)
CHOICES = {"service": tuple(SERVICES), "output": FORMATS, "color": COLORS}
FOR_CRON = {
    "push",
    "update",
    "sync",
    "diff",
    "run",
    "plan",
    "apply",
}  # commands that run unattended
NESTED_METAVAR = "JSON|@FILE"


def common_options(path: tuple[str, ...]) -> tuple[CommonOption, ...]:
    """List the common options of the command at `path`; the root has the path ()."""
    return ALL_OPTIONS if not path or path[0] in CATALOG_GROUPS else COMMON_OPTIONS


def shown_options(path: tuple[str, ...]) -> set[str]:
    """Name the common options that the help of a custom command shows."""
    shown = {
        "account": path[0] == "cards",
        "catalog": path[0] in CATALOG_GROUPS,
        "on_failure": path[-1] in FOR_CRON,
        "on_failure_env": path[-1] in FOR_CRON,
    }
    return {name for name, is_shown in shown.items() if is_shown}


def completes_from(choices: Iterable[str]) -> Callable[[Any, list[str], str], list[str]]:
    """Return an autocompletion callback that offers `choices`."""
    return lambda ctx, args, incomplete: list(choices)


def store_common_option(context: Any, parameter: Any, value: Any) -> None:
    """Store the value of a common option for the command that will run; the innermost wins."""
    if value not in (None, False) and context.obj is not None and parameter.name not in context.obj.fixed:
        context.obj.parsed_options[parameter.name] = value
