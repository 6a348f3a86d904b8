"""Entry point of the program."""

import sys
from collections.abc import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import ResultShape

# Allocations between two garbage collections. At Python's default of 700, collections over freshly
# imported modules, which are never garbage, take a fifth of the start-up time.
GC_THRESHOLD = 200_000


def main(argv: list[str] | None = None) -> int:
    """Run adsctl and return its exit code; without `argv`, run the command line of this process."""
    if argv is not None:
        return run(argv)
    import gc

    gc.set_threshold(GC_THRESHOLD)
    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()  # skips the collection at exit


def run(argv: list[str]) -> int:
    """Run a command line."""
    if argv == ["--version"]:  # answered without imports
        from . import __version__

        try:
            print(f"adsctl {__version__}", flush=True)
            return 0
        except OSError:
            pass  # run again below, where the error boundary reports it
    if argv[:2] == ["__ids", "added"]:  # called by the completion scripts
        from .cli.added_commands import print_completions as print_added

        return print_added(argv[2:])
    if argv[:1] == ["__ids"]:
        from .console.completion_ids import print_completions

        return print_completions(argv[1:])
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C ends the program silently until the error boundary can report it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if argv[:1] == ["__task"]:  # the process of a task of a fleet
        from .fleet.task_process import run_assignment

        return run_assignment(run_task_line)
    if argv[:1] == ["__query"]:  # the process of a query of an assistant
        from .commands.mcp.query import run_query

        return run_query(argv[1])
    from .cli.error_boundary import run_guarded

    if argv[:1] in (["__by"], ["__plan"]):  # a command that an assistant runs, and one that it plans
        return run_for_assistant(argv[2:], by=argv[1], is_plan=argv[0] == "__plan")
    if argv[:1] == ["__apply"]:  # one that carries out a plan, by whose id the log of changes knows it
        return run_for_assistant(argv[3:], by=argv[1], job=argv[2])
    return run_guarded(argv)


def run_for_assistant(
    words: "Sequence[str]", *, by: str, job: str | None = None, is_plan: bool = False
) -> int:
    """Run a command line, held to the mandate on standard input, and return the exit code."""
    import msgspec

    from .cli.error_boundary import run_command_line
    from .config import atomic_files
    from .config.mandate import Mandate
    from .console.options import CommandLine

    line = CommandLine(words)
    line.by, line.job, line.is_plan, line.is_guard_check = by, job, is_plan, is_plan
    line.mandate = msgspec.json.decode(sys.stdin.buffer.read() or b"{}", type=Mandate)
    line.answer = line.mandate.require_answer
    atomic_files.EXPECTED.update(line.mandate.files)
    return run_command_line(line)


def run_task_line(words: Sequence[str], fixed: "Mapping[str, Any]") -> tuple[int, "ResultShape | None"]:
    """Run the command line of a task. Return its exit code, and how its result is shown."""
    from .cli.error_boundary import run_command_line
    from .console.options import CommandLine

    line = CommandLine(words, fixed)
    return run_command_line(line), line.shape


if __name__ == "__main__":
    sys.exit(main())
