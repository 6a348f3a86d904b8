"""A program that imports ads_cli: it prints nothing, and its process stays as it was."""

import gc
import locale
import logging
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import ads_cli
from tests.adsctl import Adsctl
from tests.in_process import SIGNALS, like_a_process


def state_of_process() -> dict[str, Any]:
    """Return what a library may not change."""
    loggers = [logging.getLogger(name) for name in ("", "asyncio", "httpx", "filelock", "matplotlib")]
    return {
        "environment": {name: os.environ[name] for name in os.environ if not name.startswith("PYTEST")},
        "folder": Path.cwd(),
        "signals": [signal.getsignal(number) for number in SIGNALS],
        "logging": [(logger.level, logger.handlers[:], logger.propagate) for logger in loggers],
        "warnings": warnings.filters[:],
        "locale": locale.setlocale(locale.LC_ALL),
        "hook": sys.excepthook,
        "garbage": gc.get_threshold(),
        "mask": _mask(),
    }


def _mask() -> int:
    os.umask(mask := os.umask(0o077))
    return mask


@contextmanager
def program(adsctl: Adsctl) -> Iterator[None]:
    """Run the block as a program does that imports ads_cli."""
    with like_a_process([], adsctl.environment, adsctl.home, None) as (out, err):
        before = state_of_process()
        yield
        assert state_of_process() == before
    assert (out.getvalue(), err.getvalue()) == (b"", b"")


@pytest.fixture
def python(adsctl: Adsctl) -> Iterator[Adsctl]:
    """A program that imports ads_cli, in the home folder of adsctl, with an emulator."""
    adsctl.copy_emulator()
    with program(adsctl):
        yield adsctl


@pytest.fixture
def ads(python: Adsctl) -> Iterator[ads_cli.Connection]:
    """A connection to the emulator."""
    with ads_cli.connect(profile="local") as connection:
        yield connection
