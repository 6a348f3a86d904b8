"""Programs of the system that some tests need; as a script, print the packages of those that are missing."""

import os
import shutil
from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

# Debian's packages. All else that tests start is in every Debian: bash, coreutils, util-linux.
PACKAGES = {
    "chromium": "chromium",
    "chromedriver": "chromium-driver",
    "dbus-run-session": "dbus",
    "gnome-keyring-daemon": "gnome-keyring",
    "zsh": "zsh",
    "fish": "fish",
    "man": "man-db",
    "groff": "groff-base",
    "make": "make",
    "pg_ctlcluster": "postgresql",  # whose own programs are on no path
}
NEEDS = "needs "
ROOT = "root"


def needs(*names: str) -> "pytest.MarkDecorator":
    """Mark tests that are skipped where a program is missing, or, where they need "root", for other users."""
    import pytest  # not at the top: .ci/run asks for packages before anything is installed

    missing = [name for name in names if not _is_there(name)]
    return pytest.mark.skipif(bool(missing), reason=NEEDS + " ".join(missing))


def _is_there(name: str) -> bool:
    return os.geteuid() == 0 if name == ROOT else bool(PACKAGES[name] and shutil.which(name))


def packages(programs: Iterable[str]) -> str:
    """Name the packages that have programs."""
    return " ".join(sorted({PACKAGES[name] for name in programs}))


def explained(reasons: Iterable[str]) -> list[str]:
    """Say how many tests were skipped for want of programs, how to install these, and how many need root."""
    known = {*PACKAGES, ROOT}
    wanted = [known.intersection(reason.split()) for reason in reasons if NEEDS in reason]
    of_root = sum(ROOT in names for names in wanted)
    of_programs = [names for names in wanted if names - {ROOT}]
    lines = []
    if of_programs:
        install = packages({*chain(*of_programs)} - {ROOT})
        lines.append(f"{len(of_programs)} tests skipped for want of programs: apt-get install {install}")
    if of_root:
        lines.append(f"{of_root} tests skipped that need root")
    return lines


if __name__ == "__main__":
    print(packages(name for name in PACKAGES if not _is_there(name)))
