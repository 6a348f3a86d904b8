"""Tests that need a program of the system say which, where it is missing."""

from pathlib import Path

from tests.programs import PACKAGES, explained, needs


def test_what_needs_root_is_counted_separately():
    reasons = ["Skipped: needs root", "Skipped: needs zsh", "Skipped: needs zsh root", "Skipped: on Tuesdays"]
    assert explained(reasons) == [
        "2 tests skipped for want of programs: apt-get install zsh",
        "2 tests skipped that need root",
    ]
    assert explained([]) == []


def test_only_programs_that_are_missing_are_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert needs("man", "groff").args == (True,)
    for name in PACKAGES:
        Path(tmp_path, name).touch(0o755)
    assert needs(*PACKAGES).args == (False,)
