"""Tests that need a program of the system say which, where it is missing."""

import os
import subprocess
import sys
from pathlib import Path

from tests.adsctl import ROOT
from tests.programs import PACKAGES, explained, needs

GENERATED = "tests/reference/test_reference.py"


def test_a_run_without_the_programs_passes_and_ends_with_the_command_that_installs_them(tmp_path):
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = surroundings | {"PATH": str(tmp_path)}
    done = subprocess.run([*command, GENERATED], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-2] == (
        "2 tests skipped for want of programs: apt-get install groff-base man-db"
    )


def test_what_needs_root_is_counted_separately():
    reasons = ["Skipped: needs root", "Skipped: needs zsh", "Skipped: needs zsh root", "Skipped: on Tuesdays"]
    assert explained(reasons) == [
        "2 tests skipped for want of programs: apt-get install zsh",
        "2 tests skipped that need root",
    ]
    assert explained([]) == []


def test_only_programs_that_are_missing_are_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert needs("man", "groff").args == (True,)
    for name in PACKAGES:
        Path(tmp_path, name).touch(0o755)
    assert needs(*PACKAGES).args == (False,)
