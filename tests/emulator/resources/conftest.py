"""Typed commands on the resources of the emulator, under both services."""

import json
from pathlib import Path

import pytest

from ads_cli.api.names import to_neutral
from tests.effort import THOROUGH

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Walk under service x, and every second time under the generic one too; with THOROUGH always."""
    ours = [item for item in items if item.path.parent == FOLDER and hasattr(item, "callspec")]
    generic = [item for item in ours if item.callspec.params.get("run") == "generic"]
    left_out = set() if THOROUGH else {*generic[::2]}
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(params=["generic", "x"])
def run(request, adsctl):
    """Run a command against the emulator of a service; return its data by neutral names, or its message."""

    def run(*words, code=0):
        shape = ("--service", request.param, "--yes", "-o", "json")
        done = adsctl.local(*words, *shape, code=code)
        return to_neutral(json.loads(done.stdout)) if code == 0 else done.stderr

    run.service, run.file = request.param, adsctl.file
    return run
