"""What adsctl keeps is its owner's alone, at any moment and whatever the umask: modes, which root has too."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import feed
from tests.guarded import pause_unbounded
from tests.media.made import picture

CALLS = ("open", "mkdir", "replace", "rename", "link", "unlink", "fsync", "fdatasync", "close")
CAMPAIGN = {"key": "new", "name": "New", "funding_instrument_id": "4a1n0", "daily_budget": 5}
TASK = {"name": "a", "profile": "local", "run": "products check feed.csv"}
FILES = {
    "feed.csv": feed(2),
    "people.csv": "email\nana@shop.example\n",
    "several.csv": "name,funding_instrument_id\nNorth,4a1n0\nSouth,4a1n0\n",
    "campaigns.yaml": json.dumps({"campaigns": [CAMPAIGN]}),
    "fleet.yaml": json.dumps({"tasks": [TASK]}),
    "logo.png": picture(),
    "guard.yaml": "max_account_daily_budget: 500 EUR\n",
}
COMMANDS = """
products push feed.csv --changed
products check feed.csv --images
campaigns create -f several.csv
campaigns apply campaigns.yaml --yes
campaigns update 8wku2 --daily-budget 61 --yes
audiences sync people.csv --audience 1nmth --yes
media upload logo.png
stats export --since 3d --active --into sqlite:stats.db
accounts list
fleet run fleet.yaml
"""
ELSEWHERE = {"mcp"}  # needs a client
BESIDE = re.compile("-(wal|shm|journal)$")  # what SQLite has beside a database that is open


def names_in_help(adsctl) -> set[str]:
    """What `help files` says that the state folder may hold."""
    shown = adsctl("help", "files").stdout.partition("State (ADSCTL_STATE_DIR) is in")[2]
    return {*re.findall(r"^  (\S+)  ", shown, re.MULTILINE)}


def open_to_others(*folders: Path) -> Iterator[str]:
    """The files and folders that anybody else may read, write or enter."""
    for path in (place for folder in folders for place in (folder, *folder.rglob("*"))):
        with suppress(FileNotFoundError):
            if path.lstat().st_mode & 0o077:
                yield str(path)


@pytest.fixture
def exposed(adsctl, monkeypatch) -> Iterator[set[str]]:
    """What was open to others at any moment of commands; the umask takes no right away."""
    paths = set[str]()

    def watched(call):
        def watch(*args, **options):
            result = call(*args, **options)
            paths.update(open_to_others(adsctl.home / "state"))
            return result

        return watch

    for name in CALLS:
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    umask = os.umask(0)
    yield paths
    os.umask(umask)


def test_all_that_is_kept_is_private_from_its_first_byte_on_whatever_the_umask(adsctl, exposed):
    pause_unbounded(adsctl)
    for name, content in FILES.items():
        adsctl.file(name, content).chmod(0o600)
    for line in COMMANDS.strip().splitlines():
        adsctl.local(*shlex.split(line), ADSCTL_GUARD=str(adsctl.home / "guard.yaml"))
        assert not exposed, line


def test_after_any_command_the_state_folder_holds_what_help_names_and_nothing_else(adsctl):
    pause_unbounded(adsctl)
    for name, content in FILES.items():
        adsctl.file(name, content).chmod(0o600)
    named, seen = names_in_help(adsctl), set[str]()
    for line in COMMANDS.strip().splitlines():
        adsctl.local(*shlex.split(line), ADSCTL_GUARD=str(adsctl.home / "guard.yaml"))
        left = {BESIDE.sub("", path.name) for path in (adsctl.home / "state").iterdir()}
        assert left <= named, line
        seen |= left
    assert seen == named - ELSEWHERE
