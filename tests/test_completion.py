"""Completion in the shell: the scripts, and what they are told."""

import subprocess

import pytest

from tests.conftest import ROOT

FILES = {"bash": "adsctl.bash", "zsh": "_adsctl", "fish": "adsctl.fish", "powershell": "adsctl.ps1"}


@pytest.mark.parametrize("shell", FILES)
def test_the_files_are_what_the_tool_makes(adsctl, shell):
    assert adsctl("completion", shell).stdout == (ROOT / "completions" / FILES[shell]).read_text()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("adsctl prod", ["products"]),
        ("adsctl products pu", ["push", "pull"]),
        ("adsctl products push --fa", ["--failed-out"]),
        ("adsctl catalog sets create --type ", ["MANUAL", "FILTERED"]),
        ("adsctl -o js", ["json", "jsonl"]),
        ("adsctl products list -o js", ["json", "jsonl"]),
        ("adsctl accounts list --with", ["--with-deleted", "--with-total-count"]),
    ],
)
def test_what_is_offered(adsctl, words, offered):
    env = {
        "_ADSCTL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    assert adsctl(**env).stdout.split() == offered


def test_a_real_bash_completes(adsctl):
    (adsctl.home / "bin").mkdir()
    tool = adsctl.file("bin/adsctl", f'#!/bin/sh\nexec {" ".join(adsctl.command())} "$@"\n')
    tool.chmod(0o755)
    program = (
        f"source {ROOT}/completions/adsctl.bash; COMP_WORDS=(adsctl catalog re); COMP_CWORD=2; "
        '_adsctl_completion adsctl; echo "${COMPREPLY[@]}"'
    )
    path = f"{adsctl.home}/bin:{adsctl.environment['PATH']}"
    done = subprocess.run(
        ["bash", "-c", program], env=adsctl.environment | {"PATH": path}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "rename", done.stderr
