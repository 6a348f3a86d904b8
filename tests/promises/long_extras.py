"""What is installed by hash for an extra is all that it needs, as a package index says."""

import json
import subprocess
import sys

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.promises.test_requirements import EXTRA_FILES, FOLDER, pins
from tests.test_installation import PROJECT


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
    packages = [load["metadata"] for load in json.loads(done.stdout)["install"]]
    return {
        canonicalize_name(package["name"]): [*map(Requirement, package.get("requires_dist", []))]
        for package in packages
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
