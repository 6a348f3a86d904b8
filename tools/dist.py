"""Build what is released into dist/, and try it with each installer: `make dist`."""

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.pin_hashes import REQUIREMENT

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
TOOLS = ROOT / "build" / "dist" / "bin"
# Any fixed time: the same commit gives the same bytes, wherever and whenever it is built.
SOURCE_DATE_EPOCH = "1767225600"
HINT = re.compile(r"hint: (.*\[sftp\].*)")
NEEDS_SFTP = ("products", "check", "sftp://127.0.0.1:1/feed.csv")


def build() -> Path:
    """Build sdist, wheel, SBOM and checksums; return the wheel."""
    for path in DIST.glob("*"):
        path.unlink()
    environment = {"SOURCE_DATE_EPOCH": SOURCE_DATE_EPOCH} | os.environ
    run(sys.executable, "-m", "hatchling", "build", "-d", DIST, cwd=ROOT, env=environment)
    (wheel,) = DIST.glob("*.whl")
    bill = DIST / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"
    run(
        *(TOOLS / "cyclonedx-py", "requirements", ROOT / "requirements" / "run.txt"),
        *("--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--output-file", bill),
        env=environment,
    )
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(DIST.iterdir())
    ]
    (DIST / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    return wheel


class Trial:
    """An empty home in which one installer installs the wheel."""

    def __init__(self, installer: str, folder: Path) -> None:
        self.installer, self.folder = installer, folder
        self.home, self.empty, self.bin = (folder / name for name in ("home", "empty", "bin"))
        for path in (self.home, self.empty):
            path.mkdir()
        versions = folder / "versions.txt"  # those that were tested
        versions.write_text("\n".join(sorted({*pinned_versions()})) + "\n")
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("ADSCTL_", "PYTHON"))
        } | {
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(self.bin), str(TOOLS), os.environ["PATH"])),
            "PIP_CONSTRAINT": str(versions),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(self.bin),
            "UV_CONSTRAINT": str(versions),
            "UV_TOOL_DIR": str(folder / "uv"),
            "UV_TOOL_BIN_DIR": str(self.bin),
            "UV_PYTHON": sys.executable,
        }

    def install(self, wheel: Path) -> None:
        """Install the wheel as README says."""
        if self.installer == "pip":
            run(sys.executable, "-m", "venv", self.folder / "venv")
            self.bin.symlink_to(self.folder / "venv" / "bin")
            run(self.bin / "pip", "install", "--quiet", wheel, env=self.environment)
        else:
            words = ("tool", "install") if self.installer == "uv" else ("install",)
            run(TOOLS / self.installer, *words, "--quiet", wheel, env=self.environment)

    def adsctl(self, *words: object, code: int = 0) -> str:
        """Run a command in the empty folder; return what it printed."""
        return run(self.bin / "adsctl", *words, code=code, env=self.environment, cwd=self.empty)

    def add_extra(self) -> None:
        """Type what the error of a missing extra says; from then on it is there."""
        told = self.adsctl(*NEEDS_SFTP, code=2)
        hint = HINT.search(told)
        assert hint, told
        run("sh", "-c", hint[1], env=self.environment, cwd=self.empty)
        told = self.adsctl(*NEEDS_SFTP, "--max-attempts", 1, code=8)
        assert "needs the extra" not in told, told


def pinned_versions() -> Iterator[str]:
    """Yield each version that is pinned, without its hashes, which no installer knows of our wheel."""
    for name in ("run", "build", "dev", "extra-*"):
        text = "".join(path.read_text() for path in (ROOT / "requirements").glob(f"{name}.txt"))
        yield from (found[0].rstrip() for found in REQUIREMENT.finditer(text))


def run(*words: object, code: int = 0, **settings: object) -> str:
    """Run a command; return what it printed; exit where it ends with another exit code."""
    command = [str(word) for word in words]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **settings,
    )
    if done.returncode != code:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def main() -> None:
    """Build, install with pip, pipx and uv, and run the main job with each."""
    wheel = build()
    for installer in ("pip", "pipx", "uv"):
        with TemporaryDirectory() as folder:
            trial = Trial(installer, Path(folder))
            trial.install(wheel)
            trial.adsctl("--profile", "local", "products", "push", ROOT / "examples" / "products.csv")
            trial.add_extra()
        print(f"{installer}: installs {wheel.name}, pushes, and adds an extra", flush=True)
    for path in sorted(DIST.iterdir()):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
