"""Fleets: many commands of one file, each under its own profile."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, choice, flag, option
from ...console.shown import Result, shows
from ...errors import UsageError
from ...masking import mask_address
from ...output.text import counted, shell_command
from ..runs.options import PageOptions, ShownOptions, with_options

if TYPE_CHECKING:
    from ...fleet.tasks import Task

DEFAULT_PARALLEL = 4
ALL = sys.maxsize  # as many as a cluster has threads
FleetFile = Annotated[str, argument("FILE", "YAML: defaults, and tasks with their command lines")]
Only = Annotated[str | None, option("NAMES", "These tasks only: names or patterns, separated by commas")]
EngineName = Literal["local", "dask"]


class CheckedTask(TypedDict):
    """A task that a fleet would run."""

    task: str
    profile: str
    command: str
    account: str | None
    changes: str | None  # what a job of it changes


class FleetRecord(TypedDict):
    """The last run of a fleet."""

    file: str
    state: str
    began: str
    tasks: int
    ok: int
    failed: int


RUN_COLUMNS = ("task", "status", "exit_code", "seconds", "profile", "worker", "done")
RESULTS = Result("ads_cli.fleet.engine:TaskRecord", "task", named=RUN_COLUMNS)
TASKS, FLEETS = Result(CheckedTask, "task"), Result(FleetRecord, "file")


@shows(RESULTS)
@with_options(page=PageOptions)
def run(
    ctx: typer.Context,
    file: FleetFile,
    parallel: Annotated[
        int | None, option("N", "Tasks at once, at most; by default 4, on a cluster all", min=1, max=64)
    ] = None,
    engine: Annotated[
        EngineName, choice("Where tasks run: on this machine, or on the workers of a Dask cluster")
    ] = "local",
    scheduler: Annotated[
        str | None, option("ADDRESS", "The scheduler of --engine dask, such as tls://10.0.0.5:8786")
    ] = None,
    insecure_scheduler: Annotated[
        bool,
        flag(
            "Use a scheduler of another machine without TLS: whoever reaches it or is on the way there "
            "can run programs here, as you, and on all workers"
        ),
    ] = False,
    only: Only = None,
    resume: Annotated[bool, flag("Continue the last run: what ended well is not run again")] = False,
    fail_fast: Annotated[bool, flag("Start no further task once one has failed")] = False,
    max_failures: Annotated[
        int | None, option("N", "Start no further task once N have failed", min=1)
    ] = None,
    skip_signed_out: Annotated[
        bool, flag("Ask the service about each profile's token, and leave out the tasks of those it refuses")
    ] = False,
    may_be_signed_out: Annotated[
        str | None,
        option("NAMES", "The same for these tasks, names or patterns; the exit code does not count them"),
    ] = None,
    *,
    page: PageOptions,
    force: Annotated[bool, flag("Replace an existing file, whatever it holds")] = False,
) -> None:
    """Run the tasks of a file, each a command under its own profile.

    The whole file is checked before anything runs. Jobs of one account run one after another, parts of one
    list of people at once. The exit code is that of the worst task; --resume runs what did not end well.

    For example: adsctl fleet run fleet.yaml --parallel 8 --report fleet.html
    """
    from ...fleet.tasks import RunLimits
    from .execution import choose_engine, run_fleet
    from .page import FleetReport
    from .plan import plan_fleet

    call = Invocation.of(ctx)
    report = FleetReport(call, page.report, file, force=force)
    _ = call.printer  # an invalid --query is reported before anything is done
    limits = RunLimits(
        parallel or (DEFAULT_PARALLEL if engine == "local" else ALL), 1 if fail_fast else max_failures
    )
    make_engine = choose_engine(call, engine, scheduler, limits, allows_insecure=insecure_scheduler)
    here = engine == "local"
    for name, value in (("skip", skip_signed_out), ("may-be", may_be_signed_out)):
        if value and not here:
            hint = "workers have their own profiles"
            raise UsageError(f"--{name}-signed-out is for --engine local", hint=hint)
    plan = plan_fleet(
        call,
        ctx.find_root().command,
        file,
        only,
        here=here,
        skips=skip_signed_out,
        may_be_signed_out=may_be_signed_out,
    )
    for result in plan.left_out:
        call.messages.warn(f"{result.task} is left out: {(result.error or {}).get('message')}")
    run_fleet(call, file, plan, make_engine, report, resume=resume, only=only is not None)


@shows(TASKS)
@with_options(shown=ShownOptions)
def check(ctx: typer.Context, file: FleetFile, only: Only = None, *, shown: ShownOptions) -> None:
    """Check the file of a fleet, and show its tasks; nothing is run.

    Every command line is parsed, the service must take the token of each profile, and feeds must be there.

    For example: adsctl fleet check fleet.yaml
    """
    from .plan import plan_fleet

    call = Invocation.of(ctx, mutates=False)
    tasks = plan_fleet(call, ctx.find_root().command, file, only, asks=True).tasks
    records: list[CheckedTask] = [
        {
            "task": task.name,
            "profile": task.profile,
            "command": shell_command(map(mask_address, _words_shown(call, task))),
            "account": task.account or None,
            "changes": f"{task.target.kind} {task.target.id}" if task.target else None,
        }
        for task in tasks
    ]
    shown.show(call, records, TASKS.columns, "tasks", TASKS.key)
    call.messages.say(f"{file}: {counted(len(tasks), 'task')}, no mistakes")


def _words_shown(call: Invocation, task: "Task") -> Sequence[str]:
    """Return the words of a task; for people without its profile, which is a column too."""
    words = task.words
    return words[1:] if call.printer.is_for_people and words[0] == f"--profile={task.profile}" else words


@shows(FLEETS, RESULTS)
@with_options(shown=ShownOptions)
def status(
    ctx: typer.Context,
    file: Annotated[str | None, argument("FILE", "The fleet whose tasks are shown; else all fleets")] = None,
    *,
    shown: ShownOptions,
) -> None:
    """Show the last run of a fleet, task by task, or of each fleet.

    With a file, it shows what the run showed, and ends with its exit code; while a run goes on, with 0.

    For example: adsctl fleet status --where 'failed>0'
    """
    from ...fleet.records import list_runs
    from .execution import fleet_record, show_status

    call = Invocation.of(ctx, mutates=False)
    if file is None:
        records = [fleet_record(call, run) for run in list_runs(call.settings.state_dir)]
        shown.show(call, records, FLEETS.columns, "fleets", FLEETS.key)
    else:
        show_status(call, file, shown)
