"""The help of commands and topics."""

from collections.abc import Collection
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Any, Literal, cast

import typer

from ..api.names import SERVICES
from ..config.settings import DEFAULTS
from ..console.aliases import ALIAS_MARK
from ..console.help_topics import (
    ALL_TOPICS,
    ENDPOINTS_TOPIC,
    FIELDS_TOPIC,
    METRICS_TOPIC,
    RULE_TOPIC,
    RULES_TOPIC,
    TOPICS,
)
from ..console.invocation import Invocation
from ..console.parameters import argument
from ..console.shown import Result, shows
from ..errors import AdsctlError, StateError, UsageError
from ..spelling import suggestion

ENDPOINTS = Result("ads_cli.reference.records:EndpointRecord", "command")
FIELDS = Result("ads_cli.reference.records:FieldRecord", "field")
METRICS = Result("ads_cli.statistics.derived:CatalogMetric", "metric")
RULES = Result("ads_cli.checks.explain:RuleRecord", "code")


@shows(ENDPOINTS, FIELDS, METRICS, RULES)
def show_help(
    ctx: typer.Context,
    names: Annotated[
        list[str] | None,
        argument(
            "[TOPIC|COMMAND...]", f"A group, a command, or one of {', '.join(ALL_TOPICS)}", offers=ALL_TOPICS
        ),
    ] = None,
) -> None:
    """Show the help of a command, or explain a topic.

    Some topics are lists, in the format of -o. endpoints has the command and the options of each endpoint.
    fields has what a feed may hold (fields products, fields users, fields do-not-reach), and the amounts that
    have a form in millionths (fields amounts). metrics has the metrics of stats. rules has those of accounts
    check, and rule D101 explains one.

    For example: adsctl help products push
    """
    path = names or []
    if path == [ENDPOINTS_TOPIC]:
        _show_endpoints(ctx)
    elif path == [METRICS_TOPIC]:
        _show_metrics(ctx)
    elif path == [RULES_TOPIC]:
        _show_rules(ctx)
    elif path[:1] == [RULE_TOPIC] and len(path) == 2:
        _show_rule(ctx, path[1])
    elif path == [RULE_TOPIC]:
        raise UsageError("rule: the code of a rule is required", hint="as in adsctl help rule D101")
    elif path[:1] == [FIELDS_TOPIC]:
        _show_fields(ctx, path[1:])
    elif len(path) == 1 and path[0] in TOPICS:
        formatter = ctx.make_formatter()
        TOPICS[path[0]](formatter)
        print(formatter.getvalue(), end="")
    elif not path:
        print(ctx.find_root().get_help())
        _show_aliases(ctx)
    elif path[0] not in _names(ctx) and path[0] in (added := _added(ctx)):
        print(f"{path[0]}  {added[path[0]]}")
    else:
        print(_command_context(ctx, path).get_help())


def _names(ctx: typer.Context) -> Collection[str]:
    """Return the commands and groups of the root."""
    root: Any = ctx.find_root().command
    return cast(Collection[str], root.commands)


def _added(ctx: typer.Context) -> dict[str, str]:
    """Describe the commands of the user, by their names; none where the settings cannot be read."""
    try:
        root: Any = ctx.find_root().command
        return dict(root.added(Invocation.of(ctx, is_help=True).settings))
    except AdsctlError:
        return {}


def _show_aliases(ctx: typer.Context) -> None:
    """List the aliases of the profile, below the commands."""
    formatter = ctx.make_formatter()
    aliases = [pair for pair in _added(ctx).items() if pair[1].startswith(ALIAS_MARK)]
    if aliases:
        with formatter.section("Aliases of the profile"):
            formatter.write_dl([(name, text.removeprefix(ALIAS_MARK)) for name, text in aliases])
        print(f"\n{formatter.getvalue()}", end="")


def _show_endpoints(ctx: typer.Context) -> None:
    from ..reference.records import ENDPOINT_COLUMNS, endpoint_records

    call = Invocation.of(ctx, is_help=True)
    records = list(endpoint_records(ctx.find_root().command, service_of(call)))
    call.printer.show(records, ENDPOINT_COLUMNS, ENDPOINTS.key)


