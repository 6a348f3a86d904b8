"""Reference material made from the command tree: docs/commands.md, man pages, completion scripts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..console.help_texts import continued, summary_line
from ..console.options import FILE_MARKS, NESTED_METAVAR, store_common_option

# What a parameter completes from; any other value lists the words themselves.
FILE, JSON_FILE, TEXT = "@file", "@json", "@text"
IDS = "@ids:"  # followed by the command group whose listed ids are offered
PROVIDERS = "measurement app-event-provider-configurations"
# The parameters that complete from recorded ids, beside the ids of declared requests: by what they name.
NOUNS = {
    "profiles": "profile to-profile",
    "accounts": "account granted-account to-account",
    "catalog": "catalog",
    "jobs": "job",
    "campaigns": "campaign",
    "line-items": "line-item",
    "funding-instruments": "funding-instrument",
    "audiences": "audience custom-audience any-of all-of",
    "audiences do-not-reach": "list",
    "audiences permissions": "tailored-audience-permission custom-audience-permission",
    "cards": "card",
    "card-uris": "card-uri",
    "media library": "media poster-media unlocked-image-media unlocked-video-media",
    "media account": "account-media",
    "promoted media": "media-creative",
    "posts": "post",
    "posts scheduled": "scheduled-post",
    "promoted posts": "promoted-post",
    "promoted accounts": "promoted-account",
    "promoted scheduled": "scheduled-promoted-post",
    "promoted call-to-actions": "preroll-call-to-action",
    "targeting": "targeting-criterion",
    "accounts curated-categories": "curated-category",
    "accounts promotable-users": "promotable-user",
    "users": "user as-user advertiser-user",
    "products": "product",
    "item-groups": "item-group",
    "measurement web-event-tags": "pixel event web-event-tag",
    "measurement app-event-tags": "app-event-tag",
    "measurement app-lists": "app-list",
    "measurement ab-tests": "ab-test",
    "tracking-tags": "tracking-tag",
    "webhooks": "webhook",
    "events": "subscription",
    "entities": "entity",
}
RECORDED_IDS = {noun: group for group, nouns in NOUNS.items() for noun in nouns.split()} | {
    "stats jobs list --job-ids": "stats jobs",
    "stats jobs get JOB_ID": "stats jobs",
    "campaigns copy IDS...": "campaigns",
    "campaigns pull --ids": "campaigns",
    f"{PROVIDERS} list --ids": PROVIDERS,
    "products delete ID...": "products",
    "products get ID...": "product-ids",
    "webhooks links create WEBHOOK_ID": "webhooks",
    "webhooks account-activity delete USER_ID": "users",
    "events connections delete [ID...]": "events connections",
    "changes show ID": "changes",
    "changes undo [ID...]": "changes",
    "changes undo --run": "jobs",
    "changes list --id": "entities",
    "stats get --ids": "entities",
    "stats export --ids": "entities",
    "profile use NAME": "profiles",
    "profile set NAME": "profiles",
    "profile remove NAME": "profiles",
}
OF_AN_ID = re.compile(r"-(?:ids?|keys?|uris)$")


class Parameter(NamedTuple):
    """An option or an argument."""

    names: tuple[str, ...]  # --output, -o; the metavar of an argument
    metavar: str
    help: str
    required: bool
    completes_from: str  # FILE, JSON_FILE, TEXT, IDS + group, the words to offer, or "" for a flag
    is_option: bool
    is_common: bool

    @property
    def is_repeated(self) -> bool:
        """Whether an argument takes any number of values."""
        return self.metavar.strip("[]").endswith("...")


class CommandDoc(NamedTuple):
    """A command or a group."""

    path: tuple[str, ...]
    help: str
    example: str  # a command line; "" for a group that is not a command
    usage: str
    subcommands: tuple[tuple[str, str], ...]  # name and summary
    options: tuple[Parameter, ...]
    arguments: tuple[Parameter, ...]

    @property
    def key(self) -> str:
        """The path as it is typed."""
        return " ".join(self.path)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Arguments and options, without the common options."""
        return (*self.arguments, *(option for option in self.options if not option.is_common))

    @property
    def summary(self) -> str:
        """The first line of the help."""
        return self.help.split("\n")[0].rstrip(".")


