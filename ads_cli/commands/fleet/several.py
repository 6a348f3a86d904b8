"""A fleet of one line: `adsctl --profile 'shop-*' COMMAND` runs a command under each profile that matches."""

import tempfile
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from ...config.guard import read_guard
from ...config.settings import NO_PROFILE, NO_PROFILE_HINT, Settings
from ...console.dry_run import DRY_RUN
from ...console.invocation import Invocation
from ...console.options import CommandLine
from ...console.writes import rehearse
from ...errors import AdsctlError, GuardError, Interrupted, UsageError
from ...fleet.check import (
    Parsed,
    ParsedLine,
    find_signed_out,
    parsed_task,
    problem,
    worst_of,
)
from ...fleet.commands import FleetCommands
from ...fleet.conflicts import check_conflicts
from ...fleet.engine import Ended, TaskResult, error_of, grouped
from ...fleet.expansion import TaskLine, matching_profiles, words_for
from ...fleet.file import TaskProblem
from ...fleet.records import Records, RunId
from ...fleet.run_task import LocalEngine
from ...fleet.tasks import RunLimits, Task
from ...masking import mask_address
from ...output.text import Lines, counted, safe, shell_command
from ...spelling import comma_list, suggestion
from ...store import store_in
from . import DEFAULT_PARALLEL
from .execution import end_run, run_tasks
from .plan import parse_line, problems_here

# Options that shape the one result: they are not handed to the tasks.
RESULT_OPTIONS = dict.fromkeys(
    ("output", "to", "columns", "query", "csv_safe", "color", "on_failure", "on_failure_env")
)
TASK_OPTIONS = ("profile", "log_file")  # that only the tasks have
LIMITS_OF_COMMANDS = {"read_only", "deny"}  # which `check_guard` judges by the command line alone


def run_under_profiles(root: Any, command_line: CommandLine) -> bool:
    """Run a command line under each profile that its --profile names; return False where it names but one.

    So it does for a command line with a mistake, or that shows a help text: running it shows that.
    """
    try:
        parsed = parse_line(root, command_line.words)
    except UsageError:
        return False
    pattern = str(parsed.options.get("profile") or "")
    options = {name: value for name, value in parsed.options.items() if name not in TASK_OPTIONS}
    profiles = list(Settings(options).read_config().get("profiles") or ())
    if pattern in profiles:
        return False
    command_line.parsed_options = options
    call = Invocation.of(SimpleNamespace(obj=command_line))
    command_line.is_parsed = True
    SeveralProfiles(call, root, parsed, _matching(profiles, pattern)).run()
    return True


def _require_none(problems: list[TaskProblem]) -> None:
    """Raise the worst error of problems, if there are any."""
    if problems:
        lines = map(mask_address, grouped((problem.task, problem.text) for problem in problems))
        raise worst_of(problems)(Lines([*lines, "nothing was run"]))


def _matching(profiles: list[str], pattern: str) -> list[str]:
    """Return the profiles that patterns name, in their order; raise UsageError for one that names none."""
    names: list[str] = []
    if not (parts := comma_list(pattern)):
        raise UsageError(NO_PROFILE, hint=NO_PROFILE_HINT)
    for part in parts:
        if not (matching := matching_profiles(profiles, part)):
            hint = f"profiles: {', '.join(profiles)}" if profiles else "run: adsctl auth login --profile NAME"
            raise UsageError(f"--profile: no profile matches {part!r}{suggestion(part, profiles)}", hint=hint)
        names += matching
    return list(dict.fromkeys(names))


