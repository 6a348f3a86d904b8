"""The topics of `adsctl help`, each derived from the table that the program itself uses."""

from collections.abc import Callable, Iterable
from typing import Any

from ..config.environment import CONFIG_FILES, ENVIRONMENT, STATE_FILES
from ..config.settings import Settings
from ..errors import EXIT_CODES, SIGNAL_EXIT_CODES
from ..feeds.registry import one_of, readable_formats
from ..output import FORMATS
from ..output.text import safe
from .options import ALL_OPTIONS

Formatter = Any  # of Typer: writes text as wide as the terminal

FORMATS_TEXT = """\
--columns a,b chooses the columns of table, tsv, csv and xlsx. --query takes a JMESPath expression, applied to
what json would show. --csv-safe puts an apostrophe before cells of csv that a spreadsheet would calculate.
--envelope shows the whole response in json, yaml and jsonl; --query then applies to the whole."""

EXIT_CODES_TEXT = """\
With -o json the last line on stderr is {"error": {"code", "exit_code", "http_status", "api_code", "message",
"hint", "retryable"}}."""

ENVIRONMENT_TEXT = """\
An option outranks the environment, which outranks the profile. A profile named by --profile outranks the
addresses, secrets, account and catalog of the environment; the profile local, the emulator on this machine,
ignores them."""

FILES_TEXT = f"""\
Feeds and customer lists are {one_of(map(str.upper, readable_formats()))}, each also compressed (gzip,
bzip2, xz, zstd, or zip with one file); - is standard input (with --format). A YAML or JSON document is a
list, or a mapping with the single key products or users. XML is RSS, Atom, or any element that is repeated.
An empty cell is a value that is not given."""

REMOVAL_TEXT = """\
To leave nothing behind, run for each profile adsctl auth logout, which revokes its token, and adsctl profile
remove, which removes its secrets from the keyring; then remove these folders."""


def write_options(formatter: Formatter) -> None:
    """List the common options."""
    formatter.write_text("Accepted before or after the subcommand; the innermost wins.")
    rows = [(f"{', '.join(option.names)} {option.metavar}".strip(), option.help) for option in ALL_OPTIONS]
    _write_table(formatter, rows)


def write_formats(formatter: Formatter) -> None:
    """List the formats of results."""
    _write_table(formatter, ((name, format.help) for name, format in FORMATS.items()))
    _write_paragraph(formatter, FORMATS_TEXT)


def write_exit_codes(formatter: Formatter) -> None:
    """List the exit codes."""
    rows = [(f"{code:>3}", meaning) for code, meaning in EXIT_CODES.items()]
    rows += [(f"{code}", f"stopped by {signal}") for code, signal in SIGNAL_EXIT_CODES.items()]
    _write_table(formatter, rows)
    _write_paragraph(formatter, EXIT_CODES_TEXT)


def write_environment(formatter: Formatter) -> None:
    """List the environment variables."""
    for names, help in ENVIRONMENT.items():
        with formatter.indentation():
            formatter.write_text(", ".join(names))
            with formatter.indentation():
                formatter.write_text(help)
    _write_paragraph(formatter, ENVIRONMENT_TEXT)


def write_files(formatter: Formatter) -> None:
    """List the files that adsctl reads and writes, in the folders of this machine."""
    formatter.write_text(FILES_TEXT)
    settings = Settings({})
    for what, variable, folder, files in (
        ("Configuration", "ADSCTL_CONFIG_DIR", settings.config_dir, CONFIG_FILES),
        ("State", "ADSCTL_STATE_DIR", settings.state_dir, STATE_FILES),
    ):
        _write_paragraph(formatter, f"{what} ({variable}) is in")
        formatter.write(f"{safe(str(folder))}\n")  # never wrapped: it is copied
        _write_table(formatter, files.items())
    _write_paragraph(formatter, REMOVAL_TEXT)


TOPICS: dict[str, Callable[[Formatter], None]] = {
    "options": write_options,
    "formats": write_formats,
    "exit-codes": write_exit_codes,
    "environment": write_environment,
    "files": write_files,
}
# The topics that are lists, shown in the format of -o.
ENDPOINTS_TOPIC, FIELDS_TOPIC, METRICS_TOPIC, RULES_TOPIC = "endpoints", "fields", "metrics", "rules"
RULE_TOPIC = "rule"  # takes the code of one
ALL_TOPICS = (*TOPICS, ENDPOINTS_TOPIC, FIELDS_TOPIC, METRICS_TOPIC, RULES_TOPIC, RULE_TOPIC)


def _write_paragraph(formatter: Formatter, text: str) -> None:
    formatter.write_paragraph()
    formatter.write_text(text)


def _write_table(formatter: Formatter, rows: Iterable[tuple[str, str]]) -> None:
    if formatter.getvalue():
        formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_dl(list(rows))
