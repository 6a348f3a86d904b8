"""Run commands in interleaved rounds; measure their seconds and peak memory."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .peers import ADSCTL, PYTHON

HERE = Path(__file__).parent
# CPU and peak memory are reported from inside, while worker processes are there: nobody waits for them, and
# ru_maxrss of a child begins with the memory of the process that forked it. A process is listed with the
# thread that started it. Child processes that ended count with the largest of them, once per core.
MEASURED = """
import os, resource, sys
from pathlib import Path
from ads_cli.__main__ import main
def children(thread):
    try:
        return (thread / "children").read_text().split()
    except OSError:  # the thread has ended
        return []
def family(pid):
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [pid, *(member for thread in threads for child in children(thread) for member in family(child))]
def ticks(pid):
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
def peak(pid):
    found = Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2]
    return int(found.split()[0]) if found else 0
code = main()
live = family(str(os.getpid()))
ended = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * len(os.sched_getaffinity(0))
print(sum(map(ticks, live)), sum(map(peak, live)) + ended, file=sys.stderr)
sys.exit(code)
"""


class Cost(NamedTuple):
    """The cost of a command; CPU and memory are measured for adsctl only, and are 0 for another one."""

    seconds: float
    megabytes: float
    cpu_seconds: float  # of all its processes


class Command(NamedTuple):
    """A command line and its environment."""

    words: list[str]
    env: Mapping[str, str]

    def time(self) -> float:
        """Run it; return the seconds."""
        return self.run()[0]

    def run(self) -> tuple[float, bytes]:
        """Run it; return the seconds and its standard output. Exit unless it succeeds."""
        begun = time.perf_counter()
        done = subprocess.run(self.words, env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        seconds = time.perf_counter() - begun
        if done.returncode:
            told = done.stderr.decode(errors="replace")[-800:]
            sys.exit(f"{' '.join(self.words)} ended with {done.returncode}:\n{told}")
        return seconds, done.stdout


def measured(command: list[str], env: Mapping[str, str], *, code: int = 0) -> Cost:
    """Run a command and return its cost; exit unless it ends with `code`."""
    is_own = command[0] == ADSCTL
    if is_own:
        command = [PYTHON, "-c", MEASURED, *command[1:]]
    begun = time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - begun
    if done.returncode != code:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-800:]}")
    ticks, kilobytes = map(int, done.stderr.split()[-2:]) if is_own else (0, 0)
    return Cost(seconds, kilobytes / 1024, ticks / os.sysconf("SC_CLK_TCK"))


def interleaved(
    tasks: Mapping[str, Callable[[], float]], runs: int, *, warm: bool = True
) -> dict[str, list[float]]:
    """Run every task once per round, in a rotating order; return the seconds of each.

    With `warm`, a first round fills caches and is not counted; a single run is not judged and needs none.
    """
    names = list(tasks)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for name in names if warm and runs > 1 else ():
        tasks[name]()
    for number in range(runs):
        at = number % len(names)
        for name in names[at:] + names[:at]:
            samples[name].append(tasks[name]())
    return samples


@contextmanager
def load_server(latency: float, products: int = 0) -> Iterator[str]:
    """Run a server that accepts every request, and lists so many products; yield its address."""
    command = [sys.executable, str(HERE / "load.py"), str(latency), str(products)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def clean(folder: Path) -> dict[str, str]:
    """Return an environment without the settings of this machine."""
    dropped = ("ADSCTL_", "PYTHON", "HTTP_", "HTTPS_", "ALL_PROXY", "http_", "https_", "all_proxy")
    env = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    httpie = folder / "httpie"
    httpie.mkdir(exist_ok=True)
    (httpie / "config.json").write_text(json.dumps({"disable_update_warnings": True}))
    return env | {
        "HOME": str(folder),
        "ADSCTL_CONFIG_DIR": str(folder / "config"),
        "ADSCTL_STATE_DIR": str(folder / "state"),
        "GH_CONFIG_DIR": str(folder / "gh"),
        "GH_NO_UPDATE_NOTIFIER": "1",
        "HTTPIE_CONFIG_DIR": str(httpie),
    }


def signed_in(address: str) -> dict[str, str]:
    """Return the variables that point adsctl to an address and sign requests to it."""
    secrets = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
    return {f"ADSCTL_{name}": "x" for name in secrets} | {
        "ADSCTL_BASE_URL": address,
        "ADSCTL_ADS_URL": address,
        "ADSCTL_ACCOUNT": "acc",
        "ADSCTL_CATALOG": "cat",
    }
