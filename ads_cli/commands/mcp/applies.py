"""Carry out plans: each in a process that outlives the server, noted before it starts."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import msgspec

from ...config.atomic_files import make_folder, open_private
from ...errors import StateError
from ...store import as_json, store_in
from ...store.changes import UNKNOWN
from .child import END_SECONDS, Commands, Finished, split_messages
from .creations import HINTS, OK, LoggedCreation, sent_by
from .results import FOLDER, read_documents

APPLIED = "applied"  # in the folder of the server: what processes print
ANSWER_SECONDS = 40.0  # after which a change that still runs is answered with its id
POLL_SECONDS = 0.02
KEPT = timedelta(days=7)
RUNNING, ENDED, FAILED, STOPPED = "running", "ended", "failed", "stopped"
STOPPED_CODE = 8  # that a request may have been applied
SETTLED_HINT = "it was looked for, and is created by a later plan"
STOPPED_HINT = (
    "it was killed: plan the same again, with resume where the command has it; what a push or an apply of "
    "campaigns has sent is not sent again"
)


class AppliedPlan(NamedTuple):
    """A plan that was carried out."""

    job: str  # the id of the plan
    words: list[str]  # of its command line
    started: str
    creation: str  # a digest of its request, where that makes another record each time
    settled: bool  # it is known what it has created, or another plan creates it
    found: Any  # the record that it has created

    @property
    def command(self) -> str:
        """The command line."""
        return " ".join(self.words)


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
        self._commands, self._state_dir, self._store = commands, state_dir, store_in(state_dir)
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
        for plan in self._plans():
            if plan.words[-len(words) :] == [*words] and self._state(plan.job).name == RUNNING:
                return plan.job
        return None

    def unanswered(self, creation: str) -> list[UnansweredCreation]:
        """Return the stopped processes that were to send a request and may have created a record."""
        unanswered = []
        for plan in self._plans("WHERE creation = ? AND NOT settled", creation):
            sent = self._sent(plan, self._state(plan.job))
            if sent and sent.outcome in (OK, UNKNOWN):
                unanswered.append(UnansweredCreation(plan.job, datetime.fromisoformat(plan.started), sent))
        return unanswered

    def settle(self, name: str, record: Any = None) -> None:
        """Note that it is known what a stopped process has created, or that another one creates it."""
        found = as_json(record)
        with self._store.writing() as db:
            db.execute("UPDATE applied_plans SET (settled, found) = (1, ?) WHERE job = ?", (found, name))

    def records(self) -> list[dict[str, Any]]:
        """Return what was carried out, the oldest first."""
        return [self._shown(plan, self._state(plan.job)) for plan in self._plans()]

    def find(self, name: str) -> dict[str, Any] | None:
        """Return one with its result, if there is such a plan."""
        for plan in self._plans("WHERE job = ?", name):
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
        """Start a process, which is noted before."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        row = name, as_json(words), started, creation
        with self._store.writing() as db:
            db.execute("INSERT INTO applied_plans (job, words, started, creation) VALUES (?, ?, ?, ?)", row)
        try:
            make_folder(self._folder)
            with (
                self._commands.mandate(**facts) as mandate,
                open_private(self._path(name, "out"), "xb") as out,
                open_private(self._path(name, "err"), "xb") as errors,
            ):
                _lock(out.fileno())
                return subprocess.Popen(
                    self._commands.line(words, "__apply", name),
                    stdin=mandate,
                    stdout=out,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            raise StateError(f"{self._folder} cannot be written: {error.strerror}") from None

    def _path(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"

    def _plans(self, condition: str = "", *values: str) -> list[AppliedPlan]:
        """Return what was carried out, the oldest first."""
        columns = "job, words, started, creation, settled, found"
        query = f"SELECT {columns} FROM applied_plans {condition} ORDER BY rowid"
        return [
            AppliedPlan(job, _decode(words), started, creation, bool(settled), _decode(found))
            for job, words, started, creation, settled, found in self._store.rows(query, values)
        ]

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
        """Remove what was carried out long ago; what a clock that was ahead has noted stays until then."""
        since = (datetime.now(UTC) - KEPT).isoformat(timespec="seconds")
        for plan in self._plans("WHERE started < ?", since):
            if not _is_locked(self._path(plan.job, "out")):
                with self._store.writing() as db:
                    db.execute("DELETE FROM applied_plans WHERE job = ?", (plan.job,))
                for kind in ("out", "err"):
                    with suppress(OSError):
                        self._path(plan.job, kind).unlink(missing_ok=True)


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


def _decode(text: str) -> Any:
    return msgspec.json.decode(text)


def _lock(descriptor: int) -> None:
    """Lock an open, new file, which every process that inherits it holds until it ends.

    Another server that looks whether it is locked holds it for a moment, which is waited for.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


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