class SeveralProfiles:
    """A command that runs under several profiles at once."""

    def __init__(self, call: Invocation, root: Any, parsed: ParsedLine, profiles: list[str]) -> None:
        self._call, self._root, self._profiles = call, root, profiles
        commands = FleetCommands(root)
        try:
            self._name = commands.name_in(tuple(parsed.command.split()))
        except UsageError as error:
            raise UsageError(error.message, hint=f"name one profile: {', '.join(profiles)}") from None
        self._command = commands[self._name]

    def run(self) -> None:
        """Check all tasks, ask once, run them, and show one result; raise the error of the worst."""
        call = self._call
        _ = call.printer  # an invalid --query is reported before anything is done
        parsed = self._parsed(is_confirmed=False)
        told = self._foreseen(parsed)
        if told and call.dry_run:
            print(*map(safe, told), sep="\n")
            return
        for line in told:
            call.messages.show(line.replace(DRY_RUN, "", 1))
        if any(single.is_write for single in parsed) and not call.dry_run:
            typed = shell_command(map(mask_address, ("adsctl", *call.command_line)))
            named = f"{counted(len(parsed), 'profile')}: {', '.join(self._profiles)}"
            call.confirm(f"run {typed} under {named}", at_service=False)
            parsed = self._parsed(is_confirmed=True)
        with tempfile.TemporaryDirectory(prefix="adsctl-") as folder:
            # All show data.
            tasks = [msgspec.structs.replace(single.task, is_job=False) for single in parsed]
            results, stopped = self._results(tasks, Path(folder))
            store_in(Path(folder)).close()  # Windows removes no open file
        error = stopped or error_of(results, noun="profile")
        end_run(call, results, tasks, error, names=("profile",))

    def _parsed(self, *, is_confirmed: bool) -> list[Parsed]:
        """Parse and check the task of each profile; raise the worst error of what prevents them from running.

        Tasks of a command that is confirmed do not ask.
        """
        tasks, problems = list[Parsed](), list[TaskProblem]()
        for profile in self._profiles:
            words = words_for(profile, self._call.command_line)
            line = TaskLine(0, profile, profile, self._name, words)
            fixed = {**RESULT_OPTIONS, "profile": profile, **({"yes": True} if is_confirmed else {})}
            try:
                parsed = parse_line(self._root, words, fixed)
                tasks.append(parsed_task(line, self._command, parsed, words, **fixed))
            except AdsctlError as error:
                problems.append(problem(line, error))
        problems += check_conflicts(tasks)
        problems += problems_here(self._call, tasks, find_signed_out(tasks))
        _require_none(problems)
        return tasks

    def _foreseen(self, parsed: list[Parsed]) -> list[str]:
        """Return what the tasks would change, for a person to read in a dry run, or before it is confirmed.

        Raise GuardError where the guard of a profile refuses what its task would send, before any is run. A
        push is judged when it is run, since its rows are read for that.
        """
        told, problems, dry_run = list[str](), list[TaskProblem](), self._call.dry_run
        for single in parsed:
            limits = {limit.key for limit in read_guard(single.settings).limits}
            is_judged = not (dry_run or limits <= LIMITS_OF_COMMANDS)
            if not single.is_write or single.task.is_job or not (is_judged or self._is_read):
                continue
            line = CommandLine(single.line.words, {**single.task.fixed, "dry_run": True, "quiet": True})
            line.told, line.is_guard_check = [], not dry_run
            try:
                with redirect_stderr(StringIO()) as written:
                    rehearse(self._root, line)
            except GuardError as error:
                problems.append(problem(single.line, error))
            except AdsctlError:  # its run reports it
                if dry_run:
                    return []
                continue
            if dry_run and line.told:
                self._show_lines(single.task.profile, written.getvalue())
            told += [f"{single.task.profile}: {text}" for text in line.told]
        _require_none(problems)
        return told

    @property
    def _is_read(self) -> bool:
        """Whether a person reads what would be done: on a terminal, where it was not confirmed by --yes."""
        call = self._call
        is_said = not call.messages.is_verbose if call.dry_run else not call.flags.get("yes")
        return call.printer.draws and is_said

    def _results(self, tasks: list[Task], folder: Path) -> tuple[list[TaskResult], Interrupted | None]:
        """Run the tasks; return their results, and the signal that has stopped them."""
        call, run = self._call, RunId("profiles", "run")
        records = Records(folder, run)
        results: dict[str, TaskResult] = {}

        def on_end(event: Ended) -> None:
            results[event.task.name] = event.result

        engine = LocalEngine(run, call.settings.state_dir, RunLimits(DEFAULT_PARALLEL), records_dir=folder)
        stopped = run_tasks(call, engine, tasks, records.log, on_end, shows_ends=False)
        for task in tasks:
            self._show_log(task.profile, records.log(task))
        return [results.get(task.name) or TaskResult.skipped(task) for task in tasks], stopped

    def _show_log(self, profile: str, log: Path) -> None:
        """Show what a task has written to stderr, but for its error, which is JSON."""
        if log.exists():
            self._show_lines(profile, log.read_text("utf-8", "replace"))

    def _show_lines(self, profile: str, written: str) -> None:
        for line in written.splitlines():
            if line.strip() and not line.startswith('{"error":'):
                self._call.messages.show(f"{profile}: {line}")
