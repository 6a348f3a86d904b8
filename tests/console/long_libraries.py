"""The oldest versions of our libraries read and describe every command as the pinned ones do.

With ENVIRONMENTS, as for `make newest`: those of other environments.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.adsctl import ROOT
from tests.environments import made_python


def lines_of(python: Path | str, folder: Path) -> list[Any]:
    """Run many command lines with the libraries of an environment."""
    folder.mkdir()
    command = [python, "-m", "tests.command_lines", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.replace(str(folder), "HOME").splitlines()]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("environment", os.environ.get("ENVIRONMENTS", "oldest").split())
def test_other_versions_of_our_libraries_read_and_describe_every_command_alike(tmp_path, environment):
    expected = lines_of(sys.executable, tmp_path / "ours")
    lines = lines_of(made_python(environment), tmp_path / "theirs")
    assert len(expected) > 3000 and [line for line in expected if line[1] == 1] == []
    assert expected[-1] == [["loaded"], 0, "", ""]  # no pydantic
    different = [(ours, theirs) for ours, theirs in zip(expected, lines, strict=True) if ours != theirs]
    assert not different, different[:3]
