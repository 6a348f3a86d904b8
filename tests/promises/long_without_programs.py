"""Every test that names a program of the system passes or is skipped with all of these hidden."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.adsctl import ROOT
from tests.programs import PACKAGES

# How tests name a program that may be missing.
NAMES = re.compile(rf"\bneeds\(|\bSHELLS\b|tests\.browser|\"({'|'.join({*PACKAGES} - {'make', 'man'})})\"")
INSTALL = "tests skipped for want of programs: apt-get install "


def test_a_run_without_the_programs_passes_and_ends_with_the_command_that_installs_them(tmp_path):
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name not in PACKAGES and not (tmp_path / program.name).exists():
                (tmp_path / program.name).symlink_to(program)
    files = {*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/**/long_*.py")} - {Path(__file__)}
    naming = sorted(file for file in files if NAMES.search(file.read_text()))
    command = [sys.executable, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-k", "not bash"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = surroundings | {"PATH": str(tmp_path)}
    done = subprocess.run([*command, *naming], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    named = done.stdout.splitlines()[-2].partition(INSTALL)[2].split()
    assert {*named} == {*PACKAGES.values()} - {"make"}
