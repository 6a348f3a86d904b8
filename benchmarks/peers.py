"""Install adsctl and the tools it is compared to, each in an environment of its own."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "peers"
# What a user has, and not .venv: installed as a package, without what only the tests need.
BIN = FOLDER / "adsctl" / "bin"
PYTHON, ADSCTL = str(BIN / "python"), str(BIN / "adsctl")
FROM_PYPI = {
    "aws": ["awscli"],
    "http": ["httpie", "httpie-oauth1"],
    "sqlite-utils": ["sqlite-utils"],
    "sdk": ["twitter-ads==11.0.0"],
}
FROM_DEBIAN = {"gh": "gh", "dbus-run-session": "dbus", "gnome-keyring-daemon": "gnome-keyring"}
# An older pip writes a console script that imports `re`, which costs a third of a bare start.
NEW_PIP = ["--upgrade", "pip"]
REQUIREMENTS = [
    "--require-hashes",
    "--no-deps",
    "--only-binary",
    ":all:",
    "-r",
    ROOT / "requirements" / "run.txt",
    "-r",
    ROOT / "requirements" / "extra-mcp.txt",
]


class Peers:
    """Installs adsctl, and finds or installs each peer; `missing` holds the reasons for the others."""

    def __init__(self, *, installs_system_packages: bool) -> None:
        self.missing: dict[str, str] = {}
        if not (_environment("adsctl", NEW_PIP, REQUIREMENTS) and _install_source()):
            sys.exit("adsctl cannot be installed")
        self._found = {name: self._from_pypi(name, packages) for name, packages in FROM_PYPI.items()}
        self._from_debian(installs=installs_system_packages)

    def has(self, *names: str) -> bool:
        """Return whether all of these are installed."""
        return all(self._found.get(name) for name in names)

    def path(self, name: str) -> str:
        """Return the path of a tool; for the SDK, of the Python that has it."""
        return str(self._found[name])

    def _from_pypi(self, name: str, packages: list[str]) -> str | None:
        if not _environment(name, packages):
            self.missing[name] = "could not be installed from PyPI"
            return None
        return str(FOLDER / name / "bin" / ("python" if name == "sdk" else name))

    def _from_debian(self, *, installs: bool) -> None:
        """Find the tools of Debian; install missing ones if asked to, which takes root."""
        missing = [package for name, package in FROM_DEBIAN.items() if not shutil.which(name)]
        if missing and installs and shutil.which("apt-get"):
            print(f"installing {' '.join(missing)}", flush=True)
            install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
            for command in (["apt-get", "update", "-qq"], install):
                subprocess.run(
                    command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, capture_output=True
                )
        for name, package in FROM_DEBIAN.items():
            self._found[name] = shutil.which(name)
            if not self._found[name]:
                self.missing[name] = (
                    f"not installed; apt-get install {package}, or --install-packages as root"
                )


def _environment(name: str, *installs: list[object]) -> bool:
    """Create an environment with packages, once per interpreter; return whether that succeeded."""
    stamp, wanted = FOLDER / name / "stamp", f"{sys.version} {installs}"
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    print(f"setting up {stamp.parent.relative_to(ROOT)}", flush=True)
    venv.create(stamp.parent, with_pip=True, clear=True)
    if not all(_pip(name, packages) for packages in installs):
        return False
    stamp.write_text(wanted)
    return True


def _install_source() -> bool:
    """Install the current source as a wheel, built with the tools of .venv."""
    with TemporaryDirectory() as folder:
        build = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT]
        if not _run(sys.executable, "wheel", build):
            return False
        return _pip("adsctl", ["--force-reinstall", "--no-deps", *Path(folder).glob("*.whl")])


def _pip(name: str, packages: list[object]) -> bool:
    return _run(FOLDER / name / "bin" / "python", "install", packages)


def _run(python: str | Path, verb: str, words: list[object]) -> bool:
    # Without this variable pip compiles bytecode, as in a normal installation.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [python, "-m", "pip", verb, "--quiet", "--disable-pip-version-check", *map(str, words)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
    return not done.returncode
