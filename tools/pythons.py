"""Run the short form of the tests on the oldest and the newest Python of this machine: `make test-pythons`.

One of the minor version that runs this is left out: `make test` runs all tests on it.
Pythons are looked for as `python3.X` on the path and in /usr/bin, and among those of pyenv.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")  # that adsctl promises to run on; requirements/ has their wheels
NAME = re.compile("python(" + "|".join(map(re.escape, PYTHONS)) + ")")
VERSION = """
import json, sys
import ensurepip, venv  # which some systems leave out
print(json.dumps([sys.version_info[:3], sys.version_info.releaselevel]))
"""

Version = tuple[int, ...]


def executables() -> set[Path]:
    """Return each Python that adsctl promises to run on, and that can be found, once."""
    folders = [Path(folder) for folder in (*os.get_exec_path(), "/usr/bin")]
    pyenv = os.environ.get("PYENV_ROOT") or (shutil.which("pyenv") and _output("pyenv", "root").strip())
    if pyenv:
        folders = [each for each in folders if each != Path(pyenv, "shims")]  # which may refuse to run
        folders += Path(pyenv, "versions").glob("*/bin")
    return {
        path.resolve()
        for folder in folders
        if folder.is_dir()
        for path in folder.iterdir()
        if NAME.fullmatch(path.name) and os.access(path, os.X_OK)
    }


def released_version(python: Path) -> Version | None:
    """Return the version of a Python that is released and can make environments, else None."""
    try:
        version, level = json.loads(_output(python, "-I", "-c", VERSION))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return tuple(version) if level == "final" else None


def _output(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout


def find_pythons() -> dict[Version, Path]:
    """Return the Pythons of this machine, from the oldest to the newest."""
    found = {version: path for path in executables() if (version := released_version(path))}
    return dict(sorted(found.items()))


def main() -> int:
    """Run the tests on the first and the last Python that is found; return the exit code."""
    found = [*find_pythons().items()]
    if not found:
        sys.exit(f"found no Python of {', '.join(PYTHONS)} with the modules venv and ensurepip")
    for version, python in dict([found[0], found[-1]]).items():
        if version[:2] == sys.version_info[:2]:
            continue
        name = ".".join(map(str, version))
        print(f"the short form on Python {name}, {python}", flush=True)
        options = ["--jobs", "--no-print-directory", f"PYTHON={python}", f"VENV=build/python-{name}"]
        if code := subprocess.run(["make", *options, "short"], cwd=ROOT).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
