"""The single error boundary: whatever is raised anywhere below becomes words on stderr and an exit code."""

import _thread
import errno
import os
import signal
import sys
import time
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from types import FrameType

from ..errors import AdsctlError, Interrupted, ReportedError

BROKEN_PIPE = 141
CANNOT_WRITE = (errno.ENOSPC, errno.EFBIG, errno.EIO)
GRACE = 10.0  # seconds that an end by a signal may take


def guarded(argv: list[str]) -> int:
    """Run the command line, catch everything once, and give the exit code."""
    _open_closed()
    sys.unraisablehook = _heed_lost
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        signum = getattr(signal, name, None)
        if signum and signal.getsignal(signum) is not signal.SIG_IGN:  # nohup, or a job in the background
            signal.signal(signum, _interrupt)
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # text may hold what the terminal's encoding cannot say
                stream.reconfigure(errors="backslashreplace")
        from .tree import run

        code = run(argv)
        sys.stdout.flush()
        return code
    except AdsctlError as error:
        return _tell(error, argv)
    except Interrupted as stopped:
        _write("\n" if sys.stderr.isatty() else "")  # the terminal shows ^C, and stays on its line
        return _tell(stopped, argv)
    except BrokenPipeError:  # whoever read our output has left
        return BROKEN_PIPE
    except Exception as error:
        return _tell(_as_error(error, argv), argv)
    finally:
        _let_go()


def _let_go() -> None:
    """Throw away what cannot be written: Python would try again at exit, and fail in words of its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed() -> None:
    """Put the null device where the caller closed a standard stream (`>&-`).

    Else the next file to be opened would take its number, and receive what is meant for nobody.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of their numbers
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open until the end


def _interrupt(signum: int, frame: FrameType | None) -> None:
    # A second signal of the same kind ends the program at once.
    signal.signal(signum, signal.SIG_DFL)
    _thread.start_new_thread(_end, (128 + signum,))
    raise Interrupted(signum)


def _end(code: int) -> None:
    """End the program where nothing else has: a signal is obeyed, and a journal stands any end."""
    time.sleep(GRACE)
    os._exit(code)


def _heed_lost(lost: "sys.UnraisableHookArgs") -> None:
    """Send a signal again whose exception came where Python lets none through, as in the end of an import."""
    if isinstance(lost.exc_value, Interrupted):
        signum = lost.exc_value.exit_code - 128
        signal.signal(signum, _interrupt)
        _thread.start_new_thread(_send_again, (signum,))
    else:
        sys.__unraisablehook__(lost)


def _send_again(signum: int) -> None:
    time.sleep(0.05)  # by then, what let nothing through is over
    os.kill(os.getpid(), signum)


def _as_error(error: Exception, argv: list[str]) -> AdsctlError:
    """Make an exception that nobody foresaw one of ours, without a traceback unless --debug asks for it."""
    if "--debug" in argv:
        import traceback

        from ..output.text import safe_lines

        _write(safe_lines(traceback.format_exc()))
    if isinstance(error, OSError):
        from ..errors import StateError

        # Files are told of where they are written, so that a disk without a name is that of our output.
        where = error.filename or ("standard output" if error.errno in CANNOT_WRITE else "")
        reason = (error.strerror or str(error)).lower()
        return StateError(f"{where}: {reason}" if where else reason)
    hint = "this is a bug in adsctl; the same command with --debug shows where"
    return AdsctlError(f"{type(error).__name__}: {error}", hint=hint)


def _tell(error: ReportedError, argv: list[str]) -> int:
    if _wants_json(argv):
        import json

        _write(json.dumps({"error": error.as_dict()}) + "\n")
    else:
        from ..output.messages import error_lines

        _write(error_lines(error, argv))
    return error.exit_code


def _wants_json(argv: list[str]) -> bool:
    """Look for `-o json` by hand, since the error may be that the options cannot be read."""
    wanted = os.environ.get("ADSCTL_OUTPUT", "")
    words = argv[: argv.index("--")] if "--" in argv else argv
    for word, following in pairwise([*words, ""]):
        if word in ("-o", "--output"):
            wanted = following
        elif word.startswith("--output=") or (word.startswith("-o") and len(word) > 2):
            wanted = word.removeprefix("--output=").removeprefix("-o")
    return wanted == "json"


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody is listening: the exit code has to say it all
