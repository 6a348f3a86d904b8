"""What is installed by hash: each extra whole, and one version of each package wherever they meet."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.adsctl import ROOT
from tests.test_installation import EXTRAS, PROJECT

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


def needs() -> dict[str, list[Requirement]]:
    """Return what each package of any extra needs itself, as its wheel says."""
    files = [word for each in (FOLDER / "run.txt", *EXTRA_FILES) for word in ("-r", each)]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"),
            *("--report", "-", "--require-hashes", "--no-deps", "--only-binary", ":all:", *files),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    packages = [each["metadata"] for each in json.loads(done.stdout)["install"]]
    return {
        canonicalize_name(each["name"]): [*map(Requirement, each.get("requires_dist", []))]
        for each in packages
    }


def test_the_file_of_an_extra_holds_all_that_it_needs_beside_what_adsctl_needs():
    needed, missing = needs(), []
    for path in EXTRA_FILES:
        pinned = pins(FOLDER / "run.txt") | pins(path)
        left = [*map(Requirement, PROJECT["optional-dependencies"][path.stem.removeprefix("extra-")])]
        seen = set()
        while left:
            requirement = left.pop()
            name = canonicalize_name(requirement.name)
            if name not in pinned or pinned[name][0] not in requirement.specifier:
                missing.append((path.stem, str(requirement)))
                continue
            extras = {(name, extra) for extra in requirement.extras or {""}} - seen
            seen |= extras
            left += [
                each
                for _, extra in extras
                for each in needed[name]
                if not each.marker or each.marker.evaluate({"extra": extra})
            ]
    assert not missing