def _show_fields(ctx: typer.Context, feeds: list[str]) -> None:
    """List the fields of feeds, or of all of them."""
    from ..reference.records import FIELD_COLUMNS, FIELD_DETAILS, FIELD_TOPICS, field_records

    if unknown := [name for name in feeds if name not in FIELD_TOPICS]:
        message = f"there is no feed {unknown[0]!r}{suggestion(unknown[0], FIELD_TOPICS)}"
        raise UsageError(message, hint=f"feeds: {', '.join(FIELD_TOPICS)}")
    call = Invocation.of(ctx, is_help=True)
    fields = {feed: list(field_records(feed, SERVICES[service_of(call)])) for feed in feeds or FIELD_TOPICS}
    if call.printer.draws:
        formatter = ctx.make_formatter()
        for feed, records in fields.items():
            with formatter.section(feed):
                formatter.write_dl([(record["field"], _described(record)) for record in records])
        print(formatter.getvalue(), end="")
    else:
        every = [record for records in fields.values() for record in records]
        call.printer.show(every, FIELD_COLUMNS, "field", FIELD_DETAILS)


def _show_metrics(ctx: typer.Context) -> None:
    """List the metrics of statistics, by group."""
    from ..statistics.derived import CatalogMetric, catalog_metrics

    call = Invocation.of(ctx, is_help=True)
    metrics = list(catalog_metrics(SERVICES[service_of(call)]))
    if not call.printer.draws:
        call.printer.show([metric._asdict() for metric in metrics], CatalogMetric._fields, "metric")
        return
    formatter = ctx.make_formatter()
    for group, own in groupby(metrics, key=attrgetter("group")):
        with formatter.section(group):
            formatter.write_dl(
                [
                    (own_metric.metric, "; ".join(filter(None, (own_metric.unit, own_metric.about))))
                    for own_metric in own
                ]
            )
    print(formatter.getvalue(), end="")


def _show_rules(ctx: typer.Context) -> None:
    """List the rules of `accounts check`, by subject."""
    from ..checks import registry
    from ..checks.explain import rule_record, subject

    call = Invocation.of(ctx, is_help=True)
    if not call.printer.draws:
        call.printer.show([rule_record(rule) for rule in registry.RULES], RULES.columns, RULES.key)
        return
    formatter = ctx.make_formatter()
    for title, own in groupby(registry.RULES, key=subject):
        with formatter.section(title):
            formatter.write_dl([(rule.code, f"{rule.severity.value}: {rule.summary}") for rule in own])
    print(formatter.getvalue(), end="")


def _show_rule(ctx: typer.Context, code: str) -> None:
    """Explain a rule of `accounts check`."""
    from ..checks.explain import explained, rule_record
    from ..checks.registry import rule_named

    call, rule = Invocation.of(ctx, is_help=True), rule_named(code)
    if call.printer.is_for_people:
        print(explained(rule))
    else:
        call.printer.show(rule_record(rule), RULES.columns, RULES.key)


def service_of(call: Invocation) -> str:
    """Return the service whose names are shown: the default one where the settings cannot be read."""
    try:
        return call.settings.service
    except StateError:
        return DEFAULTS["service"]


def _described(record: dict[str, Any]) -> str:
    """Describe a field of a feed in a line, which is wrapped."""
    required = "required" if record["required"] else ""
    values = ", ".join(record["values"] or ())
    limits = "; ".join(filter(None, (required, record["limits"], values)))
    return ". ".join(filter(None, (limits, " ".join(record["rules"] or ()))))


def _command_context(ctx: typer.Context, path: list[str]) -> Any:
    """Find a command; raise UsageError with the nearest command or topic."""
    context: Any = ctx.find_root()
    for position, name in enumerate(path):
        group = context.command
        names = list(getattr(group, "commands", ()))
        if name not in names:
            if not position and name in ALL_TOPICS:
                message = f"the topic {name!r} takes no further word: {' '.join(path[1:])}"
                raise UsageError(message, hint=f"adsctl help {name}")
            if position:
                message = f"{context.command_path!r} has no command {name!r}{suggestion(name, names)}"
            else:
                message = f"no command or topic {name!r}{suggestion(name, [*names, *ALL_TOPICS])}"
            raise UsageError(message, hint=f"adsctl {' '.join(['help', *path[:position]])}")
        command = group.commands[name]
        context = command.context_class(command, info_name=name, parent=context)
    return context


def completion(
    ctx: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish", "powershell"], argument("SHELL", "bash, zsh, fish or powershell")
    ],
) -> None:
    """Print the completion script of a shell.

    For example: adsctl completion bash > ~/.local/share/bash-completion/completions/adsctl
    """
    from ..reference import describe_commands
    from ..reference.completion import completion_script

    print(completion_script(shell, describe_commands(ctx.find_root().command)), end="")
