"""Expressions mean the same on every Python that adsctl runs on."""

import re

from tests.adsctl import ROOT

# A group that repeats and gives nothing back takes, up to Python 3.11.4, what fails for a match (gh-106052).
# An atomic group, (?>(…)*), says the same and is right everywhere.
POSSESSIVE_GROUP = re.compile(r"[^(]\)(?:[?*+]|\{+\d*,?\d*\}+)\+")


def test_no_group_is_possessive():
    lines = (
        f"{path.name}: {line}"
        for path in (ROOT / "ads_cli").rglob("*.py")
        for line in path.read_text().splitlines()
    )
    assert [line for line in lines if POSSESSIVE_GROUP.search(line)] == []
