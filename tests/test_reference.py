"""What is written of the commands is what they are."""

import shutil
import subprocess

import pytest

from ads_cli.reference.man import pages
from ads_cli.reference.markdown import page
from ads_cli.reference.tree import commands
from tests.conftest import ROOT


def test_the_reference_is_what_the_tool_makes():
    assert (ROOT / "docs" / "commands.md").read_text() == page(), "run: make docs"


def test_each_command_has_a_page_that_man_understands(tmp_path):
    written = dict(pages())
    assert len(written) == len(list(commands())) and "adsctl-products-push.1" in written
    if not shutil.which("man"):
        pytest.skip("needs man")
    for name, text in written.items():
        path = tmp_path / name
        path.write_text(text)
        shown = subprocess.run(
            ["man", "--warnings", "-P", "cat", "-l", path],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin"},
        )
        assert shown.returncode == 0 and not shown.stderr, shown.stderr
