"""adsctl as the tests run it: in the process of the tests, or in a process of its own."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pexpect

from ads_cli.__main__ import main
from tests.in_process import like_a_process
from tests.printed import require_declared
from tests.processes.server import COMMANDS, client

ROOT = Path(__file__).parent.parent
TIMEOUT_SECONDS = 120
# Python reads these when it starts, so they have no effect on a command in the process of the tests.
READ_AT_START = ("PYTHON", "LC_", "LANG")  # but not PYTHON_KEYRING_BACKEND

# Report the peak from inside: ru_maxrss of a child begins with the memory of the process that forked it.
MEASURED = """
import re, sys
from pathlib import Path
from ads_cli.__main__ import main
code = main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
sys.exit(code)
"""


def reset_ignored_signals() -> None:
    """Restore signals that a shell ignores in background jobs; the tests may be such a job."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def interrupt_prompt(terminal: pexpect.spawn) -> None:
    """Press Ctrl-C once every process that has a terminal as its input waits.

    Python handles a signal that comes right before a read only after it, and there may be nothing to read.
    """
    name = Path(f"/proc/{terminal.pid}/fd/0").readlink()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "fd/0").readlink() == name:
                wait_until(partial(_sleeps, process), "the process does not wait for input")
    terminal.sendintr()


def _sleeps(process: Path) -> bool:
    return (process / "stat").read_text().rpartition(")")[2].split()[0] == "S"


def wait_until(is_so: Callable[[], object], what: str, seconds: float = TIMEOUT_SECONDS) -> None:
    """Wait until something is so; `what` is said where it never is."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


@dataclass
class Adsctl:
    """Runs adsctl in a home folder, isolated from the settings of this machine.

    adsctl(...)          in the process of the tests: a tenth of the time. The default.
    adsctl.local(...)    the same with `--profile local`.
    adsctl.process(...)  in a process, until it ends: for what Python reads when it starts.
    adsctl.terminal(...) in a process on a terminal.
    adsctl.popen(...)    in a process that runs beside the test: for signals, kills and locks.
    adsctl.beside(...)   the same, forked: where what Python reads when it starts is not the point.
    adsctl.command(...)  the words that start a process: for shells, terminals and `emulator exec`.
    adsctl.forked(...)   the same, forked by a process that has loaded adsctl: a fifth of the time.
    adsctl.installed()   an environment in which a shell finds `adsctl`.
    """

    home: Path
    env: dict[str, str] = field(default_factory=dict)
    emulator_database: Path | None = None  # seeded; copied for the first command of the profile `local`

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ADSCTL_CONFIG_DIR": str(self.home / "config"),
            "ADSCTL_STATE_DIR": str(self.home / "state"),
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            **self.env,
        }

    def __call__(
        self, *words: object, input: str | bytes | None = None, code: int | None = 0, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in this process; the exit code must be `code`, unless that is None."""
        argv = [*map(str, words)]
        assert threading.current_thread() is threading.main_thread(), "in a thread: use adsctl.process"
        self._check_in_process(env)
        self._copy_emulator(argv)
        stdin = input.encode() if isinstance(input, str) else input
        with like_a_process(argv, self.environment | env, self.home, stdin) as (out, err):
            returncode = main(argv)
        require_declared(argv, self.environment | env, returncode, out.getvalue())
        return completed(argv, returncode, out.getvalue(), err.getvalue(), code)

    def local(self, *words: object, **options) -> subprocess.CompletedProcess[str]:
        """Run a command against the emulator on this machine."""
        return self("--profile", "local", *words, **options)

    def process(
        self, *words: object, input: str | bytes | None = None, code: int | None = 0, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a process; the exit code must be `code`, unless that is None."""
        done = subprocess.run(
            self._start(words, env),
            input=input.encode() if isinstance(input, str) else input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            env=self.environment | env,
            cwd=self.home,
            timeout=TIMEOUT_SECONDS,
        )
        return completed(done.args, done.returncode, done.stdout, done.stderr, code)

    def popen(self, *words: object, **env: str) -> subprocess.Popen:
        """Start a process."""
        return self._popen(self.command(*words), env)

    def beside(self, *words: object, **env: str) -> subprocess.Popen:
        """Start a forked process: one that is killed ends its command a moment later."""
        return self._popen(self.forked(*words), env)

    def _popen(self, command: list[str], env: Mapping[str, str]) -> subprocess.Popen:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment | env,
            cwd=self.home,
        )

    def terminal(self, *words: object, width: int = 80, **env: str) -> pexpect.spawn:
        """Start a process on a terminal."""
        command, *arguments = self._start(words, env)
        return pexpect.spawn(
            command,
            arguments,
            env=self.environment | env,
            cwd=str(self.home),
            dimensions=(50, width),
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
        )

    def command(self, *words: object) -> list[str]:
        argv = [*map(str, words)]
        self._copy_emulator(argv)
        return [sys.executable, "-m", "ads_cli", *argv]

    def forked(self, *words: object, modules: str = COMMANDS) -> list[str]:
        argv = [*map(str, words)]
        self._copy_emulator(argv)
        return [*client(modules), *argv]

    def installed(self, *options: str) -> dict[str, str]:
        """Put `adsctl` on the path, with options of its own; return the environment that finds it."""
        (self.home / "bin").mkdir(exist_ok=True)
        new, loaded = shlex.join(self.command(*options)), shlex.join(self.forked(*options))
        as_usual = f'[ "$LANG:$LC_ALL:$PYTHONPATH" = C.UTF-8::{ROOT} ]'  # what Python reads when it starts
        run = f'#!/bin/sh\n{as_usual} && exec {loaded} "$@"\nexec {new} "$@"\n'
        self.file("bin/adsctl", run).chmod(0o755)
        return self.environment | {"PATH": f"{self.home}/bin:{self.environment['PATH']}"}

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.home / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def copy_emulator(self) -> Path:
        """Put a seeded database where the profile `local` looks for it; seeding takes 50 times as long."""
        database = self.home / "state" / "emulator.db"
        database.parent.mkdir(mode=0o700, exist_ok=True)
        assert self.emulator_database
        shutil.copyfile(self.emulator_database, database)
        database.chmod(0o600)
        return database

    def _copy_emulator(self, argv: list[str]) -> None:
        if self.emulator_database and "local" in argv and not (self.home / "state").exists():
            self.copy_emulator()

    def _start(self, words: Iterable[object], env: Mapping[str, str]) -> list[str]:
        return (self.command if self._read_at_start(env) else self.forked)(*words)

    def _check_in_process(self, env: Mapping[str, str]) -> None:
        for name in self._read_at_start(env):
            raise AssertionError(f"{name} is read when Python starts: use process")

    def _read_at_start(self, env: Mapping[str, str]) -> list[str]:
        """Return the variables that a running Python does not read, where they are not the usual ones."""
        usual = Adsctl(self.home).environment
        given = {name: value for name, value in (self.env | env).items() if usual.get(name) != value}
        return [name for name in given if name.startswith(READ_AT_START) and not name.startswith("PYTHON_")]


def completed(
    argv: list[str], returncode: int, stdout: bytes, stderr: bytes, code: int | None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.CompletedProcess(argv, returncode, stdout.decode(), stderr.decode())
    if code is not None:
        assert returncode == code, f"exit {returncode}\n{done.stdout}\n{done.stderr}"
    return done
