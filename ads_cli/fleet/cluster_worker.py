"""What a worker of a Dask cluster does for a fleet.

The functions are called on the worker, with messages of JSON and with nothing secret: it finds profiles and
secrets where it runs.
"""

import os
from pathlib import Path
from typing import Any

import msgspec
from distributed import Semaphore, Variable, Worker, get_worker

from .. import __version__
from ..core_dumps import turn_off as turn_off_core_dumps
from ..errors import AdsctlError, StateError
from .allowance import scope_of_profile
from .cluster_messages import Inquiry, LostContactError, Order, Outcome, Refusal, Survey
from .cluster_watch import POLL_SECONDS, BoardReader, Home, Watch, is_running, lease_seconds, read
from .records import Records
from .run_task import TaskProcess

MAX_LOG_BYTES = 64 * 1024  # that come home


def survey(message: bytes) -> bytes:
    """Answer which profiles this worker can use, and which tasks have ended here."""
    turn_off_core_dumps()  # of Dask's process, which finds the tokens
    inquiry = msgspec.json.decode(message, type=Inquiry)
    home = Home.find()
    records = Records(home.state_dir, inquiry.run)
    scopes: dict[str, str] = {}
    problems: dict[str, dict[str, Any]] = {}
    for profile in sorted({task.profile for task in inquiry.tasks}):
        try:
            scopes[profile] = scope_of_profile(profile, os.environ)
        except AdsctlError as error:
            problems[profile] = error.as_dict()
    ended = {task.name: result for task in inquiry.tasks if (result := records.find(task))}
    return msgspec.json.encode(Survey(home.id, lease_seconds(), scopes, problems, ended))


def carry_out(message: bytes) -> bytes:
    """Run a task, unless it has ended; return a refusal, or nothing once its outcome is at the scheduler.

    Dask calls this again on another worker if this one is lost, even if the task had ended by then: the
    outcome at the scheduler, or the record in a shared state folder, tells so.
    """
    order = msgspec.json.decode(message, type=Order)
    worker, home = get_worker(), Home.find()
    board = BoardReader(order.board, home)
    if refusal := _refusal(order, board, worker.address):
        return msgspec.json.encode(refusal)
    lease, ended = Semaphore(1, order.lease), Variable(order.ended)
    while not lease.acquire(timeout=POLL_SECONDS):
        if not is_running(worker) or (told := board.read()) is None or told.stop:
            raise LostContactError(f"{worker.name} was stopped before it could begin")
    try:
        if (outcome := read(ended)) is None:
            raise LostContactError("the fleet has ended")
        if not outcome:
            ended.set(msgspec.json.encode(_run(order, board, worker, home)).decode())
    finally:
        lease.release()
    return b""


def _refusal(order: Order, board: BoardReader, address: str) -> Refusal | None:
    """Refuse a task that this worker cannot run."""
    try:
        if order.version != __version__:
            raise StateError(f"adsctl is {__version__} here, and {order.version} where the fleet was started")
        scope = scope_of_profile(order.task.profile, os.environ) if order.task.account else ""
    except AdsctlError as error:
        return Refusal(address, error.as_dict())
    board.grant()
    if not scope:
        return None
    return None if scope in board.scopes else Refusal(address)


def _run(order: Order, board: BoardReader, worker: Worker, home: Home) -> Outcome:
    """Run a task in a process, for as long as the fleet and the scheduler can be heard."""
    name = str(worker.name)
    worker.log_event(order.board, {"task": order.task.name, "worker": name, "address": worker.address})
    environment = os.environ | home.allowance.environment()
    process = TaskProcess(order.task, order.run, name, home.state_dir, environment)
    watch = Watch(process, board, worker)
    watch.start()
    try:
        result = process.wait()
    finally:
        watch.end()
    if watch.lost_contact and result.exit_code:
        raise LostContactError(f"{name} heard nothing of the fleet, and stopped the task {order.task.name!r}")
    log = Records(home.state_dir, order.run).log(order.task)
    return Outcome(result, _tail(log))


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - MAX_LOG_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
