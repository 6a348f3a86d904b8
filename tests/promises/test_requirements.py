"""What is installed by hash: each extra whole, and one version of each package wherever they meet."""

import re
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from tests.adsctl import ROOT
from tests.test_installation import EXTRAS

FOLDER = ROOT / "requirements"
EXTRA_FILES = [FOLDER / f"extra-{extra}.txt" for extra in sorted(EXTRAS)]
PIN = re.compile(r"(?m)^([\w.-]+)==([\w.]+)((?: ;[^\\\n]*)?)(.*(?:\n .*)*)")


def pins(path: Path) -> dict[str, tuple[str, str]]:
    """The version and the hashes of each package that a file names itself."""
    found = PIN.findall(path.read_text())
    return {canonicalize_name(name): (version, hashes) for name, version, _, hashes in found}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_every_pin_has_hashes(path):
    assert all("--hash=sha256:" in hashes for _, hashes in pins(path).values())


def test_what_is_installed_together_has_one_version_of_each_package():
    paths = [*(FOLDER / f"{name}.txt" for name in ("run", "dev", "build")), *EXTRA_FILES]
    together = [pins(path) for path in paths]
    for package in set().union(*together):
        assert len({each[package] for each in together if package in each}) == 1, package


def test_development_repeats_no_pin_of_what_it_takes_in():
    text = (FOLDER / "dev.txt").read_text()
    taken_in = set().union(*(pins(FOLDER / name) for name in re.findall(r"(?m)^-r (.+)$", text)))
    assert taken_in and not taken_in & pins(FOLDER / "dev.txt").keys()
