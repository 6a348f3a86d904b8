"""Show the guard, and say what it would refuse."""

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from ..config.guard import KEYS
from ..config.profiles import GUARD
from ..console.invocation import Invocation
from ..console.options import HANDED_ON, CommandLine, words_of
from ..console.parameters import argument
from ..console.shown import Result, shows
from ..console.writes import ask_guard
from ..errors import UsageError
from ..output.text import shell_command
from .runs.options import ShownOptions, with_options

if TYPE_CHECKING:
    from ..fleet.check import ParsedLine

INHERITED = (*HANDED_ON, "yes", "quiet", "verbose", "debug")  # by the command that is judged


class LimitRecord(TypedDict):
    """A limit that holds, and where it stands."""

    key: str
    value: str
    source: str


LIMITS = Result(LimitRecord, "key")


@shows(LIMITS)
@with_options(shown=ShownOptions)
def show(ctx: typer.Context, *, shown: ShownOptions) -> None:
    """Show the limits that hold, and where each stands.

    They are in the profile (adsctl guard set max_daily_budget=100EUR), in /etc/xdg/adsctl/guard.yaml and in
    the file that ADSCTL_GUARD names; the strictest holds. Loosening one of a profile asks on a terminal, and
    --yes does not answer.

    For example: adsctl guard show
    """
    call = Invocation.of(ctx)
    records: list[LimitRecord] = [
        {"key": limit.key, "value": limit.text, "source": limit.source}
        for limit in call.writes.guard.guard.strictest()
    ]
    shown.show(call, records, LIMITS.columns, "limits", LIMITS.key)
    if not records:
        call.messages.say("nothing is limited")


def set_limits(
    ctx: typer.Context,
    limits: Annotated[list[str], argument("KEY=VALUE...", f"Keys: {', '.join(KEYS)}")],
) -> None:
    """Set limits of the profile in use; KEY= removes one.

    Loosening one asks on a terminal, and --yes does not answer. 'adsctl guard show' shows what holds.

    For example: adsctl guard set max_daily_budget=100EUR --profile shop
    """
    from .auth.profile import set_values

    named = [limit if limit.startswith(GUARD) else f"{GUARD}{limit}" for limit in limits]
    set_values(ctx, Invocation.of(ctx).settings.profile, named)


def check(
    ctx: typer.Context,
    words: Annotated[list[str], argument("COMMAND...", "A command line after --, which is not run")],
) -> None:
    """Say whether the guard would refuse a command, which sends nothing that changes anything.

    It ends as that command would: with 12 where it is refused. Of a fleet it judges the command lines, as
    `fleet run` does before it runs any. What each task sends is judged when it is run.

    For example: adsctl guard check -- campaigns delete 8wkt0
    """
    from .fleet.plan import parse_line, plan_fleet

    call = Invocation.of(ctx)
    words = words[1:] if words[0] == "adsctl" else words
    if not words:
        raise UsageError("name the command to check", hint="adsctl guard check --help")
    tree = ctx.find_root().command
    line = CommandLine([*words_of(call.flags, INHERITED), "--dry-run", *words], host=call.parsed.host)
    line.mask = call.mask
    named = str(line.options.get("profile"))
    if line.names_profiles and named not in (call.settings.read_config().get("profiles") or {}):
        hint = f"{shell_command(['adsctl', '--profile', named])} guard check -- COMMAND"
        raise UsageError("--profile of the command names several: each is checked by itself", hint=hint)
    parsed = parse_line(tree, line.words)
    if parsed.command == "fleet run":
        params = parsed.params
        here, skips = params["engine"] == "local", params["skip_signed_out"]
        may_be_signed_out = params["may_be_signed_out"]
        file, only = params["file"], params["only"]
        plan_fleet(call, tree, file, only, here=here, skips=skips, may_be_signed_out=may_be_signed_out)
        call.messages.say(
            "the guard refuses none of its tasks by its command line; their amounts were not asked"
        )
        return
    if _may_change(tree, parsed):
        ask_guard(tree, line)
    call.messages.say("the guard refuses nothing of it")


def _may_change(tree: Any, parsed: "ParsedLine") -> bool:
    """Whether a command line may change something at a service."""
    from ..fleet.commands import FleetCommands, is_write

    commands = FleetCommands(tree)
    try:
        name = commands.name_in(tuple(parsed.command.split()))
    except UsageError:  # auth, emulator and others that no fleet runs
        return False
    return is_write(name, commands[name], parsed.params)
