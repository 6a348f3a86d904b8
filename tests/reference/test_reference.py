"""The generated reference agrees with the commands."""

import os
import subprocess

import pytest

from ads_cli.reference import command_reference, man_pages
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tests.programs import needs

ALL = list(COMMANDS.values())


def test_the_command_reference_is_up_to_date():
    assert (ROOT / "docs" / "commands.md").read_text() == command_reference(ALL), "run: make docs"


@pytest.fixture
def run(tmp_path):
    """Write the man pages, and return a function that runs a program of them without a complaint."""
    for name, text in man_pages(ALL).items():
        (tmp_path / name).write_text(text)

    def run(program: str, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"]}
        done = subprocess.run(
            [program, *words], cwd=tmp_path, capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        return done.stdout

    return run


@needs("groff")
def test_each_command_has_a_man_page_that_groff_reads_without_a_warning(run, tmp_path):
    pages = sorted(path.name for path in tmp_path.iterdir())
    assert len(pages) == len(ALL) and "adsctl-products-push.1" in pages
    run("groff", "-k", "-man", "-ww", "-Tutf8", "-z", *pages)


@needs("man")
def test_man_shows_a_page(run):
    assert "--failed-out" in run("man", "--warnings", "-P", "cat", "-l", "adsctl-products-push.1")
