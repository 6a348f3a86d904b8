"""Carry out plans: each in a process that outlives the server, with a record on the disk."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import msgspec

from ...config.atomic_files import atomic, make_folder
from ...errors import StateError
from ...store.changes import UNKNOWN
from ...stored_times import is_older
from .child import END_SECONDS, Commands, Finished, split_messages
from .creations import HINTS, OK, LoggedCreation, sent_by
from .results import FOLDER, read_documents

APPLIED = "applied"  # in the folder of the server
ANSWER_SECONDS = 40.0  # after which a change that still runs is answered with its id
POLL_SECONDS = 0.02
KEPT_SECONDS = 7 * 24 * 3600.0
RUNNING, ENDED, FAILED, STOPPED = "running", "ended", "failed", "stopped"
STOPPED_CODE = 8  # that a request may have been applied
SETTLED_HINT = "it was looked for, and is created by a later plan"
STOPPED_HINT = (
    "it was killed: plan the same again, with resume where the command has it; what a push or an apply of "
    "campaigns has sent is not sent again"
)


class AppliedPlan(msgspec.Struct, kw_only=True):
    """What is stored of a plan before its process starts."""

    job: str  # the id of the plan
    command: str
    words: list[str]  # of its command line
    started: str
    creation: str = ""  # a digest of its request, where that makes another record each time
    settled: bool = False  # it is known what it has created, or another plan creates it
    found: Any = None  # the record that it has created


class ProcessState(NamedTuple):
    """Whether a process runs, and its result once it has ended by itself."""

    name: str  # RUNNING, ENDED, FAILED or STOPPED
    result: Finished | None = None


class UnansweredCreation(NamedTuple):
    """A process that was stopped, or lost its answer, while it created a record."""

    job: str
    started: datetime
    sent: LoggedCreation


class AppliedPlans:
    """The plans that were carried out on this machine in the last days, by the ids of their plans.

    The output of a process is a file that it holds locked, so that every server sees whether it still runs.
    """

    def __init__(self, commands: Commands, state_dir: Path, answer_seconds: float) -> None:
        self._commands, self._state_dir = commands, state_dir
        self._folder = state_dir / FOLDER / APPLIED
        self._answer_seconds = min(answer_seconds, ANSWER_SECONDS)

    async def run(self, name: str, words: Sequence[str], creation: str = "", **facts: Any) -> Finished | None:
        """Run a command line. Return None if it still runs after a while. A cancelled call ends it.

        `creation` is a digest of the request that it sends, where that makes another record each time.
        `facts` are what it is held to.
        """
        self._remove_old()
        process = self._start(name, words, creation, facts)
        try:
            with anyio.move_on_after(self._answer_seconds):
                while process.poll() is None:
                    await anyio.sleep(POLL_SECONDS)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await _end(process)
            raise
        if process.poll() is None:
            self._commands.leave(process)
            return None
        return self._finished(name) or Finished(STOPPED_CODE, b"", self._stopped(name), [])

    def running(self, words: Sequence[str]) -> str | None:
        """Return the id of the process that carries out the same command line now."""
        for plan in self._read_all():
            if plan.words[-len(words) :] == [*words] and self._state(plan.job).name == RUNNING:
                return plan.job
        return None

    def unanswered(self, creation: str) -> list[UnansweredCreation]:
        """Return the stopped processes that were to send a request and may have created a record."""
        unanswered = []
        for plan in self._read_all():
            if plan.creation == creation and not plan.settled:
                sent = self._sent(plan, self._state(plan.job))
                if sent and sent.outcome in (OK, UNKNOWN):
                    unanswered.append(
                        UnansweredCreation(plan.job, datetime.fromisoformat(plan.started), sent)
                    )
        return unanswered

    def settle(self, name: str, record: Any = None) -> None:
        """Note that it is known what a stopped process has created, or that another one creates it."""
        path = self._path(name, "json")
        plan = msgspec.json.decode(path.read_bytes(), type=AppliedPlan)
        plan.settled, plan.found = True, record
        with atomic(path) as file:
            file.write(msgspec.json.encode(plan).decode())

    def records(self) -> list[dict[str, Any]]:
        """Return what was carried out, the oldest first."""
        return [self._shown(plan, self._state(plan.job)) for plan in self._read_all()]

    def find(self, name: str) -> dict[str, Any] | None:
        """Return one with its result, if there is such a plan."""
        for plan in self._read_all():
            if plan.job == name:
                state = self._state(name)
                shown = self._shown(plan, state)
                if state.result and state.name == ENDED:
                    shown["result"] = read_documents(state.result.output)
                return shown
        return None

    def _shown(self, plan: AppliedPlan, state: ProcessState) -> dict[str, Any]:
        shown: dict[str, Any] = {"job": plan.job, "state": state.name, "action": "apply_change"}
        shown |= {"command": plan.command, "started": plan.started}
        if plan.settled:
            shown |= {"outcome": OK, "found": plan.found} if plan.found else {"hint": SETTLED_HINT}
        elif sent := self._sent(plan, state):
            shown |= {"outcome": sent.outcome, "hint": HINTS.get(sent.outcome, STOPPED_HINT)}
            shown |= {"ids": sent.ids} if sent.ids else {}
        elif state.name == STOPPED:
            shown["hint"] = STOPPED_HINT
        if state.result and state.result.code:
            shown["error"] = state.result.error
        return shown

    def _sent(self, plan: AppliedPlan, state: ProcessState) -> LoggedCreation | None:
        """Return what is known of a creation that was not answered; None for anything else."""
        if not plan.creation or state.name not in (STOPPED, FAILED):
            return None
        sent = sent_by(plan.job, self._state_dir)
        return None if state.result and sent.outcome != UNKNOWN else sent

    def _stopped(self, name: str) -> dict[str, Any]:
        """Return the error of a process that was killed before it wrote one."""
        shown = self.find(name) or {}
        hint = shown.get("hint", STOPPED_HINT)
        return {"code": STOPPED, "message": "it was killed before it has answered", "hint": hint, "job": name}

    def _start(
        self, name: str, words: Sequence[str], creation: str, facts: Mapping[str, Any]
    ) -> subprocess.Popen[bytes]:
        """Start a process, whose record is on the disk before."""
        started, command = datetime.now(UTC).isoformat(timespec="seconds"), " ".join(words)
        plan = AppliedPlan(job=name, command=command, words=[*words], started=started, creation=creation)
        try:
            make_folder(self._folder)
            with (
                self._commands.mandate(**facts) as mandate,
                self._new(name, "out") as out,
                self._new(name, "err") as errors,
            ):
                _lock(out.fileno())
                with self._new(name, "json") as file:
                    file.write(msgspec.json.encode(plan))
                return subprocess.Popen(
                    self._commands.line(words, "__apply", name),
                    stdin=mandate,
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

    def _read_all(self) -> list[AppliedPlan]:
        """Return what was carried out, the oldest first, as far as it can be read."""
        plans = []
        with suppress(OSError):
            for path in self._folder.glob("*.json"):
                with suppress(OSError, msgspec.DecodeError):
                    plans.append(msgspec.json.decode(path.read_bytes(), type=AppliedPlan))
        return sorted(plans, key=lambda plan: plan.started)

    def _state(self, name: str) -> ProcessState:
        if _is_locked(self._path(name, "out")):
            return ProcessState(RUNNING)
        result = self._finished(name)
        return ProcessState(STOPPED if not result else FAILED if result.code else ENDED, result)

    def _finished(self, name: str) -> Finished | None:
        """Return the result of a process that has ended; None where it was killed before it wrote one."""
        try:
            output = self._path(name, "out").read_bytes()
            messages = self._path(name, "err").read_text(errors="replace")
        except OSError:
            return None
        error, warnings = split_messages(messages.splitlines())
        if error:
            return Finished(int(error.get("exit_code") or 1), output, error, warnings)
        with suppress(ValueError):
            json.loads(output)
            return Finished(0, output, None, warnings)
        return None

    def _remove_old(self) -> None:
        for plan in self._read_all():
            out, err, json_file = (self._path(plan.job, kind) for kind in ("out", "err", "json"))
            with suppress(OSError):
                if is_older(json_file, KEPT_SECONDS) and not _is_locked(out):
                    for path in (out, err, json_file):
                        path.unlink(missing_ok=True)


async def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with a signal, and kill it where that does not end it."""
    with suppress(ProcessLookupError):
        process.terminate()
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
