"""Environments beside that of development, which the Makefile creates."""

import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from tests.adsctl import ROOT


def made_python(name: str) -> Path:
    """Make the environment of `requirements/NAME.txt`, and return its Python; safe in several processes."""
    environment = ROOT / "build" / name
    environment.parent.mkdir(exist_ok=True)
    with FileLock(ROOT / "build" / f"{name}.lock"):
        command = ["make", "--silent", f"{name}-environment", f"PYTHON={sys._base_executable}"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return environment / "bin" / "python"
