"""The tools that adsctl is measured against, each in an environment of its own under build/peers."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "build" / "peers"
FROM_PYPI = {
    "aws": ["awscli"],
    "http": ["httpie", "httpie-oauth1"],
    "sqlite-utils": ["sqlite-utils"],
    "sdk": ["twitter-ads==11.0.0"],
}
FROM_DEBIAN = {"gh": "gh", "dbus-run-session": "dbus", "gnome-keyring-daemon": "gnome-keyring"}


class Peers:
    """Finds each tool, or installs it; `missing` says what could not be had."""

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._found = {name: self._from_pypi(name, packages) for name, packages in FROM_PYPI.items()}
        self._from_debian()
        self._found |= {name: shutil.which(name) for name in FROM_DEBIAN}
        for name, package in FROM_DEBIAN.items():
            if not self._found[name]:
                self.missing[name] = f"not installed; apt-get install {package}"

    def has(self, *names: str) -> bool:
        """Tell whether all of these are there."""
        return all(self._found.get(name) for name in names)

    def path(self, name: str) -> str:
        """Give the path of a tool; of the SDK, that of the Python that has it."""
        return str(self._found[name])

    def _from_pypi(self, name: str, packages: list[str]) -> str | None:
        """Make an environment with packages in it, once for each interpreter."""
        folder = FOLDER / name
        stamp, wanted = folder / "stamp", f"{sys.version} {' '.join(packages)}"
        if not stamp.exists() or stamp.read_text() != wanted:
            print(f"setting up {folder.relative_to(FOLDER.parent.parent)}", flush=True)
            venv.create(folder, with_pip=True, clear=True)
            pip = [str(folder / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
            # Without this variable pip compiles what it installs, as it does for a person.
            env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
            done = subprocess.run([*pip, "install", *packages], env=env, capture_output=True, text=True)
            if done.returncode:
                self.missing[name] = f"not installed: {done.stderr.strip().splitlines()[-1][:60]}"
                return None
            stamp.write_text(wanted)
        return str(folder / "bin" / ("python" if name == "sdk" else name))

    def _from_debian(self) -> None:
        """Install what is missing, where we may."""
        missing = [package for name, package in FROM_DEBIAN.items() if not shutil.which(name)]
        if missing and shutil.which("apt-get") and os.geteuid() == 0:
            print(f"installing {' '.join(missing)}", flush=True)
            install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing]
            env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            if subprocess.run(install, env=env, capture_output=True).returncode:
                subprocess.run(["apt-get", "update", "-qq"], capture_output=True)
                subprocess.run(install, env=env, capture_output=True)
