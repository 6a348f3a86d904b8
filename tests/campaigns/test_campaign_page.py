"""The page about campaigns as a file says what is true: its files and commands are used, in their order."""

import json
import re
import shlex

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "campaigns-as-a-file.md").read_text()
FILES = re.findall(r"^`(\S+)`:\n\n```\w+\n(.*?)```$", PAGE, re.M | re.S)
COMMANDS = re.findall(r"^adsctl (.+)$", PAGE, re.M)
# Exit codes other than 0, by the first command lines that end with them.
DIFFERING = ("campaigns plan winter.yaml", "campaigns plan shop.yaml -o json")


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_the_page_runs_from_top_to_bottom(adsctl, service, service_name):
    for name, text in FILES:
        (adsctl.home / name).write_text(text)
    expected = [*DIFFERING]
    for line in COMMANDS:
        code = 10 if line in expected else 0
        if line in expected:
            expected.remove(line)
        adsctl("-q", *shlex.split(line), code=code)
    assert not expected and len(COMMANDS) == 16
    names = {one["name"] for one in json.loads(adsctl("campaigns", "list", "-o", "json").stdout)}
    assert {"Winter Germany", "Winter Austria", "Next Hamburg knows us"} <= names
