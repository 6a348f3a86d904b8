"""What a worker of a Dask cluster does for a fleet: `survey` and `carry_out` are called there.

Nothing secret is sent to them or comes from them: a worker finds profiles and secrets where it runs.
"""

import os
import platform
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any

import dask.config
import msgspec
from dask.utils import parse_timedelta
from distributed import Reschedule, Semaphore, Variable, Worker, get_worker

from ..client.shared_window import token_scope, windows_variable
from ..config.atomic_files import make_folder
from ..config.settings import Settings
from ..errors import AdsctlError
from ..masking import Mask
from ..signals import turn_off_core_dumps
from ..store.file_identity import boot_id
from .engine import TaskResult
from .records import Records, RunId
from .run_task import TaskProcess
from .tasks import Task

POLL_SECONDS = 0.5
ANSWER_SECONDS = 2  # for the scheduler to answer: a network may drop what is sent without an error
# Parts of a lease without a word of the scheduler, after which a task is stopped, and then killed: it must
# have ended before another worker gets the lease.
QUIET_PART, KILL_PART = 0.4, 0.7
MAX_LOG_BYTES = 64 * 1024  # that come home


class Member(msgspec.Struct, frozen=True):
    """A worker, as it tells of itself before it runs anything."""

    address: str
    local_directory: str  # tells it from an earlier worker of its address: Dask makes one at each start
    name: str
    threads: int
    home: str  # the id of its state folder, which outlives it: what was sent is known there
    lease_seconds: float
    tokens: dict[str, str]  # a digest of each profile's token; "" where it has no limits
    problems: dict[str, dict[str, Any]]  # why it cannot use a profile: the error
    ended: dict[str, TaskResult]  # of the tasks that have ended well there

    def problem(self, task: Task) -> dict[str, Any] | None:
        """Return the error that keeps it from running a task; one without an account signs nothing."""
        return self.problems.get(task.profile) if task.uses_account else None

    def token(self, task: Task) -> str:
        """Return the token whose limits a task uses there."""
        return self.tokens.get(task.profile, "") if task.uses_account else ""


def survey(run: RunId, tasks: tuple[Task, ...], dask_worker: Worker) -> Member:
    """Return what this worker can run, and what has ended here."""
    turn_off_core_dumps()  # of Dask's process, which finds the tokens
    state_dir = Settings({}).state_dir
    make_folder(state_dir)
    status = state_dir.stat()
    tokens: dict[str, str] = {}
    problems: dict[str, dict[str, Any]] = {}
    for profile in {task.profile for task in tasks}:
        try:
            tokens[profile] = token_of(profile, os.environ)
        except AdsctlError as error:
            problems[profile] = error.as_dict()
    results = map(Records(state_dir, run).find, tasks)
    ended = {result.task: result for result in results if result and result.status == "ok"}
    home = f"{platform.node()} {boot_id()} {status.st_dev} {status.st_ino}"
    identity = str(dask_worker.contact_address), dask_worker.local_directory, str(dask_worker.name)
    return Member(*identity, dask_worker.state.nthreads, home, lease_seconds(), tokens, problems, ended)


def lease_seconds() -> float:
    """Return how long the scheduler keeps a lease that is not refreshed."""
    return float(parse_timedelta(dask.config.get("distributed.scheduler.locks.lease-timeout")))


def token_of(profile: str, environ: Mapping[str, str]) -> str:
    """Name the limits of a profile's token, as this machine finds the token; raise AdsctlError."""
    from ..auth.secrets import Secrets, refuse_grant

    settings = Settings({"profile": profile}, environ)
    if settings.is_local:
        return ""
    refuse_grant(settings)
    return token_scope(Secrets(settings, Mask(), {}).user().holder)


def carry_out(task: Task, run: RunId, board: str, account: str, token: str) -> tuple[TaskResult, str] | None:
    """Run a task, unless it has ended well; return its result and the end of its log.

    None where the fleet has been stopped before it could begin, by the signal in the variable `board`. Dask
    calls this again if it reschedules the task, and if this worker is lost: a record tells if it had ended.
    """
    if Variable(board).get(timeout=lease_seconds()):
        return None
    # Always in this order: a task that waits for a token holds none that another one could wait for.
    with held(account), shared(f"adsctl-{token}") if token else nullcontext():
        return _run(task, run, board)


def held(name: str) -> ExitStack:
    """Hold a lease until the stack is closed; raise Reschedule, which frees the thread, if another has it."""
    semaphore = Semaphore(1, name)
    with ExitStack() as lease:
        lease.callback(semaphore.loop.add_callback, semaphore.refresh_callback.stop)  # else it never ends
        if not semaphore.acquire(timeout=POLL_SECONDS):
            raise Reschedule
        lease.callback(semaphore.release)
        return lease.pop_all()


# The leases that tasks of this process hold together, by name: how many do.
LOCKS: dict[str, threading.Lock] = {}
LEASES: dict[str, ExitStack] = {}
HOLDERS: Counter[str] = Counter()


@contextmanager
def shared(name: str) -> Iterator[None]:
    """Hold a lease together with other tasks of this process."""
    lock = LOCKS.setdefault(name, threading.Lock())
    with lock:
        if not HOLDERS[name]:
            LEASES[name] = held(name)
        HOLDERS[name] += 1
    try:
        yield
    finally:
        with lock:
            HOLDERS[name] -= 1
            if not HOLDERS[name]:
                LEASES.pop(name).close()


def _run(task: Task, run: RunId, board: str) -> tuple[TaskResult, str]:
    """Run a task in a process; end it on the fleet's word, without the fleet, and without the scheduler.

    Raises Reschedule if it has ended for want of either.
    """
    worker, state_dir = get_worker(), Settings({}).state_dir
    key, name = worker.get_current_task(), str(worker.name)
    process = TaskProcess(task, run, name, state_dir, os.environ | windows_variable(state_dir))
    stop, sent, is_lost, heard_at = 0, 0, False, time.monotonic()
    while not process.has_ended(POLL_SECONDS):
        with suppress(Exception):  # whatever keeps the board from being read is silence
            stop = Variable(board).get(timeout=ANSWER_SECONDS, callback_timeout=ANSWER_SECONDS)
            heard_at = time.monotonic()
        quiet_part = (time.monotonic() - heard_at) / lease_seconds()
        # Dask forgets the tasks of a client that is gone; a worker that is gone itself is about to end.
        state = getattr(worker.state.tasks.get(key), "state", "")
        is_wanted = state == "executing" and worker.status.name in ("running", "paused")
        is_lost = is_lost or quiet_part > QUIET_PART or not is_wanted
        signum = stop or (signal.SIGTERM if is_lost else 0)
        if quiet_part > KILL_PART:
            signum = getattr(signal, "SIGKILL", signal.SIGTERM)
        if signum != sent:
            process.send_signal(signum)
            sent = signum
    result = process.wait()
    if is_lost and result.exit_code:
        raise Reschedule
    log = Records(state_dir, run).log(task)
    end = log.read_bytes()[-MAX_LOG_BYTES:] if log.exists() else b""
    return result, end.decode(errors="replace")
