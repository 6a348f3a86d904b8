"""The error boundary: turns every exception into a message on stderr and an exit code."""

import _thread
import errno
import os
import signal
import sys
import time
import warnings
from io import TextIOWrapper
from pathlib import Path
from types import FrameType

from ..console.options import CommandLine
from ..errors import AdsctlError, Interrupted, ReportedError, StateError
from ..signals import handled_by, turn_off_core_dumps

BROKEN_PIPE_EXIT_CODE = 141
WRITE_ERRNOS = (errno.ENOSPC, errno.EFBIG, errno.EIO)
SHUTDOWN_TIMEOUT_SECONDS = 10.0
RESEND_DELAY_SECONDS = 0.05  # long enough to leave the context that swallowed the exception


def run_guarded(argv: list[str]) -> int:
    """Run a command line, report any exception, and return the exit code."""
    command_line = CommandLine(argv)
    command_line.is_typed = True
    return run_command_line(command_line)


def run_command_line(command_line: CommandLine) -> int:
    """Run a command line, report any exception, and return the exit code."""
    turn_off_core_dumps()
    _open_closed_streams()
    sys.unraisablehook = _resend_swallowed_signal
    warnings.filterwarnings("ignore", "flock not supported", module="filelock")  # which has another way
    try:
        with handled_by(_interrupt):
            return _run_reported(command_line)
    except Interrupted as interrupted:  # while another error was reported
        return _report(interrupted, command_line)
    finally:
        _discard_unwritten()
        if store := sys.modules.get("ads_cli.store.database"):  # which few commands need
            store.close_stores()


def _run_reported(command_line: CommandLine) -> int:
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # the encoding may not be able to represent the text
                stream.reconfigure(errors="backslashreplace")
        from .tree import run

        code = run(command_line)
        sys.stdout.flush()
        return code
    except AdsctlError as error:
        return _report(error, command_line)
    except Interrupted as interrupted:
        _write("\n" if sys.stderr.isatty() else "")  # the terminal shows ^C without a line end
        return _report(interrupted, command_line)
    except BrokenPipeError:
        return BROKEN_PIPE_EXIT_CODE
    except Exception as error:
        return _report(_interruption(error) or _converted(error, command_line), command_line)


def _discard_unwritten() -> None:
    """Discard output that cannot be written; Python would retry at exit and print a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that the caller closed (`>&-`).

    Otherwise the next opened file would get its descriptor and receive what is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of descriptors
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - stays open until exit


def _interrupt(signum: int, frame: FrameType | None) -> None:
    signal.signal(signum, signal.SIG_DFL)  # a second signal ends the program at once
    _thread.start_new_thread(_exit_after_timeout, (128 + signum,))
    raise Interrupted(signum)


def _exit_after_timeout(code: int) -> None:
    """End a program that has not ended by itself; the database is valid wherever that happens."""
    time.sleep(SHUTDOWN_TIMEOUT_SECONDS)
    os._exit(code)


def _resend_swallowed_signal(unraisable: "sys.UnraisableHookArgs") -> None:
    """Re-send a signal whose exception was raised in an unraisable context (import callback, `__del__`)."""
    if isinstance(unraisable.exc_value, Interrupted):
        signum = unraisable.exc_value.exit_code - 128
        signal.signal(signum, _interrupt)
        _thread.start_new_thread(_resend, (signum,))
    else:
        sys.__unraisablehook__(unraisable)


def _resend(signum: int) -> None:
    time.sleep(RESEND_DELAY_SECONDS)
    os.kill(os.getpid(), signum)


def _interruption(error: BaseException) -> Interrupted | None:
    """Return the signal that an exception was raised in place of, or while it was handled."""
    reason: BaseException | None = error
    while reason:
        if isinstance(reason, Interrupted):
            return reason
        reason = reason.__cause__ or reason.__context__
    return None


def _converted(error: Exception, command_line: CommandLine) -> AdsctlError:
    """Convert an unexpected exception; with --debug, print its traceback."""
    if command_line.options.get("debug"):
        import traceback

        from ..output.text import Lines

        lines = traceback.format_exc().splitlines()  # the last of which may be texts of others
        _write(command_line.mask(Lines(f"| {line}" for line in lines) + "\n"))
    return as_error(error, command_line)


def as_error(error: Exception, command_line: CommandLine) -> AdsctlError:
    """Return what an unexpected exception means: that of the system, or a bug."""
    if isinstance(error, OSError):
        # Errors of named files are handled where they are written, so a full disk here is that of stdout.
        path = error.filename or ("standard output" if error.errno in WRITE_ERRNOS else "")
        reason = (error.strerror or str(error)).lower()
        return StateError(f"{path}: {reason}" if path else reason, hint=command_line.side_effects())
    hint = "this is a bug in adsctl; run the command again with --debug to see where"
    return AdsctlError(f"{type(error).__name__}: {error}", hint=hint)


def _report(error: ReportedError, command_line: CommandLine) -> int:
    from ..console.presentation import error_presentation

    presentation = error_presentation(command_line)
    if presentation.format == "json":
        import json

        text = json.dumps({"error": error.as_dict()}) + "\n"
    else:
        from ..output.messages import error_text

        text = error_text(error, presentation)
    _write(command_line.mask(text))
    if "on_failure" in command_line.options:
        from ..console.on_failure import run_on_failure

        if problem := run_on_failure(error, command_line):
            from ..output.text import safe

            _write(command_line.mask(f"warning: {safe(problem)}\n"))
    return error.exit_code


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # stderr cannot be written: only the exit code is left
