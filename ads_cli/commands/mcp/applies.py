"""Carry out plans: each in a process that outlives the server, noted before it starts."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import msgspec

from ...config.atomic_files import make_folder, open_private
from ...errors import StateError
from ...store import as_json, store_in
from ...store.changes import UNKNOWN, ChangeEnded, ChangeLog
from ...stored_times import utc_text
from .child import END_SECONDS, Commands, Finished, split_messages
from .results import FOLDER, read_documents

APPLIED = "applied"  # in the folder of the server: what processes print
ANSWER_SECONDS = 40.0  # after which a change that still runs is answered with its id
POLL_SECONDS = 0.02
KEPT_SECONDS = 7 * 24 * 3600.0
RUNNING, ENDED, FAILED, STOPPED = "running", "ended", "failed", "stopped"
STOPPED_CODE = 8  # that a request may have been applied
NOT_SENT, OK = "not sent", "ok"  # outcomes of a creation
HINTS = {
    NOT_SENT: "it was stopped before it sent anything: plan the same again",
    OK: "it was stopped after its record was created: 'changes' names it",
    UNKNOWN: "it was stopped while its answer was awaited: plan the same again with resume, which looks for "
    "the record before another one is created",
}
SETTLED_HINT = "it was looked for, and is created by a later plan"
STOPPED_HINT = (
    "it was killed: plan the same again, with resume where the command has it; what a push or an apply of "
    "campaigns has sent is not sent again"
)


class LoggedCreation(NamedTuple):
    """What the log of changes knows of a creation."""

    outcome: str  # NOT_SENT, OK, UNKNOWN, or the code of an error
    ids: list[str]


@dataclass
class AppliedPlan:
    """A plan that was carried out by a process, and what has become of it.

    The output of the process is a file that it holds locked, so that every server sees whether it still runs.
    """

    job: str  # the id of the plan, and of the job of its changes
    words: list[str]  # of its command line
    started: str
    creation: str  # a digest of its request, where that makes another record each time
    is_settled: bool  # it is known what it has created, or another plan creates it
    folder: Path  # of its output
    log: ChangeLog

    def path(self, kind: str) -> Path:
        """Return the file of what it prints: `out` or `err`."""
        return self.folder / f"{self.job}.{kind}"

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return _is_locked(self.path("out"))

    @cached_property
    def result(self) -> Finished | None:
        """The result of a process that has ended; None where it was killed before it wrote one."""
        try:
            output = self.path("out").read_bytes()
            messages = self.path("err").read_text(errors="replace")
        except OSError:
            return None
        error, warnings = split_messages(messages.splitlines())
        if error:
            return Finished(int(error.get("exit_code") or 1), output, error, warnings)
        with suppress(ValueError):
            json.loads(output)
            return Finished(0, output, None, warnings)
        return None

    @property
    def logged(self) -> LoggedCreation:
        """What the log of changes knows of the request that it has sent."""
        change = self.log.of_job(self.job)
        return LoggedCreation(change["outcome"], change["ids"]) if change else LoggedCreation(NOT_SENT, [])

    @property
    def unanswered(self) -> LoggedCreation | None:
        """What is known of a creation that was not answered; None for anything else."""
        if not self.creation or self.is_running or (self.result and not self.result.code):
            return None
        logged = self.logged
        return None if self.result and logged.outcome != UNKNOWN and not self.is_settled else logged

    def shown(self) -> dict[str, Any]:
        """Return what an assistant sees of it."""
        is_running, result = self.is_running, self.result
        state = RUNNING if is_running else STOPPED if not result else FAILED if result.code else ENDED
        shown: dict[str, Any] = {"job": self.job, "state": state, "action": "apply_change"}
        shown |= {"command": " ".join(self.words), "started": self.started}
        if logged := self.unanswered:
            is_elsewhere = self.is_settled and logged.outcome != OK
            hint = SETTLED_HINT if is_elsewhere else HINTS.get(logged.outcome, STOPPED_HINT)
            shown |= {"outcome": logged.outcome, "hint": hint} | ({"ids": logged.ids} if logged.ids else {})
        elif state == STOPPED:
            shown["hint"] = STOPPED_HINT
        if result and result.code and not is_running:
            shown["error"] = result.error
        return shown


class AppliedPlans:
    """The plans that were carried out on this machine in the last days, by the ids of their plans."""

    def __init__(
        self, commands: Commands, state_dir: Path, answer_seconds: float, profile: str | None = None
    ) -> None:
        self._profile = profile  # whose plans are shown; None: those of all
        self._commands, self._store, self._log = commands, store_in(state_dir), ChangeLog(state_dir)
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
        (plan,) = self._plans("WHERE job = ?", name)
        if plan.result:
            return plan.result
        hint = plan.shown()["hint"]
        error = {
            "code": STOPPED,
            "message": "it was killed before it has answered",
            "hint": hint,
            "job": name,
        }
        return Finished(STOPPED_CODE, b"", error, [])

    def running(self, words: Sequence[str]) -> str | None:
        """Return the id of the process that carries out the same command line now."""
        same = (plan for plan in self._plans() if plan.words[-len(words) :] == [*words])
        return next((plan.job for plan in same if plan.is_running), None)

    def unanswered(self, creation: str) -> list[AppliedPlan]:
        """Return the plans that were to send a request, and may have created a record without an answer."""
        plans = self._plans("WHERE creation = ? AND NOT settled", creation)
        return [plan for plan in plans if (logged := plan.unanswered) and logged.outcome in (OK, UNKNOWN)]

    def settle(self, plan: AppliedPlan, id: str = "") -> None:
        """Note what a stopped process has created, by its id, or that another one creates it."""
        change = self._log.of_job(plan.job)
        if change and id:
            self._log.end(ChangeEnded(id=change["id"], outcome=OK, ids=[id]))
        with self._store.writing() as db:
            db.execute("UPDATE applied_plans SET settled = 1 WHERE job = ?", (plan.job,))

    def records(self) -> list[dict[str, Any]]:
        """Return what was carried out, the oldest first."""
        return [plan.shown() for plan in self._plans() if self._is_own(plan)]

    def _is_own(self, plan: AppliedPlan) -> bool:
        """Whether a plan is not known to be one of another profile."""
        change = self._log.of_job(plan.job)
        return self._profile is None or change is None or change["profile"] == self._profile

    def find(self, name: str) -> dict[str, Any] | None:
        """Return one with its result, if there is such a plan."""
        for plan in filter(self._is_own, self._plans("WHERE job = ?", name)):
            shown = plan.shown()
            if plan.result and shown["state"] == ENDED:
                shown["result"] = read_documents(plan.result.output)
            return shown
        return None

    def _start(
        self, name: str, words: Sequence[str], creation: str, facts: Mapping[str, Any]
    ) -> subprocess.Popen[bytes]:
        """Start a process, which is noted before."""
        with self._store.writing() as db:
            row = name, as_json(words), utc_text(), creation
            db.execute("INSERT INTO applied_plans (job, words, started, creation) VALUES (?, ?, ?, ?)", row)
        (plan,) = self._plans("WHERE job = ?", name)
        try:
            make_folder(self._folder)
            with (
                self._commands.mandate(**facts) as mandate,
                open_private(plan.path("out"), "xb") as out,
                open_private(plan.path("err"), "xb") as errors,
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

    def _plans(self, condition: str = "", *values: str) -> list[AppliedPlan]:
        """Return what was carried out, the oldest first."""
        query = f"SELECT job, words, started, creation, settled FROM applied_plans {condition} ORDER BY rowid"
        return [
            AppliedPlan(
                job, msgspec.json.decode(words), started, creation, bool(settled), self._folder, self._log
            )
            for job, words, started, creation, settled in self._store.rows(query, values)
        ]

    def _remove_old(self) -> None:
        """Remove what was carried out long ago; what a clock that was ahead has noted stays until then."""
        for plan in self._plans("WHERE started < ?", utc_text(KEPT_SECONDS)):
            if not plan.is_running:
                with self._store.writing() as db:
                    db.execute("DELETE FROM applied_plans WHERE job = ?", (plan.job,))
                for kind in ("out", "err"):
                    with suppress(OSError):
                        plan.path(kind).unlink(missing_ok=True)


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
