"""Clients of `adsctl mcp`: the official one, and one that sends whatever it likes."""

import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.adsctl import TIMEOUT_SECONDS, Adsctl
from tests.guarded import pause_unbounded
from tests.processes.server import ASSISTANTS

LOCAL = ("--profile", "local")
LATEST_WITH_HANDSHAKE = "2025-11-25"


def session(
    adsctl: Adsctl, use: Callable[[Client], Awaitable[Any]], *options: object, mode: str = "auto", **env: str
) -> Any:
    """Start a server, let the official client use it, and return what that returns."""
    program, *words = adsctl.forked(*(options or (*LOCAL, "mcp")), modules=ASSISTANTS)
    server = StdioServerParameters(
        command=program, args=words, env=adsctl.environment | env, cwd=str(adsctl.home)
    )

    async def main() -> Any:
        with anyio.fail_after(TIMEOUT_SECONDS):
            async with Client(stdio_client(server), mode=mode) as client:
                return await use(client)

    return anyio.run(main)


def call(
    adsctl: Adsctl, tool: str, *options: object, fails: bool = False, **arguments: Any
) -> dict[str, Any]:
    """Call one tool of a new server, and return its structured result."""

    async def use(client: Client) -> dict[str, Any]:
        return await called(client, tool, fails=fails, **arguments)

    return session(adsctl, use, *options)


async def called(client: Client, tool: str, *, fails: bool = False, **arguments: Any) -> dict[str, Any]:
    """Call a tool; what it says as text must be what it says as structured content."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert result.is_error == fails, text
    assert json.loads(text) == result.structured_content
    assert len(result.model_dump_json(by_alias=True)) <= 20_500  # the result itself, and what frames it
    return result.structured_content


class RawClient:
    """Sends lines, and reads lines, each of which must be a message."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process = process
        self._id = 0

    def send(self, message: dict[str, Any] | bytes) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def end_input(self) -> None:
        self.process.stdin.close()
        self.process.stdin = None  # which communicate would flush

    def request(self, method: str, **params: Any) -> int:
        self._id += 1
        self.send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        return self._id

    def response(self, id: int | None = None) -> dict[str, Any]:
        """Read messages until there is the response to a request."""
        while line := self.process.stdout.readline():
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if id is None or message.get("id") == id:
                return message
        raise AssertionError("the server has ended")

    def asked(self, method: str, **params: Any) -> dict[str, Any]:
        return self.response(self.request(method, **params))

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return the result."""
        return self.asked("tools/call", name=name, arguments=arguments)["result"]

    def initialize(self, version: str = LATEST_WITH_HANDSHAKE, client: str = "test") -> dict[str, Any]:
        about = {"name": client, "version": "1"}
        answer = self.asked("initialize", protocolVersion=version, capabilities={}, clientInfo=about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]


def with_guard(adsctl: Adsctl, limits: str) -> Adsctl:
    """Put a guard before what is run, without which nothing may be written by an assistant.

    Nothing runs without a daily budget, beside which nothing could be raised; the log begins after that.
    """
    pause_unbounded(adsctl)
    (adsctl.home / "state" / "state.db").unlink()
    guard = adsctl.file("guard.yaml", f"{limits}\n")
    guard.chmod(0o600)
    adsctl.env["ADSCTL_GUARD"] = str(guard)
    return adsctl


@contextmanager
def raw(adsctl: Adsctl, *options: object, is_forked: bool = True, **env: str) -> Iterator[RawClient]:
    """Start a server; at the end the client goes away, and the server must end too.

    One that is not forked is itself the process that is started, as its commands are: a test may kill these.
    A forked one ends a moment after the process that was started for it.
    """
    words = options or (*LOCAL, "mcp")
    process = subprocess.Popen(
        adsctl.forked(*words, modules=ASSISTANTS) if is_forked else adsctl.command(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=adsctl.environment | env,
        cwd=adsctl.home,
    )
    try:
        yield RawClient(process)
        rest, _ = process.communicate(timeout=TIMEOUT_SECONDS)
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    finally:
        process.kill()
        process.wait()


def processes_with(adsctl: Adsctl, words: bytes) -> list[Path]:
    """The processes in the home folder whose command line has words."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.joinpath("cwd").readlink() == adsctl.home.resolve():
                found += [process] * (words in process.joinpath("cmdline").read_bytes())
    return found
