"""Run the tasks of a fleet, and tell what they came to."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..console.fleet_view import FleetView
from ..console.invocation import Invocation
from ..console.page_file import write_page
from ..console.push_messages import resume_command
from ..errors import AdsctlError, Interrupted, ReportedError
from ..fleet.engine import Ended, Engine, Status, TaskEvent, TaskResult
from ..fleet.outcome import error_of
from ..fleet.records import Records, Run
from ..fleet.runs import FleetRun, FleetState
from ..fleet.tasks import Task
from ..output.text import counted

RUN_COLUMNS = ("task", "status", "exit_code", "seconds", "profile", "worker")


@dataclass
class FleetCommand:
    """One run of a fleet."""

    call: Invocation
    file: str
    tasks: Sequence[Task]
    make_engine: Callable[[Run], Engine]
    page: Path | None
    force: bool = False

    def run(self, *, resume: bool) -> None:
        """Run what is due, show every result, and raise what the fleet came to."""
        call = self.call
        state = FleetState(call.settings.state_dir, Path(self.file))
        with state.locked():
            last = state.last()
            begun = state.begin(self.tasks, resume=resume, dry_run=call.dry_run)
            records = state.records(begun.run)
            found = {task.name: records.find(task) for task in self.tasks}
            results = {name: result for name, result in found.items() if result and result.status == "ok"}
            due = [task for task in self.tasks if task.name not in results]
            if resume:
                self._say_resumed(len(results), begun, is_new=last is None)
            view = FleetView(call.messages, len(due), records.log)

            def on_event(event: TaskEvent) -> None:
                if isinstance(event, Ended):
                    results[event.task.name] = event.result
                    self._keep(records, event)
                view.on_event(event)

            stopped: Interrupted | None = None
            with view.shown():
                try:
                    self.make_engine(begun.run).run(due, on_event)
                except Interrupted as error:
                    stopped = error
        self._end(begun, [results.get(task.name) or TaskResult.skipped(task) for task in self.tasks], stopped)

    def _keep(self, records: Records, event: Ended) -> None:
        """Store a result that has no record here: of another machine, or of a process that was killed."""
        try:
            if records.find(event.task) != event.result:
                records.store(event.task, event.result)
        except AdsctlError as error:  # other tasks go on
            self.call.messages.warn(f"{event.task.name}: {error.message}")

    def _say_resumed(self, ended: int, begun: FleetRun, *, is_new: bool) -> None:
        if is_new:
            reason = f"{self.file} was not run on this machine"
            self.call.messages.say(f"nothing to resume: {reason}; every task is run")
        elif ended:
            tasks = f"{counted(ended, 'task')} of the run of {begun.began}"
            self.call.messages.say(f"not run again, since they ended well: {tasks}")

    def _end(self, begun: FleetRun, results: list[TaskResult], stopped: Interrupted | None) -> None:
        """Show the results and write the page; raise the error, or the signal."""
        counts = Counter(result.status for result in results)
        states: tuple[Status, ...] = ("ok", "failed", "skipped")
        self.call.note_summary({"tasks": len(results)} | {state: counts[state] for state in states})
        error: ReportedError | None = stopped or error_of(results, self._resume)
        if stopped:
            stopped.hint = f"run again what did not end well: {self._resume}"
        try:
            self.call.printer.show(msgspec.to_builtins(results), RUN_COLUMNS, "task", ("summary", "error"))
            if self.page:
                self._write_page(self.page, begun, results, error)
        except AdsctlError as other:
            if error is None:
                raise
            self.call.messages.warn(other.message)  # that tasks failed is more important
        if error:
            raise error

    def _write_page(
        self, path: Path, begun: FleetRun, results: list[TaskResult], error: ReportedError | None
    ) -> None:
        from ..console.pages.fleet import page_of

        write_page(self.call, path, page_of(self.file, begun.began, results, error), force=self.force)

    @property
    def _resume(self) -> str:
        """The command line that continues this run."""
        return resume_command(self.call.command_line)