def describe_commands(root: Any) -> list[CommandDoc]:
    """List the root and every command below it; a group comes before its commands."""
    return list(_walk(root, (), None))


def describe_command(root: Any, path: tuple[str, ...]) -> CommandDoc:
    """Describe one command; others are not loaded."""
    command, parent = root, None
    for name in path:
        parent = command.context_class(command, info_name=command.name, parent=parent)
        command = command.commands[name]
    return next(_walk(command, path, parent))


def _walk(command: Any, path: tuple[str, ...], parent: Any) -> Iterator[CommandDoc]:
    settings = command.context_settings
    context = command.context_class(command, info_name=command.name, parent=parent, **settings)
    children = {name: command.get_command(context, name) for name in getattr(command, "commands", ())}
    parameters = [
        (param, _parameter(param, context, path))
        for param in command.params
        if not getattr(param, "is_alias", False)
    ]
    yield CommandDoc(
        path,
        (command.help or "").strip(),
        getattr(command, "example", ""),
        " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        tuple((name, summary_line(child)) for name, child in children.items()),
        tuple(described for param, described in parameters if param.param_type_name == "option"),
        tuple(described for param, described in parameters if param.param_type_name == "argument"),
    )
    for name, child in children.items():
        yield from _walk(child, (*path, name), context)


def _parameter(param: Any, context: Any, path: tuple[str, ...]) -> Parameter:
    is_option = param.param_type_name == "option"
    is_flag = bool(getattr(param, "is_flag", False))
    return Parameter(
        names=(*param.opts, *param.secondary_opts) if is_option else (param.metavar.strip("[]"),),
        metavar="" if is_flag else param.metavar,
        help=param.help or "",
        required=param.required,
        completes_from="" if is_flag else _completes_from(param, context, path),
        is_option=is_option,
        is_common=param.callback is store_common_option,
    )


def _recorded_group(param: Any, path: tuple[str, ...]) -> str | None:
    """Return what records the ids that a parameter names, by its place or by its name."""
    if param.param_type_name == "argument":
        names = [param.metavar, param.metavar.strip("[].").lower().replace("_", "-")]
    else:
        names = [*param.opts]
    for name in names:
        noun = OF_AN_ID.sub("", name.removeprefix("--"))
        if group := RECORDED_IDS.get(" ".join((*path, name))) or RECORDED_IDS.get(noun):
            return group
    return None


def _completes_from(param: Any, context: Any, path: tuple[str, ...]) -> str:
    request = getattr(context.command, "request", None)
    if group := RECORDED_IDS.get(" ".join((*path, str(param.metavar)))):
        return IDS + group
    if request and param.name == request.endpoint.id_field:
        return IDS + " ".join(path[:-1])
    if param.offers:
        return " ".join(param.offers)
    if group := _recorded_group(param, path):
        return IDS + group
    if param.metavar == NESTED_METAVAR:
        return JSON_FILE
    if param.metavar.strip("[].").partition(".")[0] in FILE_MARKS or param.convert is Path:
        return FILE
    return TEXT


def man_pages(commands: Sequence[CommandDoc]) -> dict[str, str]:
    """Return the man pages by file name."""
    return {f"{_name(command)}.1": "\n".join(_man_lines(command)) + "\n" for command in commands}


def _name(command: CommandDoc) -> str:
    return "-".join(("adsctl", *command.path))


