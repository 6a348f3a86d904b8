"""Tests that need a program of the system say which, where it is missing."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.adsctl import ROOT
from tests.programs import PACKAGES, explained, needs

# How tests name a program that may be missing.
NAMES = re.compile(rf"\bneeds\(|\bSHELLS\b|tests\.browser|\"({'|'.join({*PACKAGES} - {'make', 'man'})})\"")


def test_a_run_without_the_programs_passes_and_ends_with_the_command_that_installs_them(tmp_path):
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name not in PACKAGES and not (tmp_path / program.name).exists():
                (tmp_path / program.name).symlink_to(program)
    naming = sorted(file for file in ROOT.glob("tests/**/test_*.py") if NAMES.search(file.read_text()))
    naming.remove(Path(__file__))
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-k", "not bash"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = surroundings | {"PATH": str(tmp_path)}
    done = subprocess.run([*command, *naming], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    installing = done.stdout.splitlines()[-2].partition(
        "tests skipped for want of programs: apt-get install "
    )
    assert {*installing[2].split()} == {*PACKAGES.values()} - {"make"}


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
