"""Write the hashes of the wheels of all pinned versions into requirements/: `make pins`.

To change a version, change it there and run this. A wheel is recorded where pip would choose it for one of
`TARGETS`; each Python of `PYTHONS` must have one.
"""

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, product
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from tools.pythons import PYTHONS

FOLDER = Path(__file__).parent.parent / "requirements"
REQUIREMENT = re.compile(r"(?m)^([\w.-]+==[\w.]+)( ;[^\\\n]*)?")
# Tags of ever newer systems; a machine takes those of its own and of all older ones.
GLIBC = (
    ("manylinux1", "manylinux2010", "manylinux2014", "manylinux_2_5", "manylinux_2_12", "manylinux_2_17"),
    ("manylinux_2_24", "manylinux_2_28"),
    ("manylinux_2_31", "manylinux_2_34"),
)
MUSL = ("musllinux_1_1", "musllinux_1_2")
MACOS = ("macosx_11_0", "macosx_15_0")  # pip adds those of older systems
PIP = (
    *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
    *("--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:", "--implementation", "cp"),
)

Target = tuple[str, tuple[str, ...]]  # a version of Python, and the tags that a machine takes


def platforms() -> Iterator[tuple[str, ...]]:
    """Yield the tags of each kind of machine."""
    for machine in ("x86_64", "aarch64"):
        for tags in (*accumulate(GLIBC), MUSL):
            yield tuple(f"{tag}_{machine}" for tag in tags)
    for system, machine in product(MACOS, ("x86_64", "arm64")):
        yield (f"{system}_{machine}",)
    yield from (("win_amd64",), ("win_arm64",))


TARGETS: list[Target] = [*product(PYTHONS, platforms())]


def wheel_hashes(target: Target, requirements: list[str]) -> dict[str, str]:
    """Return the SHA-256 of the wheel that pip would install of each requirement, where there is one."""
    if not requirements:
        return {}
    python, tags = target
    platform = [word for tag in tags for word in ("--platform", tag)]
    with TemporaryDirectory() as folder:
        report = Path(folder, "report")
        done = subprocess.run(
            [
                *PIP,
                "--report",
                report,
                "--target",
                folder,
                "--python-version",
                python,
                *platform,
                *requirements,
            ],
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            return dict(_reported(requirements, json.loads(report.read_text())["install"]))
    if "No matching distribution" not in done.stderr:
        sys.exit(done.stderr)
    if len(requirements) == 1:
        return {}
    middle = len(requirements) // 2
    return wheel_hashes(target, requirements[:middle]) | wheel_hashes(target, requirements[middle:])


def _reported(requirements: list[str], installs: list[dict]) -> Iterator[tuple[str, str]]:
    by_name = {canonicalize_name(each.partition("==")[0]): each for each in requirements}
    for install in installs:
        name = canonicalize_name(install["metadata"]["name"])
        yield by_name[name], install["download_info"]["archive_info"]["hashes"]["sha256"]


def find_hashes(needed: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the hashes of each requirement; say which machines have no wheel of it.

    Exit where there is no wheel for a Python that needs it.
    """
    hashes: dict[str, set[str]] = defaultdict(set)
    served: dict[str, set[str]] = defaultdict(set)
    missing: dict[str, list[str]] = defaultdict(list)

    def find(target: Target, requirements: Iterable[str]) -> None:
        needing = [each for each in requirements if target[0] in needed[each]]
        found = wheel_hashes(target, needing)
        for requirement, digest in found.items():
            hashes[requirement].add(digest)
            served[requirement].add(target[0])
        for requirement in {*needing} - found.keys():
            missing[requirement].append(f"{target[0]} {target[1][-1]}")

    # The oldest and the newest Python on one machine of each system tell which packages have several wheels.
    systems = {tags[-1].partition("_")[0].rstrip("0123456789"): tags for tags in platforms()}
    for target in product((PYTHONS[0], PYTHONS[-1]), systems.values()):
        find(target, needed)
    several = [each for each in needed if len(hashes[each]) != 1]
    for requirement in needed.keys() - several:  # whose one wheel serves what is between them too
        served[requirement] |= {*PYTHONS[1:-1]}
    missing.clear()
    with ThreadPoolExecutor(2) as threads:
        [*threads.map(lambda target: find(target, several), TARGETS)]
    for requirement, machines in sorted(missing.items()):
        print(f"{requirement}: no wheel for {', '.join(sorted(machines))}", file=sys.stderr)
    if unserved := {each: gaps for each, pythons in needed.items() if (gaps := pythons - served[each])}:
        lacking = [f"{each} for Python {', '.join(sorted(gaps))}" for each, gaps in unserved.items()]
        sys.exit(f"no wheel was found of {'; '.join(lacking)}")
    return hashes


def pythons_of(marker: str | None) -> set[str]:
    """Return the Pythons that need a requirement with this marker, on whatever system."""
    if marker is None:
        return {*PYTHONS}
    condition = Marker(marker.strip().removeprefix(";"))
    return {
        python
        for python, system in product(PYTHONS, ("linux", "darwin", "win32"))
        if condition.evaluate({"python_version": python, "sys_platform": system})
    }


def without_repeats(pins: set[str]) -> list[list[str]]:
    """Part pins into groups with one version of each package: pip resolves no two of them at once."""
    groups: list[dict[str, str]] = []
    for pin in sorted(pins):
        name = canonicalize_name(pin.partition("==")[0])
        group = next((group for group in groups if name not in group), None)
        if group is None:
            groups.append(group := {})
        group[name] = pin
    return [[*group.values()] for group in groups]


def with_hashes(text: str, hashes: dict[str, set[str]]) -> str:
    """Return a requirements file with these hashes, and its comments."""
    lines = []
    for line in text.splitlines():
        if found := REQUIREMENT.match(line):
            pinned = found[0].rstrip()
            lines.append(" \\\n    --hash=sha256:".join([pinned, *sorted(hashes[found[1]])]))
        elif not line.startswith(" "):
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    texts = {path: path.read_text() for path in sorted(FOLDER.glob("*.txt"))}
    needed: dict[str, set[str]] = defaultdict(set)
    for text in texts.values():
        for found in REQUIREMENT.finditer(text):
            needed[found[1]] |= pythons_of(found[2])
    hashes: dict[str, set[str]] = {}
    for group in without_repeats({*needed}):
        hashes |= find_hashes({requirement: needed[requirement] for requirement in group})
    for path, text in texts.items():
        path.write_text(with_hashes(text, hashes))