def _man_lines(command: CommandDoc) -> Iterator[str]:
    yield f'.TH "{_name(command).upper()}" 1 "" "adsctl {__version__}"'
    yield ".ad l"  # left-aligned: a long list of choices has no blanks to justify
    yield from (".SH NAME", f"{_escaped(_name(command))} \\- {_escaped(command.summary)}")
    yield from (".SH SYNOPSIS", f".B {_escaped(command.usage)}", ".SH DESCRIPTION")
    yield from _paragraphs(command.help)
    if command.subcommands:
        yield ".SH COMMANDS"
        for name, summary in command.subcommands:
            yield from (".TP", f".B {_escaped(name)}", _escaped(summary))
    yield ".SH OPTIONS"
    for parameter in command.options if not command.path else command.parameters:
        yield from _in_man_page(parameter)
    if command.path:
        yield from (".PP", "Options of every command: see", ".BR adsctl (1).")
    if command.example:
        yield from (".SH EXAMPLE", ".nf", *map(_escaped, continued(command.example)), ".fi")


def _in_man_page(parameter: Parameter) -> Iterator[str]:
    metavar = f" {parameter.metavar}" if parameter.is_option and parameter.metavar else ""
    required = " (required)" if parameter.required else ""
    yield from (".TP", f".B {_escaped(', '.join(parameter.names) + metavar)}")
    yield _escaped(parameter.help + required) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from (".PP", *(_escaped(line) for line in paragraph.splitlines()))


def _escaped(text: str) -> str:
    """Escape backslashes, hyphens and a leading period for roff.

    A line may break after a bar: a list of many choices is longer than a line.
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("|", "|\\:")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


INTRODUCTION = """\
# Commands

Every command, as `--help` shows it. This page is generated by `make docs`.

## Options of every command

Accepted before or after the subcommand; the innermost wins.
"""
SHARED_HEADING = "Options of many commands"
SHARED_LINK = f"[As many commands](#{SHARED_HEADING.lower().replace(' ', '-')})"
SHARED_BY = 5  # commands that describe an option in the same words; the page then describes it once
ESCAPED_PIPE = "\\|"


def command_reference(commands: Sequence[CommandDoc]) -> str:
    """Return docs/commands.md."""
    return "\n".join(_lines(commands))


def _lines(commands: Sequence[CommandDoc]) -> Iterator[str]:
    root, *rest = commands
    shared = _shared_rows(rest)
    yield INTRODUCTION
    yield from _table(_row(option) for option in root.options if option.is_common)
    yield from (f"## {SHARED_HEADING}", "", "Each command names those that it takes.", "")
    yield from _table(sorted(shared))
    for command in rest:
        yield from (f"{'#' * (1 + min(len(command.path), 3))} adsctl {command.key}", "", command.help, "")
        if command.arguments:
            yield from (f"`{command.usage}`", "")
        yield from _table(row for row in map(_row, command.parameters) if row not in shared)
        if also := [option.names[0] for option in command.parameters if _row(option) in shared]:
            yield from (f"{SHARED_LINK}, it takes {', '.join(f'`{name}`' for name in also)}.", "")
        if command.example:
            yield from (f"For example: `{command.example}`", "")


def _shared_rows(commands: Sequence[CommandDoc]) -> set[str]:
    """Return the rows that many commands have in the same words, one for each name of an option."""
    counts = Counter(
        (option.names[0], _row(option))
        for command in commands
        for option in command.parameters
        if option.is_option and not option.required
    )
    rows: dict[str, str] = {}
    for (name, row), count in counts.most_common():
        if count >= SHARED_BY:
            rows.setdefault(name, row)
    return {*rows.values()}


def _table(rows: Iterable[str]) -> Iterator[str]:
    lines = [*rows]
    if lines:
        yield from ("| | |", "|---|---|", *lines, "")


def _row(parameter: Parameter) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.names)
    metavar = f" `{parameter.metavar}`" if parameter.is_option and parameter.metavar else ""
    required = " (required)" if parameter.required else ""
    cells = (f"{names}{metavar}", f"{parameter.help}{required}")
    return f"| {' | '.join(cell.replace('|', ESCAPED_PIPE) for cell in cells)} |"
