"""Show the age of each pinned version, the newest one and known advisories in one table: `make pin-report`.

Releases are asked of the index that pip is configured to use (PEP 691 and 700), advisories of pip-audit.
Name files of requirements/ to see only theirs: `python -m tools.pin_report requirements/run.txt`.
"""

import json
import re
import ssl
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from tools.pin_hashes import FOLDER, REQUIREMENT

ACCEPT = "application/vnd.pypi.simple.v1+json"
AUDIT = FOLDER.parent / "build" / "audit" / "bin" / "pip-audit"
HEADS = ("package", "pinned", "released", "age in days", "newest", "advisories")
UNKNOWN, NONE = "unknown", "-"

Pin = tuple[str, str]  # a package, by its normalized name, and a version


class Releases(NamedTuple):
    """What an index says of a package."""

    uploaded: dict[Version, datetime]
    yanked: set[Version]

    def newest(self) -> Version:
        """Return the newest version that is neither withdrawn nor a pre-release, if there is one."""
        final = [each for each in self.uploaded if not each.is_prerelease and each not in self.yanked]
        return max(final or self.uploaded)


def pins(paths: Iterable[Path]) -> set[Pin]:
    """Return what the files pin."""
    found = (each[1] for path in paths for each in REQUIREMENT.finditer(path.read_text()))
    return {
        (canonicalize_name(name), version) for name, _, version in (each.partition("==") for each in found)
    }


def index_url() -> str:
    """Return the address of the index that pip asks; its help names it as it is configured."""
    told = subprocess.run([sys.executable, "-m", "pip", "install", "--help"], capture_output=True, text=True)
    found = re.search(r"--index-url <url>.*?\(default\s+(\S+?)\)", told.stdout, re.DOTALL)
    if not found:
        sys.exit(f"pip does not say which index it asks: {told.stderr.strip()}")
    if "****" in found[1]:
        sys.exit("pip's index-url holds a password, which pip does not show; set it to another index")
    return found[1].rstrip("/")


def ask(client: httpx.Client, index: str, package: str) -> Releases:
    """Ask an index for the releases of a package; exit if it does not tell."""
    try:
        response = client.get(f"{index}/{package}/", headers={"Accept": ACCEPT})
        response.raise_for_status()
    except httpx.HTTPError as error:
        sys.exit(f"the index that pip is configured to use cannot be asked for {package}: {error}")
    files = response.json()["files"] if ACCEPT in response.headers.get("Content-Type", "") else []
    if not any("upload-time" in file for file in files):
        sys.exit(
            f"the index says no upload times of {package} (PEP 700); set pip's index-url to one that does"
        )
    return _releases(files)


def _releases(files: list[dict]) -> Releases:
    uploaded: dict[Version, datetime] = {}
    intact: set[Version] = set()
    for file in files:
        version = _version(file["filename"])
        if version is None or "upload-time" not in file:
            continue
        time = datetime.fromisoformat(file["upload-time"])
        uploaded[version] = min(time, uploaded.get(version, time))
        if not file.get("yanked"):
            intact.add(version)
    return Releases(uploaded, uploaded.keys() - intact)


def _version(filename: str) -> Version | None:
    try:
        return parse_wheel_filename(filename)[1]
    except InvalidWheelFilename:
        pass
    try:
        return parse_sdist_filename(filename)[1]
    except InvalidSdistFilename:  # of an old format
        return None


def advisories(paths: Iterable[Path]) -> dict[Pin, list[str]]:
    """Return the known advisories of each pin that pip-audit could look up."""
    words = [word for path in paths for word in ("--requirement", path)]
    done = subprocess.run(
        [AUDIT, "--format", "json", "--progress-spinner", "off", "--no-deps", "--disable-pip", *words],
        capture_output=True,
        text=True,
    )
    found: dict[Pin, list[str]] = defaultdict(list)
    try:
        reported = json.loads(done.stdout)["dependencies"]
    except ValueError:
        last = done.stderr.strip().rpartition("\n")[2]
        print(f"advisories are unknown: pip-audit could not ask for them: {last}", file=sys.stderr)
        return {}
    for each in reported:
        if "skip_reason" not in each:
            found[canonicalize_name(each["name"]), each["version"]] += [flaw["id"] for flaw in each["vulns"]]
    return dict(found)


def rows(
    pinned: set[Pin], releases: dict[str, Releases], known: dict[Pin, list[str]], now: datetime
) -> Iterator[tuple[str, ...]]:
    """Yield the row of each pin, by name."""
    for package, version in sorted(pinned):
        told = releases[package]
        uploaded = told.uploaded.get(Version(version))
        flaws = known.get((package, version))
        notes = [UNKNOWN] if flaws is None else sorted(set(flaws))
        if Version(version) in told.yanked:
            notes.append("yanked")
        yield (
            *(package, version, f"{uploaded:%Y-%m-%d}" if uploaded else UNKNOWN),
            str((now - uploaded).days) if uploaded else UNKNOWN,
            *(str(told.newest()), " ".join(notes) or NONE),
        )


def table(lines: list[tuple[str, ...]]) -> str:
    """Return lines of columns that are as wide as they need."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def main(arguments: list[str]) -> None:
    """Print the table."""
    paths = [Path(each) for each in arguments] or sorted(FOLDER.glob("*.txt"))
    pinned = pins(paths)
    packages = sorted({package for package, _ in pinned})
    with (
        httpx.Client(verify=ssl.create_default_context(), timeout=30, follow_redirects=True) as client,
        ThreadPoolExecutor(4) as threads,
    ):
        releases = dict(zip(packages, threads.map(partial(ask, client, index_url()), packages), strict=True))
    known = advisories(paths)
    print(table([HEADS, *rows(pinned, releases, known, datetime.now(UTC))]))
    if unknown := pinned - known.keys():
        print(f"{len(unknown)} of {len(pinned)} could not be looked up for advisories", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
