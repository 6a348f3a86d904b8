"""The last runs of fleets, as the state folder has them."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from ..console.invocation import Invocation
from ..errors import NotFoundError
from ..fleet.records import Records
from ..fleet.runs import FleetRun, FleetState, PlannedTask, list_runs


def fleet_records(call: Invocation) -> list[dict[str, Any]]:
    """Return a record of the last run of each fleet."""
    return [_fleet_record(call, run) for run in list_runs(call.settings.state_dir)]


def task_records(call: Invocation, file: str) -> list[dict[str, Any]]:
    """Return a record of each task of the last run of a fleet; raise NotFoundError."""
    state = FleetState(call.settings.state_dir, Path(file))
    run = state.last()
    if run is None:
        raise NotFoundError(f"{file} was not run on this machine", hint=f"adsctl fleet run {file}")
    return _task_records(state, run)


def _task_records(state: FleetState, run: FleetRun) -> list[dict[str, Any]]:
    records, goes_on = state.records(run.run), state.is_running
    return [_task_record(records, task, goes_on=goes_on) for task in run.tasks]


def _task_record(records: Records, task: PlannedTask, *, goes_on: bool) -> dict[str, Any]:
    result = records.find(task)
    if result:
        state: str = result.status
    elif records.has_begun(task):
        state = "running" if goes_on else "unfinished"
    else:
        state = "waiting" if goes_on else "not started"
    found = msgspec.to_builtins(result) if result else {}
    found.pop("status", None)
    return {"task": task.name, "state": state, "profile": task.profile} | found


def _fleet_record(call: Invocation, run: FleetRun) -> dict[str, Any]:
    state = FleetState(call.settings.state_dir, Path(run.file))
    states = Counter(record["state"] for record in _task_records(state, run))
    total = len(run.tasks)
    ended = (
        "ok"
        if states["ok"] == total
        else "unfinished"
        if states["ok"] + states["failed"] < total
        else "failed"
    )
    return {
        "file": run.file,
        "state": "running" if state.is_running else ended,
        "began": run.began,
        "tasks": total,
        "ok": states["ok"],
        "failed": states["failed"],
    }
