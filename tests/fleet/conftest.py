"""Fleets that tests write and run."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from ads_cli.fleet import run_task
from tests.adsctl import Adsctl
from tests.conftest import feed
from tests.processes.server import client


@dataclass
class Fleet:
    """A file of tasks in the home folder of adsctl."""

    adsctl: Adsctl

    def write(self, *tasks: str, defaults: str = "") -> None:
        lines = [f"defaults: {defaults}"] if defaults else []
        self.adsctl.file(
            "fleet.yaml", "\n".join([*lines, "tasks:", *(f"  - {task}" for task in tasks)]) + "\n"
        )

    def __call__(self, *options: str, code: int = 0, **env: str) -> list[dict[str, Any]]:
        """Run it; return its records."""
        done = self.adsctl("fleet", "run", "fleet.yaml", "-o", "json", *options, code=code, **env)
        self.stderr = done.stderr
        return json.loads(done.stdout)

    def check(self, *options: str, code: int = 3) -> str:
        """Check it; return what is wrong, as far as it is told."""
        return self.adsctl("fleet", "check", "fleet.yaml", *options, code=code).stderr


@pytest.fixture
def forked_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the tasks that are started by this process."""

    def start(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*client(), *words[words.index(run_task.TASK_COMMAND) :]], **options)

    forking = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
    monkeypatch.setattr(run_task, "subprocess", forking)


@pytest.fixture
def fleet(adsctl: Adsctl, forked_tasks: None) -> Fleet:
    return Fleet(adsctl)


@pytest.fixture
def feeds(adsctl: Adsctl) -> Callable[..., None]:
    """Write a feed of a few products for each name."""

    def write(*names: str, rows: int = 2, **changes: str) -> None:
        for name in names:
            adsctl.file(f"{name}.csv", feed(rows, **changes))

    return write


@pytest.fixture
def profiles(adsctl: Adsctl) -> Callable[..., None]:
    """Make profiles for the service of the environment, each with an account and a catalog of its own."""

    def make(*names: str) -> None:
        (adsctl.home / "config").mkdir(exist_ok=True)
        service = {
            "base_url": "ADSCTL_BASE_URL",
            "ads_url": "ADSCTL_ADS_URL",
            "ads_sandbox_url": "ADSCTL_ADS_SANDBOX_URL",
        }
        addresses = {name: adsctl.env[variable] for name, variable in service.items()}
        config = {
            "profiles": {
                name: addresses | {"account": f"acc{name}", "catalog": f"cat{name}"} for name in names
            }
        }
        adsctl.file("config/config.yaml", json.dumps(config))

    return make
