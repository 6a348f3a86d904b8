"""Serve the emulator, run commands with it, and reset it."""

import os
import shlex
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from ...config.settings import DEFAULTS
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.programs import run_child
from ...console.shown import Result, shows
from ...errors import Interrupted, StateError
from ...hosts import listening_address
from ...spelling import as_variable
from ..runs.options import ShownOptions, with_options

if TYPE_CHECKING:
    from ...emulator.app import Emulator


HOST, PORT = "127.0.0.1", 8787
DATABASE_VARIABLE = as_variable("emulator_database")

Host = Annotated[str, option("HOST", "Loopback address to listen on")]
Port = Annotated[int, option("N", "Port to listen on; 0 chooses a free one", min=0, max=65535)]
Fault = Annotated[
    list[str] | None, option("FAULT", "Such as 'PUT /12/product_catalogs/* status=503 rate=0.2'; repeatable")
]
Strict = Annotated[bool, flag("Refuse unknown parameters under service x, too")]
Database = Annotated[Path | None, option("FILE", "The emulator's database (default: in the state folder)")]


def serve(
    ctx: typer.Context,
    port: Port = PORT,
    host: Host = HOST,
    fault: Fault = None,
    strict: Strict = False,
    database: Database = None,
) -> None:
    """Serve the emulator on this machine until it is stopped.

    For example: adsctl emulator serve --fault 'GET /12/* status=503 rate=0.2'
    """
    from ...emulator.server import serve as serve_app

    call = Invocation.of(ctx)

    def ready(address: str) -> None:
        call.messages.say(f"the emulator listens on {address}; Ctrl-C stops it")
        words = ["adsctl", "emulator", "env", "--port", address.rpartition(":")[2]]
        words += ["--host", host] if host != HOST else []
        words += ["--database", str(database.absolute())] if database else []
        words += ["--service", emulator.service] if emulator.service != DEFAULTS["service"] else []
        call.messages.say(f'use it from another shell: eval "$({shlex.join(words)})"')

    with opened(call, database, fault, strict=strict) as emulator:
        serve_app(emulator, host=host, port=port, on_ready=ready)


@shows(Result(Any, "", is_list=False))  # what the program prints
def execute(
    ctx: typer.Context,
    command: Annotated[list[str], argument("-- CMD...", "The command to run")],
    fault: Fault = None,
    strict: Strict = False,
    database: Annotated[Path | None, option("FILE", "The emulator's database (default: a new one)")] = None,
) -> None:
    """Run a command with its own emulator.

    Its data are new, and gone afterwards, unless --database names a file that keeps them.

    For example: adsctl emulator exec -- adsctl products push feed.csv
    """
    from ...emulator.server import running

    call = Invocation.of(ctx)
    with (
        TemporaryDirectory(prefix="adsctl-emulator-") as folder,
        opened(call, database or Path(folder) / "emulator.db", fault, strict=strict) as emulator,
        running(emulator) as address,
    ):
        inherited = {  # but for what outranks the emulator
            name: value
            for name, value in os.environ.items()
            if name != "ADSCTL_PROFILE" and not (name.startswith("ADSCTL_") and name.endswith("_FILE"))
        }
        code, signum = run_child(command, inherited | variables(emulator, address))
        if signum is not None:
            raise Interrupted(signum)
    raise typer.Exit(code)


@shows(Result(dict[str, str], "", is_list=False, formats=("json", "jsonl", "yaml")))
def env(ctx: typer.Context, port: Port = PORT, host: Host = HOST, database: Database = None) -> None:
    """Print the variables that point adsctl to a served emulator, for eval in a shell.

    For example: eval "$(adsctl emulator env)"
    """
    from ...emulator.identity import served_identity

    call = Invocation.of(ctx)
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    with opened(call, database) as emulator:
        values = variables(emulator, address)
        served = served_identity(listening_address(host), port)
        if served is None:
            call.messages.note(
                f"no emulator listens on {address} yet; the values are those of {emulator.database}"
            )
        elif served.emulator != emulator.database_id:
            raise StateError(
                f"the emulator on {address} serves another database than {emulator.database}",
                hint="name the one that it serves with --database",
            )
        elif served.service != emulator.service:
            raise StateError(
                f"the emulator on {address} speaks the names of service {served.service}",
                hint=f"add --service {served.service}",
            )
    if call.printer.format in ("table", "tsv", "csv"):
        print("\n".join(f"export {name}={shlex.quote(value)}" for name, value in values.items()))
    else:
        call.printer.show(values, tuple(values), "ADSCTL_ADS_URL")


def reset(ctx: typer.Context, database: Database = None) -> None:
    """Replace the emulator's data, keys and tokens by new ones; nothing may be using them.

    For example: adsctl emulator reset --yes
    """
    from ...emulator.app import reset_emulator
    from ...emulator.storage.database import require_emulator_database
    from ...products.sync_state import remove_outdated
    from ...store.epochs import WriteEpochs

    call = Invocation.of(ctx)
    path = database or call.settings.emulator_database
    if database:
        require_emulator_database(path)
    if call.is_dry_run(f"reset {path}"):
        return
    call.confirm(f"Delete all data in {path}", at_service=False)
    reset_emulator(path)
    WriteEpochs(call.settings.state_dir).end_emulated()
    remove_outdated(call.settings.state_dir)
    call.messages.say("reset the emulator's database")


class EmulatedAudience(TypedDict):
    """An audience or a do-not-reach list of the emulator."""

    id: str
    name: str | None
    kind: str
    users: int


AUDIENCES = Result(EmulatedAudience)


@shows(AUDIENCES)
@with_options(shown=ShownOptions)
def audiences(ctx: typer.Context, database: Database = None, *, shown: ShownOptions) -> None:
    """Count the users of the emulator's audiences and do-not-reach lists.

    For example: adsctl emulator audiences
    """
    call = Invocation.of(ctx, mutates=False)
    with opened(call, database or served_database(call)) as emulator:
        audiences = emulator.data.audiences()
    shown.show(call, audiences, AUDIENCES.columns, "audiences", AUDIENCES.key)


def variables(emulator: "Emulator", address: str) -> dict[str, str]:
    """Return the environment variables that point a client to a served emulator."""
    from ...emulator.seed.credentials import CLIENT_ID

    secrets = {as_variable(name): value for name, value in emulator.credentials._asdict().items()}
    return {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ADS_SANDBOX_URL": address,
        **secrets,
        "ADSCTL_BEARER_TOKEN": emulator.bearer_token(),
        "ADSCTL_CLIENT_ID": CLIENT_ID,
        "ADSCTL_ACCOUNT": emulator.account,
        "ADSCTL_CATALOG": emulator.catalog,
        "ADSCTL_EMULATOR": emulator.database_id,
        DATABASE_VARIABLE: str(emulator.database.absolute()),
        "ADSCTL_SERVICE": emulator.service,
    }


def served_database(call: Invocation) -> Path:
    """Return the database of the emulator that this command runs in, or that of this machine."""
    named = call.settings.environ.get(DATABASE_VARIABLE)
    return Path(named) if named else call.settings.emulator_database


def opened(
    call: Invocation, database: Path | None, faults: list[str] | None = None, *, strict: bool = True
) -> "closing[Emulator]":
    """Open an emulator until the end of a block."""
    from ...emulator.app import Emulator

    path = database or call.settings.emulator_database
    return closing(Emulator(path, faults=faults or (), service=call.settings.service, strict=strict))
