"""What is released: a wheel with all that a user needs and nothing else, and the same bytes each time."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from ads_cli import __version__
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tools.dist import SOURCE_DATE_EPOCH
from tools.write_reference import write_reference

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NAME = f"ads_cli-{__version__}"
WHEEL, SDIST = f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"
ALWAYS = ("pyproject.toml", "README.md", "LICENSE", ".gitignore")


def copied(folder: Path) -> Path:
    """Copy what is released from, with the man pages, as `make dist` finds it."""
    sources = [path.strip("/") for path in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    folder.mkdir()
    for name in (*sources, *ALWAYS):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    write_reference(folder)
    return folder


def built(folder: Path, *kinds: str) -> dict[str, bytes]:
    """Build in a folder; return the files by name."""
    output = folder / "dist"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", *kinds, "-d", output],
        cwd=folder,
        env=os.environ | {"SOURCE_DATE_EPOCH": SOURCE_DATE_EPOCH},
        check=True,
        capture_output=True,
    )
    return {path.name: path.read_bytes() for path in output.iterdir()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return copied(tmp_path_factory.mktemp("released") / "first")


@pytest.fixture(scope="module")
def released(folder) -> dict[str, bytes]:
    return built(folder)


@pytest.fixture(scope="module")
def wheel(folder, released) -> zipfile.ZipFile:
    return zipfile.ZipFile(folder / "dist" / WHEEL)


@pytest.fixture(scope="module")
def metadata(wheel) -> Message:
    return BytesParser().parsebytes(wheel.read(f"{NAME}.dist-info/METADATA"))


def test_a_wheel_and_an_sdist_are_built_under_our_own_name(released, metadata):
    assert released.keys() == {WHEEL, SDIST}
    assert metadata["Name"] == "ads-cli" and metadata["Requires-Python"] == ">=3.11"


def test_the_wheel_holds_the_package_and_what_shells_and_man_read(wheel):
    package = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "ads_cli").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    pages = {f"adsctl-{command.replace(' ', '-')}.1" for command in COMMANDS if command} | {"adsctl.1"}
    shared = {f"share/man/man1/{page}" for page in pages}
    shared |= {"share/bash-completion/completions/adsctl", "share/zsh/site-functions/_adsctl"}
    shared |= {"share/fish/vendor_completions.d/adsctl.fish"}
    about = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    assert set(wheel.namelist()) == (
        package
        | {f"{NAME}.data/data/{name}" for name in shared}
        | {f"{NAME}.dist-info/{name}" for name in about}
    )
    assert b"adsctl = ads_cli.__main__:main" in wheel.read(f"{NAME}.dist-info/entry_points.txt")


def test_the_wheel_asks_for_what_the_project_declares(metadata):
    declared = PROJECT["project"]
    requirements = [Requirement(each) for each in metadata.get_all("Requires-Dist")]
    needed = {as_pair(requirement) for requirement in requirements if "extra" not in str(requirement.marker)}
    assert needed == {as_pair(Requirement(each)) for each in declared["dependencies"]}
    assert set(metadata.get_all("Provides-Extra")) == declared["optional-dependencies"].keys()


def as_pair(requirement: Requirement) -> tuple[str, SpecifierSet]:
    return canonicalize_name(requirement.name), requirement.specifier


def test_the_same_files_give_the_same_bytes_wherever_and_whenever_they_are_built(released, tmp_path):
    before = os.umask(0o077)
    try:
        again = copied(tmp_path / "second")
        for path in again.rglob("*"):
            os.utime(path, (0, 1_000_000_000))
        assert built(again) == released
    finally:
        os.umask(before)


def test_the_wheel_that_is_built_from_the_sdist_is_the_same(folder, released, tmp_path):
    with tarfile.open(folder / "dist" / SDIST) as archive:
        # Without it, later versions warn; the first ones do not have it.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    assert built(tmp_path / NAME, "-t", "wheel")[WHEEL] == released[WHEEL]
