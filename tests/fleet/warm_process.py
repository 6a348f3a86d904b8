"""Processes that are forked from one which has imported Dask and adsctl: it takes each most of a second."""

import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path

LOADED = ("cli.error_boundary", "commands.fleet", "console.results", "fleet.cluster", "fleet.cluster_worker")
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["distributed.cli.dask_scheduler", "distributed.cli.dask_worker", *(f"ads_cli.{name}" for name in LOADED)]
)


class WarmProcess:
    """`python -m PROGRAM WORDS`, or a script; its output is appended to files in its folder."""

    def __init__(
        self, name: str, program: str, words: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self.out, self.err = folder / f"{name}.out", folder / f"{name}.err"
        self.err.touch()
        values = (program, [*words], dict(environment), self.out, self.err)
        self._process = FORKS.Process(target=_become, args=values, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid
        return self._process.pid

    def send_signal(self, signum: int) -> None:
        os.kill(self.pid, signum)

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code."""
        self._process.join(timeout)
        assert self._process.exitcode is not None, "the process does not end"
        return self._process.exitcode


def _become(program: str, words: list[str], environment: dict[str, str], out: Path, err: Path) -> None:
    """Run a program in what a new process begins with; what is read from there at an import is read again."""
    multiprocessing.current_process()._config["daemon"] = False  # a nanny has children,
    resource_tracker._resource_tracker._fd = None  # and leaves semaphores behind when it is killed
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(out.parent)
    for descriptor, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    sys.modules.pop("sitecustomize", None)
    with suppress(ImportError):
        import sitecustomize  # noqa: F401
    import dask

    dask.config.refresh()
    sys.argv = [program, *words]
    if program.endswith(".py"):
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
