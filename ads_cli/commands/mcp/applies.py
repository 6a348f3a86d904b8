"""Carry out plans: each in a process that outlives the server, with a record on the disk."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...config.atomic_files import make_folder
from ...errors import StateError
from .child import Commands, Finished, parted
from .results import FOLDER, read_documents

APPLIED = "applied"  # in the folder of the server
ANSWER_SECONDS = 40.0  # after which a change that still runs is answered with its id
POLL_SECONDS = 0.02
END_SECONDS = 12.0  # that a command has to end after a signal
KEPT_SECONDS = 7 * 24 * 3600.0
RUNNING, ENDED, FAILED, STOPPED = "running", "ended", "failed", "stopped"
STOPPED_HINT = (
    "it was killed: plan the same again, with resume where the command has it; what a push or an apply of "
    "campaigns has sent is not sent again. Of one record, 'changes' says whether its outcome is known: look "
    "whether it exists before it is planned again"
)


class Applies:
    """The plans that were carried out on this machine in the last days, by the ids of their plans.

    The output of a process is a file that it holds locked, so that every server sees whether it still runs.
    """

    def __init__(self, commands: Commands, state_dir: Path, answer_seconds: float) -> None:
        self._commands = commands
        self._folder = state_dir / FOLDER / APPLIED
        self._answer_seconds = min(answer_seconds, ANSWER_SECONDS)

    async def run(self, name: str, words: Sequence[str], command: str) -> Finished | None:
        """Run a command line; return None where it still runs after a while. A cancelled call ends it."""
        import anyio

        self._remove_old()
        process = self._start(name, words, command)
        try:
            with anyio.move_on_after(self._answer_seconds):
                while process.poll() is None:
                    await anyio.sleep(POLL_SECONDS)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await _end(process)
            raise
        return None if process.poll() is None else self._finished(name) or Finished(1, b"", None, [])

    def running(self, words: Sequence[str]) -> str | None:
        """Return the id of the process that carries out the same command line now."""
        for record in self._read_all():
            if record["words"][-len(words) :] == [*words] and self._state(record["job"])[0] == RUNNING:
                return str(record["job"])
        return None

    def records(self) -> list[dict[str, Any]]:
        """Return what was carried out, the oldest first."""
        return [_shown(record, *self._state(record["job"])) for record in self._read_all()]

    def find(self, name: str) -> dict[str, Any] | None:
        """Return one with its result, if there is such a plan."""
        for record in self._read_all():
            if record["job"] == name:
                state, done = self._state(name)
                result = {"result": read_documents(done.output)} if done and state == ENDED else {}
                return _shown(record, state, done) | result
        return None

    def _start(self, name: str, words: Sequence[str], command: str) -> "subprocess.Popen[bytes]":
        """Start a process, whose record is on the disk before."""
        record = {"job": name, "command": command, "words": [*words], "started": _now()}
        try:
            make_folder(self._folder)
            with self._new(name, "out") as out, self._new(name, "err") as errors:
                _lock(out.fileno())
                with self._new(name, "json") as file:
                    file.write(json.dumps(record).encode())
                return subprocess.Popen(
                    self._commands.line(words),
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            raise StateError(f"{self._folder} cannot be written: {error.strerror}") from None

    def _new(self, name: str, kind: str) -> Any:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        return open(os.open(self._path(name, kind), flags, 0o600), "wb")  # noqa: PTH123

    def _path(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"

    def _read_all(self) -> list[dict[str, Any]]:
        found = []
        with suppress(OSError):
            for path in self._folder.glob("*.json"):
                with suppress(OSError, ValueError):
                    found.append(json.loads(path.read_bytes()))
        return sorted(found, key=lambda record: str(record["started"]))

    def _state(self, name: str) -> tuple[str, Finished | None]:
        if _is_locked(self._path(name, "out")):
            return RUNNING, None
        done = self._finished(name)
        return (STOPPED if not done else FAILED if done.code else ENDED), done

    def _finished(self, name: str) -> Finished | None:
        """Return the result of a process that has ended; None where it was killed before it wrote one."""
        try:
            output = self._path(name, "out").read_bytes()
            messages = self._path(name, "err").read_text(errors="replace")
        except OSError:
            return None
        error, warnings = parted(messages.splitlines())
        if error:
            return Finished(int(error.get("exit_code") or 1), output, error, warnings)
        with suppress(ValueError):
            json.loads(output)
            return Finished(0, output, None, warnings)
        return None

    def _remove_old(self) -> None:
        for record in self._read_all():
            path = self._path(record["job"], "json")
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > KEPT_SECONDS and not _is_locked(
                    path.with_suffix(".out")
                ):
                    for kind in ("out", "err", "json"):
                        path.with_suffix(f".{kind}").unlink(missing_ok=True)


def _shown(record: dict[str, Any], state: str, done: Finished | None) -> dict[str, Any]:
    shown = {"job": record["job"], "state": state, "action": "apply_change"}
    shown |= {"command": record["command"], "started": record["started"]}
    if state == STOPPED:
        shown["hint"] = STOPPED_HINT
    elif done and done.code:
        shown |= {"error": done.error}
    return shown


async def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process with a signal, and kill it where that does not end it."""
    import anyio

    with suppress(ProcessLookupError):
        process.terminate() if sys.platform == "win32" else process.send_signal(signal.SIGTERM)
    with anyio.move_on_after(END_SECONDS):
        while process.poll() is None:
            await anyio.sleep(POLL_SECONDS)
    if process.poll() is None:
        process.kill()
        process.wait()


def _lock(descriptor: int) -> None:
    """Lock an open file, which every process that inherits it holds until it ends."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_locked(path: Path) -> bool:
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
