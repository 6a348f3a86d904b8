"""How this copy of adsctl was installed, and the command that adds an extra to it.

The command never lets an installer look up ads-cli on an index, where anybody could register that name. It
names what this copy was installed from, or the packages of the extra.
"""

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from .errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DISTRIBUTION = "ads-cli"
IS_WINDOWS = os.name == "nt"
# What a tool leaves in the environment that it made.
PIPX_FILE, UV_TOOL_FILE = "pipx_metadata.json", "uv-receipt.toml"
IMAGE_FILE = "container-image"  # of our Containerfile


def missing_extra(feature: str, extra: str) -> UsageError:
    """Return the error of a feature whose extra is not installed; its hint is the command that adds it."""
    hint = this_installation().adding(extra)
    return UsageError(f"{feature} needs the extra {DISTRIBUTION}[{extra}]", hint=hint)


def import_extra(module: str, feature: str, extra: str) -> Any:
    """Import a package of an extra; raise UsageError where it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise missing_extra(feature, extra) from None


def this_installation() -> "Installation":
    """Return the installation that runs."""
    return Installation(_distribution(DISTRIBUTION), Path(sys.prefix))


def _distribution(name: str) -> "Distribution | None":
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


class InstallationSource(NamedTuple):
    """What a copy was installed from."""

    url: str
    path: Path | None = None  # of a file or folder on this machine
    is_editable: bool = False

    def with_extras(self, extras: str, *, as_path: bool = False) -> str:
        """Name it with extras, as an installer takes it: a requirement, or a path."""
        if self.path and (as_path or self.is_editable):
            return f"{self.path}[{extras}]"
        return f"{DISTRIBUTION}[{extras}] @ {self.url}"


class Installation:
    """An environment in which adsctl is installed: by what, and from where."""

    def __init__(self, metadata: "Distribution | None", prefix: Path) -> None:
        self._metadata = metadata  # none where the source code runs without being installed
        self.prefix = prefix

    @cached_property
    def tool(self) -> str:
        """What made the environment: pip, pipx, uv, uv tool, or container."""
        files = {PIPX_FILE: "pipx", UV_TOOL_FILE: "uv tool", IMAGE_FILE: "container"}
        for name, tool in files.items():
            if (self.prefix / name).exists():
                return tool
        from importlib.util import find_spec

        installer = self._metadata.read_text("INSTALLER") if self._metadata else None
        return "uv" if installer and installer.strip() == "uv" and not find_spec("pip") else "pip"

    @cached_property
    def source(self) -> InstallationSource | None:
        """What it was installed from, if that is known and still there."""
        if self._metadata is None:
            folder = Path(__file__).resolve().parent.parent
            return (
                InstallationSource(folder.as_uri(), folder, is_editable=True) if _is_project(folder) else None
            )
        try:
            recorded = json.loads(self._metadata.read_text("direct_url.json") or "{}")
        except ValueError:
            return None
        url = recorded.get("url", "")
        address = urlsplit(url)
        if address.scheme == "file":
            from urllib.request import url2pathname

            path = Path(url2pathname(address.path))
            is_editable = recorded.get("dir_info", {}).get("editable", False)
            return InstallationSource(url, path, is_editable) if path.is_file() or _is_project(path) else None
        if not url or "@" in address.netloc or address.query:  # which may hold a secret
            return None
        return InstallationSource(_with_revision(url, recorded))

    def adding(self, extra: str) -> str:
        """Return the command that adds an extra to this installation."""
        # What makes the environment again must name the extras that are there already too.
        present = [name for name, packages in self._packages.items() if all(map(_is_installed, packages))]
        extras = ",".join(sorted({extra, *present}))
        if self.tool == "container":
            return f"build the image with --build-arg EXTRAS={extras}"
        if self.source:
            return _command(*self._adding_from(self.source, extra, extras))
        if packages := self._packages.get(extra):
            return _command(*self._adding_packages(packages))
        return "install adsctl as its README says, with that extra"  # it was copied, not installed

    def _adding_from(self, source: InstallationSource, extra: str, extras: str) -> Sequence[str]:
        editable = ["--editable"] if source.is_editable else []
        if self.tool == "pipx":
            return "pipx", "install", "--force", *editable, source.with_extras(extras, as_path=True)
        if self.tool == "uv tool":
            return "uv", "tool", "install", "--force", *editable, source.with_extras(extras)
        return *self._installer, *editable, source.with_extras(extra)

    def _adding_packages(self, requirements: Sequence[str]) -> Sequence[str]:
        if self.tool == "pipx":
            return "pipx", "inject", self.prefix.name, *requirements
        return *self._installer, *requirements

    @property
    def _installer(self) -> Sequence[str]:
        """The words that install into this environment."""
        if self.tool.startswith("uv"):
            return "uv", "pip", "install", "--python", str(self.prefix)
        return _active_pip()

    @cached_property
    def _packages(self) -> Mapping[str, Sequence[str]]:
        """The requirements of each extra, as the metadata states them."""
        packages: dict[str, list[str]] = {}
        for line in (self._metadata.requires if self._metadata else None) or ():
            requirement, _, marker = line.partition(";")
            if match := re.search(r"extra == ['\"](.+?)['\"]", marker):
                packages.setdefault(match[1], []).append(requirement.strip())
        return packages


def _active_pip() -> Sequence[str]:
    """The words that call the pip of this environment, whichever one is active."""
    pip = shutil.which("pip")
    if pip and Path(pip).parent == Path(sys.executable).parent:
        return "pip", "install"
    return sys.executable, "-m", "pip", "install"


def _is_project(folder: Path) -> bool:
    return (folder / "pyproject.toml").is_file()


def _is_installed(requirement: str) -> bool:
    return _distribution(re.split(r"[^\w.-]", requirement)[0]) is not None


def _with_revision(url: str, recorded: Mapping[str, Any]) -> str:
    """Return an address as a requirement has it: `git+https://…@commit`."""
    if not (repository := recorded.get("vcs_info")):
        return url
    return f"{repository['vcs']}+{url}@{repository['commit_id']}"


def _command(*words: str) -> str:
    """Join the words of a command, quoted for the shell of this system."""
    if IS_WINDOWS:
        return " ".join(word if re.fullmatch(r"[\w.,:\\/-]+", word) else f'"{word}"' for word in words)
    return shlex.join(words)
