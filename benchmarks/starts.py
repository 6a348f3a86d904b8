"""Start-up time: commands that do little."""

import statistics
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .peers import ADSCTL, PYTHON, ROOT, Peers
from .running import Command, interleaved, load_server, signed_in
from .table import Bar, Table

BARE, TYPER, SENDING = "bare python", "import typer", "typer, httpx, oauth1"
HTTPX, MODULE = "import httpx", "from ads_cli import connect"
AWS, HTTP, SQLITE, GH = "aws --version", "http --help", "sqlite-utils", "gh config list"
HTTP_SIGNED = "http, signed"
MCP_HELLO, MCP = "mcp: hello world", "mcp: adsctl mcp"
# The smallest server that the SDK shows; standard input has ended, and so does it once it serves.
HELLO_SERVER = """
from mcp.server import MCPServer
server = MCPServer("Demo")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
server.run()
"""
QUICK = (Bar(TYPER, most=1.35), Bar(SQLITE, most=0.6), Bar(GH, most=1.9))
BARS: dict[str, tuple[Bar, ...]] = {
    "--version": (Bar(BARE, most=1.2),),
    "--help": (Bar(TYPER, most=1.2), Bar(AWS, most=0.3), Bar(HTTP, most=0.4)),
    "accounts --help": QUICK,
    "accounts list --help": QUICK,
    "products push --help": QUICK,
    "completion: option": QUICK,
    "completion: enum": QUICK,
    "completion: id": QUICK,
    "auth status": (Bar(TYPER),),
    "request, environment": (Bar(SENDING, most=1.25), Bar(HTTP_SIGNED, most=0.5)),
    "request, file store": (Bar(SENDING),),
    "request, keyring": (Bar(SENDING),),
    MCP: (Bar(MCP_HELLO, most=1.2),),
    MODULE: (Bar(HTTPX, most=1.2),),
}
UNLOCK = "echo -n password | gnome-keyring-daemon --unlock --components=secrets > /dev/null"
SIGN_IN = """
import sys
from pathlib import Path
from ads_cli.auth.secret_stores import APP_SECRETS, SIGN_IN_SECRETS, open_store
from ads_cli.auth import Secret
kind, state, config, address = sys.argv[1:]
secrets = {name: Secret("x", (address,)) for name in APP_SECRETS + SIGN_IN_SECRETS[:2]}
open_store(kind, Path(state), Path(config)).put("default", secrets)
"""


def starts(table: Table, peers: Peers, env: Mapping[str, str], runs: int) -> None:
    """Measure every start and compare it to its bars."""
    table.begin(f"start-up, medians of {runs} interleaved runs")
    with load_server(0) as address, session_bus(peers, env) as bus:
        commands = floors(env) | others(peers, env, address) | ours(env, address)
        commands |= stored(env, address, bus)
        samples = interleaved({name: command.time for name, command in commands.items()}, runs)
    for name in commands:
        median = statistics.median(samples[name])
        table.compare(name, f"{median * 1000:.1f} ms", samples, BARS.get(name, ()))
    for name, why in peers.missing.items():
        table.note(f"{name}: {why}")


def floors(env: Mapping[str, str]) -> dict[str, Command]:
    """Return what every command of adsctl has to do at least."""
    programs = {BARE: "pass", TYPER: "import typer", SENDING: "import typer, httpx, oauthlib.oauth1"}
    programs |= {HTTPX: "import httpx", MCP_HELLO: HELLO_SERVER}
    return {name: Command([PYTHON, "-c", program], env) for name, program in programs.items()}


def others(peers: Peers, env: Mapping[str, str], address: str) -> dict[str, Command]:
    """Return commands of other tools."""
    signed = [
        "http",
        "--ignore-stdin",
        "--auth-type=oauth1-hmac-sha1",
        "--auth=x:x",
        f"{address}/12/accounts",
    ]
    words = {
        AWS: ["aws", "--version"],
        HTTP: ["http", "--help"],
        HTTP_SIGNED: signed,
        SQLITE: ["sqlite-utils", "--version"],
        GH: ["gh", "config", "list"],
    }
    return {
        name: Command([peers.path(tool), *rest], env)
        for name, (tool, *rest) in words.items()
        if peers.has(tool)
    }


def ours(env: Mapping[str, str], address: str) -> dict[str, Command]:
    """Return commands of adsctl."""
    online = {**env, **signed_in(address)}
    return {
        "--version": Command([ADSCTL, "--version"], env),
        "--help": Command([ADSCTL, "--help"], env),
        "accounts --help": Command([ADSCTL, "accounts", "--help"], env),
        "accounts list --help": Command([ADSCTL, "accounts", "list", "--help"], env),
        "products push --help": Command([ADSCTL, "products", "push", "--help"], env),
        "completion: option": Command(["bash", "--norc", "-c", completing("accounts list --co", 3)], env),
        "completion: enum": Command(
            ["bash", "--norc", "-c", completing("accounts history --entity-type ", 4)], env
        ),
        "completion: id": Command([ADSCTL, "__ids", "accounts"], online),
        "auth status": Command([ADSCTL, "auth", "status"], online),
        "request, environment": Command([ADSCTL, "accounts", "list"], online),
        MCP: Command([ADSCTL, "mcp"], env),
        MODULE: Command([PYTHON, "-c", MODULE], env),
    }


def completing(typed: str, at: int) -> str:
    """Return what a new bash runs for a tab after `adsctl TYPED`."""
    script = ROOT / "completions" / "adsctl.bash"
    words = " ".join(repr(word) for word in f"adsctl {typed}".split(" "))
    return f'. {script}; COMP_WORDS=({words}); COMP_CWORD={at}; _adsctl; test "${{COMPREPLY[*]}}"'


def stored(env: Mapping[str, str], address: str, bus: Mapping[str, str] | None) -> dict[str, Command]:
    """Store secrets in each store; return the requests that read them."""
    found = {}
    for kind, name in (("file", "request, file store"), ("keyring", "request, keyring")):
        if kind == "keyring" and bus is None:
            continue
        own = {k: v for k, v in signed_in(address).items() if k.endswith(("_URL", "ACCOUNT"))}
        own = {**env, **own, **(bus or {}), "ADSCTL_TOKEN_STORE": kind}
        folders = [own["ADSCTL_STATE_DIR"], own["ADSCTL_CONFIG_DIR"]]
        subprocess.run([PYTHON, "-c", SIGN_IN, kind, *folders, address], env=own, check=True)
        found[name] = Command([ADSCTL, "accounts", "list"], own)
    return found


@contextmanager
def session_bus(peers: Peers, env: Mapping[str, str]) -> Iterator[dict[str, str] | None]:
    """Run a session bus with an unlocked keyring; yield its variables, or None if it is not installed."""
    if not peers.has("dbus-run-session", "gnome-keyring-daemon"):
        yield None
        return
    run = Path(env["HOME"]) / "run"
    run.mkdir(mode=0o700, exist_ok=True)
    inside = {**env, "XDG_RUNTIME_DIR": str(run)}
    script = f'{UNLOCK}; echo "$DBUS_SESSION_BUS_ADDRESS"; cat > /dev/null'  # until its stdin is closed
    command = ["dbus-run-session", "--", "sh", "-c", script]
    with subprocess.Popen(
        command, env=inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    ) as session:  # fmt: skip
        assert session.stdout
        yield {"XDG_RUNTIME_DIR": str(run), "DBUS_SESSION_BUS_ADDRESS": session.stdout.readline().strip()}
