"""The generated reference agrees with the commands."""

import shutil
import subprocess

import pytest

from ads_cli.reference.man import man_pages
from ads_cli.reference.markdown import command_reference
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS

ALL = list(COMMANDS.values())


def test_the_command_reference_is_up_to_date():
    assert (ROOT / "docs" / "commands.md").read_text() == command_reference(ALL), "run: make docs"


def test_each_command_has_a_man_page_that_man_reads_without_a_warning(tmp_path):
    pages = man_pages(ALL)
    assert len(pages) == len(COMMANDS) and "adsctl-products-push.1" in pages
    if not shutil.which("man"):
        pytest.skip("needs man")
    for name, text in pages.items():
        path = tmp_path / name
        path.write_text(text)
        shown = subprocess.run(
            ["man", "--warnings", "-P", "cat", "-l", path],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin"},
        )
        assert shown.returncode == 0 and not shown.stderr, shown.stderr
