"""Print a page for assistants that run adsctl as a command: `skill.md` with what the program knows."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import typer

from ...console.help_topics import ALL_TOPICS, ENVIRONMENT_TEXT, EXIT_CODES_TEXT, FORMATS_TEXT
from ...console.options import COMMON_OPTIONS, IN_ROOT_HELP
from ...errors import EXIT_CODES, SIGNAL_EXIT_CODES
from ...output import FORMATS

# The commands whose examples are shown; a test runs them.
EXAMPLES = (
    *("accounts list", "campaigns list", "campaigns tree", "line-items list", "stats get"),
    *("targeting search", "campaigns create", "campaigns update", "products check", "products diff"),
    *("products push", "audiences check", "jobs list"),
)


def skill(ctx: typer.Context) -> None:
    """Print a page for assistants that run adsctl.

    It has the contract with scripts, how to find a command, and how to change something safely. It is
    a skill: a file with a name and a description, which assistants load when they need it.

    For example: adsctl skill
    """
    from ...reference import describe_command

    root: Any = ctx.find_root().command
    shown = [option for option in COMMON_OPTIONS if option.name in IN_ROOT_HELP]
    signals = {code: f"stopped by {name}" for code, name in SIGNAL_EXIT_CODES.items()}
    page = (files(__package__) / "skill.md").read_text(encoding="utf-8")
    filled = page.format(
        summary=describe_command(root, ()).summary,
        options=_table((f"`{', '.join(option.names)}`", option.help) for option in shown),
        formats=", ".join(
            f"{name} (with --to FILE.{name})" if form.is_binary else name for name, form in FORMATS.items()
        ),
        formats_text=FORMATS_TEXT,
        environment_text=ENVIRONMENT_TEXT,
        topics=", ".join(ALL_TOPICS),
        groups=_table((f"`{name}`", root.commands.summary(name)) for name in root.commands),
        exit_codes=_table((str(code), meaning) for code, meaning in {**EXIT_CODES, **signals}.items()),
        exit_codes_text=EXIT_CODES_TEXT,
        examples="\n".join(describe_command(root, tuple(name.split())).example for name in EXAMPLES),
    )
    print(filled, end="")


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows)])
