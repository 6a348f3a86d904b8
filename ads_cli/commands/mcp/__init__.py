"""Serve assistants."""

import json
import os
import shutil
import sys
from typing import Annotated

import typer

from ...console.invocation import Invocation
from ...console.options import HANDED_ON, words_of
from ...console.parameters import flag, option
from ...installation import missing_extra
from ...output.text import Lines

# The options that every command of the server has; those of a result's shape are the assistant's.
INHERITED = (*HANDED_ON, "log_file")
MAX_WAIT = "60s"  # of a command that an assistant waits for, unless --max-wait says more


def mcp(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None, option("FOLDER", "Let it read feeds below this folder; may be repeated")
    ] = None,
    allow_urls: Annotated[bool, flag("Let it name feeds by public address, which are fetched")] = False,
    allow_writes: Annotated[
        bool, flag("Let it plan and apply changes; a guard must bound what may be spent in a day")
    ] = False,
) -> None:
    """Serve assistants by the Model Context Protocol.

    An assistant starts it, speaks to it through standard input and output, and reads what the profile may
    read. Without --allow-writes it changes nothing. It reads no file that is not below a folder of --files,
    and is shown no secret and nothing that identifies a person.

    For example: adsctl mcp --profile local
    """
    try:
        import mcp as sdk  # noqa: F401
    except ImportError:
        raise missing_extra("adsctl mcp", "mcp") from None
    from ...config.mandate import Mandate, limits_of, place_of
    from .child import Commands
    from .files import OpenFolders
    from .plans import require_money_limit
    from .privacy import ProfileSecrets
    from .reachable import Reachable
    from .results import ResultFiles
    from .server import ToolServer
    from .tools import Toolbox

    call = Invocation.of(ctx)
    root = ctx.find_root().command
    folders = OpenFolders(files or [], allow_urls=allow_urls)
    mandate, bound = Mandate(place=dict(place_of(call.settings))), ""
    if allow_writes:
        guard = call.writes.guard.guard
        bound = require_money_limit(guard, lambda: _currencies(call))
        mandate.guard = [*limits_of(guard)]
        call.messages.say(f"an assistant may change what this guard allows: {bound}")
    results = ResultFiles(call.settings.state_dir, call.mask, ProfileSecrets(call).learn)
    reachable = Reachable(root, call.settings.service, writes=allow_writes)
    flags = {"max_wait": MAX_WAIT, **call.flags}
    if file := flags.get("env_file"):
        flags["env_file"] = os.path.realpath(file)
    if not flags.get("profile"):  # 'profile use' changes it for others only
        os.environ["ADSCTL_PROFILE"] = call.settings.profile
    commands = Commands(words_of(flags, INHERITED), mandate)
    toolbox = Toolbox(call, reachable, commands, results, folders, allow_writes=allow_writes)
    if sys.stdin and sys.stdin.isatty():
        call.messages.say(_how_to_connect(call))
    try:
        ToolServer(call, root, toolbox, bound).serve()
    finally:
        results.close()


def _currencies(call: Invocation) -> set[str]:
    """Return the currencies that the account pays in; none where no account is set."""
    from ...client.spending import FUNDING_ID

    if not (call.settings.is_local or call.settings.get("account")):
        return set()
    currencies = (record.get("currency") for record in call.stored.all(FUNDING_ID).values())
    return {currency for currency in currencies if isinstance(currency, str)}


def _how_to_connect(call: Invocation) -> str:
    """Explain to a person who has started this what it is, and how a client starts it."""
    server = {"command": shutil.which("adsctl") or "adsctl", "args": [*call.command_line]}
    settings = json.dumps({"mcpServers": {"adsctl": server}}, ensure_ascii=False)
    return Lines(
        [
            "this speaks the Model Context Protocol with an assistant, which starts it; Ctrl-D ends it",
            f"most clients take this in their settings (docs/assistants.md): {call.mask(settings)}",
        ]
    )
