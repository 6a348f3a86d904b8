"""The service on this machine, as a server."""

import os
import shlex
import subprocess
from pathlib import Path
from typing import Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import UsageError
from ..spelling import as_variable

PORT = 8787

Port = Annotated[
    int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0 takes a free one")
]
Fault = Annotated[
    list[str] | None,
    typer.Option(
        "--fault", metavar="FAULT", help="As in 'PUT /12/product_catalogs/* status=503 rate=0.2'; repeatable"
    ),
]
Database = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The emulator's world (default: in the state folder)")
]


def serve(
    ctx: typer.Context,
    port: Port = PORT,
    host: Annotated[str, typer.Option(metavar="HOST", help="Loopback address to listen on")] = "127.0.0.1",
    fault: Fault = None,
    database: Database = None,
) -> None:
    """Serve the emulator on this machine, until it is stopped.

    For example: adsctl emulator serve --fault 'GET /12/* status=503 rate=0.2'
    """
    from ..emulator.server import serve as serve_app

    call = Invocation.of(ctx)
    emulator = _open(call, database, fault)

    def ready(address: str) -> None:
        call.messages.say(f"the emulator listens on {address}; Ctrl-C stops it")
        call.messages.say(
            f'use it from another shell: eval "$(adsctl emulator env --port {address.rsplit(":")[-1]})"'
        )

    serve_app(emulator, host=host, port=port, on_ready=ready)


def execute(
    ctx: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="-- CMD...", help="The command to run")],
    fault: Fault = None,
    database: Database = None,
) -> None:
    """Run a command with an emulator of its own.

    For example: adsctl emulator exec -- adsctl products push feed.csv
    """
    from ..emulator.server import running

    emulator = _open(Invocation.of(ctx), database, fault)
    with running(emulator) as address:
        inherited = {k: v for k, v in os.environ.items() if k != "ADSCTL_PROFILE" and not _names_secret(k)}
        try:
            done = subprocess.run(command, env=inherited | variables(emulator, address), check=False)
        except OSError as error:
            raise UsageError(f"{command[0]} cannot be run: {error.strerror}") from error
    raise typer.Exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)


def env(
    ctx: typer.Context,
    port: Port = PORT,
    database: Database = None,
) -> None:
    """Print the variables that point adsctl to a served emulator, for eval in a shell.

    For example: eval "$(adsctl emulator env)"
    """
    call = Invocation.of(ctx)
    found = variables(_open(call, database, None), f"http://127.0.0.1:{port}")
    if call.printer.format in ("table", "tsv", "csv"):
        print("\n".join(f"export {name}={shlex.quote(value)}" for name, value in found.items()))
    else:
        call.printer.show(found, tuple(found), "ADSCTL_ADS_URL")


def reset(ctx: typer.Context, database: Database = None) -> None:
    """Throw the emulator's world away; the next use begins with a new one.

    For example: adsctl emulator reset --yes
    """
    from ..emulator import reset as reset_database
    from ..products.sync_state import drop_emulated

    call = Invocation.of(ctx)
    path = database or call.settings.emulator_database
    if call.dry_run:
        call.messages.say(f"nothing is changed: {path} would be thrown away")
        return
    call.confirm(f"Throw the emulator's world away ({path})")
    reset_database(path)
    drop_emulated(call.settings.state_dir)
    call.messages.say("the emulator begins anew")


def audiences(ctx: typer.Context, database: Database = None) -> None:
    """Count the people in the emulator's audiences and do-not-reach lists.

    For example: adsctl emulator audiences
    """
    call = Invocation.of(ctx, changes=False)
    call.printer.show(_open(call, database, None).data.audiences(), ("id", "name", "kind", "users"), "id")


def variables(emulator: Any, address: str) -> dict[str, str]:
    """Name what a client needs to speak to a served emulator."""
    secrets = {as_variable(name): value for name, value in emulator.credentials._asdict().items()}
    return {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ADS_SANDBOX_URL": address,
        **secrets,
        "ADSCTL_ACCOUNT": emulator.account,
        "ADSCTL_CATALOG": emulator.catalog,
        "ADSCTL_EMULATOR": emulator.database_id,
    }


def _open(call: Invocation, database: Path | None, faults: list[str] | None) -> Any:
    from ..emulator.app import Emulator

    return Emulator(database or call.settings.emulator_database, faults=faults or ())


def _names_secret(variable: str) -> bool:
    return variable.startswith("ADSCTL_") and variable.endswith("_FILE")
