"""python -m tests.without_programs: run every test that names a program of the system with all of them hidden.

They must pass or be skipped, and the run must end with the command that installs what they need.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.programs import PACKAGES

# How tests name a program that may be missing.
NAMES = re.compile(rf"\bneeds\(|\bSHELLS\b|tests\.browser|\"({'|'.join({*PACKAGES} - {'make', 'man'})})\"")
INSTALL = "tests skipped for want of programs: apt-get install "


def main() -> int:
    """Return 1 if a test fails, or if the last line but one does not name what is missing."""
    naming = sorted(file for file in Path("tests").glob("**/test_*.py") if NAMES.search(file.read_text()))
    command = [sys.executable, "-m", "pytest", "-n", "4", "-p", "no:cacheprovider", "-k", "not bash"]
    with TemporaryDirectory() as folder:
        _link_others(Path(folder))
        environment = os.environ | {"PATH": folder}
        done = subprocess.run([*command, *naming], env=environment, capture_output=True, text=True)
    print(done.stdout)
    named = {*done.stdout.splitlines()[-2].partition(INSTALL)[2].split()}
    if wrong := named ^ {*PACKAGES.values()} - {"make"}:
        print("named and not missing, or missing and not named:", *wrong, file=sys.stderr)
    return 1 if done.returncode or wrong else 0


def _link_others(folder: Path) -> None:
    """Link all programs but these into a folder."""
    for programs in os.environ["PATH"].split(os.pathsep):
        for program in Path(programs).glob("*"):
            if program.name not in PACKAGES and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)


if __name__ == "__main__":
    sys.exit(main())
