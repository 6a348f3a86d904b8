"""Run commands for an assistant: each in a process of its own, as if it had been typed."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any, BinaryIO, NamedTuple

import anyio
import msgspec
from anyio.abc import ByteReceiveStream, Process

from ...config.mandate import Mandate
from ...errors import AdsctlError, RefusedError, UnavailableError
from ...feeds.locations import copied
from ...fleet.run_task import PROGRAM
from .files import NO_FILE, CheckedFile

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
MAX_MESSAGE_BYTES = 16 * 1024 * 1024  # of stderr, of which the end is kept
COMMANDS_AT_ONCE = 8
MAX_WAITING = 32
POLL_SECONDS = 0.02
TIME_LIMIT_SECONDS = 300.0
END_SECONDS = 12.0  # that a command has to end after a signal: a little more than it takes itself
# The name of the client, for the log of changes. Without a handshake each request names one, and each request
# runs in a context of its own.
CLIENT: ContextVar[str] = ContextVar("client", default="mcp")


class Finished(NamedTuple):
    """The result of a command."""

    code: int
    output: bytes
    error: dict[str, Any] | None  # as `-o json` prints it
    warnings: list[str]


class Commands:
    """Runs command lines under the options that the server was started with, and what was checked then."""

    def __init__(self, options: Sequence[str], mandate: Mandate, seconds: float = TIME_LIMIT_SECONDS) -> None:
        self._options = [*options, "--quiet", "--output=json", "--color=never"]
        self._mandate = mandate
        self._seconds = seconds
        self._begun = self._waiting = 0
        self._left: list[subprocess.Popen[bytes]] = []  # that go on after their calls were answered

    def line(self, words: Sequence[str], entry: str = "__by", *job: str) -> list[str]:
        """Return the whole command line of a process; `job` is the id of a plan that it carries out."""
        start = [sys.executable, "-c", PROGRAM.format(sys.path), entry, CLIENT.get(), *job]
        return [*start, *self._options, *words]

    def mandate(self, *, changes: bool = True, **facts: Any) -> BinaryIO:
        """Return what a process reads on its standard input; `facts` are fields of its mandate."""
        guard = self._mandate.guard if changes else []
        content = msgspec.json.encode(msgspec.structs.replace(self._mandate, guard=guard, **facts))
        return copied("what a command is held to", lambda file: file.writelines([content]))

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait until fewer than eight processes run. Raise UnavailableError if many wait, or for long."""
        busy = UnavailableError(
            f"{COMMANDS_AT_ONCE} commands run, and this one was not started",
            hint="call again once one has ended",
        )
        if self._waiting >= MAX_WAITING:
            raise busy
        self._waiting += 1
        try:
            with anyio.move_on_after(self._seconds) as wait:
                while self._begun + self._count_left() >= COMMANDS_AT_ONCE:
                    await anyio.sleep(POLL_SECONDS)
                self._begun += 1
        finally:
            self._waiting -= 1
        if wait.cancelled_caught:
            raise busy
        try:
            yield
        finally:
            self._begun -= 1

    def leave(self, process: subprocess.Popen[bytes]) -> None:
        """Count a process that goes on as one that runs, until it has ended."""
        self._left.append(process)

    def _count_left(self) -> int:
        self._left = [process for process in self._left if process.poll() is None]
        return len(self._left)

    async def run(
        self, words: Sequence[str], *, is_plan: bool = False, file: CheckedFile = NO_FILE
    ) -> Finished:
        """Run a command line; a cancelled call ends its command, with a signal first.

        A plan is a dry run that the guard judges, and whose warnings are its questions. `file` is named by
        the words.

        Raises UnavailableError for one that takes too long, and RefusedError for one that prints too much.
        """
        async with self.place():
            with self.mandate(changes=is_plan, files=file.expected) as mandate:
                process = await anyio.open_process(
                    self.line(words, "__plan" if is_plan else "__by"),
                    stdin=mandate,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            try:
                with anyio.fail_after(self._seconds):
                    return await _finished(process)
            except TimeoutError:
                raise UnavailableError(
                    f"the command took longer than {self._seconds:g} s, and was stopped",
                    hint="ask for less: fewer records (limit), a shorter time, fewer ids",
                ) from None
            finally:
                await _end(process)

    async def succeed(self, words: Sequence[str]) -> Finished:
        """Run a command line; raise CommandError where it fails."""
        result = await self.run(words)
        if result.code:
            raise CommandError(result)
        return result


class CommandError(AdsctlError):
    """The error of a command that was run for an assistant."""

    def __init__(self, result: Finished) -> None:
        self.error = result.error or {"message": f"the command ended with {result.code}"}
        super().__init__(str(self.error.get("message")), hint=str(self.error.get("hint") or ""))
        self.exit_code = result.code

    def as_dict(self) -> dict[str, object]:
        """Return the error as the command has reported it."""
        return {"exit_code": self.exit_code} | self.error


async def _finished(process: Process) -> Finished:
    assert process.stdout
    assert process.stderr
    output, messages = bytearray(), bytearray()
    async with anyio.create_task_group() as group:
        group.start_soon(_read_messages, process.stderr, messages)
        async for part in process.stdout:
            output += part
            if len(output) > MAX_OUTPUT_BYTES:
                group.cancel_scope.cancel()
                break
    if len(output) > MAX_OUTPUT_BYTES:
        megabytes = MAX_OUTPUT_BYTES // 1024**2
        raise RefusedError(f"the result is longer than {megabytes} MB", hint="ask for less, with limit")
    code = await process.wait()
    error, warnings = split_messages(messages.decode(errors="replace").splitlines())
    return Finished(128 - code if code < 0 else code, bytes(output), error, warnings)


async def _read_messages(stream: ByteReceiveStream, messages: bytearray) -> None:
    async for part in stream:
        messages += part
        del messages[:-MAX_MESSAGE_BYTES]


async def _end(process: Process) -> None:
    """End a process that still runs, and release its pipes."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
            with anyio.move_on_after(END_SECONDS):
                await process.wait()
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        await process.aclose()


def split_messages(lines: list[str]) -> tuple[dict[str, Any] | None, list[str]]:
    """Split the error, which is the last line of stderr, from the warnings."""
    error = None
    with suppress(ValueError, IndexError, TypeError, KeyError):
        error = json.loads(lines[-1])["error"]
        lines = lines[:-1]
    return error, [line.removeprefix("warning: ") for line in lines if line.strip()]
